"""The pictures of docs/images, made anew from today's pages.

    python benchmarks/pictures.py [--work runs/pictures] [--out docs/images]

Runs the commands of the guide on shipped examples with the offline reader (some minutes; goes on where it stopped), and
photographs their pages in Chromium. Needs the extras `dev`, `metrics` and `plots`, and Chromium on the path.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from summq.cli.main import main as run_summq

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
DATA = f"--data={EXAMPLES / 'domain' / 'train.jsonl'}"
SYSTEMS = "--systems=lead,direct,chain-of-density,hm-sr,summq-solo,summq-no-quiz,summq-combo"
EVAL = ["eval", DATA, SYSTEMS, "--words=reference"]
SPACE = "summary_generators = [1, 2]\nsummary_reviewers = [1, 3]\nmax_iterations = [1, 2]\nquestions = [1, 2]\n"
COMMANDS = {
    "harbour": [
        *("summarize", str(EXAMPLES / "harbour.md"), "--preset=combo", "--words=300", "--return=best"),
        "--backbone=offline",
    ],
    "erring": [*EVAL, "--backbone=offline:generator=0.4,reviewer=0.3"],
    "offline": [*EVAL, "--backbone=offline"],
    "study": ["tune", DATA, "--space=SPACE", "--trials=16", "--backbone=offline:generator=0.4,reviewer=0.3"],
}
WIDE, NARROW = (1280, 900), (390, 844)


def main() -> None:
    """Run what is missing, then take every picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("runs/pictures"))
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    space = given.work / "space.toml"
    space.write_text(SPACE, "utf-8")
    for name, command in COMMANDS.items():
        summq(*(part.replace("SPACE", str(space)) for part in command), f"--out={given.work / name}")
    for name in ("harbour", "offline"):
        summq("report", str(given.work / name))
    summq("report", str(given.work / "erring"), str(given.work / "offline"))
    given.out.mkdir(parents=True, exist_ok=True)
    take_all(given.work, given.out)


def summq(*arguments: str) -> None:
    """Run a command of SummQ; ends the script if it fails."""
    sys.argv = ["summq", *arguments]
    with redirect_stdout(StringIO()):
        try:
            run_summq()
        except SystemExit as end:
            if end.code:
                sys.exit(f"summq {' '.join(arguments)}: exit status {end.code}")


def take_all(work: Path, out: Path) -> None:
    """Every picture, each of one page at one size in one scheme."""
    with chromium() as browser:

        def page(name: str, size: tuple[int, int] = WIDE, scheme: str = "light") -> Any:
            opened = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
            opened.goto((work / name).resolve().as_uri())
            return opened

        def take(shown: Any, name: str, top: str = "") -> None:
            if top:
                shown.evaluate(
                    "top => scrollTo({top: document.querySelector(top).offsetTop - 12, behavior: 'instant'})", top
                )
            shown.wait_for_timeout(500)
            shown.screenshot(path=out / f"{name}.png")
            shrink(out / f"{name}.png")
            shown.close()

        reader = page("harbour/report.html")
        open_question(reader)
        take(reader, "report-reader", "#reader")
        narrow = page("harbour/report.html", NARROW, "dark")
        open_question(narrow)
        take(narrow, "report-reader-narrow-dark", "#quiz")
        take(page("harbour/report.html", scheme="dark"), "report-iterations-dark", "#coverage")
        table = page("offline/report.html")
        table.click("th:has-text('exam') >> nth=0 >> button")
        take(table, "eval-table", "#table-1")
        take(page("offline/report.html", scheme="dark"), "eval-tradeoff-dark", "#pictures")
        take(page("offline/report.html", scheme="dark"), "eval-documents-dark", "#documents")
        take(page("offline/compared.html"), "eval-compared")
        take(page("study/report.html", scheme="dark"), "study-dark")


def shrink(path: Path) -> None:
    """Keep a picture with 128 colours, which takes a third of the bytes."""
    from PIL import Image  # comes with matplotlib

    with Image.open(path) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def open_question(shown: Any) -> None:
    """Open the second question that was answered right, others put aside."""
    shown.click("button[data-show=right]")
    shown.click("details[data-mark=right] >> nth=1 >> summary")


@contextmanager
def chromium() -> Iterator[Any]:
    """Chromium as an object of playwright."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


if __name__ == "__main__":
    main()
