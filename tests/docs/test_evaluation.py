"""The guide to evaluating: its Python and the commands of the learned metric run as printed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from summq.eval.metrics.examinee import ExamineeMetric
from tests.command import Ran

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "evaluation.md").read_text("utf-8")


def test_its_python_can_be_read() -> None:
    for code in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        compile(code, "guide", "exec")


@pytest.mark.slow
@pytest.mark.extra_metrics
@pytest.mark.filterwarnings("ignore:.*don't trust this metric")
def test_a_metric_is_learned_as_the_guide_says(
    summq: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for command in re.findall(r"^\$ summq (metric .*)$", GUIDE, re.MULTILINE):
        assert summq(*command.split()).status == 0
    assert ExamineeMetric.load(tmp_path / "runs" / "metric", tmp_path).learned.gates
