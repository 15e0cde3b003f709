"""The log of a run holds what was logged for its document, from whatever thread, and how the run ended."""

import logging
from pathlib import Path

import dspy
import pytest

from summq.programs.runs.log import logger, run_log
from summq.programs.runtime.parallel import parallel, together


def lines(path: Path) -> list[str]:
    """The lines without their time."""
    return [line.split(" ", 2)[2] for line in path.read_text().splitlines()]


def test_the_log_holds_its_own_document_only(tmp_path: Path) -> None:
    def run(name: str) -> None:
        with run_log(tmp_path / name, name):
            together(lambda: logger.info("about %s", name), lambda: logging.getLogger("dspy.x").warning("of %s", name))

    parallel(run, "ab")
    for name in "ab":
        first, *middle, last = lines(tmp_path / name)
        assert first == "INFO started"
        assert sorted(middle) == [f"INFO about {name}", f"WARNING of {name}"]
        assert last.startswith("INFO finished after 0.")


def test_a_failure_and_an_interrupt_are_logged_and_raised(tmp_path: Path) -> None:
    for error in (ValueError("no good"), KeyboardInterrupt()):
        with pytest.raises(type(error)), run_log(tmp_path / "log", "a"):
            raise error
    assert [line for line in lines(tmp_path / "log") if "ended" in line] == [
        "ERROR ended by ValueError: no good",
        "ERROR ended by KeyboardInterrupt: ",
    ]


def test_nothing_is_logged_afterwards(tmp_path: Path) -> None:
    with run_log(tmp_path / "log", "a"):
        pass
    with dspy.context(document_key="a"):
        logger.info("late")
    assert "late" not in (tmp_path / "log").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_costs_lines_and_is_told_once(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_log(Path("/dev/full"), "a"):
        logger.info("about a")
        logger.info("more about a")
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "the log of a run can't be written: lines are missing there"
    ]
    assert "Logging error" not in capsys.readouterr().err
