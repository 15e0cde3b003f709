"""Fresh questions are those that no system of the run asked itself; all systems are measured on the same ones."""

import math

import pytest

from summq.eval.archive import Outcome
from summq.eval.report.fresh import freshness, with_fresh_exam
from summq.eval.report.notes import notes_on
from summq.eval.report.sheet import Sheet
from summq.eval.systems import make_systems
from summq.signatures import Usage
from tests.eval.rows import dataset
from tests.eval.runs import cells, config
from tests.planted import halls, planted, sentence


def outcome(system: str, right: dict[int, bool | None], asked: list[int], row_id: str = "halls") -> Outcome:
    answers = [{"evidence": sentence(hall), "correct": correct} for hall, correct in right.items()]
    return Outcome(
        id=row_id,
        system=system,
        summary="Lamps.",
        metrics={"exam": 0.5},
        usage=Usage(),
        words_wanted=40,
        asked=[sentence(hall).upper() for hall in asked],
        details={"exam": {"answers": answers}},  # type: ignore[dict-item]
    )


def test_what_one_system_asked_counts_for_none() -> None:
    outcomes = [
        outcome("summq", {1: True, 2: True, 3: False, 4: None}, asked=[1, 2]),
        outcome("direct", {1: False, 2: False, 3: True, 4: True}, asked=[]),
    ]
    ours, theirs = with_fresh_exam(outcomes)
    assert ours.metrics["exam_fresh"] == 0.0
    assert theirs.metrics["exam_fresh"] == 1.0
    assert freshness(outcomes) == (2, 4)


def test_other_documents_do_not_matter() -> None:
    here, there = outcome("summq", {1: True}, asked=[]), outcome("summq", {1: False}, asked=[1], row_id="other")
    settings = config("summq", ids=["halls", "other"])
    sheet = Sheet.of(settings, cells(there, here))
    assert sheet.values("summq", "exam_fresh") == pytest.approx([1.0, math.nan], nan_ok=True)
    exams = settings.model_copy(update={"metrics": {"exam": {}}})
    assert "exam, fresh questions: 1 of 2 questions are about what no system asked" in str(
        notes_on(exams, sheet.remarks)
    )


def test_without_an_exam_there_is_no_such_column() -> None:
    plain = outcome("lead", {}, asked=[]).model_copy(update={"metrics": {"rouge1": 0.5}, "details": {}})
    assert with_fresh_exam([plain]) == [plain]


@pytest.mark.parametrize(("spec", "asks"), [("summq-solo:questions=1/1/1", True), ("direct", False)])
def test_a_system_says_what_it_asked_about(spec: str, asks: bool) -> None:
    (system,) = make_systems([spec], dataset())
    row = dataset()[0]
    with planted({"summarizer": {"summary": "Lamps."}}):
        written = system.summarize(type(row)("halls", halls()), 40)
    assert bool(written.questions) == asks
    assert all(evidence in halls().text for evidence in written.questions)
