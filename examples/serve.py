"""SummQ behind HTTP, on the standard library: post a document, get its summary and exam back.

    python examples/serve.py --backbone openai/gpt-4o --port 8080 --max-cost 20
    curl --data-binary @report.txt http://127.0.0.1:8080/

One session serves all requests: they share its limits, its meter and the cache of replies. It listens on this machine
only; a server for others goes behind a proxy that knows them.
"""

import argparse
import contextvars
import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from summq import Document, SummQ, SummQError, session

MOST_BYTES = 4_000_000
BUDGET_SPENT = 3


class Handler(BaseHTTPRequestHandler):
    """Answers a POST whose body is a document in UTF-8."""

    server: "SummQServer"

    def do_POST(self) -> None:
        """Summarise the body."""
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 < length <= MOST_BYTES:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"post 1 to {MOST_BYTES:,} bytes"})
            return
        try:
            document = Document(text=self.rfile.read(length).decode("utf-8"))
        except UnicodeDecodeError:
            self._answer(HTTPStatus.BAD_REQUEST, {"error": "the body is not UTF-8"})
            return
        try:
            self._answer(HTTPStatus.OK, self.server.summarise(document))
        except SummQError as error:
            spent = error.exit_status == BUDGET_SPENT
            status = HTTPStatus.SERVICE_UNAVAILABLE if spent else HTTPStatus.UNPROCESSABLE_ENTITY
            self._answer(status, {"error": str(error)})

    def _answer(self, status: HTTPStatus, content: dict[str, object]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class SummQServer(ThreadingHTTPServer):
    """A thread for each request, inside the session in which the server was made."""

    def __init__(self, port: int, program: SummQ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.program = program
        self.session = contextvars.copy_context()

    def summarise(self, document: Document) -> dict[str, object]:
        """The summary, which of its quiz it answers (0 to 1), and what it cost (USD, None: unknown)."""
        result = self.session.copy().run(self.program, document=document).result
        return {
            "summary": result.summary,
            "accuracy": result.exam and result.exam.accuracy,
            "stop_reason": result.stop_reason,
            "cost": result.usage.cost,
        }


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="Serve SummQ.")
    parser.add_argument("--backbone", default="offline")
    parser.add_argument("--preset", default="solo")
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--max-cost", type=float)
    options = parser.parse_args()
    program = SummQ.preset(options.preset, target_words=options.words)
    with session(options.backbone, max_cost=options.max_cost):
        server = SummQServer(options.port, program)
        print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.server_close()


if __name__ == "__main__":
    main()
