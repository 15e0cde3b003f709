"""What every test of a page in a browser checks at its end."""

from pathlib import Path

import pytest

from tests.browser import opened

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="


@pytest.mark.slow
@pytest.mark.browser
def test_a_picture_without_words_is_a_fault(tmp_path: Path) -> None:
    pytest.importorskip("axe_playwright_python")
    page = f'<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><img src="{DOT}"></main></html>'
    with pytest.raises(AssertionError, match="image-alt"), opened(page, tmp_path):
        pass
