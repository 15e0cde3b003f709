"""How results look on a terminal: the summary and the exam on stdout, what a run used on stderr."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from summq.programs.runs.report import STOPS
from summq.programs.runtime.providers import parse_spec
from summq.signatures import Exam, GradedAnswer, SummQResult, Tally, Usage

PLAIN_WIDTH = 120
KIND_LABELS = {"multiple_choice": "choice", "true_false": "true/false", "short_answer": "short"}


def stdout() -> Console:
    """The console for results. In a pipe or a file the lines keep a width of their own."""
    return _console(stderr=False)


def stderr() -> Console:
    """The console for progress and messages."""
    return _console(stderr=True)


def say(line: str) -> None:
    """Print a line on stderr, as it is."""
    stderr().print(line, markup=False, soft_wrap=True)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def show_result(result: SummQResult, console: Console) -> None:
    """Print the summary as it is, then the exam."""
    console.print(result.summary, markup=False, soft_wrap=not console.is_terminal)  # in a file a paragraph is a line
    if result.exam is not None:
        console.print()
        show_exam(result.exam, console)


def show_exam(exam: Exam, console: Console) -> None:
    """Print the score and every question with the examinee's answer."""
    console.print(exam_line(exam), soft_wrap=True)
    console.print(kinds_line(exam), soft_wrap=True)
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("kind")
    table.add_column("question", ratio=3)
    table.add_column("answer from the summary", ratio=2)
    table.add_column("mark")
    for answer in exam.answers:
        table.add_row(str(answer.number), KIND_LABELS[answer.kind], answer.question, _given(answer), mark(answer))
    console.print(table, markup=False)


def _given(answer: GradedAnswer) -> str:
    return "" if answer.given is None or answer.not_in_summary else answer.given


def exam_line(exam: Exam) -> str:
    """The score in one line, for instance `Exam: 24 of 30 right (80%), 0.74 corrected for chance`."""
    if exam.accuracy is None:
        return f"Exam: none of {len(exam.answers)} answers could be scored"
    right = sum(bool(answer.correct) for answer in exam.scored)
    score = (
        f"{right} of {len(exam.scored)} right ({exam.accuracy:.0%}), {exam.chance_corrected:.2f} corrected for chance"
    )
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
    accuracies = [i.exam.accuracy for i in result.iterations if i.exam and i.exam.accuracy is not None]
    if len(accuracies) > 1:
        parts.append("right answers: " + ", ".join(f"{accuracy:.0%}" for accuracy in accuracies))
    if result.digested:
        parts.append(f"too long for the window: read through notes on {result.digested} passages")
    lost = [*(agent for iteration in result.iterations for agent in iteration.all_lost), *result.lost]
    if lost:
        counts = Counter(agent.role for agent in lost)
        parts.append("replies lost: " + ", ".join(f"{role} {count}" for role, count in counts.items()))
    return "; ".join(parts)


def print_usage(usage: Usage, console: Console) -> None:
    """The usage as a table, if anything was used."""
    if usage.roles:
        console.print(usage_table(usage))


def usage_table(usage: Usage) -> Table:
    """Calls, tokens, money and time by role, the sum in the last row."""
    headings = ("calls", "cache hits", "tokens in", "cached", "tokens out", "USD", "seconds")
    return role_table(headings, {role: _cells(tally) for role, tally in usage.roles.items()}, _cells(usage))


def role_table(headings: Sequence[str], roles: Mapping[str, Sequence[str]], everything: Sequence[str]) -> Table:
    """Figures by role under their headings, the sum in the last row."""
    table = Table(box=box.SIMPLE, pad_edge=False, show_footer=False)
    table.add_column("role")
    for heading in headings:
        table.add_column(heading, justify="right")
    for role, cells in roles.items():
        table.add_row(role, *cells)
    table.add_section()
    table.add_row("all", *everything)
    return table


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
    "local without a path is SmolLM2-135M, which is too small for this work: use it to see that everything runs, "
    f"never for results. Name a model of 4B or more with --backbone local:PATH.gguf, or {_NAME_ANOTHER}."
)


def print_note(spec: str) -> None:
    """Print the line about a backbone on stderr, if there is one."""
    if note := note_on(spec):
        say(note)


def note_on(spec: str) -> str | None:
    """One line about a backbone that is not meant for results, None for any other."""
    parsed = parse_spec(spec)
    if parsed.kind == "offline":
        return OFFLINE
    return SMALL if parsed.kind == "local" and parsed.path is None else None


__all__ = [
    "ending",
    "exam_line",
    "kinds_line",
    "mark",
    "print_note",
    "print_usage",
    "role_table",
    "say",
    "show_exam",
    "show_result",
    "stderr",
    "stdout",
    "usage_table",
]
