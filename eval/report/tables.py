"""The report of a run to read, in Markdown, and its numbers as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

from summq.eval.archive import RunConfig
from summq.eval.metrics import Column
from summq.eval.report.names import short_names
from summq.eval.report.notes import Remarks, cache_line, failure_lines, notes_on
from summq.eval.report.results import Comparison, Results
from summq.eval.report.sheet import USE
from summq.eval.statistics import FEWEST_SOURCES, Estimate
from summq.eval.systems.specs import UNTOLD
from summq.programs.text.cleaning import as_cell
from summq.programs.text.words import numbered


def markdown_report(config: RunConfig, results: Results, remarks: Remarks) -> str:
    """The whole report: what was run, quality, differences, length, use, failures, and how it was measured."""
    names = short_names(results.systems)
    blocks = [
        f"# {config.data}, {config.split}: {numbered(len(config.ids), 'document')}",
        _setting(config, results),
        f"## Quality\n\n{_direction(results)} {_means(results)}, times 100.",
        _table(results.quality, results),
        *_differences(config, results),
        *(["## Length and wording", _table(results.neutral, results)] if results.neutral else []),
        "## Calls, tokens, money, time (a document)",
        _table(USE, results),
        *filter(None, [cache_line(remarks)]),
        *_legend(names),
        *failure_lines(remarks),
        "## How it was measured",
        "\n".join(f"- {note}" for note in notes_on(config, remarks)),
    ]
    return "\n\n".join(blocks) + "\n"


def table_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are aligned to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def differences_table(results: Results, comparisons: Sequence[Comparison]) -> str:
    """A row for each comparison: pairs, difference, interval, p, and what so many pairs could have shown."""
    names = short_names(results.systems)
    heads = ("measure", "minus", "pairs", "difference", "95 % interval", "p", "p (Holm)", "could be seen")
    rows = ([*_difference_row(results, pair, names.get(pair.b, pair.b))] for pair in comparisons)
    reasons = dict.fromkeys(pair.reason for pair in comparisons if pair.reason)
    return "\n\n".join([table_of(heads, rows), *(f"Neither interval nor p: {reason}." for reason in reasons)])


def _table(columns: Sequence[Column], results: Results) -> str:
    names = short_names(results.systems)

    def row(system: str, estimates: dict[str, Estimate]) -> list[str]:
        n = estimates["seconds"].n
        return [names[system], str(n), *(column.shown(estimates.get(column.key), n) for column in columns)]

    heads = ["system", "n", *(column.heading for column in columns)]
    return table_of(heads, (row(system, estimates) for system, estimates in results.systems.items()))


def _setting(config: RunConfig, results: Results) -> str:
    words = f"{config.words} words" if config.words else "as many words as the first reference"
    roles = "".join(f", {role}: {spec}" for role, spec in config.roles.items())
    lines = [
        f"Backbone {config.backbone}{roles}; every system was asked for {words}{_untold(config)}; "
        f"scored against {'all references' if config.references == 'all' else 'the first reference'}.",
        f"`n`: documents with a summary, of {len(config.ids)}; beside a mean, those that it stands on, where they are "
        "fewer.",
    ]
    if config.shard:
        lines.append(f"Shard {config.shard} of the rows; `summq report MERGED SHARD...` joins them.")
    if results.unfinished:
        lines.append(f"**Unfinished: {results.unfinished} documents were not run yet.** Run the same command again.")
    return " ".join(lines)


def _untold(config: RunConfig) -> str:
    """Which systems were told no length, in an aside."""
    names = [name for name, identity in config.systems.items() if identity.get("spec") == UNTOLD]
    return f" ({', '.join(names)}: told no length)" if names else ""


def _direction(results: Results) -> str:
    lower = [column.heading for column in results.quality if column.better == "lower"]
    return f"Higher is better{', but for ' + ' and '.join(lower) if lower else ''}."


def _means(results: Results) -> str:
    """What the cells hold: below a few documents there is no interval."""
    with_interval = any(e.low is not None for estimates in results.systems.values() for e in estimates.values())
    return f"Means{' with 95 % intervals' if with_interval else f'; no intervals below {FEWEST_SOURCES} documents'}"


def _differences(config: RunConfig, results: Results) -> list[str]:
    """What sets the focus apart from each other system, by the main columns."""
    main = {column.key for column in results.main}
    shown = [pair for pair in results.comparisons if pair.metric in main and pair.n]
    if not shown:
        return []
    focus = short_names(results.systems).get(config.focus, config.focus)
    return [
        f"## {focus} minus each other system\n\n"
        "Paired by document. Interval and p are those of one comparison: p by sign flips, below 0.05 exactly where the "
        "interval leaves out 0. p (Holm) holds for all systems of a measure together; * where it is below 0.05. Could "
        "be seen: the true difference that so many pairs with this spread show four times in five. Other columns: "
        "metrics.json.",
        differences_table(results, shown),
    ]


def _difference_row(results: Results, pair: Comparison, other: str) -> list[str]:
    column = results.column(pair.metric) or Column(key=pair.metric, heading=pair.metric)
    pairs = f"{pair.n} ({pair.sources} sources)" if pair.sources not in (None, pair.n) else str(pair.n)
    if pair.difference is None:
        return [column.heading, other, pairs, *["–"] * 5]
    bounds = (pair.low, pair.high)
    interval = ", ".join(column.number(value, "+") for value in bounds if value is not None)
    seen = "none" if pair.detectable is None else f"±{column.number(pair.detectable)}"
    return [
        column.heading,
        other,
        pairs,
        column.number(pair.difference, "+") + ("*" if pair.is_significant else ""),
        f"[{interval}]" if interval else "–",
        "–" if pair.p is None else f"{pair.p:.3f}",
        "–" if pair.p_holm is None else f"{pair.p_holm:.3f}",
        seen,
    ]


def _legend(names: dict[str, str]) -> list[str]:
    """Which spec a short name stands for, where the two differ."""
    lines = [f"- {name}: `{spec}`" for spec, name in names.items() if name != spec]
    return ["## Systems", "\n".join(lines)] if lines else []


def csv_table(results: Results) -> str:
    """One line for each system and column, unscaled."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["system", "metric", *Estimate.model_fields])
    for system, estimates in results.systems.items():
        for metric, estimate in estimates.items():
            writer.writerow([as_cell(system), metric, *("" if value is None else value for _, value in estimate)])
    return text.getvalue()


__all__ = ["csv_table", "differences_table", "markdown_report", "table_of"]
