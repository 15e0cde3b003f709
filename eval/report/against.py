"""Two evaluations compared: the same systems before and after, paired by document."""

from collections.abc import Iterator

from summq.eval.metrics import Column
from summq.eval.report.names import short_names
from summq.eval.report.results import Comparison, Results, Run, corrected_comparisons
from summq.eval.report.tables import differences_table, table_of
from summq.eval.statistics import PairedTest, compare
from summq.programs.errors import DataError
from summq.programs.text.words import numbered

WORST_SHOWN = 5


def shared_documents(before: Run, after: Run) -> list[str]:
    """The ids of the documents of both. Raises DataError when there is none."""
    ids = [row_id for row_id in after.config.ids if row_id in before.sheet.places]
    if not ids:
        raise DataError(f"{before.folder} and {after.folder} have no document in common: there is nothing to compare")
    return ids


def shared_systems(before: Run, after: Run) -> list[tuple[str, str]]:
    """Systems of the same name in both; where there is none, the two focuses, if both were run.

    Raises DataError when there is nothing to compare.
    """
    same = [(name, name) for name in before.results.systems if name in after.results.systems]
    focuses = (before.config.focus, after.config.focus)
    both = focuses[0] in before.results.systems and focuses[1] in after.results.systems
    if not same and not both:
        raise DataError(f"{before.folder} and {after.folder} have no system in common: there is nothing to compare")
    return same or [focuses]


def differences(before: Run, after: Run, column: Column) -> list[Comparison]:
    """`after` minus `before` (`a` and `b` of each comparison) for each system of both, Holm over the systems."""
    ids = shared_documents(before, after)
    clusters = [after.sheet.clusters[after.sheet.places[row_id]] for row_id in ids]

    def test(old: str, new: str) -> PairedTest:
        now, then = after.sheet.values_of(new, column.key, ids), before.sheet.values_of(old, column.key, ids)
        return compare(now, then, clusters, largest=column.largest_difference, seed=after.config.seed)

    tests = [(new, old, test(old, new)) for old, new in shared_systems(before, after)]
    return [pair for pair in corrected_comparisons(column.key, tests) if pair.n]


def against_page(before: Run, after: Run) -> str:
    """What changed against an earlier run, in Markdown: every main column, then the documents that lost most."""
    pairs = [pair for column in after.results.main for pair in differences(before, after, column)]
    shared = numbered(len(shared_documents(before, after)), "document")
    blocks = [
        f"## Against {before.folder}",
        f"This run minus that one, paired over {shared}; * after Holm.",
        differences_table(after.results, pairs),
        f"### Worse than before\n\n{_worse(after.results, pairs)}",
        *_losses(before, after, pairs),
    ]
    return "\n\n".join(blocks) + "\n"


def _worse(results: Results, pairs: list[Comparison]) -> str:
    """What got worse, a line for each measure and system."""
    if all(pair.p is None for pair in pairs):
        return "Not known: there are too few documents for a test."
    names = short_names(results.systems)
    worse = [pair for pair in pairs if pair.is_significant and _is_worse(results, pair)]
    lines = [f"- {_heading(results, pair)}: {names.get(pair.a, pair.a)}" for pair in worse]
    return "\n".join(lines) or "Nothing, by a test at 0.05 after Holm's correction."


def _losses(before: Run, after: Run, pairs: list[Comparison]) -> Iterator[str]:
    """The documents whose scores fell most, by the first column of each system."""
    shown: set[str] = set()
    names = short_names(after.results.systems)
    for pair in pairs:
        column = after.results.column(pair.metric)
        if pair.a in shown or column is None:
            continue
        shown.add(pair.a)
        sign = -1 if column.better == "lower" else 1
        changes = []
        ids = shared_documents(before, after)
        values = [run.sheet.values_of(name, column.key, ids) for run, name in ((before, pair.b), (after, pair.a))]
        for row_id, old, new in zip(ids, *values, strict=True):
            if sign * (new - old) < 0:  # which NaN never is
                changes.append(
                    (sign * (new - old), [row_id, *map(column.number, (old, new)), column.number(new - old)])
                )
        if changes:
            rows = [cells for _, cells in sorted(changes)[:WORST_SHOWN]]
            yield f"### {names.get(pair.a, pair.a)}: documents that lost most {column.heading}"
            yield table_of(["document", "before", "now", "change"], rows)


def _is_worse(results: Results, pair: Comparison) -> bool:
    column = results.column(pair.metric)
    return column is not None and (pair.difference or 0) * (-1 if column.better == "lower" else 1) < 0


def _heading(results: Results, pair: Comparison) -> str:
    column = results.column(pair.metric)
    return column.heading if column else pair.metric


__all__ = ["against_page", "differences", "shared_documents", "shared_systems"]
