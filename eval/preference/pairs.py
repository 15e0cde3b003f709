"""Pairs of summaries of one document by two systems, from the folders of runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from summq.eval.archive import PREDICTIONS, RunConfig, read_config, read_outcomes
from summq.eval.data import Dataset
from summq.programs.errors import ConfigError, DataError, there_are
from summq.programs.text.sentences import sentence_spans
from summq.programs.text.stems import first_words
from summq.programs.text.words import count_words
from summq.signatures import Document


@dataclass(frozen=True)
class Summaries:
    """What one system of a run wrote, by the ids of the rows; `backbone` is None where it is not known."""

    name: str
    backbone: str | None
    by_id: dict[str, str]
    config: RunConfig


@dataclass(frozen=True)
class Pair:
    """A document and two summaries of it."""

    id: str
    document: Document
    a: str
    b: str
    cluster: str | None = None

    @property
    def longer(self) -> str | None:
        """The side with more words; None when they are equal."""
        words_a, words_b = count_words(self.a), count_words(self.b)
        return None if words_a == words_b else "a" if words_a > words_b else "b"

    def of_equal_length(self) -> "Pair":
        """The same with the longer summary cut, at the end of a sentence, to the length of the shorter."""
        most = min(count_words(self.a), count_words(self.b))
        return replace(self, a=_cut(self.a, most), b=_cut(self.b, most))


def read_summaries(run: str) -> Summaries:
    """The summaries of `FOLDER:SYSTEM`, or of `FOLDER` where it holds one system.

    Raises:
        DataError: No run lies there.
        ConfigError: The folder holds several systems and none of them is named.
    """
    folder, name = _parts(run)
    config, cells = read_config(folder), read_outcomes(folder / PREDICTIONS)
    systems = list(config.systems)
    if name is None and len(systems) > 1:
        raise ConfigError(f"{folder} holds several systems; name one, {folder}:{systems[0]} (of {', '.join(systems)})")
    name = name or systems[0]
    if name not in systems:
        raise ConfigError(f"{folder} holds no system {name!r}: {there_are(systems, name)}")
    written = {row_id: cells[name, row_id].summary for row_id in config.ids if (name, row_id) in cells}
    own = config.systems[name].get("backbone")
    return Summaries(
        name=name,
        backbone=str(own) if own else config.backbone if "program" in config.systems[name] else None,
        by_id={row_id: summary for row_id, summary in written.items() if summary is not None},
        config=config,
    )


def load_documents(config: RunConfig) -> Dataset:
    """The rows of a run, loaded again. Raises `DataError` when they are not what they were."""
    if config.source is None:
        raise DataError("the run does not say where its documents come from; it was not made by `summq eval`")
    dataset = config.source.load()
    if dataset.data_hash != config.data_hash:
        raise DataError(f"{config.source.data} has changed since the run was made: run it again")
    return dataset


def pairs_of(a: Summaries, b: Summaries, dataset: Dataset) -> Sequence[Pair]:
    """A pair for every row that both have a summary of.

    Raises:
        DataError: The two were run on different rows, or have no summary in common.
    """
    if a.config.data_hash != b.config.data_hash:
        raise DataError(f"{a.name} and {b.name} were run on different rows: only the same documents can be compared")
    pairs = [
        Pair(row.id, row.document, a.by_id[row.id], b.by_id[row.id], row.cluster)
        for row in dataset
        if row.id in a.by_id and row.id in b.by_id
    ]
    if not pairs:
        raise DataError(f"there is no document that both {a.name} and {b.name} have a summary of")
    return pairs


def paired_runs(run_a: str, run_b: str, *, length_matched: bool) -> tuple[Summaries, Summaries, Sequence[Pair]]:
    """The summaries of two systems, and their pairs; with `length_matched` the longer of each pair is cut.

    Raises:
        ConfigError, DataError: As `read_summaries`, `load_documents` and `pairs_of` do.
    """
    a, b = read_summaries(run_a), read_summaries(run_b)
    pairs = pairs_of(a, b, load_documents(a.config))
    return a, b, [pair.of_equal_length() for pair in pairs] if length_matched else pairs


def _parts(run: str) -> tuple[Path, str | None]:
    """The folder and the system; a folder whose name holds a colon is taken as it is."""
    if Path(run).is_dir():
        return Path(run), None
    folder, colon, name = run.partition(":")
    return Path(folder), name if colon else None


def _cut(text: str, most: int) -> str:
    ends = [span.end for span in sentence_spans(text) if count_words(text[: span.end]) <= most]
    return text[: ends[-1]] if ends else first_words(text, most)


__all__ = ["Pair", "Summaries", "load_documents", "paired_runs", "pairs_of", "read_summaries"]
