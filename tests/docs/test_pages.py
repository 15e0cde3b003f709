"""The pages of the documentation: their Python runs as printed, their commands too, on the offline reader."""

import os
import re
import textwrap
from pathlib import Path

import pytest

from tests.docs.shell import ROOT, offline, run

PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in ("index", "backbones", "cost", "extending"))]
NOT_RUN = ("summq compile", "summq tune", "summq eval --data govreport", "--program compiled")
"""Commands that take minutes: `docs/new-domain.md` runs the like of them."""


def blocks(*kinds: str) -> list[tuple[str, str]]:
    """The blocks of code of some kinds, with their page."""
    return [
        (page.name, block)
        for page in PAGES
        for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        if kind in kinds
    ]


def commands() -> list[str]:
    """Every command of `summq` that pages show, without what stands behind it as a comment."""
    lines = [line.removeprefix("$ ") for _, block in blocks("", "console") for line in block.splitlines()]
    told = [re.sub(r"\s+# .*", "", line) for line in lines if line.startswith("summq ")]
    return [command for command in dict.fromkeys(told) if not any(name in command for name in NOT_RUN)]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "code"), blocks("python"))
@pytest.mark.usefixtures("here")
def test_the_python_runs_as_printed(page: str, code: str) -> None:
    exec(offline(code), {"text": (ROOT / "examples" / "harbour.md").read_text("utf-8")})


@pytest.mark.slow
def test_a_kept_quiz_makes_a_test(here: Path) -> None:
    (code,) = (code for _, code in blocks("python") if "load_quiz" in code)
    run(here, "summq summarize examples/harbour.md --words 400 --questions 4/4/4 --out kept")
    names: dict[str, object] = {}
    exec(code.replace("> 0.3", ">= 0.0"), names)
    test = names["test_the_summary_still_answers_the_quiz"]
    assert callable(test)
    test(here / "kept")


@pytest.mark.slow
def test_the_transcript_is_of_a_real_run(here: Path) -> None:
    """`SUMMQ_REWRITE_TRANSCRIPT=1` writes it anew."""
    readme = PAGES[0]
    (block,) = (block for page, block in blocks("") if page == readme.name and block.startswith("$ summq summarize"))
    command = block.removeprefix("$ ").split("\n", 1)[0]
    made = transcript(command, run(here, f"{command} --out runs/harbour"))
    if os.environ.get("SUMMQ_REWRITE_TRANSCRIPT"):
        readme.write_text(readme.read_text("utf-8").replace(block, made), "utf-8")

    assert without_table(block) == without_table(made)
    assert "Two people died" in made
    assert "…" not in made


def transcript(command: str, printed: str) -> str:
    """What a run prints, stderr first, as the README shows it: wrapped, with the first roles and the sum of all."""
    note, *lines = [line.rstrip() for line in printed.splitlines()]
    start = next(n for n, line in enumerate(lines) if line.startswith(" role"))
    (total,) = (line for line in lines if line.startswith(" all "))
    (exam,) = (n for n, line in enumerate(lines) if line.startswith("Exam:"))
    (end,) = (line for line in lines if line.startswith("harbour: iterations"))
    table = [*lines[start : start + 5], " ...", total]
    summary = textwrap.fill(lines[exam + 3], 118)
    told = [f"$ {command}", textwrap.fill(note, 118), *table, "", *lines[exam : exam + 2], "", summary, "", end]
    return "\n".join(told) + "\n"


def without_table(block: str) -> str:
    """The transcript without the numbers of its table, seconds among them."""
    return re.sub(r"^ role.*?^ all[^\n]*$", "", block, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.simulation
@pytest.mark.parametrize("command", commands())
def test_the_commands_run(command: str, here: Path) -> None:
    (here / "summary.txt").write_text("Kestrel Harbour's linkspan collapsed in 2017, because nobody had looked.")
    run(here, offline(command))
