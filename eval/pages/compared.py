"""The page that compares two evaluations: the same systems before and after, paired by document."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from summq.eval.archive import PREDICTIONS, Cells, RunConfig, read_config, read_outcomes
from summq.eval.pages.documents import documents_data
from summq.eval.report.fresh import with_fresh_exam
from summq.eval.report.names import short_names
from summq.eval.report.results import COMPARED, Comparison, Results, results_of, value_of
from summq.eval.report.tables import KNOWN
from summq.eval.statistics import compare, holm
from summq.programs.errors import DataError
from summq.programs.pages.page import render
from summq.programs.runtime.files import write_text

COMPARED_PAGE = "compared.html"
NO_SETTING = {"ids", "systems", "schema_version", "source", "dropped"}


@dataclass(frozen=True)
class Run:
    """One of the two evaluations."""

    folder: Path
    config: RunConfig
    cells: Cells
    results: Results

    @classmethod
    def read(cls, folder: Path) -> "Run":
        """The evaluation in `folder`. Raises DataError when there is none."""
        config, cells = read_config(folder), with_fresh_exam(read_outcomes(folder / PREDICTIONS))
        return cls(folder, config, cells, results_of(config, cells))


def write_compared(one: Path, other: Path) -> Path:
    """Write the page that compares the evaluation in `other` with that in `one` into `other`; hands back its path.

    Raises:
        DataError: One of the folders holds no evaluation; they have no documents, or no system, in common.
    """
    page = compared_page(Run.read(one), Run.read(other))
    write_text(other / COMPARED_PAGE, page)
    return other / COMPARED_PAGE


def compared_page(before: Run, after: Run) -> str:
    """The page as HTML: differences are `after` minus `before`."""
    ids = [row_id for row_id in after.config.ids if row_id in set(before.config.ids)]
    pairs = shared_systems(before, after)
    if not ids or not pairs:
        lack = "document" if not ids else "system"
        raise DataError(f"{before.folder} and {after.folder} have no {lack} in common: there is nothing to compare")
    names = short_names(dict.fromkeys(name for pair in pairs for name in pair))
    shown = {
        f"{label} {names[system]}": (system, run.cells)
        for pair in pairs
        for label, run, system in zip("AB", (before, after), pair, strict=True)
    }
    differences = [pair for metric in COMPARED for pair in _differences(before, after, pairs, ids, metric)]
    return render(
        __package__,
        "compared.html.jinja",
        script="run.js",
        data=documents_data(ids, shown, list(shown)[:2]),
        title=f"{before.folder.resolve().name} and {after.folder.resolve().name}",
        kicker="SummQ, two evaluations compared",
        before=before,
        after=after,
        ids=ids,
        pairs=pairs,
        names=names,
        differences=differences,
        columns=KNOWN,
        settings=changed_settings(before.config, after.config),
    )


def shared_systems(before: Run, after: Run) -> list[tuple[str, str]]:
    """Systems of the same name in both; where there is none, the two focuses, if both were run."""
    same = [(name, name) for name in before.results.systems if name in after.results.systems]
    focuses = (before.config.focus, after.config.focus)
    both = focuses[0] in before.results.systems and focuses[1] in after.results.systems
    return same or ([focuses] if both else [])


def changed_settings(before: RunConfig, after: RunConfig) -> dict[str, tuple[object, object]]:
    """What was asked for differently, by the key of config.json."""
    one, other = before.model_dump(mode="json"), after.model_dump(mode="json")
    return {key: (one[key], other[key]) for key in one if key not in NO_SETTING and one[key] != other[key]}


def _differences(
    before: Run, after: Run, pairs: Sequence[tuple[str, str]], ids: Sequence[str], metric: str
) -> list[Comparison]:
    """`b` minus `a` for each pair of systems, with Holm's correction over the pairs."""

    def values(run: Run, system: str) -> list[float | None]:
        return [value_of(run.cells.get((system, row_id)), metric) for row_id in ids]

    clusters = [next((cell.cluster for (_, key), cell in after.cells.items() if key == row_id), None) for row_id in ids]
    tests = [compare(values(after, b), values(before, a), clusters, seed=after.config.seed) for a, b in pairs]
    known = [place for place, test in enumerate(tests) if test.p is not None]
    adjusted = dict(zip(known, holm([p for test in tests if (p := test.p) is not None]), strict=True))
    return [
        Comparison(
            a=b,
            b=a,
            metric=metric,
            difference=test.difference,
            low=test.low,
            high=test.high,
            p=test.p,
            p_holm=adjusted.get(place),
            n=test.n,
            unpaired=test.unpaired,
        )
        for place, ((a, b), test) in enumerate(zip(pairs, tests, strict=True))
        if test.n
    ]


__all__ = ["COMPARED_PAGE", "changed_settings", "compared_page", "shared_systems", "write_compared"]
