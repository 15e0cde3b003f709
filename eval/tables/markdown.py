"""The report of a run to read."""

from collections.abc import Iterable, Sequence

from summq.eval.folder import RunConfig
from summq.eval.ledger import Cells
from summq.eval.notes import failure_lines, notes_on
from summq.eval.results import Comparison, Estimate, Results
from summq.eval.tables.columns import KNOWN, QUALITY, SURFACE, USE, Column, is_significant, other_columns, present


def markdown_report(config: RunConfig, results: Results, cells: Cells) -> str:
    """The whole report: what was run, quality, differences, length, use, failures, and how it was measured."""
    blocks = [
        f"# {config.data}, {config.split}: {len(config.ids)} documents",
        _setting(config, results),
        "## Quality\n\nHigher is better, but for contradicted and not found. Means with 95 % intervals, times 100.",
        _table(QUALITY, results),
        *_differences(config, results),
        "## Length and wording",
        _table((*SURFACE, *other_columns(results)), results),
        "## Calls, tokens, money, time (a document)",
        _table(USE, results),
        *failure_lines(cells),
        "## How it was measured",
        "\n".join(f"- {note}" for note in notes_on(config, cells)),
    ]
    return "\n\n".join(blocks) + "\n"


def table_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are aligned to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _table(columns: Sequence[Column], results: Results) -> str:
    shown = present(columns, results)
    rows = (
        [name, _counted(estimates), *(column.shown(estimates.get(column.key)) for column in shown)]
        for name, estimates in results.systems.items()
    )
    return table_of(["system", "n", *(column.heading for column in shown)], rows)


def _setting(config: RunConfig, results: Results) -> str:
    words = f"{config.words} words" if config.words else "as many words as the first reference"
    roles = "".join(f", {role}: {spec}" for role, spec in config.roles.items())
    lines = [
        f"Backbone {config.backbone}{roles}; every system was asked for {words}; "
        f"scored against {'all references' if config.references == 'all' else 'the first reference'}.",
        f"`n`: documents with a summary, of {len(config.ids)}.",
    ]
    if results.unfinished:
        lines.append(f"**Unfinished: {results.unfinished} documents were not run yet.** Run the same command again.")
    return " ".join(lines)


def _differences(config: RunConfig, results: Results) -> list[str]:
    """What sets the focus apart from each other system."""
    metrics = dict.fromkeys(pair.metric for pair in results.comparisons)
    if not metrics:
        return []
    found = {(pair.b, pair.metric): pair for pair in results.comparisons}
    names = dict.fromkeys(pair.b for pair in results.comparisons)
    rows = ([name, *(_difference(found[name, metric]) for metric in metrics)] for name in names)
    return [
        f"## {config.focus} minus each other system\n\nPaired by document, with 95 % intervals; p by sign flips, after "
        "Holm over the systems of a column; * p < 0.05.",
        table_of(["system", *(KNOWN[metric].heading for metric in metrics)], rows),
    ]


def _difference(pair: Comparison) -> str:
    if pair.difference is None or pair.p_holm is None:
        return "–"
    has_interval = pair.low is not None and pair.high is not None
    interval = f" [{_signed(pair.low)}, {_signed(pair.high)}]" if has_interval else ""
    return f"{_signed(pair.difference)}{interval} p={pair.p_holm:.3f}{'*' if is_significant(pair) else ''}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:+.1f}"


def _counted(estimates: dict[str, Estimate]) -> str:
    return str(estimates["seconds"].n)


__all__ = ["markdown_report", "table_of"]
