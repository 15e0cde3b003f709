"""On real documents the trivial rows come out where they were measured on a larger sample of the same kind."""

from pathlib import Path
from statistics import fmean

import pytest

from summq.eval.data import Dataset, Row, load_rows
from summq.eval.metrics.rouge import Rouge
from summq.programs.baselines.extracts import Extract, Lead, RandomSpan, Tail

TYPES = ("rouge1", "rouge2", "rougeL")
MEASURED = {
    ("reports", Lead): (58.7, 26.2, 24.7),
    ("reports", Tail): (50.3, 14.5, 18.8),
    ("reports", RandomSpan): (49.1, 13.5, 17.9),
    ("stories", Lead): (38.1, 6.0, 14.9),
    ("stories", Tail): (39.2, 6.0, 15.0),
    ("stories", RandomSpan): (38.7, 5.6, 14.9),
}
TOLERANCE = (4.0, 3.0, 2.0)


def first_reference_only(data: Dataset) -> list[Row]:
    return [Row(row.id, row.document, row.references[:1]) for row in data]


def mean_scores(rows: list[Row], predictions: list[str]) -> list[float]:
    rouge = Rouge(TYPES)
    scores = [rouge.score(prediction, row).values for prediction, row in zip(predictions, rows, strict=True)]
    return [100 * fmean(values[name] or 0 for values in scores) for name in TYPES]


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "system"), MEASURED, ids=lambda value: getattr(value, "__name__", value))
def test_extracts_of_the_references_length(shared_data: Path, folder: str, system: type[Extract]) -> None:
    rows = first_reference_only(load_rows(str(shared_data / folder), "test"))
    lengths = [len(row.references[0].split()) for row in rows]
    predictions = [
        system(length, "words")(document=row.document).summary for length, row in zip(lengths, rows, strict=True)
    ]
    found = mean_scores(rows, predictions)
    assert all(
        abs(value - measured) < tolerance
        for value, measured, tolerance in zip(found, MEASURED[folder, system], TOLERANCE, strict=True)
    )


def test_a_second_human_beats_another_storys_human(shared_data: Path) -> None:
    data = load_rows(str(shared_data / "stories"), "test")
    rows = first_reference_only(data)
    human = mean_scores(rows, [row.references[1] for row in data])
    foreign = mean_scores(rows, [row.references[0] for row in [*data][1:] + [*data][:1]])
    assert human == pytest.approx([50.6, 12.7, 21.8], abs=2)
    assert foreign == pytest.approx([36.0, 4.8, 15.3], abs=2)
