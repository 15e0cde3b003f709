"""A simulated provider with OpenAI's batch endpoints: files, batches, and what can go wrong with them."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.fakes import JsonHandler, LoopbackServer
from tests.fault_server import message

WRITTEN = "[[ ## summary ## ]]\nThe keeper counts lamps.\n\n[[ ## completed ## ]]"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
Line = tuple[int, dict[str, Any]]


def reply(text: str = WRITTEN) -> Line:
    """A good line."""
    return 200, message(text, usage=USAGE)


class BatchServer(LoopbackServer):
    """Answers batches line by line.

    Args:
        answer: Status and body for the request of a line, and how often that was asked before; status 0 leaves the line
            without a response.
        looks: How often a batch is looked at until it has ended.
        ends: How batches end, the last one all further ones.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any], int], Line] = lambda body, before: reply(),
        *,
        looks: int = 1,
        ends: tuple[str, ...] = ("completed",),
    ) -> None:
        self.answer, self.looks, self.ends = answer, looks, ends
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: list[dict[str, Any]] = []
        self.direct = 0  # calls outside batches
        self._looked: dict[str, int] = {}
        super().__init__()

    def create(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """A new batch, in progress."""
        name = f"batch_{len(self.batches) + 1}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "status": "in_progress",
            "created_at": 0,
            **{key: wanted.get(key) for key in ("input_file_id", "endpoint", "completion_window", "metadata")},
        }
        return self.batches[name]

    def look(self, name: str) -> dict[str, Any]:
        """The batch, a step further."""
        batch = self.batches[name]
        self._looked[name] = self._looked.get(name, 0) + 1
        if batch["status"] == "in_progress" and self._looked[name] >= self.looks:
            self._end(batch, self.ends[min(len(self.batches), len(self.ends)) - 1])
        return batch

    def _end(self, batch: dict[str, Any], status: str) -> None:
        batch["status"] = status
        if status == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "x", "message": "line 1 is no request"}]}
            return
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        done = lines if status == "completed" else lines[: len(lines) // 2]
        answered: list[str] = []
        failed: list[str] = []
        for line in lines:
            code, body = self._answered(line["body"]) if line in done else (0, {})
            response = {"status_code": code, "request_id": "r", "body": body} if code else None
            error = None if code else {"code": "batch_expired", "message": "not done in time"}
            text = json.dumps({"id": "l", "custom_id": line["custom_id"], "response": response, "error": error})
            (answered if code == 200 else failed).append(text)
        for key, texts in (("output_file_id", answered), ("error_file_id", failed)):
            if texts:
                batch[key] = f"file_{len(self.files) + 1}"
                self.files[batch[key]] = "\n".join(texts).encode()

    def _answered(self, body: dict[str, Any]) -> Line:
        before = self.asked.count(body)
        self.asked.append(body)
        return self.answer(body, before)

    def _handler(self) -> type[JsonHandler]:
        server = self

        class Handler(JsonHandler):
            def post(self, content: bytes) -> None:
                if self.path == "/v1/files":
                    boundary = self.headers["Content-Type"].partition("boundary=")[2].encode()
                    part = next(part for part in content.split(b"--" + boundary) if b"filename=" in part)
                    name = f"file_{len(server.files) + 1}"
                    server.files[name] = part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
                    sent = {"id": name, "object": "file", "bytes": 1, "created_at": 0, "filename": "f"}
                    self.send({**sent, "purpose": "batch", "status": "processed"})
                elif self.path == "/v1/batches":
                    self.send(server.create(json.loads(content)))
                else:
                    server.direct += 1
                    self.send(message(WRITTEN))

            def get(self) -> None:
                if self.path.startswith("/v1/batches/"):
                    self.send(server.look(self.path.rpartition("/")[2]))
                elif self.path.startswith("/v1/batches"):
                    self.send({"object": "list", "data": list(server.batches.values()), "has_more": False})
                elif match := re.fullmatch(r"/v1/files/(\w+)/content", self.path):
                    self.send(server.files[match[1]])

        return Handler


__all__ = ["WRITTEN", "BatchServer", "reply"]
