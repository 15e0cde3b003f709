"""`--dry-run`: what a run would use, without making a call."""

import json
from collections.abc import Sequence

from rich.table import Table

from summq.cli.console import role_table, stdout
from summq.programs.forecast import Calls, Forecast, RunForecast, Span, forecast
from summq.programs.settings import Settings
from summq.programs.summq import SummQ
from summq.signatures import Document


def show_forecasts(summq: SummQ, documents: Sequence[Document], settings: Settings, *, as_json: bool) -> None:
    """Print what each document would take: a table, or one line of JSON."""
    with settings.session():
        forecasts = [(document, forecast(summq, document)) for document in documents]
    for document, foreseen in forecasts:
        if as_json:
            print(json.dumps({"id": document.id, **foreseen.model_dump(mode="json")}))
        else:
            stdout().print(forecast_table(document, foreseen))


def forecast_table(document: Document, foreseen: RunForecast) -> Table:
    """From a least to a most by role, the sum in the last row."""
    headings = ("calls", "tokens in", "cached", "tokens out", "USD")
    table = role_table(headings, {role: _cells(its) for role, its in foreseen.roles.items()}, _cells(foreseen))
    table.title, table.title_justify = f"{document.id}, {document.words:,} words", "left"
    return table


def _cells(its: Forecast) -> list[str]:
    cost = "unknown" if its.cost is None else _range(its.cost, ".4f" if its.cost.most < 1 else ".2f")
    return [
        *(_range(span, ",.0f") for span in (its.calls, its.input_tokens, its.cached_tokens, its.output_tokens)),
        cost,
    ]


def _range(span: Span | Calls, form: str) -> str:
    least, most = format(span.least, form), format(span.most, form)
    return least if least == most else f"{least} - {most}"


__all__ = ["forecast_table", "show_forecasts"]
