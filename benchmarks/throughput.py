"""Many documents at once: are all slots busy, is the limit kept, how many documents are done in an hour?

    python benchmarks/throughput.py [--json] [--documents 64] [--speed 5]

COMBO, one iteration, 4,000 tokens a document, 16 calls at a time. The documents differ in a mark at the end only, so
that the replies have to be worked out for one of them; to the provider's cache they are all different from the start.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chronicle import chronicle
from compared import SCRIPT, SINGLE, STOCK, SUMMQ, Run, measured, offline
from provider import Hardware, LoggedRequest
from report import Criterion, Report, add, finish, parser, table
from rich.table import Table

from summq.signatures import Document

TOKENS = 4000
HARDWARE = Hardware()
MARK = re.compile(r"<!-- \d+ -->|document id=\"\w+\"")


@dataclass(frozen=True)
class Load:
    """How busy a provider was: `busy` is the share of its slots in use until the last `slots` calls begin."""

    busy: float
    peak: int
    calls: int

    @classmethod
    def of(cls, log: Sequence[LoggedRequest], slots: int) -> "Load":
        """From a provider's log."""
        begun = sorted(request.start for request in log)
        start, end = begun[0], begun[-min(slots, len(begun))]
        used = sum(max(0.0, min(request.finish, end) - request.start) for request in log)
        return cls(busy=used / (slots * (end - start)) if end > start else 1.0, peak=_peak(log), calls=len(log))


def _peak(log: Sequence[LoggedRequest]) -> int:
    """The most requests that were on their way at once, queued ones included."""
    changes = sorted([(request.finish, -1) for request in log] + [(request.arrival, 1) for request in log])
    running = most = 0
    for _, change in changes:
        running += change
        most = max(most, running)
    return most


def copies(number: int) -> list[Document]:
    """Documents of one length that are alike but for a mark."""
    text = chronicle(TOKENS)
    return [Document(text=f"{text}\n\n<!-- {k:04} -->") for k in range(number)]


def rows_table(runs: dict[str, Run], documents: dict[str, int]) -> Table:
    """A line for each row."""
    made = table("", "documents", "calls", "seconds", "documents an hour", "slots busy", "most at once")
    for name, run in runs.items():
        load, seconds = Load.of(run.log, HARDWARE.concurrency), run.seconds(HARDWARE)
        busy = "" if run.row.sequential else f"{load.busy:.1%}"
        hourly = documents[name] * 3600 / seconds
        add(made, name, documents[name], load.calls, seconds, hourly, busy, load.peak)
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=64)
    options.add_argument("--speed", type=float, default=5.0, help="simulated seconds in a real one")
    chosen = options.parse_args(arguments)
    many = copies(chosen.documents)
    documents = {SUMMQ.name: len(many), STOCK.name: len(many) // 4, SCRIPT.name: 1, SINGLE.name: len(many)}
    answer = offline(0.0, lambda prompt: MARK.sub("", prompt))
    rows = (SUMMQ, STOCK, SCRIPT, SINGLE)
    runs = {
        row.name: measured(row, many[: documents[row.name]], answer, speed=chosen.speed, alike=True, max_iterations=1)
        for row in rows
    }
    summq = Load.of(runs[SUMMQ.name].log, HARDWARE.concurrency)
    criteria = [
        Criterion("share of slots busy until the last calls", summq.busy, 0.9, at_least=True),
        Criterion("requests at once", summq.peak, HARDWARE.concurrency),
    ]
    figures = {
        name: {
            "documents": documents[name],
            "seconds": run.seconds(HARDWARE),
            "calls": len(run.log),
            "busy": Load.of(run.log, HARDWARE.concurrency).busy,
        }
        for name, run in runs.items()
    }
    finish(Report({"rows": figures}, [rows_table(runs, documents)], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["Load"]
