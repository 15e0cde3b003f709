"""Replies that are kept: which, where, for whom, and what becomes of a run whose folder is in trouble."""

import json
import logging
import os
import sqlite3
import stat
import threading
import time
from pathlib import Path

import dspy
import pytest

from summq.programs.runtime.cache import KeptReply, ReplyCache, accepted_replies, forget, open_cache
from summq.programs.runtime.parallel import parallel
from summq.programs.runtime.role import Role, UnusableReply
from summq.programs.runtime.session import session
from summq.programs.runtime.stores import FILE, Database
from tests.fakes import FakeProvider, InstantEngine, instant_backbone

GOOD = "[[ ## gist ## ]]\nlamps\n\n[[ ## completed ## ]]"
READER = Role(dspy.Signature("text -> gist"), "reader")


def test_a_reply_is_kept_in_the_folder_for_other_processes(tmp_path: Path) -> None:
    ReplyCache(tmp_path).put("key", KeptReply("text", 0.25))
    assert ReplyCache(tmp_path).get("key") == KeptReply("text", 0.25)
    assert ReplyCache(tmp_path).get("other") is None


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    ReplyCache(tmp_path / "replies").put("key", KeptReply("text"))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "replies").iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "replies").stat().st_mode) == 0o700


def test_a_link_is_not_followed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    ReplyCache(tmp_path).put("key", KeptReply("text"))
    assert not (tmp_path / "elsewhere").exists()
    assert "can't be used to keep replies" in caplog.text


@pytest.mark.parametrize("entry", [b"\x80\x04cos\nsystem\n(S'exit'\ntR.", '{"text": 1}', "[]", "x", "[" * 9999, None])
def test_a_poisoned_entry_is_no_reply_and_runs_nothing(tmp_path: Path, entry: object) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("key", KeptReply("text"))
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE replies SET reply = ? WHERE key = 'key'", (entry if entry is not None else "",))
    assert cache.get("key") is None
    cache.put("key", KeptReply("anew"))
    assert cache.get("key") == KeptReply("anew")


def a_file(path: Path) -> None:
    path.write_text("I am a file.")


def noise(path: Path) -> None:
    path.mkdir()
    (path / FILE).write_bytes(os.urandom(20_000))


def another_table(path: Path) -> None:
    path.mkdir()
    with sqlite3.connect(path / FILE) as database:
        database.execute("CREATE TABLE replies (other TEXT)")


def nowhere(path: Path) -> None:
    path.symlink_to("/proc/1/x")


@pytest.mark.parametrize("trouble", [a_file, noise, another_table, nowhere])
def test_a_folder_in_trouble_is_told_once_and_the_run_goes_on(
    tmp_path: Path, trouble: object, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "replies"
    trouble(folder)  # type: ignore[operator]
    engine = InstantEngine()
    with caplog.at_level(logging.WARNING), session(instant_backbone(engine), cache_dir=folder) as current:
        assert [current.lm(text) for text in "aabb"] == [["reply"]] * 4
    assert len(engine.requests) == 2  # kept in memory
    (told,) = (record.getMessage() for record in caplog.records)
    assert "can't be used to keep replies" in told
    assert "SUMMQ_CACHE_DIR" in told
    assert "\n" not in told


def test_a_full_disk_is_told_and_the_run_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ReplyCache(tmp_path)
    assert isinstance(cache._store, Database)
    cache._store.connection.execute("PRAGMA max_page_count = 3")
    for number in range(20):
        cache.put(str(number), KeptReply("word " * 500))
    assert cache.get("19") is not None
    assert "full" in caplog.text
    assert len(caplog.records) == 1


def test_only_what_was_accepted_is_kept() -> None:
    engine = InstantEngine(lambda request: GOOD if len(engine.requests) > 4 else "I am sorry.")
    with session(instant_backbone(engine)):
        with pytest.raises(UnusableReply):
            READER(text="hall")
        assert READER(text="hall").gist == "lamps"  # asked twice more, since the fourth reply was bad as well
        assert READER(text="hall").gist == "lamps"
    assert len(engine.requests) == 5


def reject(reply: dspy.Prediction) -> None:
    raise ValueError(f"not this one: {reply.gist}")


def test_a_reply_that_its_reader_rejects_is_not_kept() -> None:
    engine = InstantEngine(GOOD)
    with session(instant_backbone(engine)):
        for _ in range(2):
            with pytest.raises(ValueError, match="not this one"), accepted_replies():
                reject(READER(text="hall"))
        with accepted_replies():
            READER(text="hall")
        READER(text="hall")
    assert len(engine.requests) == 3


def test_who_asks_the_same_at_once_shares_one_call() -> None:
    def slowly(request: object) -> str:
        time.sleep(0.2)
        return GOOD

    engine = InstantEngine(slowly)
    with session(instant_backbone(engine)) as current:
        replies = parallel(lambda _: READER(text="hall").gist, range(5))
    assert replies == ["lamps"] * 5
    assert len(engine.requests) == 1
    assert (current.meter.usage().calls, current.meter.usage().cache_hits) == (1, 4)


def test_several_replies_to_one_call_differ_and_are_all_kept() -> None:
    engine = InstantEngine(lambda request: f"number {len(engine.requests)}")
    with session(instant_backbone(engine)) as current:
        for _ in range(2):
            assert list(current.lm("Write.", n=3)) == ["number 1", "number 2", "number 3"]
        assert list(current.lm("Write.")) == ["number 1"]
    assert len(engine.requests) == 3


def test_many_threads_and_caches_write_at_once(tmp_path: Path) -> None:
    caches = [ReplyCache(tmp_path) for _ in range(3)]

    def write(number: int) -> None:
        caches[number % 3].put(str(number), KeptReply(f"text {number}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [caches[0].get(str(number)) for number in range(60)] == [KeptReply(f"text {n}") for n in range(60)]


def test_a_cache_takes_few_open_files(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else pytest.skip("no /proc")
    open_cache(tmp_path)
    with session(instant_backbone(InstantEngine(GOOD)), cache_dir=tmp_path, concurrency=32):
        parallel(lambda n: READER(text=str(n)), range(32))
    assert len(os.listdir("/proc/self/fd")) - before <= 4


def test_entries_are_plain_json(tmp_path: Path) -> None:
    ReplyCache(tmp_path).put("key", KeptReply("te\ud83dxt", None))
    with sqlite3.connect(tmp_path / FILE) as database:
        ((entry,),) = database.execute("SELECT reply FROM replies")
    assert json.loads(entry)["cost"] is None


def test_a_server_that_healed_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    with FakeProvider("") as server:
        for text in ("", GOOD, GOOD):
            server.text = text
            forget()
            with session(f"openai/m@{server.url}", cache_dir=tmp_path):
                if text:
                    assert READER(text="hall").gist == "lamps"
                else:
                    with pytest.raises(UnusableReply, match="the reply is empty"):
                        READER(text="hall")
    assert len(server.requests) == 4


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_what_an_earlier_version_let_others_read_is_taken_from_them(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / FILE).touch()
    (folder / FILE).chmod(0o644)
    ReplyCache(folder)

    assert [path.stat().st_mode & 0o777 for path in (folder, folder / FILE)] == [0o700, 0o600]


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_a_folder_with_more_in_it_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "notes.txt").touch()
    ReplyCache(tmp_path)

    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_files_of_a_shared_disk_hold_what_a_database_does(tmp_path: Path) -> None:
    """Each machine has a cache of its own on the same folder."""
    one, other = (ReplyCache(f"files:{tmp_path}") for _ in range(2))
    one.put("key", KeptReply("te\ud83dxt", 0.25))
    assert other.get("key") == KeptReply("te\ud83dxt", 0.25)
    assert other.get("key", younger_than=60) is not None
    assert other.get("nothing") is None
    (path,) = tmp_path.glob("*/*")
    assert (path.name, stat.S_IMODE(path.stat().st_mode)) == ("key.json", 0o600)
    os.utime(path, (0, 0))
    assert other.get("key", younger_than=60) is None
    path.write_text('{"text": "cut off')
    assert other.get("key") is None


def test_many_writers_of_one_file_leave_it_whole(tmp_path: Path) -> None:
    caches = [ReplyCache(f"files:{tmp_path}") for _ in range(8)]
    texts = [f"{number} " * 20_000 for number in range(8)]
    read: list[KeptReply | None] = []

    def write(number: int) -> None:
        for _ in range(10):
            caches[number].put("key", KeptReply(texts[number]))
            read.append(caches[number - 1].get("key"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {reply.text for reply in read if reply} <= set(texts)
    assert None not in read
    assert [path.name for path in tmp_path.glob("*/*")] == ["key.json"]


def test_a_shared_folder_that_can_t_be_used_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(f"files:{tmp_path}/file")
    cache.put("key", KeptReply("text"))
    assert cache.get("key") == KeptReply("text")
    assert "can't be used to keep replies" in caplog.text
