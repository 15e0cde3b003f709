"""Summaries that people have judged, from a file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from summq.eval.data import Row
from summq.optimizers.learned_metric.training import GradedCandidates
from summq.optimizers.planted.candidates import Candidate, Candidates
from summq.programs.errors import DataError
from summq.signatures import Document

HUMAN = "human"
FORM = (
    "each line needs summary, system ('human' for people's), score (or scores.overall), "
    "and document (or doc_id, with the documents in documents.jsonl beside the file)"
)


def read_judgements(path: Path) -> list[GradedCandidates]:
    """The judged summaries of a file (JSON lines), those with the same document and question together.

    A line has `summary`, `system`, `score` (or `scores.overall`; higher is better), `document` (or `doc_id`, which
    `documents.jsonl` in the same folder has as `id`), and, where there are any, `references` and `question`.

    Raises:
        DataError: The file can't be read or a line lacks something.
    """
    texts: dict[str, str] = {}
    beside = path.parent / "documents.jsonl"
    if beside.exists():
        texts = {item["id"]: item["document"] for _, item in _lines(beside)}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number, item in _lines(path):
        try:
            item = {**item, "text": item.get("document") or texts[item["doc_id"]], "score": _score(item)}
            groups.setdefault((item["text"], item.get("question", "")), []).append(item)
            item["summary"], item["system"]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}, line {number}: {error} is missing or wrong: {FORM}") from error
    return [_graded(text, items) for (text, _), items in groups.items()]


def _graded(text: str, items: Sequence[dict[str, Any]]) -> GradedCandidates:
    document = Document(text=text)
    row = Row(document.key, document, tuple(items[0].get("references") or ()))
    candidates = [
        Candidate(f"{item['system']}_{n}", item["summary"], human=item["system"] == HUMAN)
        for n, item in enumerate(items)
    ]
    return GradedCandidates(Candidates(row, tuple(candidates)), tuple(item["score"] for item in items))


def _score(item: dict[str, Any]) -> float:
    return float(item["score"] if "score" in item else item["scores"]["overall"])


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}: name a file of judgements") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(f"{path}, line {number}: not JSON: {FORM}") from error


__all__ = ["read_judgements"]
