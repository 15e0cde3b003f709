"""`summq judge`: two systems compared pair by pair, by a language model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import notes_on, print_text, print_usage, say, show_markdown, stderr
from summq.cli.options import BackboneSpec, BatchFlag, Concurrency, ConfigFile, MaxCalls, MaxCost, Progress
from summq.cli.progress import ProgressMode, watching
from summq.eval.preference import (
    Judgement,
    Pair,
    criteria_of,
    human_verdicts,
    judge_pairs,
    judge_report,
    paired_runs,
    read_answers,
    read_key,
    read_labels,
    write_judgements,
    write_sheets,
    write_study,
)
from summq.eval.run.batching import judge_in_batches
from summq.programs.settings import Settings

CriteriaTexts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B|NAME: WORDS",
        help="overall, coverage, faithfulness, coherence, conciseness, or your own in words; may be repeated.",
    ),
]


def judge(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="FOLDER:SYSTEM of a run of `summq eval`.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The same or another folder, another system.")],
    backbone: BackboneSpec = None,
    criteria: CriteriaTexts = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="STUDY|FILE", help="What people said of the pairs: how far the judge agrees.")
    ] = None,
    length_matched: Annotated[
        bool, typer.Option("--length-matched", help="Cut the longer of each pair to the length of the shorter.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the intervals.")] = 0,
    config: ConfigFile = None,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    concurrency: Concurrency = None,
    batch: BatchFlag = False,
    progress: Progress = ProgressMode.auto,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="runs/judge-A-B if not given.")] = None,
) -> None:
    """Compare two systems on the documents that both summarised.

    Each pair is judged by each criterion alone and in both orders; where the orders disagree it is a tie. A criterion
    of your own is a name and, after a colon, a rubric in words: --criteria "legal accuracy: names the court and the
    ruling as the document does".
    """
    settings = Settings.resolve(
        config, backbone=backbone, max_cost=max_cost, max_calls=max_calls, concurrency=concurrency
    )
    wanted = criteria_of(criteria or [])
    page = judged(
        run_a,
        run_b,
        wanted,
        settings,
        out,
        progress,
        length_matched=length_matched,
        seed=seed,
        labels=labels,
        batch=batch,
    )
    show_markdown(page)


def judged(
    run_a: str,
    run_b: str,
    criteria: Mapping[str, str],
    settings: Settings,
    out: Path | None = None,
    progress: ProgressMode = ProgressMode.auto,
    *,
    length_matched: bool = False,
    seed: int = 0,
    labels: Path | None = None,
    batch: bool = False,
) -> str:
    """Judge, write the report into `out`, and hand back its page."""
    a, b, pairs = paired_runs(run_a, run_b, length_matched=length_matched)
    people = read_labels(labels, a.name, b.name) if labels else None
    out = out or Path("runs") / f"judge-{a.name}-{b.name}"
    judgements = run(pairs, criteria, settings, progress, batches=out if batch else None)
    report = judge_report(
        a,
        b,
        judgements,
        settings.backbone,
        length_matched=length_matched,
        seed=seed,
        meanings=criteria,
        labels=people,
    )
    return write_judgements(out, report, judgements)


def run(
    pairs: Sequence[Pair],
    criteria: Mapping[str, str],
    settings: Settings,
    progress: ProgressMode,
    *,
    batches: Path | None = None,
) -> list[Judgement]:
    """Judge in a session of its own, with progress on stderr; in batches, if there is a folder for them."""
    console = stderr()
    with watching(console, progress, notes_on(settings.backbone)), settings.session() as session:
        if batches:
            judgements = judge_in_batches(pairs, criteria, settings, batches, say)
        else:
            judgements = judge_pairs(pairs, criteria)
    print_usage(session.meter.usage(), console)
    return judgements


def sheets(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="FOLDER:SYSTEM of a run of `summq eval`.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The same or another folder, another system.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the study.")],
    judges: Annotated[int, typer.Option(min=1, help="How many people get a sheet.")] = 3,
    criteria: CriteriaTexts = None,
    length_matched: Annotated[
        bool, typer.Option("--length-matched", help="Cut the longer of each pair to the length of the shorter.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the order of items and sides.")] = 0,
) -> None:
    """Write blinded sheets on which people compare two systems, as csv and as pages for the browser.

    Keep key.json from the judges: it says which summary is whose.
    """
    a, b, pairs = paired_runs(run_a, run_b, length_matched=length_matched)
    pages = write_sheets(out, pairs, {"a": a.name, "b": b.name}, criteria_of(criteria or []), judges=judges, seed=seed)
    print_text("\n".join(map(str, pages)))


def votes(
    study: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `summq sheets` wrote.")],
    filled: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Filled sheets, csv.")],
    seed: Annotated[int, typer.Option(help="Of the intervals.")] = 0,
) -> None:
    """Sum up filled sheets: win rates with intervals, and how far the judges agree."""
    key = read_key(study)
    show_markdown(write_study(study, key, human_verdicts(read_answers(filled, key), key, seed)))


__all__ = ["judge", "judged", "sheets", "votes"]
