"""Gates: the least that scores have to reach, for builds that must not get worse."""

from collections.abc import Iterable, Mapping, Sequence

from summq.eval.metrics import Column
from summq.programs.errors import ConfigError, there_are

Gates = Mapping[str, float]


def parse_gates(text: str, columns: Iterable[str]) -> Gates:
    """`exam=0.6,rouge1=0.3` by the keys of columns, on the scale of files (0 to 1).

    Raises:
        ConfigError: No number, or a column that is not measured.
    """
    known, gates = list(columns), {}
    for part in filter(None, map(str.strip, text.split(","))):
        key, _, value = part.partition("=")
        if key not in known:
            raise ConfigError(f"--fail-under: no column {key!r} is measured: {there_are(known, key)}")
        try:
            gates[key] = float(value)
        except ValueError:
            raise ConfigError(f"--fail-under {part}: write COLUMN=NUMBER,..., for instance exam=0.6") from None
    return gates


def failed_gates(gates: Gates, values: Mapping[str, float | None], columns: Sequence[Column]) -> list[str]:
    """A line for each value that does not reach its gate, or could not be measured.

    Where lower values are better, the gate is the most that passes.
    """
    lower = {column.key for column in columns if column.better == "lower"}
    lines = []
    for key, gate in gates.items():
        value = values.get(key)
        if value is None:
            lines.append(f"{key} could not be measured, and has to reach {gate:g}")
        elif value > gate if key in lower else value < gate:
            lines.append(f"{key} is {value:.3f}, {'over' if key in lower else 'under'} {gate:g}")
    return lines


__all__ = ["Gates", "failed_gates", "parse_gates"]
