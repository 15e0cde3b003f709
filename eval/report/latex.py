"""`table.tex`: the means of a run as a table for a paper, as wide as a page at most."""

from collections.abc import Sequence

from summq.eval.archive import RunConfig
from summq.eval.metrics import Column
from summq.eval.report.names import short_names, written_by_people
from summq.eval.report.results import Results
from summq.programs.errors import ConfigError, there_are
from summq.programs.text.words import numbered

PACKAGES = r"% \usepackage{booktabs,tabularx}"
ROOM = 270  # points for the columns of numbers beside the names, of the 345 that a page of the class `article` is wide
PER_LETTER, PER_COLUMN, NARROWEST = 4.6, 8.0, 5


def chosen_columns(results: Results, keys: Sequence[str]) -> list[Column]:
    """The named columns, or the main ones. Raises `ConfigError` for one that was not scored."""
    known = [column.key for column in results.columns]
    if unknown := [key for key in keys if results.column(key) is None]:
        raise ConfigError(f"the run has no column {unknown[0]!r}: {there_are(known, unknown[0])}")
    return [column for key in keys if (column := results.column(key))] or results.main


def latex_table(config: RunConfig, results: Results, keys: Sequence[str] = ()) -> str:
    """The table with booktabs and tabularx: the focus below the other systems, the best mean of each column bold.

    What people wrote is no system: it stands below a rule of its own, never bold.

    Long names are wrapped, and columns that don't fit beside each other stand below. A dagger marks means that differ
    from the focus after Holm's correction. The intervals stand in `table.md`.
    """
    columns = chosen_columns(results, keys)
    return "\n".join(
        [
            PACKAGES,
            r"\begin{table*}[t]",
            r"\centering\small\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{_caption(config, results, columns)}}}",
            rf"\label{{tab:{_label(config)}}}\smallskip",
            "\n\\par\\medskip\n".join(_panel(config, results, some) for some in _side_by_side(columns)),
            r"\end{table*}",
            "",
        ]
    )


def _side_by_side(columns: Sequence[Column]) -> list[list[Column]]:
    """As many columns as a page has room for, in turn."""
    panels: list[list[Column]] = [[]]
    for column in columns:
        if panels[-1] and sum(map(_width, [*panels[-1], column])) > ROOM:
            panels.append([])
        panels[-1].append(column)
    return panels


def _width(column: Column) -> float:
    """About how many points a column takes: the longest word of its heading, or a number."""
    longest = max(len(word) for word in [*_words(column)[:-1], _words(column)[-1] + "^^"])
    return max(longest, NARROWEST) * PER_LETTER + PER_COLUMN


def _panel(config: RunConfig, results: Results, columns: Sequence[Column]) -> str:
    names = short_names(results.systems)
    rows = {system: _row(config, results, system, names[system], columns) for system in results.systems}
    people = [system for system in written_by_people(config) if system in rows and system != config.focus]
    others = [system for system in rows if system not in (config.focus, *people)]
    groups = [group for group in (others, [config.focus] if config.focus in rows else [], people) if group]
    return "\n".join(
        [
            rf"\begin{{tabularx}}{{\textwidth}}{{@{{}}>{{\raggedright\arraybackslash}}X{'r' * len(columns)}@{{}}}}",
            r"\toprule",
            " & ".join(["System", *(_head(column) for column in columns)]) + r" \\",
            *(line for group in groups for line in (r"\midrule", *(rows[system] for system in group))),
            r"\bottomrule",
            r"\end{tabularx}",
        ]
    )


def _row(config: RunConfig, results: Results, system: str, name: str, columns: Sequence[Column]) -> str:
    n = results.systems[system]["seconds"].n
    people = written_by_people(config)
    name = _escaped(name) + (f" ($n={n}$)" if n != len(config.ids) else "")
    return " & ".join([name, *(_cell(results, system, column, people) for column in columns)]) + r" \\"


def _cell(results: Results, system: str, column: Column, people: Sequence[str]) -> str:
    estimate = results.systems[system].get(column.key)
    if estimate is None or estimate.mean is None:
        return "--"
    number = _number(column, estimate.mean)
    best = None if system in people else results.best(column, people)
    if column.better and best is not None and number == _number(column, best):
        number = rf"\textbf{{{number}}}"
    differs = any(p.b == system and p.metric == column.key and p.is_significant for p in results.comparisons)
    return number + (r"$^{\dagger}$" if differs else "")


def _number(column: Column, value: float) -> str:
    number = column.number(value)
    return f"${number.replace('−', '-')}$" if number.startswith("−") else number


def _head(column: Column) -> str:
    arrow = {"higher": r"\,$\uparrow$", "lower": r"\,$\downarrow$", None: ""}[column.better]
    lines = r"\\".join(map(_escaped, _words(column))) + arrow
    return rf"\begin{{tabular}}[b]{{@{{}}r@{{}}}}{lines}\end{{tabular}}" if len(_words(column)) > 1 else lines


def _words(column: Column) -> list[str]:
    """The heading without a remark in brackets, which the caption tells."""
    return column.heading.partition(" (")[0].replace("ROUGE-", "R-").split()


def _caption(config: RunConfig, results: Results, columns: Sequence[Column]) -> str:
    """What was measured and how it was tested."""
    focus = short_names(results.systems).get(config.focus, config.focus)
    scaled = " Scores times 100." if any(column.factor == 100 for column in columns) else ""
    rouge = " R: ROUGE." if any("ROUGE-" in column.heading for column in columns) else ""
    remarks = [column.heading.removesuffix(")").split(" (", 1) for column in columns if " (" in column.heading]
    told = "".join(f" {_escaped(heading)}: {_escaped(remark)}." for heading, remark in remarks)
    marks = [p for p in results.comparisons if p.is_significant and p.metric in {column.key for column in columns}]
    dagger = rf"$^{{\dagger}}$: differs from {_escaped(focus)} ($p<0.05$"
    tested = "paired sign-flip permutation test, Holm correction over the systems of a column"
    documents = numbered(len(config.ids), "document")
    note = f"{dagger}, {tested})." if marks else f"No mean differs from {_escaped(focus)} ($p<0.05$, {tested})."
    return (
        f"{_escaped(config.data)}, {_escaped(config.split)} split, {documents}.{scaled}{rouge}{told} "
        f"Best {'system ' if written_by_people(config) else ''}in bold. {note if results.comparisons else ''}".strip()
    )


def _label(config: RunConfig) -> str:
    name = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in config.data)
    return f"{name.strip('-')}-{config.split}".lower()


ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\ldots{}"}


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in text)


__all__ = ["latex_table"]
