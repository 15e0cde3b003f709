"""Rows of a long measurement in a file, added as they come: a run that was stopped goes on where it was."""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class Rows:
    """The rows of a file of JSON lines; threads may add to it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows so far, none where the file is not there."""
        lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
        return iter([json.loads(line) for line in lines])

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row."""
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
