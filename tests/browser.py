"""A page opened in Chromium, with what a page of ours must never do written down."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120_000  # milliseconds: a machine that does much else may be slow
LOOKS = (("light", 1280), ("dark", 390))  # the reader's scheme and the width of the window, in pixels
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def opened(html: str, folder: Path) -> Iterator[Any]:
    """The page as an object of playwright.

    Fails at the end if an error was logged, a request left the page, axe-core finds a serious fault in the light or the
    dark scheme, or the page is wider than a telephone.
    """
    chromium = next((path for name in NAMES if (path := shutil.which(name))), None)
    if chromium is None:
        pytest.skip("browser: Chromium not installed")
    from playwright.sync_api import sync_playwright

    file = folder / "page.html"
    file.write_text(html, "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        errors: list[str] = []
        requests: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.set_default_timeout(PATIENCE)
        page.goto(file.as_uri())
        yield page
        faults = [fault for scheme, width in LOOKS for fault in faults_at(page, scheme, width)]
        browser.close()
    assert not errors
    assert not faults, "; ".join(faults)
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()]


def faults_at(page: Any, scheme: str, width: int) -> list[str]:
    """What is wrong with the page in a scheme and at a width."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    needed = page.evaluate("document.documentElement.scrollWidth")
    too_wide = [f"{needed} pixels wide in a window of {width}"] if needed > width else []
    return [*too_wide, *(f"{scheme}: {fault}" for fault in accessibility_faults(page))]


def accessibility_faults(page: Any) -> list[str]:
    """What axe-core finds serious or critical on the page; nothing where the package that brings it is missing."""
    if not find_spec("axe_playwright_python"):
        return []
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']}" for one in found if one["impact"] in ("serious", "critical")]
