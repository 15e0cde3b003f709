"""The report of a run to read."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from summq.eval.archive import Cells, RunConfig
from summq.eval.report.notes import failure_lines, notes_on
from summq.eval.report.results import Comparison, Results
from summq.eval.statistics import Estimate

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Column:
    """How a column is headed and printed."""

    key: str
    heading: str
    factor: float = 100.0
    digits: int = 1

    def shown(self, estimate: Estimate | None) -> str:
        """`58.7 [55.1, 62.0]`; what has no mean is a dash, never 0."""
        if estimate is None or estimate.mean is None:
            return "–"
        mean = self.number(estimate.mean)
        if estimate.low is None or estimate.high is None:
            return mean
        return f"{mean} [{self.number(estimate.low)}, {self.number(estimate.high)}]"

    def number(self, value: float) -> str:
        """One number at the scale and precision of the column."""
        return f"{value * self.factor:,.{self.digits}f}"


QUALITY = (
    Column("rouge1", "ROUGE-1"),
    Column("rouge2", "ROUGE-2"),
    Column("rougeL", "ROUGE-L"),
    Column("rougeLsum", "ROUGE-Lsum"),
    Column("bertscore_f1", "BERTScore F1"),
    Column("exam", "exam"),
    Column("exam_corrected", "exam, corrected for chance"),
    Column("exam_fresh", "exam, fresh questions"),
    Column("faithful", "faithful"),
    Column("faithful_end", "faithful, last third"),
    Column("contradicted", "contradicted"),
    Column("not_found", "not found"),
)
SURFACE = (
    Column("words", "words", 1, 0),
    Column("compression", "compression", 1),
    *(Column(f"novel_{n}", f"new {n}-grams, %") for n in (1, 2, 3, 4)),
)
USE = (
    Column("calls", "calls", 1),
    Column("input_tokens", "tokens in", 1, 0),
    Column("output_tokens", "tokens out", 1, 0),
    Column("cost", "USD", 1, 4),
    Column("seconds", "seconds", 1, 2),
)
KNOWN = {column.key: column for column in (*QUALITY, *SURFACE, *USE)}
UNLISTED = {"bertscore_p", "bertscore_r"}  # in the CSV


def present(columns: Sequence[Column], results: Results) -> list[Column]:
    """Those of the columns that any system has a value in."""
    scored = {key for estimates in results.systems.values() for key in estimates}
    return [column for column in columns if column.key in scored]


def other_columns(results: Results) -> list[Column]:
    """Columns of metrics that this module does not know, unscaled."""
    keys = dict.fromkeys(key for estimates in results.systems.values() for key in estimates)
    return [Column(key, key, 1, 3) for key in keys if key not in KNOWN and key not in UNLISTED]


def is_significant(pair: Comparison) -> bool:
    """Whether a difference holds after the correction for many comparisons."""
    return pair.p_holm is not None and pair.p_holm < SIGNIFICANT


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
    pairs = {(pair.b, pair.metric): pair for pair in results.comparisons}
    names = dict.fromkeys(pair.b for pair in results.comparisons)
    rows = ([name, *(_difference(pairs[name, metric]) for metric in metrics)] for name in names)
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


def csv_table(results: Results) -> str:
    """One line for each system and column, unscaled."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["system", "metric", *Estimate.model_fields])
    for system, estimates in results.systems.items():
        for metric, estimate in estimates.items():
            writer.writerow([system, metric, *("" if value is None else value for _, value in estimate)])
    return text.getvalue()


def latex_table(config: RunConfig, results: Results) -> str:
    """The quality table with booktabs; a star marks what differs from the focus (p < 0.05 after Holm)."""
    columns = present(QUALITY, results)
    starred = {(pair.b, pair.metric) for pair in results.comparisons if is_significant(pair)}
    rows = [
        [_latex(name), *(_latex_cell(c, estimates.get(c.key), (name, c.key) in starred) for c in columns)]
        for name, estimates in results.systems.items()
    ]
    lines = [" & ".join(cells) + r" \\" for cells in rows]
    head = " & ".join(["system", *(_latex(column.heading) for column in columns)]) + r" \\"
    caption = f"{config.data}, {config.split}, {len(config.ids)} documents; * differs from {config.focus}"
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_latex(caption)}}}",
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _latex_cell(column: Column, estimate: Estimate | None, starred: bool) -> str:
    return column.shown(estimate).replace("–", "--") + ("*" if starred else "")


def _latex(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "&%$#_{}" else letter for letter in text)


__all__ = ["KNOWN", "QUALITY", "Column", "csv_table", "latex_table", "markdown_report", "present", "table_of"]
