"""Gates say what is missed, where lower is better too, and never pass what could not be measured."""

import pytest

from summq.eval.metrics import Column
from summq.eval.report.gates import failed_gates, parse_gates
from summq.programs.errors import ConfigError

COLUMNS = [Column(key="exam", heading="exam"), Column(key="contradicted", heading="contradicted", better="lower")]
KEYS = ("exam", "contradicted")


def test_what_reaches_its_gate_passes() -> None:
    assert failed_gates(parse_gates("exam=0.6", KEYS), {"exam": 0.6}, COLUMNS) == []


def test_what_is_missed_is_a_line_each() -> None:
    gates = parse_gates("exam=0.6, contradicted=0.05", KEYS)
    assert failed_gates(gates, {"exam": 0.42, "contradicted": 0.1}, COLUMNS) == [
        "exam is 0.420, under 0.6",
        "contradicted is 0.100, over 0.05",
    ]


def test_what_could_not_be_measured_does_not_pass() -> None:
    lines = failed_gates(parse_gates("exam=0", KEYS), {"exam": None}, COLUMNS)
    assert lines == ["exam could not be measured, and has to reach 0"]


@pytest.mark.parametrize("text", ["bleu=0.5", "exam", "exam=high"])
def test_a_gate_that_is_none_is_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="--fail-under"):
        parse_gates(text, KEYS)
