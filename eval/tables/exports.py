"""Results for other programs: CSV with every number, LaTeX for a paper."""

import csv
import io

from summq.eval.folder import RunConfig
from summq.eval.results import Estimate, Results
from summq.eval.tables.columns import QUALITY, Column, is_significant, present


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


__all__ = ["csv_table", "latex_table"]
