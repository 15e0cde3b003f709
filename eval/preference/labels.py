"""How far a judge agrees with people who compared the same summaries: filled sheets of a study, or a file of labels."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from summq.eval.data.files import read_records
from summq.eval.preference.answers import read_answers
from summq.eval.preference.judge import Judgement, Winner
from summq.eval.preference.sheets import KEY, read_key
from summq.eval.preference.verdicts import JudgeAgreement
from summq.eval.statistics import nominal_alpha, summarise
from summq.programs.errors import DataError

Labels = dict[tuple[str, str], Winner]
"""What most people said, by document and criterion; a draw between them is a tie."""


def read_labels(path: Path, a: str, b: str) -> Labels:
    """What people said of systems `a` and `b`.

    Args:
        path: The folder of a study with filled sheets (`answers-*.csv`, `filled-*.csv`), or a csv or jsonl file with
            `id`, `criterion` and `winner`, which is the name of a system, a, b or tie.

    Raises:
        DataError: There are no labels, or something else than labels.
    """
    votes: defaultdict[tuple[str, str], list[Winner]] = defaultdict(list)
    for row_id, criterion, winner in _of_study(path, a, b) if path.is_dir() else _of_file(path, a, b):
        votes[row_id, criterion].append(winner)
    if not votes:
        raise DataError(f"{path} holds no labels: name the folder of a study with filled sheets, or a file of labels")
    return {key: _majority(winners) for key, winners in votes.items()}


def agreement_with(labels: Labels, judgements: Sequence[Judgement], seed: int = 0) -> list[JudgeAgreement]:
    """The agreement by each criterion for which there are labels of judged pairs."""
    agreements = []
    for criterion in dict.fromkeys(judgement.criterion for judgement in judgements):
        labelled = [j for j in judgements if j.criterion == criterion and (j.id, criterion) in labels]
        if not labelled:
            continue
        people = [labels[j.id, criterion] for j in labelled]
        same = [
            None if j.winner is None else float(j.winner == label) for j, label in zip(labelled, people, strict=True)
        ]
        ratings = [[j.winner, label] for j, label in zip(labelled, people, strict=True) if j.winner]
        agreements.append(
            JudgeAgreement(
                criterion=criterion,
                same=summarise(same, [j.cluster for j in labelled], bounds=(0, 1), seed=seed),
                alpha=nominal_alpha(ratings, seed=seed),
            )
        )
    return agreements


def _of_study(folder: Path, a: str, b: str) -> list[tuple[str, str, Winner]]:
    key = read_key(folder)
    if {key.a, key.b} != {a, b}:
        raise DataError(f"{folder / KEY} is about {key.a} and {key.b}, not about {a} and {b}")
    swapped: dict[Winner, Winner] = {"a": "b", "b": "a", "tie": "tie"}
    files = sorted([*folder.glob("answers-*.csv"), *folder.glob("filled-*.csv")])
    answers = read_answers(files, key)
    return [(x.id, x.criterion, x.winner if key.a == a else swapped[x.winner]) for x in answers if x.winner is not None]


def _of_file(path: Path, a: str, b: str) -> list[tuple[str, str, Winner]]:
    winners: dict[str, Winner] = {**{winner: winner for winner in get_args(Winner)}, a: "a", b: "b"}
    labels = []
    for record in read_records(path):
        if missing := [name for name in ("id", "criterion", "winner") if name not in record.values]:
            raise DataError(f"{record.where}: no {missing[0]!r}; a label has id, criterion and winner")
        winner = str(record.values["winner"]).strip()
        if winner not in winners:
            raise DataError(f"{record.where}: winner is {winner!r}; it must be {a}, {b} or tie")
        labels.append((str(record.values["id"]), str(record.values["criterion"]), winners[winner]))
    return labels


def _majority(winners: Sequence[Winner]) -> Winner:
    counts = Counter(winners).most_common()
    return "tie" if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]


__all__ = ["Labels", "agreement_with", "read_labels"]
