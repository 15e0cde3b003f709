"""`summq exam`: a quiz about a document as a measure of any summary."""

import json
from pathlib import Path
from typing import Annotated

import typer

from summq.cli.console import print_note, print_usage, say, show_exam, stderr, stdout, usage_table
from summq.cli.options import BackboneSpec, ConfigFile, MaxCost, QuestionMix, RoleSpecs
from summq.cli.progress import following
from summq.cli.text import tell_unread
from summq.eval.metrics.examinee import ExamineeMetric, Rating
from summq.programs.coverage import about
from summq.programs.documents import load_document, read_document
from summq.programs.errors import ConfigError, DataError
from summq.programs.examine import Examinee, ExamOutcome
from summq.programs.examiner import Examiner, KeptQuiz, QuizShelf
from summq.programs.runs.folder import load_quiz
from summq.programs.settings import Settings, parse_questions, parse_roles
from summq.signatures import Document, Quiz

SHELF = Path("runs/quizzes")


def exam(
    summary: Annotated[str, typer.Argument(metavar="SUMMARY", help="A file with the summary, or - for stdin.")],
    document: Annotated[str, typer.Option(metavar="DOC", help="The document that it summarises.")],
    quiz: Annotated[
        Path | None, typer.Option(metavar="quiz.json", help="The quiz to take; made and kept if not given.")
    ] = None,
    metric: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Rate by a learned metric: a folder, or shipped.")
    ] = None,
    quizzes: Annotated[Path, typer.Option(metavar="DIR", help="Where quizzes are kept.")] = SHELF,
    backbone: BackboneSpec = None,
    role: RoleSpecs = None,
    config: ConfigFile = None,
    questions: QuestionMix = None,
    seed: Annotated[int | None, typer.Option(help="Another seed makes another quiz.")] = None,
    max_cost: MaxCost = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the exam as JSON.")] = False,
) -> None:
    """Examine any summary with a quiz about its document.

    The quiz is made once for a document, checked with the document at hand, and kept, so that all summaries of it take
    the same quiz; another backbone, seed or number of questions has a quiz of its own. What could not be scored is
    said to be unscored, never wrong.

    A learned metric has a quiz of its own and weighs the exam with what else it sees of the summary; it needs no
    reference.
    """
    settings = Settings.resolve(
        config,
        backbone=backbone,
        roles=parse_roles(role or []),
        questions=parse_questions(questions) if questions else None,
        seed=seed,
        max_cost=max_cost,
    )
    loaded, text = read_document(document), load_document(summary).text
    tell_unread(document, loaded)
    read = loaded.document
    if metric is not None:
        if quiz or questions or seed is not None:
            raise ConfigError("--metric has a quiz of its own: leave out --quiz, --questions and --seed")
        rate(ExamineeMetric.load(metric, quizzes), read, text, settings, as_json=as_json)
        return
    taken = quiz_about(read, document, quiz) if quiz else None
    console = stderr()
    print_note(settings.backbone)
    with settings.session() as session, following(session.meter, console):
        made = None
        if taken is None:
            made = made_quiz(quizzes, read, settings)
            taken = made.quiz
        outcome = take_quiz(taken, text, settings)
    console.print(usage_table(session.meter.usage()))
    for agent in outcome.lost:
        say(f"lost: {agent.role}: {agent.error}")
    if made and made.shortage:
        say(made.shortage)
    if as_json:
        missing = made.missing.model_dump() if made else None
        print(json.dumps({**outcome.exam.model_dump(mode="json"), "missing": missing}, ensure_ascii=False))
    else:
        show_exam(outcome.exam, stdout())
    raise typer.Exit(1 if outcome.exam.accuracy is None else 0)


def quiz_about(document: Document, source: str, path: Path) -> Quiz:
    """The quiz of a file. Raises DataError when it is about another document than that of `source`."""
    quiz = load_quiz(path)
    if not about(quiz, document):
        raise DataError(f"{path} is about another document than {source}: none of its evidence stands there")
    return quiz


def made_quiz(shelf: Path, document: Document, settings: Settings) -> KeptQuiz:
    """The kept quiz about the document, made if there is none."""
    examiner = Examiner(settings.config.questions, settings.config.seed)
    return QuizShelf(shelf, examiner).quiz_for(document)


def take_quiz(quiz: Quiz, summary: str, settings: Settings) -> ExamOutcome:
    """How an examinee who has read only the summary does in the quiz."""
    outcome: ExamOutcome = Examinee(settings.config.seed, open_book=False)(quiz=quiz, summary=summary)
    return outcome


def rate(metric: ExamineeMetric, document: Document, summary: str, settings: Settings, *, as_json: bool) -> None:
    """Rate a summary in a session of its own and print the score, what it comes from, and the exam."""
    console = stderr()
    print_note(settings.backbone)
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


__all__ = ["exam"]
