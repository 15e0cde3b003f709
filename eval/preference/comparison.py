"""Judge two systems on all documents that both summarised."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

import dspy

from summq.eval.preference.judge import Judge, Judgement, same_family_warning
from summq.eval.preference.labels import Labels, agreement_with
from summq.eval.preference.pairs import Pair, Summaries
from summq.eval.preference.verdicts import ALIKE, JudgeReport, JudgeVerdict, verdict_on
from summq.eval.report.tables import table_of
from summq.programs.runtime.files import make_folder, write_model, write_text
from summq.programs.runtime.parallel import DOCUMENTS_AT_ONCE, parallel

REASONS_SHOWN = 3
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

    def one(asked: tuple[Pair, str]) -> Judgement:
        pair, criterion = asked
        with dspy.context(document_key=pair.document.key):
            judgement: Judgement = judge(pair=pair, criterion=criterion, meaning=criteria[criterion])
        listener(judgement)
        return judgement

    return parallel(one, product(pairs, criteria), at_once=DOCUMENTS_AT_ONCE)


def judge_report(
    a: Summaries,
    b: Summaries,
    judgements: Sequence[Judgement],
    judge: str,
    *,
    length_matched: bool,
    seed: int = 0,
    meanings: Mapping[str, str] | None = None,
    labels: Labels | None = None,
) -> JudgeReport:
    """The report on judgements: a verdict for each criterion, mean lengths, and a warning of kinship.

    Args:
        meanings: What the judge was told of each criterion.
        labels: What people said of the pairs, for the agreement of the judge with them.
    """
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
        criteria=dict(meanings or {}),
        agreement=agreement_with(labels, judgements, seed) if labels else [],
    )


HEADS = ("criterion", "pairs", "win rate", "p", "wins", "ties", "losses", "unscored", "flipped", "longer wins")


def write_judgements(folder: Path, report: JudgeReport, judgements: Sequence[Judgement]) -> str:
    """Write the files; hands back the page."""
    make_folder(folder)
    page = judge_page(report, judgements)
    write_text(folder / "judgements.jsonl", "".join(j.model_dump_json() + "\n" for j in judgements))
    write_model(folder / "judge.json", report)
    write_text(folder / "judge.md", page)
    return page


def judge_page(report: JudgeReport, judgements: Sequence[Judgement] = ()) -> str:
    """The report in Markdown, with some of the reasons that the judge gave."""
    matched = ", both cut to the length of the shorter" if report.length_matched else ""
    blocks = [
        f"# {report.a} against {report.b}, judged by {report.judge}",
        f"Mean words: {report.a} {report.words_a:.0f}, {report.b} {report.words_b:.0f}{matched}.",
        *([f"**Warning:** {report.warning}."] if report.warning else []),
        table_of([*HEADS, "win rate, alike in length"], [_row(verdict) for verdict in report.verdicts]),
        f"Win rate: the share of {report.a}, with 95 % intervals; a tie is half a win. Every pair was shown in both "
        "orders; where the verdicts differ it is a tie, and flipped. Longer wins: of the decided pairs of unequal "
        "length, those that the longer summary won; near 100 % or 0 % the judge goes by length. Unscored: no readable "
        f"verdict. Alike in length: lengths differ by at most {ALIKE:.0%}.",
        *_agreement(report),
        *(["## Criteria", "\n".join(f"- {text}" for text in report.criteria.values())] if report.criteria else []),
        *_reasons(report, judgements),
    ]
    return "\n\n".join(blocks) + "\n"


def _agreement(report: JudgeReport) -> list[str]:
    """A table of how far the judge says what people say; nothing without labels."""
    if not report.agreement:
        return []
    rows = [
        [
            one.criterion,
            str(one.same.n),
            one.same.percent(),
            "–" if one.alpha.mean is None else f"{one.alpha.mean:.2f}",
        ]
        for one in report.agreement
    ]
    return ["## Agreement with people", table_of(["criterion", "pairs", "same winner", "Krippendorff's alpha"], rows)]


def _reasons(report: JudgeReport, judgements: Sequence[Judgement]) -> list[str]:
    """The reasons of the first pairs by each criterion; all of them are in `judgements.jsonl`."""
    names = {"a": report.a, "b": report.b, "tie": "tie", None: "unscored"}
    lines = [
        f"- {criterion}, {j.id} ({names[j.winner]}): {' '.join(j.reasons[0].split())}"
        for criterion in dict.fromkeys(j.criterion for j in judgements)
        for j in [j for j in judgements if j.criterion == criterion and j.reasons][:REASONS_SHOWN]
    ]
    return ["## Reasons (the first ones; all are in judgements.jsonl)", "\n".join(lines)] if lines else []


def _row(verdict: JudgeVerdict) -> list[str]:
    counts = (verdict.wins, verdict.ties, verdict.losses, verdict.unscored)
    return [
        verdict.criterion,
        str(sum(counts)),
        verdict.win_rate.percent(),
        "–" if verdict.p is None else f"{verdict.p:.3f}",
        *map(str, counts),
        _percent(verdict.flip_rate),
        f"{_percent(verdict.longer_wins)} of {verdict.decided_by_unequal}",
        f"{verdict.alike.percent()} (n={verdict.alike.n})",
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


__all__ = ["judge_pairs", "judge_report", "write_judgements"]
