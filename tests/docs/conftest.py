"""Where the documentation's code and commands run."""

from pathlib import Path

import pytest

from tests.docs.shell import ROOT


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "harbour.md").symlink_to(ROOT / "examples" / "harbour.md")
    monkeypatch.chdir(tmp_path)
    return tmp_path
