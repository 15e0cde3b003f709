"""`summq exam`: a quiz about a document as a measure of any summary."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from summq.cli.commands.text import tell_unread
from summq.cli.console import (
    notes_on,
    print_json,
    print_line,
    print_usage,
    say,
    show_exam,
    stderr,
    stdout,
    usage_table,
)
from summq.cli.options import BackboneSpec, ConfigFile, MaxCost, Progress, QuestionMix, RoleSpecs
from summq.cli.progress import ProgressMode, watching
from summq.eval.metrics.exam import ExamAccuracy, Examined, examine
from summq.eval.metrics.examinee import ExamineeMetric, Rating
from summq.eval.report.gates import failed_gates, parse_gates
from summq.programs.coverage import about
from summq.programs.documents import files_in, load_document, read_document
from summq.programs.errors import ConfigError, DataError
from summq.programs.examine import Examinee, Verification, recognises
from summq.programs.examiner import DrawnQuiz, Examiner, QuizShelf, pool_for
from summq.programs.runs.folder import load_quiz
from summq.programs.settings import Settings, parse_questions, parse_roles
from summq.signatures import Document, Quiz

SHELF = Path("runs/quizzes")
LIMITED = (
    "This examinee recognises {} only: a summary in words of its own scores near 0, whatever it says. Such scores "
    "compare extracts. To examine what people or models wrote, name a language model with --backbone."
)


def exam(
    summaries: Annotated[
        list[str], typer.Argument(metavar="SUMMARY...", help="Files with summaries, a folder of them, or - for stdin.")
    ],
    document: Annotated[str, typer.Option(metavar="DOC", help="The document that they summarise.")],
    quiz: Annotated[
        Path | None, typer.Option(metavar="quiz.json", help="The quiz to take; drawn from a pool if not given.")
    ] = None,
    metric: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Rate by a learned metric without references: a folder, or shipped."),
    ] = None,
    quizzes: Annotated[Path, typer.Option(metavar="DIR", help="Where questions are kept.")] = SHELF,
    backbone: BackboneSpec = None,
    role: RoleSpecs = None,
    config: ConfigFile = None,
    questions: QuestionMix = None,
    seed: Annotated[int | None, typer.Option(help="Another seed draws other questions.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many quizzes each summary takes, with seeds that follow.")] = 1,
    fail_under: Annotated[
        str | None, typer.Option(metavar="exam=N", help="Exit with 1 where a score is under N, 0 to 1: exam=0.6.")
    ] = None,
    max_cost: MaxCost = None,
    progress: Progress = ProgressMode.auto,
    as_json: Annotated[bool, typer.Option("--json", help="Print the exams as JSON.")] = False,
) -> None:
    """Examine any summaries with a quiz about their document.

    The document is read once: a pool of questions is made, checked with the document at hand and without any text (what
    is answered right then does not count), and kept. Each quiz is drawn from it, so that the score does not depend on
    the number of questions. What could not be scored is said to be unscored, never wrong.

    A learned metric needs no reference; one that uses the exam has a quiz of its own, any other makes no call.
    """
    settings = Settings.resolve(
        config,
        backbone=backbone,
        roles=parse_roles(role or []),
        questions=parse_questions(questions) if questions else None,
        seed=seed,
        max_cost=max_cost,
    )
    gates = parse_gates(fail_under or "", ["exam"])
    if metric and (quiz or questions or seed is not None or seeds > 1 or fail_under):
        raise ConfigError(
            "--metric has a quiz of its own: leave out --quiz, --questions, --seed, --seeds and --fail-under"
        )
    learned = ExamineeMetric.load(metric, quizzes) if metric else None
    loaded, texts = read_document(document), read_summaries(summaries)
    tell_unread(document, loaded)
    read = loaded.document
    if learned:
        rate(learned, read, texts, settings, progress, as_json=as_json)
        return
    taken = [DrawnQuiz.of(quiz_about(read, document, quiz))] if quiz else None
    console = stderr()
    with watching(console, progress, notes_on(settings.backbone)), settings.session() as session:
        taken = taken or drawn(quizzes, read, settings, seeds)
        examinee = Examinee(settings.config.seed, open_book=False)
        blind = examinee.without_text(taken[0].quiz.questions) if quiz else Verification({}, [])
        exams = examine(examinee, [one.quiz for one in taken], list(texts.values()), blind.holds)
        examined = dict(zip(texts, exams, strict=True))
    console.print(usage_table(session.meter.usage()))
    lost = [*blind.lost, *(agent for one in examined.values() for agent in one.lost)]
    for agent in dict.fromkeys(f"{agent.role}: {agent.error}" for agent in lost):
        say(f"lost: {agent}")
    if taken[0].shortage:
        say(taken[0].shortage)
    blind_rate = exams[0].exams[0].blind_rate if quiz else taken[0].blind_rate
    if blind_rate is not None:
        say(f"blind rate: {blind_rate:.0%} of the questions were answered right without any text and do not count")
    show(examined, taken[0], settings, as_json=as_json)
    failed = [
        f"{name}: {line}"
        for name, one in examined.items()
        for line in failed_gates(gates, {"exam": one.score.mean}, ExamAccuracy.columns)
    ]
    for line in failed:
        say(f"summq: {line}")
    raise typer.Exit(1 if failed or any(one.score.mean is None for one in examined.values()) else 0)


def read_summaries(sources: Sequence[str]) -> dict[str, str]:
    """The summaries by the names of their files; of a folder, all documents in it.

    Raises:
        DataError: A file is named twice.
        DocumentError: A folder holds no file, or a file can't be read.
    """
    names = files_in(sources)
    if twice := [name for name in names if names.count(name) > 1]:
        raise DataError(f"{twice[0]} is named twice")
    return {name: load_document(name).text for name in names}


def quiz_about(document: Document, source: str, path: Path) -> Quiz:
    """The quiz of a file. Raises DataError when it is about another document than that of `source`."""
    quiz = load_quiz(path)
    if not about(quiz, document):
        raise DataError(f"{path} is about another document than {source}: none of its evidence stands there")
    return quiz


def drawn(shelf: Path, document: Document, settings: Settings, seeds: int) -> list[DrawnQuiz]:
    """A quiz for each seed, drawn from the kept pool about the document, which is made if there is none."""
    wanted, first = settings.config.questions, settings.config.seed
    pool = QuizShelf(shelf, Examiner(pool_for(wanted))).pool_about(document)
    return [pool.draw(wanted, first + number) for number in range(seeds)]


def show(examined: Mapping[str, Examined], drawn: DrawnQuiz, settings: Settings, *, as_json: bool) -> None:
    """Print the exam of one summary, or a table of several."""
    if as_json:
        exams = [exam_data(name, one, drawn, settings) for name, one in examined.items()]
        print_json(json.dumps(exams[0] if len(exams) == 1 else exams, ensure_ascii=False))
        return
    console = stdout()
    if len(examined) > 1:
        console.print(score_table(examined))
    for one in examined.values() if len(examined) == 1 else ():
        print_line(f"Score: {one.score.percent()} of right answers, all kinds weighing the same", console)
        for exam in one.exams:
            show_exam(exam, console)
    if what := _recognised(settings):
        print_line(LIMITED.format(what), console)


def score_table(examined: Mapping[str, Examined]) -> Table:
    """A row for each of several summaries."""
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("summary")
    for heading in ("score [95 %]", "right", "unscored"):
        table.add_column(heading, justify="right")
    for name, one in examined.items():
        answers = [answer for exam in one.exams for answer in exam.answers]
        scored = [answer for answer in answers if answer.correct is not None and not answer.known]
        right = f"{sum(bool(answer.correct) for answer in scored)} of {len(scored)}"
        table.add_row(name, one.score.percent(), right, str(sum(a.correct is None for a in answers)))
    return table


def _recognised(settings: Settings) -> str | None:
    """What the examinee recognises, where it does not understand what it reads."""
    named = settings.roles.get("examinee", settings.backbone)
    return recognises(named if isinstance(named, str) else named[0])


def exam_data(name: str, examined: Examined, drawn: DrawnQuiz, settings: Settings) -> dict[str, object]:
    """What `--json` says of one summary; `exams` holds further quizzes, where there are several."""
    first, *more = (exam.model_dump(mode="json") for exam in examined.exams)
    return {
        "summary": name,
        "score": examined.score.model_dump(mode="json"),
        "recognises": _recognised(settings),
        **first,
        "blind_rate": examined.exams[0].blind_rate if drawn.blind_rate is None else drawn.blind_rate,
        "missing": drawn.missing.model_dump(),
        **({"exams": more} if more else {}),
    }


def rate(
    metric: ExamineeMetric,
    document: Document,
    texts: Mapping[str, str],
    settings: Settings,
    progress: ProgressMode,
    *,
    as_json: bool,
) -> None:
    """Rate summaries in a session of its own and print the scores, what they come from, and the exams."""
    console = stderr()
    with watching(console, progress, notes_on(settings.backbone)), settings.session() as session:
        ratings = {name: metric.rate(document, text) for name, text in texts.items()}
    print_usage(session.meter.usage(), console)
    if as_json:
        data = [{"summary": name, **_as_json(rating)} for name, rating in ratings.items()]
        print_json(json.dumps(data[0] if len(data) == 1 else data, ensure_ascii=False))
        return
    for name, rating in ratings.items():
        if len(ratings) > 1:
            print_line(name, stdout())
        show_rating(metric, rating)


def show_rating(metric: ExamineeMetric, rating: Rating) -> None:
    """Print one rating."""
    print_line(rating.feedback, stdout())
    for name, line in metric.describe().items():
        print_line(f"{name}: {line}", stdout())
    if rating.observation and rating.observation.exam:
        show_exam(rating.observation.exam, stdout())


def _as_json(rating: Rating) -> dict[str, object]:
    seen = rating.observation
    return {
        "score": rating.score,
        "feedback": rating.feedback,
        "features": dict(seen.features) if seen else None,
        "exam": seen.exam.model_dump(mode="json") if seen and seen.exam else None,
    }


__all__ = ["exam"]
