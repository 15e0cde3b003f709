"""What `summq eval` needs as rows grow: memory and CPU time of one process, and shards merged against one run.

    python benchmarks/scale.py [--json] [--rows 1000,100000] [--metrics rouge,surface] [--systems lead] [--shards 4]

Each size is evaluated by the command line in a process of its own, on short made rows. Time is CPU time, so that other
work on the machine does not count; that of the start is measured with a few rows and left out.
Then the smallest size is evaluated once more in shards, which are merged and compared with the one run.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from operator import ne
from pathlib import Path

from report import Criterion, Report, add, finish, parser, table

FEW = 20
MOST_GROWTH = 200  # MB
MOST_RATIO = 1.2
COMPARED = ("config.json", "predictions.jsonl", "table.csv")
SECONDS = re.compile(r'"seconds":[0-9.e-]+')
KEEPERS = ("Ada", "Brno", "Cato", "Dora", "Emil", "Fay", "Gus", "Hana", "Ines", "Jan", "Kai")


@dataclass(frozen=True)
class Use:
    """What one evaluation took: peak memory in MB, CPU seconds of the whole process."""

    rows: int
    memory: float
    seconds: float

    def seconds_a_row(self, start: "Use") -> float:
        """Without the start of the process."""
        return (self.seconds - start.seconds) / (self.rows - start.rows)


def write_rows(path: Path, number: int) -> None:
    """Rows with a text of some sixty words and one reference, each different from all others."""
    with path.open("w", encoding="utf-8") as file:
        for k in range(number):
            name, lamps = KEEPERS[k % len(KEEPERS)], 100 + k * 7919 % 9000
            text = (
                f"Keeper {name} counted {lamps} lamps in hall {k} on the first evening of winter. The oil came late, "
                f"and {k % 13} lamps stayed dark until morning. The harbour master wrote that no ship was lost. "
                f"A new wick costs {1 + k % 9} crowns, and the council pays for {k % 50} of them a year. "
                f"In spring the halls are closed, and {name} walks home along the sea wall."
            )
            summary = f"{name} counted {lamps} lamps; {k % 13} stayed dark, and no ship was lost."
            file.write(json.dumps({"id": f"row-{k}", "document": text, "summary": summary}) + "\n")


def evaluated(data: Path, rows: int, out: Path, *more: str) -> Use:
    """One evaluation in a process of its own."""
    given = ["--data", str(data), "--words", "30", "--progress", "off", "--out", str(out)]
    return used_by(rows, out.parent / f"{out.name}.log", "eval", *given, *more)


def used_by(rows: int, log: Path, *arguments: str) -> Use:
    """What a command of `summq` takes, in a process of its own. Exits when it fails."""
    command = [sys.executable, "-m", "summq", *arguments]
    with log.open("w") as told:
        cache = {"SUMMQ_CACHE_DIR": str(log.with_suffix(".cache"))}
        process = subprocess.Popen(command, stdout=told, stderr=told, env={**os.environ, **cache})
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text()[-2000:]}")
    return Use(rows, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)


def merged(rows: int, shards: int, folder: Path, given: Sequence[str]) -> tuple[Use, int]:
    """What it takes to merge shards of an evaluation that was made before, and how many lines differ from it."""
    whole, parts = folder / f"run-{rows}", [folder / f"shard-{index}" for index in range(1, shards + 1)]
    for index, part in enumerate(parts, 1):
        evaluated(folder / f"{rows}.jsonl", rows // shards, part, *given, "--shard", f"{index}/{shards}")
    use = used_by(rows, folder / "merged.log", "report", str(folder / "merged"), *map(str, parts))
    pairs = [(lines(whole, name), lines(folder / "merged", name)) for name in COMPARED]
    return use, sum(len(one) != len(other) or sum(map(ne, one, other)) for one, other in pairs)


def lines(folder: Path, name: str) -> list[str]:
    """The lines of a file of a run, without what the clock said."""
    text = (folder / name).read_text("utf-8")
    return [SECONDS.sub("", line) for line in text.splitlines() if ",seconds," not in line]


def measured(rows: int, folder: Path, given: Sequence[str]) -> Use:
    """The use of one evaluation of so many rows."""
    data = folder / f"{rows}.jsonl"
    write_rows(data, rows)
    return evaluated(data, rows, folder / f"run-{rows}", *given)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--rows", default="1000,100000", help="two or more sizes, ascending")
    options.add_argument("--metrics", default="rouge,surface")
    options.add_argument("--systems", default="lead")
    options.add_argument("--shards", type=int, default=4)
    chosen = options.parse_args(arguments)
    sizes = [int(size) for size in chosen.rows.split(",")]
    given = ["--systems", chosen.systems, "--metrics", chosen.metrics]
    with tempfile.TemporaryDirectory() as folder:
        start, *uses = (measured(size, Path(folder), given) for size in (FEW, *sizes))
        merging, differ = merged(sizes[0], chosen.shards, Path(folder), given)
    shown = table("rows", "peak memory, MB", "CPU seconds", "milliseconds a row, without the start")
    for use in (start, *uses):
        each = 1000 * use.seconds_a_row(start) if use is not start else "–"
        add(shown, f"{use.rows:,}", use.memory, use.seconds, each)
    ratio = uses[-1].seconds_a_row(start) / uses[0].seconds_a_row(start)
    criteria = [
        Criterion(f"MB more at {sizes[-1]:,} rows than at {sizes[0]:,}", uses[-1].memory - uses[0].memory, MOST_GROWTH),
        Criterion("time for a row, the largest size over the smallest", ratio, MOST_RATIO),
        Criterion(f"lines that differ from one run when {chosen.shards} shards are merged", differ, 0),
    ]
    add(shown, f"{sizes[0]:,}, merging {chosen.shards} shards", merging.memory, merging.seconds, "–")
    figures = {str(use.rows): {"memory": use.memory, "seconds": use.seconds} for use in (start, *uses)}
    finish(Report(figures, [shown], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["Use"]
