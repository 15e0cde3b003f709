"""Which columns there are, how they are headed and printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from summq.eval.results import Comparison, Estimate, Results

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


__all__ = ["KNOWN", "QUALITY", "SURFACE", "USE", "Column", "is_significant", "other_columns", "present"]
