"""A judge's report: `judgements.jsonl`, `judge.json` and a page to read, `judge.md`."""

from collections.abc import Sequence
from pathlib import Path

from summq.eval.judging.judge import Judgement
from summq.eval.judging.verdicts import ALIKE, JudgeReport, Verdict
from summq.eval.results import Estimate
from summq.eval.tables import table_of
from summq.programs.runtime.files import make_folder, write_text

HEADS = ("criterion", "pairs", "win rate", "p", "wins", "ties", "losses", "unscored", "flipped", "longer wins")


def write_judgements(folder: Path, report: JudgeReport, judgements: Sequence[Judgement]) -> str:
    """Write the files; hands back the page."""
    make_folder(folder)
    page = judge_page(report)
    write_text(folder / "judgements.jsonl", "".join(j.model_dump_json() + "\n" for j in judgements))
    write_text(folder / "judge.json", report.model_dump_json(indent=2) + "\n")
    write_text(folder / "judge.md", page)
    return page


def judge_page(report: JudgeReport) -> str:
    """The report in Markdown."""
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
    ]
    return "\n\n".join(blocks) + "\n"


def _row(verdict: Verdict) -> list[str]:
    counts = (verdict.wins, verdict.ties, verdict.losses, verdict.unscored)
    return [
        verdict.criterion,
        str(sum(counts)),
        shown_rate(verdict.win_rate),
        "–" if verdict.p is None else f"{verdict.p:.3f}",
        *map(str, counts),
        _percent(verdict.flip_rate),
        f"{_percent(verdict.longer_wins)} of {verdict.decided_by_unequal}",
        f"{shown_rate(verdict.alike)} (n={verdict.alike.n})",
    ]


def shown_rate(rate: Estimate) -> str:
    """`62 % [50, 74]`."""
    if rate.mean is None:
        return "–"
    interval = "" if rate.low is None or rate.high is None else f" [{100 * rate.low:.0f}, {100 * rate.high:.0f}]"
    return f"{100 * rate.mean:.0f} %{interval}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


__all__ = ["judge_page", "shown_rate", "write_judgements"]
