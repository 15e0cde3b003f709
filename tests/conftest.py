"""What all tests share: no network, a fresh DSPy for each test, the optional folder of real documents."""

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["SUMMQ_CACHE_DIR"] = ""  # replies stay in memory

import dspy
import pytest
from dspy.dsp.utils.settings import main_thread_config
from hypothesis import settings

settings.register_profile("summq", deadline=None)  # how long a test takes depends on what else the machine does
settings.load_profile("summq")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def fresh_dspy() -> Iterator[None]:
    """Start each test with DSPy's own settings and an empty cache in memory; restore the settings afterwards."""
    before = dict(main_thread_config)
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    yield
    main_thread_config.clear()
    main_thread_config.update(before)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents that may lie beside the project; without it the test is skipped."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no folder of real documents at {os.path.relpath(folder, ROOT)}")
    return folder
