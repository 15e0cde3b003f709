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
from summq.programs.runtime.adapter import is_prose
from summq.programs.runtime.offline.request import Asked
from summq.programs.runtime.offline.task import CANDIDATE_FIELDS, Task

Outputs = Mapping[str, Any]
REASONING = "reasoning"  # what dspy.ChainOfThought puts before the outputs


@dataclass(frozen=True)
class Rule:
    """A role and the rule that answers it."""

    signature: type[dspy.Signature]
    answer: Callable[[Task], Outputs]


RULES: tuple[Rule, ...] = (
    Rule(signatures.DraftSummary, drafting.draft),
    Rule(signatures.DraftOfAnyLength, drafting.draft_freely),
    Rule(signatures.ReviseSummary, drafting.revise),
    Rule(signatures.AggregateSummaries, drafting.aggregate),
    Rule(signatures.RewriteToLength, drafting.rewrite),
    Rule(signatures.DigestPassage, drafting.digest),
    Rule(signatures.DraftQuiz, quizzing.draft),
    Rule(signatures.ReviseQuiz, quizzing.draft),
    Rule(signatures.AggregateQuizzes, quizzing.aggregate),
    Rule(signatures.TakeQuiz, examining.take),
    Rule(signatures.TakeQuizOpenBook, examining.take_open_book),
    Rule(signatures.TakeQuizBlind, examining.take_blind),
    Rule(signatures.GradeAnswers, examining.grade),
    Rule(signatures.ReviewSummary, reviewing.review_summary),
    Rule(signatures.ReviewQuiz, reviewing.review_quiz),
    Rule(signatures.GroupIssues, debating.group),
    Rule(signatures.DebateIssues, debating.debate),
    Rule(signatures.DecideIssues, debating.decide),
    Rule(signatures.RankSummaries, judging.rank_summaries),
    Rule(signatures.VoteSummary, judging.vote_summary),
    Rule(signatures.RankQuizzes, judging.rank_quizzes),
    Rule(signatures.VoteQuiz, judging.vote_quiz),
    Rule(signatures.JudgeSummaries, judging.judge),
    Rule(signatures.CheckSentences, judging.check_sentences),
    Rule(signatures.SummarizePassage, baselines.summarize_passage),
    Rule(signatures.MergeSummaries, baselines.merge),
    Rule(signatures.RefineSummary, baselines.refine),
    Rule(signatures.CritiqueSummary, baselines.critique),
    Rule(signatures.CorrectSummary, baselines.correct),
    Rule(signatures.ChooseSummary, baselines.choose),
    Rule(signatures.ImproveSummary, baselines.improve),
    Rule(signatures.DensifySummary, baselines.densify),
)


def rule_for(asked: Asked) -> Rule | None:
    """The rule whose fields a request has; None when there is none."""
    inputs = set(asked.input_names) | ({"document"} if asked.document is not None else set())
    outputs = set(asked.output_names) - {REASONING}
    return next((rule for rule in RULES if _plays(rule, inputs, outputs)), None)


def _plays(rule: Rule, inputs: set[str], outputs: set[str]) -> bool:
    """Whether these are the fields of the rule. Roles that compare drafts may do so without the document."""
    if not outputs and is_prose(rule.signature):
        outputs = set(rule.signature.output_fields)
    fields = set(rule.signature.input_fields)
    allowed = [fields, fields - {"document"}] if fields & set(CANDIDATE_FIELDS) else [fields]
    return inputs in allowed and outputs == set(rule.signature.output_fields)


__all__ = ["RULES", "Rule", "rule_for"]
