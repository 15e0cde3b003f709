"""Keys and passwords never leave: not in messages, not in logs, not in files."""

import logging
import stat
from pathlib import Path

import dspy
import pytest

from summq.programs.errors import BackboneError
from summq.programs.runs.log import run_log
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.files import write_text
from summq.programs.runtime.redaction import redacted
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import session
from summq.signatures import LostAgent
from tests.fakes import FakeProvider, failing

KEY = 'k"ey-of-mine-0815'


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"bad key {KEY}!", "bad key ***!"),
        ('{"key": "k\\"ey-of-mine-0815"}', '{"key": "***"}'),
        ("at http://me:secret@host:8000/v1", "at http://***@host:8000/v1"),
        ("at https://host/v1?api_key=abc&x=1", "at https://host/v1?api_key=***&x=1"),
        ("Incorrect API key provided: sk-proj-1234567890abcdef", "Incorrect API key provided: ***"),
        ("ask me@home.org, see https://host/a@b", "ask me@home.org, see https://host/a@b"),
        ("a key, a token, a password", "a key, a token, a password"),
    ],
)
def test_secrets_are_hidden_and_nothing_else(text: str, shown: str) -> None:
    assert redacted(text) == shown


def test_short_values_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "none")
    assert redacted("none of them") == "none of them"


def test_a_provider_that_repeats_the_key_does_not_spread_it(tmp_path: Path) -> None:
    with (
        FakeProvider() as server,
        session(f"openai/m@{server.url}?token=secret", cache_dir="", attempts=1) as current,
        run_log(tmp_path / "run.log", "d"),
    ):
        server.always = failing(500, f"no access with {KEY}")
        lost = attempt("reader", lambda: Role(dspy.Signature("text -> gist"), "reader")(text="hall"))
        logging.getLogger("summq").warning("asked with %s", KEY)
    assert isinstance(lost, LostAgent)
    assert "no access with ***" in lost.error
    assert "secret" not in lost.error + current.lm.name + repr(current.meter.records)
    log = (tmp_path / "run.log").read_text()
    assert "asked with ***" in log
    assert KEY not in log


def test_a_password_in_an_address_is_refused_without_showing_it() -> None:
    with pytest.raises(BackboneError, match="put the key in HOSTED_VLLM_API_KEY") as caught:
        connect("hosted_vllm/m@http://me:secret@127.0.0.1:9/v1")
    assert "secret" not in str(caught.value)


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    write_text(tmp_path / "summary.md", "text")
    with run_log(tmp_path / "run.log", "d"):
        pass
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_a_log_does_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "run.log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match=r"run\.log: can't be written"), run_log(tmp_path / "run.log", "d"):
        pass
    assert not (tmp_path / "elsewhere").exists()
