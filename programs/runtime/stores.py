"""Where the replies of the response cache lie: in a database of this machine, or as files that many machines share."""

import os
import sqlite3
import uuid
from pathlib import Path
from typing import Protocol

FILE = "replies.sqlite3"
BUSY = 30.0  # seconds to wait for another process that writes
TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, kept REAL NOT NULL)"
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
FILES = "files"
FAILURES = (OSError, sqlite3.Error)
"""What a store raises that can't be used."""


class ReplyStore(Protocol):
    """Entries by key; each has the time at which it was kept, in seconds of the clock."""

    def read(self, key: str, since: float) -> object:
        """The entry under `key`, None if there is none or it is older than `since`."""

    def write(self, key: str, entry: str, now: float) -> None:
        """Keep an entry."""


class Database:
    """An SQLite file, which any number of processes of one machine may share; in memory without a folder.

    Used by one thread at a time.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.connection = _in_memory() if folder is None else _in_folder(folder)

    def read(self, key: str, since: float) -> object:
        """The entry."""
        query = "SELECT reply FROM replies WHERE key = ? AND kept >= ?"
        row = self.connection.execute(query, (key, since)).fetchone()
        return None if row is None else row[0]

    def write(self, key: str, entry: str, now: float) -> None:
        """Keep an entry."""
        with self.connection:
            self.connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", (key, entry, now))


class Files:
    """A file for each reply, for a folder on a disk of the network, where a database can't be shared.

    A file is written under another name and renamed, so that nobody meets half of it and nothing has to be locked: any
    number of machines may write and read. Readable for nobody else; a link is not followed.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder

    def read(self, key: str, since: float) -> object:
        """The entry."""
        try:
            with os.fdopen(os.open(self._path(key), os.O_RDONLY | NO_LINK), encoding="utf-8") as file:
                return file.read() if os.fstat(file.fileno()).st_mtime >= since else None
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def write(self, key: str, entry: str, now: float) -> None:
        """Keep an entry."""
        path = self._path(key)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(entry)
        temporary.replace(path)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def store_in(where: str) -> ReplyStore:
    """The store that is named: a folder for a database, `files:FOLDER`, or nothing for memory.

    Raises one of `FAILURES` where it can't be used.
    """
    head, _, rest = where.partition(":")
    if head == FILES:
        return Files(Path(rest).expanduser())
    return Database(Path(where).expanduser() if where else None)


def _in_memory() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute(TABLE)
    return database


def _in_folder(folder: Path) -> sqlite3.Connection:
    """Readable for nobody else, as what it holds may be confidential; a link is not followed."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / FILE
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600))
    _make_private(path)
    if all(other.name.startswith(FILE) for other in folder.iterdir()):  # one that holds more may be shared on purpose
        _make_private(folder)
    database = sqlite3.connect(path, timeout=BUSY, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing
        database.execute(TABLE)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _make_private(path: Path) -> None:
    """Take from others what an earlier version or a copy let them read."""
    status = path.stat()
    if os.name == "posix" and status.st_uid == os.getuid() and status.st_mode & 0o077:
        path.chmod(status.st_mode & 0o700)


__all__ = ["FAILURES", "FILE", "Database", "ReplyStore", "store_in"]
