"""The paper's benchmarks as they lie on the hub (Section 4; columns as their cards and loaders name them)."""

from dataclasses import dataclass

from summq.eval.data.records import USUAL_COLUMNS, Columns


@dataclass(frozen=True)
class Benchmark:
    """A data set on the hub. `merge` where a document has a row for each of its summaries."""

    path: str
    columns: Columns = USUAL_COLUMNS
    config: str | None = None
    revision: str | None = None
    merge: bool = False


BENCHMARKS = {
    # Movie scripts: one string a scene, and a plot from an encyclopedia.
    "mensa": Benchmark("rohitsaxena/MENSA", Columns(document="scenes", summary="summary", id="name")),
    # Chapters: a row for each study guide. The column `summary` holds the raw record: `summary_text` is the text.
    "booksum": Benchmark(
        "kmfoda/booksum",
        Columns(document="chapter", summary="summary_text", id="book_id", cluster="bid"),
        merge=True,
    ),
    # Whole books, with all their summaries in one row.
    "booksum_books": Benchmark(
        "ubaada/booksum-complete-cleaned",
        Columns(document="text", summary="summary", id="bid", cluster="bid"),
        config="books",
    ),
    # Government reports; there is no id column.
    "govreport": Benchmark("ccdv/govreport-summarization", Columns(document="report", summary="summary")),
}

__all__ = ["BENCHMARKS", "Benchmark"]
