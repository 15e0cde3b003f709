"""The summaries of an evaluation for the script of a page, which shows those of one document side by side."""

from collections.abc import Mapping, Sequence

from summq.eval.archive import Cells
from summq.eval.metrics import Column
from summq.eval.report.results import value_of


def documents_data(
    ids: Sequence[str], columns: Mapping[str, tuple[str, Cells]], scores: Sequence[Column], shown: Sequence[str]
) -> object:
    """For each document what each column of the page shows.

    Args:
        columns: The name of each column, with the system and the outcomes that it shows.
        scores: The scores that stand beside each summary.
        shown: The names of the columns that are shown at first.
    """
    names = list(columns)
    return {
        "ids": list(ids),
        "systems": names,
        "shown": [names.index(name) for name in shown],
        "cells": [[_entry(cells, system, row_id, scores) for system, cells in columns.values()] for row_id in ids],
    }


def _entry(cells: Cells, system: str, row_id: str, columns: Sequence[Column]) -> object:
    """One summary with its scores as they are printed, or why there is none; None if it was not run."""
    outcome = cells.get((system, row_id))
    if outcome is None:
        return None
    values = [(column, value_of(outcome, column.key)) for column in columns]
    scores = {column.heading: column.number(value) for column, value in values if value is not None}
    return {"summary": outcome.summary, "error": outcome.error, "scores": scores}


__all__ = ["documents_data"]
