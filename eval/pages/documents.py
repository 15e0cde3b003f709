"""The summaries of an evaluation for the script of a page, which shows those of one document side by side."""

from collections.abc import Mapping, Sequence
from math import isnan

from summq.eval.metrics import Column
from summq.eval.report.results import Run

MOST_SHOWN = 500
"""Of more documents the first so many are on the page; the files of the run have all."""


def documents_data(
    ids: Sequence[str], columns: Mapping[str, tuple[str, Run]], scores: Sequence[Column], shown: Sequence[str]
) -> object:
    """For each of the first documents what each column of the page shows.

    Args:
        columns: The name of each column, with the system and the evaluation that it shows.
        scores: The scores that stand beside each summary.
        shown: The names of the columns that are shown at first.
    """
    names, ids = list(columns), list(ids[:MOST_SHOWN])
    entries = [_entries(run, system, ids, scores) for system, run in columns.values()]
    return {
        "ids": ids,
        "systems": names,
        "shown": [names.index(name) for name in shown],
        "cells": [list(row) for row in zip(*entries, strict=True)],
    }


def _entries(run: Run, system: str, ids: Sequence[str], columns: Sequence[Column]) -> list[object]:
    """Each summary with its scores as they are printed, or why there is none; None if it was not run."""
    values = {column.heading: run.sheet.values_of(system, column.key, ids) for column in columns}
    shown = {column.heading: column for column in columns}

    def entry(place: int, row_id: str) -> object:
        if (system, row_id) not in run.cells:
            return None
        outcome = run.cells[system, row_id]
        known = {heading: column[place] for heading, column in values.items() if not isnan(column[place])}
        scores = {heading: shown[heading].number(value) for heading, value in known.items()}
        return {"summary": outcome.summary, "error": outcome.error, "scores": scores}

    return [entry(place, row_id) for place, row_id in enumerate(ids)]


__all__ = ["MOST_SHOWN", "documents_data"]
