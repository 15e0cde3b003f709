"""Published results: rows of the paper's tables, as printed there, to compare with measured ones.

Nothing in this file was measured with SummQ. A value that could not be recovered is None. The paper does not say which
encoder its BERTScore uses, so that column can't be compared with any other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from summq.eval.archive import SweepAxis
from summq.eval.metrics import METRICS
from summq.eval.report.results import Results
from summq.eval.report.tables import table_of
from summq.programs.errors import ConfigError, there_are

COLUMNS = tuple(
    column
    for metric in ("rouge", "bertscore")
    for column in METRICS[metric].columns
    if column.key in ("rouge1", "rouge2", "rougeL", "bertscore_f1")
)
SYSTEMS = ("direct", "hm-sr", "multi-llm", "summq-solo", "summq-combo", "summq-no-quiz")


@dataclass(frozen=True)
class Published:
    """One row of a published table, times 100.

    `system` is the one of ours that it is to be compared with; `points` says by sweep which of its points it is.
    """

    name: str
    rouge1: str | None = None
    rouge2: str | None = None
    rouge_l: str | None = None
    bertscore_f1: str | None = None
    system: str | None = None
    points: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def values(self) -> tuple[str | None, ...]:
        """In the order of `COLUMNS`."""
        return (self.rouge1, self.rouge2, self.rouge_l, self.bertscore_f1)


ROWS: dict[str, tuple[Published, ...]] = {
    "mensa": (
        Published("GPT-4o, one prompt", "25.78", None, "13.59", "59.67", "direct"),
        Published("GPT-5, one prompt", "37.38", None, "17.11", "60.44", "direct"),
        Published("o3, one prompt", "32.84", None, "17.09", "59.27", "direct"),
        Published("HM-SR", "34.26", None, "13.46", "60.22", "hm-sr"),
        Published(
            "SummQ SOLO",
            "39.30",
            None,
            "17.12",
            "61.84",
            "summq-solo",
            points={"agents": 1, "component": "one of each"},
        ),
        Published(
            "SummQ COMBO",
            "41.58",
            "10.96–11.08",
            "18.24",
            "62.76",
            "summq-combo",
            points={
                "iterations": 3,
                "agents": 3,
                "quiz": "with quiz",
                "component": "three of each",
                "backbones": "gpt-4o",
            },
        ),
        Published(
            "COMBO without quiz stream",
            "39.49",
            None,
            "17.13",
            "60.59",
            "summq-no-quiz",
            points={"quiz": "without quiz"},
        ),
        Published("SOLO without quiz stream", bertscore_f1="55.44", system="summq-solo:quiz_stream=false"),
        Published(
            "COMBO, 1 iteration",
            "38.14",
            None,
            "17.85",
            "62.60",
            "summq-combo:max_iterations=1",
            points={"iterations": 1},
        ),
        Published(
            "COMBO, 5 iterations",
            "41.53",
            None,
            "18.21",
            "62.55",
            "summq-combo:max_iterations=5",
            points={"iterations": 5},
        ),
        Published("5 agents", "42.52", None, "18.56", "62.96", points={"agents": 5}),
        Published(
            "only summary generators ensembled",
            "40.72",
            None,
            "18.07",
            "62.53",
            "summq-solo:summary_generators=3",
            {"component": "three summary generators"},
        ),
        Published(
            "only summary reviewers ensembled",
            "41.20",
            None,
            "17.93",
            "61.99",
            "summq-solo:summary_reviewers=3",
            {"component": "three summary reviewers"},
        ),
        Published("COMBO on GPT-4.1", "49.17", points={"backbones": "gpt-4.1"}),
    ),
    "booksum": (
        Published("GPT-4o, one prompt", "23.02", None, "12.23", None, "direct"),
        Published("GPT-5, one prompt", "23.98", None, "12.38", None, "direct"),
        Published("o3, one prompt", "22.00", None, "11.51", None, "direct"),
        Published("SummQ SOLO", "33.33", None, "15.47", None, "summq-solo"),
        Published("SummQ COMBO", "44.62", "11.14", "20.38", "61.49", "summq-combo"),
    ),
    "govreport": (
        Published("GPT-4o, one prompt", "31.42", system="direct"),
        Published("GPT-5, one prompt", "41.52", system="direct"),
        Published("o3, one prompt", "38.28", system="direct"),
        Published("Unlimiformer (fine-tuned)", "56.60"),
        Published("SLED (fine-tuned)", "57.50"),
        Published("CACHED (fine-tuned)"),
        Published("C.MultiLLM (its own paper)", "47.9", None, "19.7", system="multi-llm"),
        Published("SummQ SOLO", "48.71", system="summq-solo"),
        Published("SummQ COMBO", "52.79", "18.47", "21.76", "65.46", "summq-combo"),
    ),
}


def published_rows(paper: str) -> Sequence[Published]:
    """The published rows about a benchmark. Raises `ConfigError` for one that the paper doesn't have."""
    if paper not in ROWS:
        raise ConfigError(f"nothing is published about {paper!r}: {there_are(ROWS, paper)}")
    return ROWS[paper]


def data_of(paper: str) -> str:
    """The data set on which rows were published: of BookSum, whole books. Raises `ConfigError` as above."""
    published_rows(paper)
    return {"booksum": "booksum_books"}.get(paper, paper)


def beside_published(paper: str, results: Results, sweep: SweepAxis | None = None) -> str:
    """Published rows and, under each, what was measured of the system that it is to be compared with.

    Args:
        sweep: The axis along which the measured systems lie, if they do.
    """
    lines: list[list[str]] = []
    rows = published_rows(paper)
    ours = {row.name: _measured(row, results, sweep) for row in rows}
    for row in rows:
        lines.append([row.name, "published", *(value or "–" for value in row.values)])
        system = ours[row.name]
        if system and [name for name, other in ours.items() if other == system][-1] == row.name:
            estimates = results.systems[system]
            lines.append([system, "**measured**", *(column.shown(estimates.get(column.key)) for column in COLUMNS)])
    heads = ["row", "origin", *(column.heading for column in COLUMNS)]
    return (
        f"## Beside what is published about {paper}\n\nPublished on other backbones and, for BERTScore, with an "
        f"encoder that is not known: compare rows of one origin.\n\n{table_of(heads, lines)}\n\n{OTHER_FIGURES}"
    )


def _measured(row: Published, results: Results, sweep: SweepAxis | None) -> str | None:
    """The measured system that a published row is to be compared with; None if it was not measured."""
    place = row.points.get(sweep.name) if sweep else None
    at_place = [point.system for point in sweep.points if _same_place(point.x, place)] if sweep and place else []
    return next((system for system in [*at_place, row.system] if system in results.systems), None)


def _same_place(x: float | str, place: float | str) -> bool:
    """Whether a point of a sweep is the published one; backbones are named with their provider."""
    return x == place or (isinstance(x, str) and x.lower().endswith(f"/{place}"))


OTHER_FIGURES = """Published besides, and never measured here:

- a judge (GPT-5, on MENSA) prefers COMBO in 77–80 % of all comparisons with GPT-4o, and in 66–74 % of those with o3;
- people (20 papers, 5 judges) prefer COMBO in 88 % and 82 %, and COMBO_R, its shortened rewrite, in 65 % and 60 %;
- a document costs USD 14.45, with one prompt USD 0.18; how long it takes is not reported."""


__all__ = ["ROWS", "SYSTEMS", "beside_published", "data_of", "published_rows"]
