"""The exam as a measure: does its score depend on the number of questions, and what do five summaries cost?

    python benchmarks/exam.py [--data ../shared/data] [--backbone offline] [--documents 20] [--json]

First one summary of each document (its beginning) takes quizzes of 2/2/1, 4/3/3 and 10/10/10 questions with five seeds.
Then five summaries of one document of 36,000 tokens are examined on a simulated provider, and five of each of twenty
documents on one that spoils a fifth of its replies.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

from chronicle import chronicle
from compared import AT_ONCE, IMMEDIATE
from dspy.lm15 import Request
from prefix_cache import count_tokens
from provider import LoggedRequest, Prices, Provider, Remembered, offline_answer
from report import Criterion, Report, add, finish, parser, table
from rich.table import Table

from summq.eval.metrics.exam import Examined, examine
from summq.eval.statistics import Estimate, compare, summarise
from summq.programs.baselines.extracts import Lead
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import Prices as Rates
from summq.programs.settings import parse_questions
from summq.signatures import Document, QuestionCounts

MIXES = ("2/2/1", "4/3/3", "10/10/10")
SEEDS = range(5)
SUMMARIES = 5
SPOILED = 0.2
SPLITS = ("reports/dev", "stories/dev", "meetings/dev")


def documents(data: Path, number: int) -> list[Document]:
    """As many documents of each kind, in turn, as are wanted."""
    files = [(data / f"{split}.jsonl").read_text("utf-8").splitlines() for split in SPLITS]
    rows = [json.loads(line) for lines in zip(*files, strict=False) for line in lines]
    return [Document.of(row["document"]) for row in rows[:number]]


def by_mix(texts: Sequence[Document], backbone: str) -> dict[str, list[float]]:
    """For each mix of questions the score of each document's summary, a mean over the seeds."""
    scores: dict[str, list[float]] = {mix: [] for mix in MIXES}
    with session(backbone):
        shelf = QuizShelf(None, Examiner())
        for text in texts:
            pool, summary = shelf.pool_about(text), Lead(300)(document=text).summary
            for mix in MIXES:
                wanted = QuestionCounts.model_validate(parse_questions(mix))
                taken = [
                    examine(Examinee(seed, open_book=False), [pool.draw(wanted, seed).quiz], [summary])[0]
                    for seed in SEEDS
                ]
                known = [one.score.mean for one in taken if one.score.mean is not None]
                if known:
                    scores[mix].append(fmean(known))
    return scores


def mixes_table(scores: dict[str, list[float]]) -> tuple[Table, float]:
    """Means with intervals, their differences, and how many of these leave 0 out."""
    made = table("questions", "mean score", "95 %")
    for mix, values in scores.items():
        estimate = summarise(values)
        add(made, mix, estimate.mean or 0.0, interval(estimate))
    apart = 0
    for one, other in combinations(MIXES, 2):
        test = compare(scores[one], scores[other])
        apart += test.p is not None and test.p < 0.05
        bounds = Estimate(mean=test.difference, low=test.low, high=test.high, n=test.n)
        add(made, f"{one} minus {other}", test.difference or 0.0, f"{interval(bounds)}, p={test.p or 1:.3f}")
    return made, apart


def interval(estimate: Estimate) -> str:
    """The bounds of an estimate."""
    return "" if estimate.low is None or estimate.high is None else f"[{estimate.low:.3f}, {estimate.high:.3f}]"


def examined(text: Document, provider: Provider) -> list[Examined]:
    """Five stretches of the document, examined on the provider."""
    prices = Prices()
    rates = Rates(prices.input, prices.output, prices.cached_input)
    backbone = connect(f"openai/simulated@{provider.url}", prices=rates, cache=False)
    words = text.text.split()
    stretches = [" ".join(words[start : start + 400]) for start in range(0, SUMMARIES * 400, 400)]
    with session(backbone, cache_dir=""):
        pool = QuizShelf(None, Examiner()).pool_about(text)
        return examine(Examinee(open_book=False), [pool.draw(QuestionCounts()).quiz], stretches)


def readings(log: Sequence[LoggedRequest], document: int) -> float:
    """How much of the document was read at full price, in documents."""
    return sum(call.prompt_tokens - call.cached_tokens for call in log if call.prompt_tokens > document) / document


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


def main() -> None:
    """Measure and report."""
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--backbone", default="offline")
    options.add_argument("--documents", type=int, default=20)
    given = options.parse_args()
    sizes, apart = mixes_table(by_mix(documents(given.data, given.documents), given.backbone))
    text = Document.of(chronicle(36_000))
    answer = Remembered(offline_answer(seed=1))
    with Provider(answer, hardware=AT_ONCE, speed=IMMEDIATE) as rehearsal:
        examined(text, rehearsal)
    with Provider(answer, speed=10.0) as provider:
        start = provider.clock.now()
        examined(text, provider)
        seconds, log = provider.clock.now() - start, list(provider.log)
    with Provider(Spoiled(), speed=10_000.0) as provider:
        faulty = [examined(Document.of(chronicle(4_000, seed=seed)), provider) for seed in range(20)]
    complete = sum(all(not exam.unscored for one in each for exam in one.exams) for each in faulty)
    calls = table("five summaries of 36,000 tokens", "measured")
    full = readings(log, count_tokens(text.text))
    for name, value in calls_made(log, full, seconds):
        add(calls, name, value)
    criteria = [
        Criterion("differences between numbers of questions with p < 0.05", apart, 0),
        Criterion("calls for five summaries", len(log), 12),
        Criterion("readings of the document at full price", full, 1.2),
        Criterion("documents of 20 scored with every answer at 20 % spoiled replies", complete, 20, at_least=True),
    ]
    finish(Report({"calls": len(log), "seconds": seconds}, [sizes, calls], criteria), as_json=given.json)


def calls_made(log: Sequence[LoggedRequest], full: float, seconds: float) -> Iterator[tuple[str, object]]:
    """What five summaries took."""
    yield "calls", len(log)
    yield "readings at full price", full
    yield "USD", f"{sum(call.cost for call in log):.4f}"
    yield "simulated seconds", seconds


if __name__ == "__main__":
    main()
