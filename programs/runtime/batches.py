"""Calls in batches: a provider answers files of requests within a day, at half the price (OpenAI's Batch API).

`Batches` stands where a connection would be: what a backbone sends is written into a file, and what batches answered is
handed back as if it had come just now, so that everything about replies (faults, usage, cache) stays as it is. Whoever
asks is told `Unanswered` until then, and asks again (`answer`). The folder knows what was submitted: a process that
starts anew waits for it, and never submits it twice.
"""

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import dspy
from dspy.utils.exceptions import LMError
from pydantic import BaseModel

from summq.programs.errors import BackboneError
from summq.programs.runtime.bodies import checked
from summq.programs.runtime.cache import accepted_replies
from summq.programs.runtime.files import make_folder, read_model, write_lines, write_model
from summq.programs.runtime.providers import Connection

transports = import_module("dspy._vendor.lm15.transports")

ROUNDS = 3
"""How often what is unanswered yet is submitted; a reply that is no use is asked for again in the next round."""
MOST_REQUESTS, MOST_BYTES = 50_000, 190_000_000  # of one file; the provider takes 200 MB
FIRST_WAIT, LONGEST_WAIT = 5.0, 300.0  # seconds between two looks at a batch
ENDED = ("completed", "failed", "expired", "cancelled")
PASSING = (408, 409, 425, 429)  # statuses of a line that is worth submitting again, beside those from 500 on
AGAIN = "the same command again waits for it and submits nothing twice"


class Unanswered(LMError):
    """A request that no batch has answered yet."""

    default_code = "unanswered"


class Submitted(BaseModel):
    """A batch: `id` is None while it is being submitted, `done` says that its replies were fetched."""

    file: str
    digest: str
    endpoint: str
    requests: int
    id: str | None = None
    status: str = "submitting"
    done: bool = False


class State(BaseModel):
    """`batches.json`."""

    batches: list[Submitted] = []


@dataclass
class RequestFile:
    """Requests to one endpoint, no more than the provider takes in one file."""

    path: Path
    endpoint: str
    requests: int = 0
    size: int = 0

    def takes(self, more: int) -> bool:
        """Whether there is room for so many bytes."""
        return self.requests < MOST_REQUESTS and self.size + more <= MOST_BYTES

    def add(self, line: bytes) -> None:
        """Append a request."""
        with self.path.open("ab" if self.requests else "wb") as file:
            file.write(line)
        self.requests += 1
        self.size += len(line)

    def digest(self) -> str:
        """What tells this file from any other."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:32]


class Place(NamedTuple):
    """Where a reply stands."""

    file: Path
    start: int
    length: int

    def reply(self) -> tuple[int, bytes]:
        """Its status and its body."""
        with self.file.open("rb") as file:
            file.seek(self.start)
            response = json.loads(file.read(self.length))["response"]
        return int(response["status_code"]), json.dumps(response["body"]).encode()


class Batches:
    """The batches of one backbone, and their replies, in a folder of their own.

    Args:
        tell: Is told in a line what is waited for.

    Raises:
        BackboneError: The OpenAI client can't be had.
        DataError: The folder holds something else.
    """

    def __init__(
        self, folder: Path, connection: Connection, tell: Callable[[str], None], *, first_wait: float = FIRST_WAIT
    ) -> None:
        import openai

        self._folder, self._tell, self._wait = make_folder(folder), tell, first_wait
        self._name = connection.name
        self._client = openai.OpenAI(api_key=connection.key, base_url=connection.address)
        self._problem: type[Exception] = openai.OpenAIError
        self._state = State()
        if self._path.exists():
            self._state = read_model(self._path, State, "a record of batches", "remove it to submit anew")
        self._replies: dict[str, Place] = {}
        self._noted: set[str] = set()
        self._files: list[RequestFile] = []
        self._lock = threading.Lock()
        for batch in self._state.batches:
            if batch.done:
                self._read(batch, lasting=False)

    @property
    def _path(self) -> Path:
        return self._folder / "batches.json"

    def stream(self, request: Any) -> Any:
        """What a batch answered to the request. Raises Unanswered, and notes the request, where none did."""
        path = urlsplit(request.url).path
        uses: Counter[str] | None = dspy.settings.get("batch_uses")
        key = hashlib.sha256(path.encode() + b" " + request.body).hexdigest()[:40]
        if uses is not None:
            uses[key] += 1
            key = key if uses[key] == 1 else f"{key}-{uses[key]}"
        if key not in self._replies:
            self._note(key, path, request.body)
            raise Unanswered("no batch has answered this call; run the same command again")
        status, body = checked(*self._replies[key].reply())
        return transports.TransportResponse(
            status=status,
            reason="",
            headers=[("content-type", "application/json")],
            http_version="HTTP/1.1",
            chunks=iter([body]),
            release=lambda whole: None,
        )

    def close(self) -> None:
        """Nothing is open."""

    def _note(self, key: str, path: str, body: bytes) -> None:
        """Write a request into a file of its endpoint that has room for it."""
        with self._lock:
            if key in self._noted:
                return
            self._noted.add(key)
            endpoint = path[path.index("/v1/") :] if "/v1/" in path else path
            line = {"custom_id": key, "method": "POST", "url": endpoint, "body": json.loads(body)}
            text = json.dumps(line).encode() + b"\n"
            file = next((file for file in self._files if file.endpoint == endpoint and file.takes(len(text))), None)
            if file is None:
                number = len(self._state.batches) + len(self._files) + 1
                file = RequestFile(self._folder / f"requests-{number}.jsonl", endpoint)
                self._files.append(file)
            file.add(text)

    def submit(self) -> int:
        """Submit what was asked and not answered since the last time; hands back how many requests that were."""
        files, self._files, self._noted = self._files, [], set()
        for file in files:
            batch = Submitted(file=file.path.name, digest=file.digest(), endpoint=file.endpoint, requests=file.requests)
            self._state.batches.append(batch)
            self._save()  # before it is submitted: if this process dies now, the next one looks for it
            self._start(batch)
        return sum(file.requests for file in files)

    def collect(self) -> None:
        """Wait until every batch has ended, and take its replies."""
        for batch in self._state.batches:
            if batch.done:
                continue
            if batch.id is None:
                self._find_or_start(batch)
            self._read(self._wait_for_end(batch))

    def forget(self) -> None:
        """The replies were used: what is asked from now on is asked anew."""
        self._replies.clear()
        for batch in self._state.batches:
            for file in (batch.file, _replies_to(batch)):
                (self._folder / file).unlink(missing_ok=True)

    def _start(self, batch: Submitted) -> None:
        with self._reporting(), (self._folder / batch.file).open("rb") as file:
            sent = self._client.files.create(file=file, purpose="batch")
            made = self._client.batches.create(
                input_file_id=sent.id,
                endpoint=batch.endpoint,  # type: ignore[arg-type]
                completion_window="24h",
                metadata={"summq": batch.digest},
            )
        batch.id, batch.status = made.id, made.status
        self._save()
        self._tell(f"{self._name}: batch {made.id} with {batch.requests:,} calls is submitted")

    def _find_or_start(self, batch: Submitted) -> None:
        """For a process that died while it submitted: the batch, if it was made, is known by its digest."""
        with self._reporting():
            for made in self._client.batches.list():
                if (made.metadata or {}).get("summq") == batch.digest:
                    batch.id, batch.status = made.id, made.status
                    self._save()
                    return
        self._start(batch)

    def _wait_for_end(self, batch: Submitted) -> Submitted:
        """The batch with its replies in the folder, once the provider is done with it."""
        assert batch.id
        wait, last = self._wait, ""
        while True:
            with self._reporting(batch.id):
                now = self._client.batches.retrieve(batch.id)
            batch.status = now.status
            if now.status in ENDED:
                break
            done = now.request_counts.completed if now.request_counts else 0
            line = f"{self._name}: batch {batch.id} is {now.status}, {done:,} of {batch.requests:,} calls"
            if line != last:
                self._tell(line if last else f"{line}; {AGAIN}")
                last = line
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)
        with self._reporting(batch.id):
            files = [file for file in (now.output_file_id, now.error_file_id) if file]
            write_lines(self._folder / _replies_to(batch), self._downloaded(files))
        batch.done = True
        self._save()
        if now.status == "failed":
            reason = next(
                (error.message for error in (now.errors.data if now.errors else None) or []), "no reason given"
            )
            raise BackboneError(f"{self._name}: the provider refused batch {batch.id}: {reason}")
        if now.status != "completed":
            self._tell(f"{self._name}: batch {batch.id} is {now.status}; what it did not answer is submitted again")
        return batch

    def _read(self, batch: Submitted, *, lasting: bool = True) -> None:
        """Take the replies of a batch.

        Args:
            lasting: Also those that say what is wrong with a request; a new process asks again instead.
        """
        path = self._folder / _replies_to(batch)
        if not path.exists():
            return
        with path.open("rb") as file:
            start = 0
            for line in file:
                place = Place(path, start, len(line))
                start += len(line)
                key, status = _answer_line(line)
                if key and (status == 200 or (lasting and status < 500 and status not in PASSING)):
                    self._replies[key] = place

    def _downloaded(self, files: Sequence[str]) -> Iterator[bytes]:
        for file in files:
            with self._client.files.with_streaming_response.content(file) as response:
                yield from response.iter_bytes()
            yield b"\n"

    def _save(self) -> None:
        write_model(self._path, self._state)

    @contextmanager
    def _reporting(self, batch: str = "") -> Iterator[None]:
        """Raise what the client raises as a line."""
        try:
            yield
        except self._problem as error:
            line = (str(error).splitlines() or [type(error).__name__])[0][:200]
            if getattr(error, "status_code", None) == 404 and not batch:
                raise BackboneError(f"{self._name} has no batch endpoint: leave out --batch ({line})") from error
            going_on = f"; batch {batch} goes on: {AGAIN}" if batch else ""
            raise BackboneError(f"{self._name}: {line}{going_on}") from error


def answer(batches: Sequence[Batches], ask: Callable[[], object]) -> None:
    """Ask, submit what is unanswered, wait for the replies and ask again, until all is answered or `ROUNDS` are over.

    Args:
        ask: Makes every call, one after the other, and gets over those that are `Unanswered`. What is asked here is
            neither metered nor kept: it is asked once more by whoever needs the replies.
    """
    for each in batches:
        each.collect()
    for _ in range(ROUNDS):
        with dspy.context(meter=None, budget=None, primer=None), _kept_by_nobody():
            ask()
        if not sum(each.submit() for each in batches):
            return
        for each in batches:
            each.collect()


class _NotKept(Exception):
    pass


@contextmanager
def _kept_by_nobody() -> Iterator[None]:
    try:
        with accepted_replies():
            yield
            raise _NotKept
    except _NotKept:
        pass


@contextmanager
def counted_uses() -> Iterator[None]:
    """Count how often the same is asked inside: each time is a call of its own, with a reply of its own."""
    with dspy.context(batch_uses=Counter()):
        yield


def _answer_line(line: bytes) -> tuple[str, int]:
    """The key and the status of a line with a reply; no key where it holds none."""
    try:
        value = json.loads(line)
        return str(value["custom_id"]), int(value["response"]["status_code"])
    except (ValueError, TypeError, KeyError):
        return "", 0


def _replies_to(batch: Submitted) -> str:
    return batch.file.replace("requests", "replies")


__all__ = ["AGAIN", "Batches", "answer", "counted_uses"]
