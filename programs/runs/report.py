"""`report.html` of a run: the summary beside its quiz and the document, and everything that led to it."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from summq.programs.pages.highlights import Stretch, blocks, stretches
from summq.programs.pages.page import render
from summq.programs.runs.folder import REPORT, RESULT, Request, load_request, load_result
from summq.programs.runs.links import Change, changes_between, nearest_sentence
from summq.programs.runtime.files import write_text
from summq.programs.text.quotes import find_quote
from summq.programs.text.sentences import sentence_spans
from summq.signatures import PARTS, GradedAnswer, LostAgent, Question, SummQResult

DOCUMENT = "document.txt"
STOPS = {
    "no_feedback": "nothing left to criticise",
    "accepted": "no issue left and enough right answers",
    "unchanged": "the last iteration changed nothing",
    "max_iterations": "as many as allowed",
    "budget": "stopped by the budget",
}
KINDS = {"multiple_choice": "multiple choice", "true_false": "true or false", "short_answer": "short answer"}
OFFLINE = "offline"


def write_report(folder: Path) -> Path:
    """Write the page of the run that lies in `folder`; hands back its path.

    Where the folder holds no `document.txt` the page says that the document can't be shown.

    Raises:
        DataError: The folder holds no finished run.
        InputError: The page can't be written.
    """
    text_path = folder / DOCUMENT
    document = text_path.read_text("utf-8") if text_path.exists() else None
    page = report_page(load_result(folder / RESULT), load_request(folder), document, folder.resolve().name)
    write_text(folder / REPORT, page)
    return folder / REPORT


def report_page(result: SummQResult, request: Request, document: str | None, name: str) -> str:
    """The page as HTML; `name` heads it where the document has no title."""
    view = RunView(result, document)
    return render(
        __package__,
        "report.html.jinja",
        script="report.js",
        title=request.title or name,
        kicker=f"SummQ {request.version}, backbone {request.backbone}",
        is_offline=request.backbone == OFFLINE,
        request=request,
        result=result,
        view=view,
        words={"stops": STOPS, "kinds": KINDS},
    )


@dataclass(frozen=True)
class QuestionView:
    """One question of the quiz with all that is known of it."""

    number: int
    question: Question
    answer: GradedAnswer | None
    evidence: slice | None
    place: float | None
    sentence: slice | None

    @property
    def quoted(self) -> list[Stretch]:
        """The evidence as the question quotes it."""
        return stretches(self.question.evidence, {})

    @property
    def mark(self) -> str:
        """What came of it: right, wrong, absent (the examinee says so), known (without any text), unscored."""
        if self.answer is None or self.answer.correct is None:
            return "unscored"
        if self.answer.known:
            return "known"
        if self.answer.correct:
            return "right"
        return "absent" if self.answer.not_in_summary else "wrong"


class RunView:
    """What the page shows of a result beyond the result itself: where things stand, and what belongs together."""

    def __init__(self, result: SummQResult, document: str | None) -> None:
        self.result = result
        self.document = document

    @cached_property
    def questions(self) -> list[QuestionView]:
        """The final quiz."""
        answers = {answer.number: answer for answer in self.result.exam.answers} if self.result.exam else {}
        questions = self.result.quiz.questions if self.result.quiz else []
        return [self._question(n, question, answers.get(n)) for n, question in enumerate(questions, 1)]

    def _question(self, number: int, question: Question, answer: GradedAnswer | None) -> QuestionView:
        span = find_quote(question.evidence, self.document) if self.document else None
        place = 100 * span.start / max(1, len(self.document or "")) if span else None
        return QuestionView(number, question, answer, span, place, nearest_sentence(question, self.result.summary))

    @cached_property
    def summary(self) -> list[Stretch]:
        """The summary, the sentences marked that are nearest to questions."""
        return stretches(self.result.summary, {q.number: q.sentence for q in self.questions if q.sentence})

    @cached_property
    def blocks(self) -> list[list[Stretch]]:
        """The document, the evidence of questions marked."""
        return blocks(self.document or "", {q.number: q.evidence for q in self.questions if q.evidence})

    @cached_property
    def parts(self) -> list[dict[str, int]]:
        """How many questions each part of the document has, and how many of them came right."""
        placed = [(min(PARTS, 1 + int(q.place * PARTS / 100)), q.mark) for q in self.questions if q.place is not None]
        return [
            {"part": part, "questions": len(marks), "right": marks.count("right")}
            for part in range(1, PARTS + 1)
            for marks in [[mark for at, mark in placed if at == part]]
        ]

    @cached_property
    def quoted(self) -> list[float]:
        """Where in the document, in percent, sentences of the summary stand word for word."""
        summary, text = self.result.summary, self.document or ""
        starts = [text.find(summary[start:end].strip("… ")) for start, end in sentence_spans(summary)]
        return [100 * at / len(text) for at in starts if at >= 0]

    @cached_property
    def steps(self) -> list[list[Change]]:
        """For each iteration its changes against the one before, each with the issue that it seems to answer."""
        iterations = self.result.iterations
        return [[], *(changes_between(one, other.summary) for one, other in pairwise(iterations))]

    @cached_property
    def rewrite(self) -> list[Change]:
        """What the rewrite at the end changed; empty without one."""
        last = self.result.iterations[self.result.returned] if self.result.iterations else None
        return changes_between(last, self.result.summary) if last and last.summary != self.result.summary else []

    @property
    def lost(self) -> list[LostAgent]:
        """Every agent whose reply was lost."""
        return [*(lost for iteration in self.result.iterations for lost in iteration.all_lost), *self.result.lost]


__all__ = ["STOPS", "report_page", "write_report"]
