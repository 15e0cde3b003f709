"""Two at once on one folder: the second waits, says for whom, and pays for nothing that the first had."""

import logging
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from summq.programs.errors import InputError
from summq.programs.runtime.files import sole_user
from tests.documents import HARBOUR

RUN = """
import logging, sys
from pathlib import Path
from summq.programs.documents import load_document
from summq.programs.runs.folder import RunFolder
from summq.programs.runs.jobs import Job, run_jobs
from summq.programs.runtime.session import session
from summq.programs.settings import Settings
logging.basicConfig(format="%(message)s")
settings = Settings.resolve(target_words=int(sys.argv[3]), max_iterations=1, questions={"true_false": 2})
with session("offline", cache_dir="") as s:
    (result,) = run_jobs(settings.summq(), [Job(load_document(sys.argv[1]), RunFolder(Path(sys.argv[2])))], settings)
print(s.meter.usage().calls)
"""


def test_the_second_waits_and_says_for_whom(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lock, entered = tmp_path / ".lock", threading.Event()

    def second() -> None:
        with sole_user(lock, "the run"):
            entered.set()

    with sole_user(lock, "the run"), caplog.at_level(logging.WARNING):
        waiting = threading.Thread(target=second)
        waiting.start()
        assert not entered.wait(0.3)
    waiting.join(10)
    assert entered.is_set()
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(f"the run is in use by process {os.getpid()} on ")
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_what_fails_inside_lets_go(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), sole_user(tmp_path / ".lock", "the run"):
        raise ValueError("inside")
    with sole_user(tmp_path / ".lock", "the run"):
        pass


def test_a_folder_in_the_place_of_the_lock_is_one_line(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(InputError, match="can't be locked"), sole_user(tmp_path / ".lock", "the run"):
        pass


@pytest.mark.slow
def test_three_processes_on_one_folder_pay_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUN, str(HARBOUR), str(tmp_path), "100"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    calls = sorted(int(process.communicate()[0]) for process in processes)
    assert calls[:2] == [0, 0]
    assert calls[2] > 0
