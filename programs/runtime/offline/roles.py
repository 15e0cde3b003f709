"""Which rule answers which role. A role is recognised by the names of its fields, taken from its signature."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import dspy

import summq.programs.runtime.offline.baselines as baselines
import summq.programs.runtime.offline.debating as debating
import summq.programs.runtime.offline.drafting as drafting
import summq.programs.runtime.offline.examining as examining
import summq.programs.runtime.offline.judging as judging
import summq.programs.runtime.offline.quizzing as quizzing
import summq.programs.runtime.offline.reviewing as reviewing
from summq import signatures
from summq.programs.runtime.offline.request import Asked
from summq.programs.runtime.offline.task import COMPARED, Task

Outputs = Mapping[str, Any]
REASONING = "reasoning"  # what dspy.ChainOfThought puts before the outputs


@dataclass(frozen=True)
class Part:
    """A role and the rule that answers it."""

    signature: type[dspy.Signature]
    answer: Callable[[Task], Outputs]


PARTS: tuple[Part, ...] = (
    Part(signatures.DraftSummary, drafting.draft),
    Part(signatures.ReviseSummary, drafting.revise),
    Part(signatures.AggregateSummaries, drafting.aggregate),
    Part(signatures.RewriteToLength, drafting.rewrite),
    Part(signatures.DigestPassage, drafting.digest),
    Part(signatures.DraftQuiz, quizzing.draft),
    Part(signatures.ReviseQuiz, quizzing.draft),
    Part(signatures.AggregateQuizzes, quizzing.aggregate),
    Part(signatures.TakeQuiz, examining.take),
    Part(signatures.TakeQuizOpenBook, examining.take_open_book),
    Part(signatures.GradeAnswers, examining.grade),
    Part(signatures.ReviewSummary, reviewing.review_summary),
    Part(signatures.ReviewQuiz, reviewing.review_quiz),
    Part(signatures.GroupIssues, debating.group),
    Part(signatures.DebateIssues, debating.debate),
    Part(signatures.DecideIssues, debating.decide),
    Part(signatures.RankSummaries, judging.rank_summaries),
    Part(signatures.VoteSummary, judging.vote_summary),
    Part(signatures.RankQuizzes, judging.rank_quizzes),
    Part(signatures.VoteQuiz, judging.vote_quiz),
    Part(signatures.JudgeSummaries, judging.judge),
    Part(signatures.CheckSentences, judging.check_sentences),
    Part(signatures.SummarizePassage, baselines.summarize_passage),
    Part(signatures.MergeSummaries, baselines.merge),
    Part(signatures.RefineSummary, baselines.refine),
    Part(signatures.CritiqueSummary, baselines.critique),
    Part(signatures.CorrectSummary, baselines.correct),
    Part(signatures.ChooseSummary, baselines.choose),
    Part(signatures.ImproveSummary, baselines.improve),
    Part(signatures.DensifySummary, baselines.densify),
)


def part_for(asked: Asked) -> Part | None:
    """The part whose fields a request has; None when there is none."""
    inputs = set(asked.input_names) | ({"document"} if asked.document is not None else set())
    outputs = set(asked.output_names) - {REASONING}
    return next((part for part in PARTS if _plays(part, inputs, outputs)), None)


def _plays(part: Part, inputs: set[str], outputs: set[str]) -> bool:
    """Whether these are the fields of the part. Who compares drafts may do so without the document."""
    fields = set(part.signature.input_fields)
    allowed = [fields, fields - {"document"}] if fields & set(COMPARED) else [fields]
    return inputs in allowed and outputs == set(part.signature.output_fields)


__all__ = ["PARTS", "Part", "part_for"]
