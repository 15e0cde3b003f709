"""`--dry-run`: what a run would take, what is likely and from a least to a most, without a call."""

import json
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

from summq.cli.console import print_json, role_table, say, stdout
from summq.cli.tables import FittingTable
from summq.eval.archive import unfinished
from summq.eval.report.notes import short_line
from summq.eval.run.plan import EvalPlan
from summq.eval.run.request import EvalRequest
from summq.eval.systems.base import Foreseeable, System
from summq.programs.expected_calls import Calls
from summq.programs.forecast import Forecast, RunForecast, Span, forecast
from summq.programs.runtime.providers import without_keys
from summq.programs.settings import Settings
from summq.programs.summq import SummQ
from summq.programs.text.words import count_words
from summq.signatures import Document

ENDS = "likely (least - most)"
HEADINGS = ("calls", "tokens in", "cached", "tokens out", "USD")


def show_forecasts(summq: SummQ, documents: Mapping[str, Document], settings: Settings, *, as_json: bool) -> None:
    """Print what each document would take: a table, or one line of JSON."""
    with without_keys(), settings.session():
        forecasts = {name: forecast(summq, document) for name, document in documents.items()}
    for name, foreseen in forecasts.items():
        if as_json:
            print_json(json.dumps({"id": name, **foreseen.model_dump(mode="json")}))
        else:
            stdout().print(forecast_table(name, documents[name], foreseen))


def forecast_table(name: str, document: Document, foreseen: RunForecast) -> FittingTable:
    """What is likely and from a least to a most by role, the sum in the last row."""
    roles = {role: _cells(its) for role, its in foreseen.roles.items()}
    title = f"{name}, {count_words(document.text):,} words: {ENDS}"
    return role_table(HEADINGS, roles, _cells(foreseen), title)


def _cells(its: Forecast) -> list[str]:
    cost = "unknown" if its.cost is None else spanned(its.cost, ".4f" if its.cost.most < 1 else ".2f")
    return [
        *(spanned(span, ",.0f") for span in (its.calls, its.input_tokens, its.cached_tokens, its.output_tokens)),
        cost,
    ]


def spanned(span: Span | Calls, form: str) -> str:
    """`5 (3 - 7)`: what is likely, and the ends; `3` where both are the same."""
    least, likely, most = (format(value, form) for value in (span.least, span.likely, span.most))
    return least if least == most else f"{likely} ({least} - {most})"


def show_plan(request: EvalRequest, out: Path, settings: Settings) -> None:
    """Print which rows an evaluation has, and what each system would take for those that are not in its folder yet."""
    with without_keys(), settings.session():
        plan = request.plan(settings, out)
        left = {system.name: unfinished(out, system.name, plan.ids) for system in plan.systems}
        foreseen = {system.name: _foreseen(plan, system, left[system.name]) for system in plan.systems}
    rows = [
        [name, str(len(left[name])), *(_cells(its) if its else ["not foreseen", *[""] * (len(HEADINGS) - 1)])]
        for name, its in foreseen.items()
    ]
    length = "the length of each reference" if plan.words is None else f"{plan.words} words"
    data = plan.dataset
    title = f"{data.name}, split {data.split}: {len(plan.ids)} rows, {length}: {ENDS}"
    stdout().print(FittingTable(["system", "rows left", *HEADINGS], rows, ["cached", "tokens out", "tokens in"], title))
    if short := short_line(plan.config()):
        say(short)
    for reason, number in data.dropped.items():
        say(f"dropped: {number} with {reason}")
    say(f"not foreseen: what the metrics take ({', '.join(metric.name for metric in plan.metrics)})")


def _foreseen(plan: EvalPlan, system: System, ids: Sequence[str]) -> Forecast | None:
    """The sum over the rows; None where the system can't tell."""
    if not isinstance(system, Foreseeable):
        return Forecast()  # people, and predictions that are there
    left = set(ids)
    each = [system.foreseen(row, plan.words_for(row)) for row in plan.rows() if row.id in left and not row.error]
    return None if None in each else reduce(Forecast.__add__, filter(None, each), Forecast())


__all__ = ["show_forecasts", "show_plan", "spanned"]
