"""How long `summq` takes where nothing is run: for help and for typos, beside a bare interpreter.

    python benchmarks/startup.py [--json]

The fastest of several starts counts. On a machine that does other work CPU time says more than the clock.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence

from report import Criterion, Report, add, finish, parser, table

STARTS = 10
BARE = "a bare interpreter"
SUMMQ = ("-m", "summq")
COMMANDS: dict[str, tuple[tuple[str, ...], float | None]] = {
    BARE: (("-c", "pass"), None),
    "summq --help": ((*SUMMQ, "--help"), 0.5),
    "summq sumarize (no such command)": ((*SUMMQ, "sumarize", "a.md"), 1.0),
    "summq metric lern (no such command)": ((*SUMMQ, "metric", "lern"), 1.0),
    "summq summarize --bakbone (no such option)": ((*SUMMQ, "summarize", "a.md", "--bakbone", "x"), 1.0),
    "summq summarize --backbone gpt-4o (no such backbone)": (
        (*SUMMQ, "summarize", "a.md", "--backbone", "gpt-4o"),
        1.0,
    ),
}
"""What is started, and in how many seconds it shall answer."""


def fastest(arguments: Sequence[str]) -> tuple[float, float]:
    """Seconds on the clock and of CPU time; the least of each over several starts."""
    clock, cpu = [], []
    for _ in range(STARTS):
        started, before = time.perf_counter(), cpu_of_children()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
        clock.append(time.perf_counter() - started)
        cpu.append(cpu_of_children() - before)
    return min(clock), min(cpu)


def cpu_of_children() -> float:
    """Seconds of CPU time that processes took which this one has started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and exit with status 1 if a criterion is missed."""
    chosen = parser(__doc__).parse_args(arguments)
    seconds = {name: fastest(command) for name, (command, _) in COMMANDS.items()}
    _, bare = seconds[BARE]
    made = table(f"fastest of {STARTS} starts", "seconds", "seconds of CPU", "times a bare interpreter (CPU)")
    for name, (clock, cpu) in seconds.items():
        add(made, name, clock, cpu, cpu / bare)
    criteria = [
        Criterion(f"seconds of CPU until {name} has answered", seconds[name][1], bound)
        for name, (_, bound) in COMMANDS.items()
        if bound
    ]
    figures = {name: {"seconds": clock, "cpu": cpu, "ratio": cpu / bare} for name, (clock, cpu) in seconds.items()}
    finish(Report(figures, [made], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()
