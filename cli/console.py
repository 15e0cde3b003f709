"""How results look on a terminal: the summary and the exam on stdout, what a run used on stderr."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from summq.cli.tables import FittingTable, Page
from summq.programs.runs.report import STOPS
from summq.programs.runtime.models import takes_packaged
from summq.programs.runtime.specs import Spec, parse_spec
from summq.programs.runtime.usage import cache_note
from summq.programs.text.cleaning import harmless, harmless_json
from summq.programs.text.words import numbered
from summq.signatures import Exam, GradedAnswer, SummQResult, Tally, Usage

PLAIN_WIDTH = 120
GIVEN_UP = ("cached", "cache hits", "seconds", "tokens out", "tokens in")
"""Columns that go first where there is no room."""
KIND_LABELS = {"multiple_choice": "choice", "true_false": "true/false", "short_answer": "short"}


def stdout() -> Console:
    """The console for results. In a pipe or a file the lines keep a width of their own."""
    return _console(stderr=False)


def stderr() -> Console:
    """The console for progress and messages."""
    return _console(stderr=True)


class HarmlessConsole(Console):
    """A console that shows texts as they are: no markup in them, and no sequence that rewrites the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments; what Rich itself says to the terminal stays."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


def print_text(text: str) -> None:
    """Print a text on stdout, line by line as it is, less what would rewrite the terminal."""
    print(harmless(text))


def print_json(line: str) -> None:
    """Print JSON on stdout, with escapes for what would rewrite the terminal."""
    print(harmless_json(line))


_live: list[Console] = []


@contextmanager
def making_room(console: Console) -> Iterator[None]:
    """Let all that is said inside, from whatever thread, be printed above the live view on this console."""
    _live.append(console)
    try:
        yield
    finally:
        _live.remove(console)


def say(line: str) -> None:
    """Print a line on stderr, above a live view if there is one."""
    print_line(line, _live[-1] if _live else stderr())


def print_line(line: str, console: Console) -> None:
    """Print a line or a paragraph: wrapped at words on a terminal, as it is elsewhere."""
    console.print(line, soft_wrap=not console.is_terminal)


def _console(*, stderr: bool) -> Console:
    console = HarmlessConsole(stderr=stderr)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def show_markdown(text: str) -> None:
    """Print a page on stdout: rendered on a terminal, as it is elsewhere."""
    console = stdout()
    if console.is_terminal:
        console.print(Page(text))
    else:
        print_text(text)


def show_result(result: SummQResult, console: Console, *, quiz: bool) -> None:
    """Print the exam, with its questions if wanted, and last the summary as it is."""
    if result.exam is not None:
        show_exam(result.exam, console, questions=quiz)
        console.print()
    print_line(result.summary, console)


def show_exam(exam: Exam, console: Console, *, questions: bool = True) -> None:
    """Print the score and, unless that is not wanted, every question with the examinee's answer."""
    print_line(exam_line(exam), console)
    print_line(kinds_line(exam), console)
    if not questions:
        return
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("kind")
    table.add_column("question", ratio=3)
    table.add_column("answer from the summary", ratio=2)
    table.add_column("mark")
    for answer in exam.answers:
        table.add_row(str(answer.number), KIND_LABELS[answer.kind], answer.question, _given(answer), mark(answer))
    console.print(table)


def _given(answer: GradedAnswer) -> str:
    return "" if answer.given is None or answer.not_in_summary else answer.given


def exam_line(exam: Exam) -> str:
    """The score in one line, for instance `Exam: 24 of 30 right (80%), 0.74 corrected for chance`."""
    if exam.accuracy is None:
        return f"Exam: none of {len(exam.answers)} answers could be scored"
    right = sum(bool(answer.correct) for answer in exam.scored)
    score = f"{right} of {len(exam.scored)} right ({exam.accuracy:.0%})"
    if f"{exam.chance_corrected:.2f}" != f"{exam.accuracy:.2f}":  # as it is where nothing was guessed
        score += f", {exam.chance_corrected:.2f} corrected for chance"
    known = sum(bool(answer.known) for answer in exam.answers)
    left_out = [f", {exam.unscored} unscored"] if exam.unscored else []
    left_out += [f", {known} needed no text"] if known else []
    return f"Exam: {score}{''.join(left_out)}"


def kinds_line(exam: Exam) -> str:
    """The chance-corrected score of each kind, for instance `By kind: choice 0.60, true/false 0.80, short 0.70`."""
    scores = exam.chance_corrected_by_kind.items()
    shown = (f"{KIND_LABELS[kind]} {'unscored' if score is None else f'{score:.2f}'}" for kind, score in scores)
    return f"By kind, corrected for chance: {', '.join(shown)}"


def mark(answer: GradedAnswer) -> str:
    """What came of one answer, in a word or two, with whose fault it is."""
    if answer.correct is None:
        return "unscored"
    if answer.known:
        return "needs no text"
    if answer.correct:
        return "right"
    verdict = "not in summary" if answer.not_in_summary else "wrong"
    return f"{verdict} (quiz's fault)" if answer.blame == "quiz" else verdict


def ending(result: SummQResult) -> str:
    """How the run ended, in half a line."""
    parts = [f"iterations: {len(result.iterations)} ({STOPS[result.stop_reason]})"]
    exams = [iteration.exam for iteration in result.iterations]
    if sum(exam is not None for exam in exams) > 1:
        parts.append("right answers: " + ", ".join(share_right(exam.accuracy) if exam else "no exam" for exam in exams))
        known = {at: exam.accuracy for at, exam in enumerate(exams) if exam and exam.accuracy is not None}
        last = len(exams) - 1
        if result.returned == last and last in known and max(known.values()) > known[last]:
            parts.append("the last did not do best: see --return best")
    if result.digested:
        parts.append(f"too long for the window: read through notes on {numbered(result.digested, 'passage')}")
    lost = [*(agent for iteration in result.iterations for agent in iteration.all_lost), *result.lost]
    if lost:
        counts = Counter(agent.role for agent in lost)
        parts.append("replies lost: " + ", ".join(f"{role} {count}" for role, count in counts.items()))
    return "; ".join(parts)


def share_right(accuracy: float | None) -> str:
    """`37%`; an exam without a scored answer is `unscored`."""
    return "unscored" if accuracy is None else f"{accuracy:.0%}"


def print_usage(usage: Usage, console: Console) -> None:
    """The usage as a table, if anything was used."""
    if usage.roles:
        console.print(usage_table(usage))


def usage_table(usage: Usage) -> FittingTable:
    """Calls, tokens, money and time by role, the sum in the last row."""
    headings = ("calls", "cache hits", "tokens in", "cached", "tokens out", "USD", "seconds")
    roles = {role: _cells(tally) for role, tally in usage.roles.items()}
    return role_table(headings, roles, _cells(usage), note=cache_note(usage.cache_hits, usage.calls))


def role_table(
    headings: Sequence[str],
    roles: Mapping[str, Sequence[str]],
    everything: Sequence[str],
    title: str = "",
    note: str = "",
) -> FittingTable:
    """Figures by role under their headings, the sum in the last row."""
    rows = [*([role, *cells] for role, cells in roles.items()), ["all", *everything]]
    spare = [heading for heading in GIVEN_UP if heading in headings]
    return FittingTable(["role", *headings], rows, spare, title, note, total=True)


def _cells(tally: Tally) -> list[str]:
    cost = "unknown" if tally.cost is None else f"{tally.cost:.4f}"
    counts = (tally.calls, tally.cache_hits, tally.input_tokens, tally.cached_tokens, tally.output_tokens)
    return [*(f"{count:,}" for count in counts), cost, f"{tally.seconds:.1f}"]


_NAME_ANOTHER = "--backbone openai/gpt-4o, --backbone ollama_chat/qwen3:32b, ... (see `summq doctor`)"
OFFLINE = (
    "offline is an extractive reader, not a language model: it picks sentences and asks about facts by rules. "
    f"Name a language model with {_NAME_ANOTHER}."
)
SMALL = (
    "local is SmolLM2-135M, since no other model was found: too small for this work, so use it to see that everything "
    f"runs, never for results. Name a model of 4B or more with --backbone local:PATH.gguf, or {_NAME_ANOTHER}."
)


def notes_on(*specs: str) -> list[str]:
    """A line about each kind of backbone that is not meant for results."""
    return list(dict.fromkeys(note for spec in map(parse_spec, specs) if (note := _note(spec))))


def _note(spec: Spec) -> str | None:
    if spec.kind == "offline":
        return OFFLINE
    return SMALL if spec.kind == "local" and spec.path is None and takes_packaged() else None


__all__ = [
    "HarmlessConsole",
    "ending",
    "exam_line",
    "making_room",
    "mark",
    "notes_on",
    "print_json",
    "print_line",
    "print_text",
    "print_usage",
    "role_table",
    "say",
    "share_right",
    "show_exam",
    "show_markdown",
    "show_result",
    "stderr",
    "stdout",
    "usage_table",
]
