"""Filled sheets back in: whose summary people preferred, and how far they agree."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from summq.eval.data.files import read_records
from summq.eval.data.records import Record
from summq.eval.human.sheets import CHOICES, Key, Place
from summq.eval.judging import Winner
from summq.eval.results import Estimate
from summq.eval.statistics import compare, nominal_alpha, summarise
from summq.programs.errors import DataError

POINTS: dict[str, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}


class HumanAnswer(BaseModel):
    """What one judge said of one pair by one criterion; None where nothing was filled in."""

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
        win_rate=Estimate(**asdict(summarise(points, clusters, seed=seed))),
        p=compare(points, [POINTS["tie"]] * len(points), clusters, seed=seed).p,
        alpha=Estimate(**asdict(nominal_alpha(list(rated.values()), seed=seed))),
    )


def _place(record: Record, places: dict[tuple[int, int], Place]) -> Place:
    try:
        number = int(record.values["sheet"]), int(record.values["item"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{record.where}: needs the numbers 'sheet' and 'item' of a sheet of this study") from error
    if number not in places:
        raise DataError(f"{record.where}: there is no item {number[1]} on sheet {number[0]} of this study")
    return places[number]


def _answers(record: Record, place: Place, criteria: Sequence[str]) -> Iterator[HumanAnswer]:
    for criterion in criteria:
        if criterion not in record.values:
            raise DataError(f"{record.where}: no column {criterion!r}. Columns found: {', '.join(record.values)}.")
        said = str(record.values[criterion] or "").strip().lower()
        if said and said not in CHOICES:
            raise DataError(f"{record.where}: {criterion} is {said!r}; it must be {', '.join(CHOICES)} or empty")
        yield HumanAnswer(
            sheet=place.sheet, id=place.id, cluster=place.cluster, criterion=criterion, winner=_winner(said, place)
        )


def _winner(said: str, place: Place) -> Winner | None:
    if said in ("", "tie"):
        return "tie" if said else None
    other: Winner = "b" if place.left == "a" else "a"
    return place.left if said == "left" else other


__all__ = ["HumanAnswer", "HumanVerdict", "human_verdicts", "read_answers"]
