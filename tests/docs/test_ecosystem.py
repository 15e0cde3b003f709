"""What the docs say of other tools holds: traces in a local store of MLflow, tables in pandas and datasets."""

import re
from pathlib import Path

import pytest

from tests.docs.shell import ROOT, offline, run

PAGE = (ROOT / "docs" / "ecosystem.md").read_text("utf-8")
TRACING, TABLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.slow
@pytest.mark.mlflow
@pytest.mark.filterwarnings("ignore")
def test_a_run_is_one_trace_with_its_roles_and_calls() -> None:
    import mlflow

    exec(offline(TRACING), {})
    mlflow.flush_trace_async_logging()
    (trace,) = mlflow.search_traces(return_type="list")
    names = [span.name for span in trace.data.spans]

    assert names[0] == "SummQ.forward"
    assert names.count("Role.forward") >= 5
    prompts = [str(span.inputs) for span in trace.data.spans if span.span_type == "CHAT_MODEL"]
    assert any("Kestrel Harbour" in prompt for prompt in prompts)
    mlflow.dspy.autolog(disable=True)


@pytest.mark.slow
def test_an_evaluation_is_read_by_pandas_and_datasets(here: Path) -> None:
    run(
        here,
        "summq eval --data examples/domain/test.jsonl --limit 2 --systems lead,tail --metrics surface --words 40"
        " --out runs/eval",
    )
    names: dict[str, object] = {}
    exec(TABLES, names)

    assert set(names["words"].index) >= {"lead", "tail"}  # type: ignore[attr-defined]
    assert names["summaries"].num_rows == len(names["predictions"])  # type: ignore[attr-defined,arg-type]
    assert len(names["table"])  # type: ignore[arg-type]
