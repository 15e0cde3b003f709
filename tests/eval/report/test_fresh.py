"""Fresh questions are those that no system of the run asked itself; all systems are measured on the same ones."""

import pytest

from summq.eval.archive import Cells, Outcome
from summq.eval.report.fresh import freshness, with_fresh_exam
from summq.eval.systems import make_systems
from summq.signatures import Usage
from tests.eval.rows import dataset
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


def run(*outcomes: Outcome) -> Cells:
    return with_fresh_exam({(o.system, o.id): o for o in outcomes})


def test_what_one_system_asked_counts_for_none() -> None:
    cells = run(
        outcome("summq", {1: True, 2: True, 3: False, 4: None}, asked=[1, 2]),
        outcome("direct", {1: False, 2: False, 3: True, 4: True}, asked=[]),
    )
    assert cells["summq", "halls"].metrics["exam_fresh"] == 0.0
    assert cells["direct", "halls"].metrics["exam_fresh"] == 1.0
    assert freshness(cells) == "2 of 4 questions are about what no system asked in a quiz of its own"


def test_other_documents_do_not_matter() -> None:
    cells = run(outcome("summq", {1: True}, asked=[]), outcome("summq", {1: False}, asked=[1], row_id="other"))
    assert cells["summq", "halls"].metrics["exam_fresh"] == 1.0
    assert cells["summq", "other"].metrics["exam_fresh"] is None


def test_without_an_exam_there_is_no_such_column() -> None:
    plain = outcome("lead", {}, asked=[]).model_copy(update={"metrics": {"rouge1": 0.5}, "details": {}})
    assert run(plain)["lead", "halls"].metrics == {"rouge1": 0.5}


@pytest.mark.parametrize(("spec", "asks"), [("summq-solo:questions=1/1/1", True), ("direct", False)])
def test_a_system_says_what_it_asked_about(spec: str, asks: bool) -> None:
    (system,) = make_systems([spec], dataset())
    row = dataset()[0]
    with planted({"summarizer": {"summary": "Lamps."}}):
        written = system.summarize(type(row)("halls", halls()), 40)
    assert bool(written.questions) == asks
    assert all(evidence in halls().text for evidence in written.questions)
