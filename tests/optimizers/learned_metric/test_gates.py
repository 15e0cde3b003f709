"""A metric that can be gamed fails the gates and warns when it is loaded; the shipped ones pass and don't."""

import warnings
from pathlib import Path

import pytest

from summq.eval.metrics.examinee import SHIPPED, SHIPPED_WITH_REFERENCES, ExamineeMetric, Gate, GateRecord
from summq.optimizers.learned_metric import Measure, run_gates
from summq.optimizers.planted.candidates import Candidate, Candidates
from summq.optimizers.planted.gates import GATES, gate_candidates
from summq.programs.errors import ConfigError, DataError
from tests.optimizers.domain import HARBOUR, HARBOUR_REFERENCES, ORCHARD

DRAFT = HARBOUR_REFERENCES[1]
CANDIDATES = [gate_candidates(HARBOUR, ORCHARD, DRAFT)]
OLD = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "metric"


def rated(metric: ExamineeMetric) -> Measure:
    def score(candidates: Candidates, candidate: Candidate) -> float:
        return metric.rate(candidates.row.document, candidate.text, candidates.row.references).score

    return score


def test_length_fails_the_gates_and_knowing_the_good_ones_passes_them() -> None:
    good = {c.text for c in CANDIDATES[0].candidates if c.origin is None}
    length = run_gates("rows", CANDIDATES, lambda item, c: float(len(c.text)))
    known = run_gates("rows", CANDIDATES, lambda item, c: float(c.text in good))
    assert {gate.damage for gate in known.gates} == set(GATES)
    assert all(gate.passed for gate in known.gates)
    assert not all(gate.passed for gate in length.gates)


@pytest.mark.slow
@pytest.mark.extra_metrics
@pytest.mark.parametrize("folder", [SHIPPED, SHIPPED_WITH_REFERENCES])
def test_a_shipped_metric_passes_the_gates_and_makes_no_call(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = ExamineeMetric.load(folder)
    assert not metric.learned.uses_exam
    assert metric.learned.gates
    record = run_gates("rows of the tests", CANDIDATES, rated(metric))
    assert [gate.damage for gate in record.gates if not gate.passed] == []


def test_a_metric_that_never_took_the_gates_or_failed_one_warns(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="never tried on damaged summaries"):
        old = ExamineeMetric.load(OLD)
    failed = GateRecord(name="x", documents=1, gates=(Gate(damage="word_salad", pairs=10, share=0.9),))
    ExamineeMetric(old.learned.model_copy(update={"gates": (failed,)})).save(tmp_path)
    with pytest.warns(UserWarning, match=r"word_salad \(90%\)"):
        ExamineeMetric.load(tmp_path)


def test_a_metric_with_references_is_of_no_use_without() -> None:
    metric = ExamineeMetric.load(SHIPPED_WITH_REFERENCES)
    with pytest.raises(DataError, match="uses references"):
        metric.rate(HARBOUR.document, DRAFT)
    with pytest.raises(ConfigError, match="take one without references"):
        metric.scorer()
    assert metric.rate(HARBOUR.document, "").score == 0
