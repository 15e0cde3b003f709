"""What five summaries of one document cost to examine, beside DeepEval's SummarizationMetric.

    python benchmarks/exam.py [--deepeval PYTHON] [--truths 40] [--json]

Five summaries of a document of 36,000 tokens are examined on a simulated provider, and five of each of twenty documents
on one that spoils a fifth of its replies. `--deepeval` names the interpreter of an environment in which the package
`deepeval` is installed (python -m venv E; E/bin/pip install deepeval; --deepeval E/bin/python): then its metric scores
the same five summaries on the same provider, all at once.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chronicle import chronicle
from compared import AT_ONCE, IMMEDIATE
from deepeval_answers import deepeval_answer
from dspy.lm15 import Request
from prefix_cache import count_tokens
from provider import Answer, LoggedRequest, Prices, Provider, Remembered, offline_answer
from report import Criterion, Report, add, finish, parser, table

from summq.eval.metrics.exam import Examined, examine
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import Prices as Rates
from summq.signatures import Document, QuestionCounts

SUMMARIES = 5
SPOILED = 0.2
SPEED = 2.0  # the less, the less the work of this machine counts
CLIENT = Path(__file__).with_name("deepeval_scores.py")


@dataclass(frozen=True)
class Measured:
    """The requests of one way to score five summaries, and the simulated seconds that it took."""

    log: list[LoggedRequest]
    seconds: float
    scores: list[float]

    @property
    def cost(self) -> float:
        """USD."""
        return sum(call.cost for call in self.log)

    def readings(self, document: int) -> float:
        """How much of the document was read at full price, in documents."""
        return (
            sum(call.prompt_tokens - call.cached_tokens for call in self.log if call.prompt_tokens > document)
            / document
        )


def stretches(text: str) -> list[str]:
    """Five summaries: stretches of 400 words."""
    words = text.split()
    return [" ".join(words[start : start + 400]) for start in range(0, SUMMARIES * 400, 400)]


def examined(text: Document, provider: Provider, number: int = SUMMARIES) -> list[Examined]:
    """So many stretches of the document, examined on the provider."""
    prices = Prices()
    rates = Rates(prices.input, prices.output, prices.cached_input)
    backbone = connect(f"openai/simulated@{provider.url}", prices=rates, cache=False)
    with session(backbone, cache_dir=""):
        pool = QuizShelf(None, Examiner()).pool_about(text)
        return examine(Examinee(open_book=False), [pool.draw(QuestionCounts()).quiz], stretches(text.text)[:number])


def scored_by_deepeval(python: str, text: Document, provider: Provider) -> list[float]:
    """Five stretches of the document, scored by DeepEval in an interpreter of its own."""
    asked = json.dumps({"url": provider.url, "document": text.text, "summaries": stretches(text.text)})
    environment = {
        **os.environ,
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE": "600",
    }
    command = [python, str(CLIENT)]
    done = subprocess.run(command, input=asked, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"deepeval failed: {done.stderr[-2000:]}")
    scores: list[float] = json.loads(done.stdout)
    return scores


def measured(answer: Answer, score: Callable[[Provider], Sequence[float]]) -> Measured:
    """One way to score, rehearsed first so that no answer has to be worked out while time is taken."""
    answer = Remembered(answer)
    with Provider(answer, hardware=AT_ONCE, speed=IMMEDIATE) as rehearsal:
        score(rehearsal)
    with Provider(answer, speed=SPEED) as provider:
        scores = list(score(provider))
        start = min(call.arrival for call in provider.log)
        return Measured(list(provider.log), max(call.finish for call in provider.log) - start, scores)


class Spoiled:
    """Answers of which a fifth, drawn anew at every request, are cut in half and so can't be parsed."""

    def __init__(self) -> None:
        self._answer = offline_answer(seed=1)
        self._requests = 0

    def __call__(self, request: Request) -> str:
        """The reply to a request."""
        self._requests += 1
        reply = self._answer(request)
        chance = hashlib.sha256(str(self._requests).encode()).digest()[0] / 256
        return reply[: len(reply) // 2] if chance < SPOILED else reply


def complete_at_faults() -> int:
    """How many of twenty documents are scored with every answer at a fifth of spoiled replies."""
    with Provider(Spoiled(), speed=IMMEDIATE) as provider:
        faulty = [examined(Document.of(chronicle(4_000, seed=seed)), provider) for seed in range(20)]
    return sum(all(not exam.unscored for one in each for exam in one.exams) for each in faulty)


def main() -> None:
    """Measure and report."""
    options = parser(__doc__)
    options.add_argument("--deepeval", metavar="PYTHON", help="interpreter with the package deepeval")
    options.add_argument("--truths", type=int, default=40, help="truths that the model tells DeepEval of the document")
    given = options.parse_args()
    text = Document.of(chronicle(36_000))
    document = count_tokens(text.text)
    ours = measured(
        offline_answer(seed=1), lambda provider: [one.score.mean or 0.0 for one in examined(text, provider)]
    )
    ways = {"summq exam": ours}
    criteria = [
        Criterion("calls for five summaries", len(ours.log), 12),
        Criterion("readings of the document at full price", ours.readings(document), 1.2),
    ]
    if given.deepeval:
        answer = deepeval_answer(given.truths)
        theirs = measured(answer, lambda provider: scored_by_deepeval(given.deepeval, text, provider))
        ways["DeepEval"] = theirs
        criteria += [
            Criterion("cost in terms of DeepEval's", ours.cost / theirs.cost, 0.25),
            Criterion("wall time in terms of DeepEval's", ours.seconds / theirs.seconds, 2.0),
        ]
    rows = table("five summaries of 36,000 tokens", "calls", "readings at full price", "USD", "simulated seconds")
    for name, way in ways.items():
        add(rows, name, len(way.log), way.readings(document), f"{way.cost:.4f}", way.seconds)
    complete = complete_at_faults()
    spoiled = "documents of 20 scored with every answer at 20 % spoiled replies"
    criteria.append(Criterion(spoiled, complete, 20, at_least=True))
    figures = {
        name: {"calls": len(way.log), "usd": way.cost, "seconds": way.seconds, "scores": way.scores}
        for name, way in ways.items()
    }
    finish(Report(figures, [rows], criteria), as_json=given.json)


if __name__ == "__main__":
    main()
