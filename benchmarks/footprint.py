"""What the program itself needs: CPU time for each call, memory for many documents.

    python benchmarks/footprint.py [--json] [--documents 200]

The language model is an engine in this process that sees only the beginning of the document. The time that it takes is
left out, so that SummQ and DSPy alone are measured.
"""

import json
import resource
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

import dspy
from chronicle import chronicle
from compared import EVERY, SCRIPT, SINGLE, STOCK, SUMMQ, Row
from dspy.lm15 import Request, Response, TextPart
from provider import Clock
from report import Criterion, Report, add, finish, parser, table

from summq.programs.runtime.backbones import Backbone, BackboneOptions
from summq.programs.runtime.offline import OfflineEngine
from summq.programs.runtime.providers import Endpoint
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import FREE
from summq.signatures import Document

ROWS = (SUMMQ, EVERY, STOCK, SCRIPT, SINGLE)
LONG = 500_000  # characters
SHORT = 3000
WARM_UP = 10
RUNS = 5


class ShortSighted(OfflineEngine):
    """Answers as if the document were its beginning alone; keeps count of its calls and of the CPU time it took."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.calls = 0
        self.seconds = 0.0
        self._long, self._short = text, text[:SHORT]
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        """Answer a request whose document is shortened first."""
        started = time.thread_time()
        turns = [replace(turn, parts=(TextPart(self._shortened(turn.text or "")),)) for turn in request.messages]
        response = super().complete(replace(request, messages=tuple(turns)))
        with self._lock:
            self.calls += 1
            self.seconds += time.thread_time() - started
        return response

    def _shortened(self, text: str) -> str:
        in_json = json.dumps(self._long, ensure_ascii=False)[1:-1], json.dumps(self._short, ensure_ascii=False)[1:-1]
        return text.replace(self._long, self._short).replace(*in_json)


def marked(text: str, number: int) -> Document:
    """A document like others but for a mark at its end: no reply is in a cache."""
    return Document(text=f"{text}\n\n<!-- {number:06} -->")


def backbone(engine: OfflineEngine) -> Backbone:
    """A backbone over an engine in this process; its replies go through DSPy's cache like all others."""
    endpoint = Endpoint(dspy.LM("short-sighted", engine=engine, num_retries=0), "short-sighted", prices=FREE)
    return Backbone(endpoint, BackboneOptions())


def cpu_per_call(row: Row, text: str) -> float:
    """Milliseconds of CPU time that SummQ and DSPy take for a call: the best of several runs of one iteration.

    The first run, which also loads what is needed, does not count.
    """
    engine = ShortSighted(text)
    layout = dspy.context(adapter=dspy.ChatAdapter()) if row.stock_layout else nullcontext()
    with session(backbone(engine), cache_dir=""), layout:
        program = row.program(Clock(), max_iterations=1)
        taken = []
        for number in range(1 + RUNS):
            before, calls = time.process_time() - engine.seconds, engine.calls
            program(document=marked(text, number))
            taken.append((time.process_time() - engine.seconds - before) * 1000 / (engine.calls - calls))
        return min(taken[1:])


def memory_growth(documents: int) -> float:
    """Megabytes by which the peak of memory grows over so many documents of 100 KB, one after the other."""
    text = chronicle(25_000)
    with session(backbone(ShortSighted(text)), cache_dir=""):
        program = SUMMQ.program(Clock(), max_iterations=1)
        for number in range(WARM_UP + documents):
            if number == WARM_UP:
                before = peak_memory()
            program(document=marked(text, number))
        return peak_memory() - before


def peak_memory() -> float:
    """The most memory that this process has held so far, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and exit with status 1 if a criterion is missed."""
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=200)
    chosen = options.parse_args(arguments)
    text = chronicle(LONG // 4)[:LONG]
    cpu = {row.name: cpu_per_call(row, text) for row in ROWS}
    grown = memory_growth(chosen.documents)
    made = table("500 KB of document", "ms of CPU a call")
    for name, milliseconds in cpu.items():
        add(made, name, milliseconds)
    criteria = [
        Criterion("ms of CPU a call", cpu[SUMMQ.name], 5),
        Criterion("... with every call reading the document", cpu[EVERY.name], 5),
        Criterion(f"MB that memory grows over {chosen.documents} documents", grown, 50),
    ]
    figures = {"cpu_ms_per_call": cpu, "memory_growth_mb": grown}
    finish(Report(figures, [made], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()
