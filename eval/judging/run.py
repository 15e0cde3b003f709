"""Judge two systems on all documents that both summarised."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import dspy

from summq.eval.judging.families import same_family_warning
from summq.eval.judging.judge import Judge, Judgement
from summq.eval.judging.pairs import Pair, Summaries
from summq.eval.judging.verdicts import JudgeReport, verdict_on
from summq.eval.pool import run_all

Listener = Callable[[Judgement], None]


def judge_pairs(
    pairs: Sequence[Pair], criteria: Mapping[str, str], listener: Listener = lambda judgement: None
) -> list[Judgement]:
    """A judgement for every pair and criterion, on the backbones of the session.

    Raises:
        BudgetSpent: The budget ended; replies had are in the response cache.
        BackboneError: The backbone will fail every call.
    """
    judge = Judge()

    def one(pair: Pair, criterion: str) -> Judgement:
        with dspy.context(document_key=pair.document.key):
            judgement: Judgement = judge(pair=pair, criterion=criterion, meaning=criteria[criterion])
        listener(judgement)
        return judgement

    return run_all([lambda pair=pair, name=name: one(pair, name) for pair in pairs for name in criteria])  # type: ignore[misc]


def judge_report(
    a: Summaries, b: Summaries, judgements: Sequence[Judgement], judge: str, *, length_matched: bool, seed: int = 0
) -> JudgeReport:
    """What the judgements come to."""
    criteria = dict.fromkeys(judgement.criterion for judgement in judgements)
    return JudgeReport(
        a=a.name,
        b=b.name,
        judge=judge,
        words_a=fmean(judgement.words_a for judgement in judgements),
        words_b=fmean(judgement.words_b for judgement in judgements),
        length_matched=length_matched,
        warning=same_family_warning(judge, {a.name: a.backbone, b.name: b.backbone}),
        verdicts=[verdict_on(name, [j for j in judgements if j.criterion == name], seed) for name in criteria],
    )


__all__ = ["judge_pairs", "judge_report"]
