"""Read filled sheets: which summaries people preferred, and how far they agree."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from summq.eval.data.files import read_records
from summq.eval.data.records import RawRecord
from summq.eval.preference.judge import Winner
from summq.eval.preference.sheets import CHOICES, Key, Place
from summq.eval.preference.verdicts import POINTS, win_rate
from summq.eval.report.tables import table_of
from summq.eval.statistics import Estimate, nominal_alpha
from summq.programs.errors import DataError
from summq.programs.runtime.files import write_text


class HumanAnswer(BaseModel):
    """What one person answered about one pair by one criterion; None where nothing was filled in."""

    model_config = ConfigDict(frozen=True)

    sheet: int
    id: str
    cluster: str | None
    criterion: str
    winner: Winner | None


class HumanVerdict(BaseModel):
    """One criterion over all judges and pairs.

    `win_rate` is a's share (a tie is half a win), its interval resampled by document, as several judges rate the same
    pair. `alpha` is Krippendorff's, over the pairs that at least two judges rated.
    """

    model_config = ConfigDict(frozen=True)

    criterion: str
    wins: int
    ties: int
    losses: int
    unanswered: int
    win_rate: Estimate
    p: float | None
    alpha: Estimate


def read_answers(files: Sequence[Path], key: Key) -> list[HumanAnswer]:
    """The answers of filled sheets, csv as they went out or as the page hands them out.

    Raises:
        DataError: A file that is no sheet of this study, an item that is there twice, or an answer that is none of
            left, right, tie and nothing.
    """
    places = {(place.sheet, place.item): place for place in key.places}
    seen: dict[tuple[int, int], str] = {}
    answers: list[HumanAnswer] = []
    for file in files:
        for record in read_records(file):
            place = _place(record, places)
            if (place.sheet, place.item) in seen:
                earlier = seen[place.sheet, place.item]
                raise DataError(f"{record.where}: item {place.item} of sheet {place.sheet} is in {earlier} already")
            seen[place.sheet, place.item] = record.where
            answers += _answers(record, place, key.criteria)
    return answers


def human_verdicts(answers: Sequence[HumanAnswer], key: Key, seed: int = 0) -> list[HumanVerdict]:
    """The verdicts, criterion by criterion."""
    return [_verdict(name, [a for a in answers if a.criterion == name], seed) for name in key.criteria]


def _verdict(criterion: str, answers: Sequence[HumanAnswer], seed: int) -> HumanVerdict:
    winners = [answer.winner for answer in answers]
    points = [POINTS[winner] if winner else None for winner in winners]
    clusters = [answer.cluster or answer.id for answer in answers]
    rate, p = win_rate(points, clusters, seed)
    rated: defaultdict[str, list[str]] = defaultdict(list)
    for answer in answers:
        if answer.winner:
            rated[answer.id].append(answer.winner)
    return HumanVerdict(
        criterion=criterion,
        wins=winners.count("a"),
        ties=winners.count("tie"),
        losses=winners.count("b"),
        unanswered=winners.count(None),
        win_rate=rate,
        p=p,
        alpha=nominal_alpha(list(rated.values()), seed=seed),
    )


def _place(record: RawRecord, places: dict[tuple[int, int], Place]) -> Place:
    try:
        number = int(record.values["sheet"]), int(record.values["item"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{record.where}: needs the numbers 'sheet' and 'item' of a sheet of this study") from error
    if number not in places:
        raise DataError(f"{record.where}: there is no item {number[1]} on sheet {number[0]} of this study")
    return places[number]


def _answers(record: RawRecord, place: Place, criteria: Sequence[str]) -> Iterator[HumanAnswer]:
    for criterion in criteria:
        if criterion not in record.values:
            raise DataError(f"{record.where}: no column {criterion!r}. Columns found: {', '.join(record.values)}.")
        answer = str(record.values[criterion] or "").strip().lower()
        if answer and answer not in CHOICES:
            raise DataError(f"{record.where}: {criterion} is {answer!r}; it must be {', '.join(CHOICES)} or empty")
        yield HumanAnswer(
            sheet=place.sheet, id=place.id, cluster=place.cluster, criterion=criterion, winner=_winner(answer, place)
        )


def _winner(answer: str, place: Place) -> Winner | None:
    if answer in ("", "tie"):
        return "tie" if answer else None
    other: Winner = "b" if place.left == "a" else "a"
    return place.left if answer == "left" else other


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
        verdict.win_rate.percent(),
        p,
        *map(str, counts),
        _alpha(verdict.alpha),
    ]


def _alpha(alpha: Estimate) -> str:
    if alpha.mean is None:
        return f"– ({alpha.n} pairs)"
    interval = "" if alpha.low is None or alpha.high is None else f" [{alpha.low:.2f}, {alpha.high:.2f}]"
    return f"{alpha.mean:.2f}{interval} ({alpha.n} pairs)"


__all__ = ["human_verdicts", "read_answers", "write_study"]
