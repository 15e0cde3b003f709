"""The guide to evaluating: its Python runs as printed."""

import re
from pathlib import Path

import pytest

from summq.eval.metrics.examinee import ExamineeMetric

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_a_metric_is_learned_as_the_guide_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, gates = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "evaluation.md").read_text("utf-8"), re.DOTALL)
    compile(gates, "gates", "exec")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert ExamineeMetric.load(tmp_path / "runs" / "metric", tmp_path).learned.weights
