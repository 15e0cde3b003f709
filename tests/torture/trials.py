"""Series of seeded trials that go on where they stopped: a line of JSON for each trial that has ended."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

Outcome = dict[str, Any]


def series(path: Path, names: Sequence[str], trial: Callable[[str], Outcome]) -> Iterator[Outcome]:
    """The outcomes of the named trials, in order; those that `path` holds are not run again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {one["trial"]: one for one in map(json.loads, path.read_text().splitlines())} if path.exists() else {}
    with path.open("a") as file:
        for name in names:
            if name not in done:
                done[name] = {"trial": name, **trial(name)}
                print(json.dumps(done[name]), file=file, flush=True)
            yield done[name]


def markdown(rows: Sequence[dict[str, object]]) -> str:
    """Rows with the same keys as a table."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(map(str, row.values())) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


__all__ = ["Outcome", "markdown", "series"]
