"""`summq exam --metric DIR`: a summary rated by a learned metric."""

import json
from pathlib import Path

from summq.cli.console import print_usage, show_exam, stderr, stdout
from summq.cli.notes import print_note
from summq.cli.progress import following
from summq.optimizers.examinee_metric import SHIPPED, ExamineeMetric, Rating
from summq.programs.settings import Settings
from summq.signatures import Document

OURS = Path("shipped")


def metric_in(folder: Path | None, quizzes: Path) -> ExamineeMetric:
    """The metric in a folder; for none, or one called `shipped`, that which comes with SummQ."""
    return ExamineeMetric.load(SHIPPED if folder in (None, OURS) else folder, quizzes)


def rate(metric: ExamineeMetric, document: Document, summary: str, settings: Settings, *, as_json: bool) -> None:
    """Rate a summary in a session of its own and print the score, what it comes from, and the exam."""
    console = stderr()
    print_note(settings.backbone, console)
    with settings.session() as session, following(session.meter, console):
        rating = metric.rate(document, summary)
    print_usage(session.meter.usage(), console)
    if as_json:
        print(json.dumps(_as_json(rating), ensure_ascii=False))
        return
    stdout().print(rating.feedback, markup=False, soft_wrap=True)
    for name, line in metric.describe().items():
        stdout().print(f"{name}: {line}", markup=False, soft_wrap=True)
    if rating.observation:
        show_exam(rating.observation.exam, stdout())


def _as_json(rating: Rating) -> dict[str, object]:
    seen = rating.observation
    return {
        "score": rating.score,
        "feedback": rating.feedback,
        "features": dict(seen.features) if seen else None,
        "exam": seen.exam.model_dump(mode="json") if seen else None,
    }


__all__ = ["OURS", "metric_in", "rate"]
