"""The page that compares two evaluations: the same systems before and after, paired by document."""

from pathlib import Path

from summq.eval.archive import RunConfig
from summq.eval.pages.run import MOST_SHOWN, documents_data
from summq.eval.report.against import differences, shared_documents, shared_systems
from summq.eval.report.names import short_names
from summq.eval.report.results import Run
from summq.eval.report.sheet import USE
from summq.programs.pages.page import render
from summq.programs.runtime.files import write_text

COMPARED_PAGE = "compared.html"
NO_SETTING = {"ids", "systems", "schema_version", "source", "dropped"}


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
    ids, pairs = shared_documents(before, after), shared_systems(before, after)
    names = short_names(dict.fromkeys(name for pair in pairs for name in pair))
    shown = {
        f"{label} {names[system]}": (system, run)
        for pair in pairs
        for label, run, system in zip("AB", (before, after), pair, strict=True)
    }
    return render(
        __package__,
        "compared.html.jinja",
        script="run.js",
        data=documents_data(ids, shown, after.results.quality, list(shown)[:2]),
        title=f"{before.folder.resolve().name} and {after.folder.resolve().name}",
        kicker="SummQ, two evaluations compared",
        before=before,
        after=after,
        ids=ids,
        most_shown=MOST_SHOWN,
        pairs=pairs,
        names=names,
        differences=[pair for column in after.results.quality for pair in differences(before, after, column)],
        columns={column.key: column for column in (*after.results.columns, *USE)},
        settings=changed_settings(before.config, after.config),
    )


def changed_settings(before: RunConfig, after: RunConfig) -> dict[str, tuple[object, object]]:
    """What was asked for differently, by the key of config.json."""
    one, other = before.model_dump(mode="json"), after.model_dump(mode="json")
    return {key: (one[key], other[key]) for key in one if key not in NO_SETTING and one[key] != other[key]}


__all__ = ["changed_settings", "compared_page", "write_compared"]
