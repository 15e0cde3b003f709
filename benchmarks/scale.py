"""What `summq eval` needs as rows grow: memory and CPU time of one process, and shards merged against one run.

    python benchmarks/scale.py [--json] [--rows 1000,100000] [--metrics rouge,surface]

Each size is evaluated by the command line in a process of its own, on short made rows, with the system `lead`. Time is
CPU time, so that other work on the machine does not count; that of the start is measured with a few rows and left out.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from report import Criterion, Report, add, finish, parser, table

FEW = 20
MOST_GROWTH = 200  # MB
MOST_RATIO = 1.2
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


def evaluated(data: Path, rows: int, out: Path, metrics: str) -> Use:
    """One evaluation in a process of its own. Exits when it fails."""
    given = ["--data", str(data), "--systems", "lead", "--metrics", metrics, "--words", "30", "--progress", "off"]
    command = [sys.executable, "-m", "summq", "eval", *given, "--out", str(out)]
    with (out.parent / f"{out.name}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{(out.parent / f'{out.name}.log').read_text()[-2000:]}")
    return Use(rows, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)


def measured(rows: int, folder: Path, metrics: str) -> Use:
    """The use of one evaluation of so many rows."""
    data = folder / f"{rows}.jsonl"
    write_rows(data, rows)
    return evaluated(data, rows, folder / f"run-{rows}", metrics)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--rows", default="1000,100000", help="two or more sizes, ascending")
    options.add_argument("--metrics", default="rouge,surface")
    chosen = options.parse_args(arguments)
    sizes = [int(size) for size in chosen.rows.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        start, *uses = (measured(size, Path(folder), chosen.metrics) for size in (FEW, *sizes))
    shown = table("rows", "peak memory, MB", "CPU seconds", "milliseconds a row, without the start")
    for use in (start, *uses):
        each = 1000 * use.seconds_a_row(start) if use is not start else "–"
        add(shown, f"{use.rows:,}", use.memory, use.seconds, each)
    ratio = uses[-1].seconds_a_row(start) / uses[0].seconds_a_row(start)
    criteria = [
        Criterion(f"MB more at {sizes[-1]:,} rows than at {sizes[0]:,}", uses[-1].memory - uses[0].memory, MOST_GROWTH),
        Criterion("time for a row, the largest size over the smallest", ratio, MOST_RATIO),
    ]
    figures = {str(use.rows): {"memory": use.memory, "seconds": use.seconds} for use in (start, *uses)}
    finish(Report(figures, [shown], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["Use"]
