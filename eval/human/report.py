"""What a study with people came to: `human.json` and a page to read, `human.md`."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from summq.eval.human.answers import HumanVerdict
from summq.eval.human.sheets import Key
from summq.eval.judging.report import shown_rate
from summq.eval.results import Estimate
from summq.eval.tables import table_of
from summq.programs.runtime.files import write_text

HEADS = ("criterion", "answers", "win rate", "p", "wins", "ties", "losses", "unanswered", "Krippendorff's alpha")


def write_study(folder: Path, key: Key, verdicts: Sequence[HumanVerdict]) -> str:
    """Write the files into the folder of the study; hands back the page."""
    page = (
        f"# {key.a} against {key.b}, judged by people\n\n{table_of(HEADS, [_row(verdict) for verdict in verdicts])}\n\n"
        f"Win rate: the share of {key.a}; a tie is half a win; 95 % intervals resampled by document. Alpha: agreement "
        "beyond chance over the pairs that several people rated; 1 is perfect, 0 is chance.\n"
    )
    verdict_list = TypeAdapter(list[HumanVerdict]).dump_json(list(verdicts), indent=2).decode()
    write_text(folder / "human.json", verdict_list + "\n")
    write_text(folder / "human.md", page)
    return page


def _row(verdict: HumanVerdict) -> list[str]:
    counts = (verdict.wins, verdict.ties, verdict.losses, verdict.unanswered)
    p = "–" if verdict.p is None else f"{verdict.p:.3f}"
    return [
        verdict.criterion,
        str(sum(counts)),
        shown_rate(verdict.win_rate),
        p,
        *map(str, counts),
        _alpha(verdict.alpha),
    ]


def _alpha(alpha: Estimate) -> str:
    if alpha.mean is None:
        return f"– ({alpha.n} pairs)"
    interval = "" if alpha.low is None or alpha.high is None else f" [{alpha.low:.2f}, {alpha.high:.2f}]"
    return f"{alpha.mean:.2f}{interval} ({alpha.n} pairs)"


__all__ = ["write_study"]
