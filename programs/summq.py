"""SummQ (Algorithm 1): summaries and quizzes are drafted side by side, reviewed, examined, and drafted again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import dspy

from summq.programs.artifact import Load
from summq.programs.config import SummQConfig
from summq.programs.coverage import unproven
from summq.programs.crafts import SUMMARY, Craft
from summq.programs.digest import Digester, Reading
from summq.programs.errors import BudgetSpent, DocumentError
from summq.programs.examine import Examinee
from summq.programs.feedback import blamed, for_the_quiz, for_the_summary
from summq.programs.generate import Generate
from summq.programs.quizzes import QUIZ
from summq.programs.review import Review
from summq.programs.runtime.fan_out import together
from summq.programs.runtime.meter import Meter
from summq.programs.runtime.role import Role
from summq.signatures import (
    Document,
    Exam,
    Generation,
    Issue,
    Iteration,
    LostMember,
    Quiz,
    ReviewRecord,
    RewriteToLength,
    StopReason,
    SummQResult,
)


class SummQ(dspy.Module):
    """Turns a long document into a summary that sat an exam.

    A `dspy.Module` like any other: `SummQ.preset("combo")(document=text)` returns a `dspy.Prediction` with `summary`
    (str), `quiz` (Quiz or None), `exam` (Exam or None) and `result` (SummQResult). It runs on the LM of `dspy.settings`
    and on those of `role_lms`; `summq.programs.session` sets both up. `SummQ.load(DIR)` makes a compiled program.
    """

    load = Load()

    def __init__(self, config: SummQConfig | None = None) -> None:
        super().__init__()
        self.config = config = config or SummQConfig()
        generate, review = _summary_stream(config)
        self.summary_generators = generate.generators
        self.summary_reviewers = review.reviewers
        if config.summary_generators > 1:
            self.summary_aggregator, self.summary_ranker = generate.aggregator, generate.ranker
        if config.summary_reviewers > 1:
            self.summary_grouper = review.grouper
        self.generate_summary, self.review_summary = generate, review
        if config.quiz_stream:
            generate_quiz, review_quiz = _quiz_stream(config)
            self.quiz_generators = generate_quiz.generators
            self.quiz_reviewers = review_quiz.reviewers
            if config.quiz_generators > 1:
                self.quiz_aggregator, self.quiz_ranker = generate_quiz.aggregator, generate_quiz.ranker
            if config.quiz_reviewers > 1:
                self.quiz_grouper = review_quiz.grouper
            self.generate_quiz, self.review_quiz = generate_quiz, review_quiz
            self.examinee = Examinee(config.seed, open_book=config.verify_quiz)
        if config.rewrite:
            self.rewriter = Role(RewriteToLength, "rewriter")
        self.digester = Digester()

    @classmethod
    def preset(cls, name: str, *, paper_faithful: bool = False, **overrides: Any) -> Self:
        """A program of a preset: `solo`, `combo` or `combo_r`; see `SummQConfig.preset`."""
        return cls(SummQConfig.preset(name, paper_faithful=paper_faithful, **overrides))

    def forward(self, document: str | Document) -> dspy.Prediction:
        """Summarise one document.

        Raises:
            DocumentError: The document is empty.
            MembersLost: Too few agents of a component replied.
            BudgetSpent: The budget ended before the first iteration did.
        """
        document = Document.of(document)
        if not document.text.strip():
            raise DocumentError("the document is empty: give a text to summarise")
        meter = Meter(parent=dspy.settings.get("meter"))
        with dspy.context(meter=meter, document_key=document.key):
            run = self._iterate(self.digester(document))
            result = self._finish(run).model_copy(update={"usage": meter.usage()})
        return dspy.Prediction(summary=result.summary, quiz=result.quiz, exam=result.exam, result=result)

    def _iterate(self, reading: Reading) -> "Run":
        """Algorithm 1 up to its stop."""
        run = Run(reading)
        for _ in range(self.config.max_iterations):
            try:
                run.iterations.append(self._iteration(run, run.last))
            except BudgetSpent:
                if run.last is None:
                    raise
                return replace(run, stop_reason="budget")
            stop_reason = self._stop(run.iterations)
            if stop_reason:
                return replace(run, stop_reason=stop_reason)
        return replace(run, stop_reason="max_iterations")

    def _iteration(self, run: "Run", previous: Iteration | None) -> Iteration:
        """Lines 1 to 3: generate both, review both, examine, and say who is to blame."""
        summary, quiz = together(lambda: self._write_summary(run, previous), lambda: self._write_quiz(run, previous))
        if quiz is None:
            review = self._review_summary(run, summary.chosen, None)
            return _record(summary, review)
        summary_review, quiz_review, sitting, failed_open_book = together(
            lambda: self._review_summary(run, summary.chosen, quiz.chosen),
            lambda: self._review_quiz(run, quiz.chosen, summary.chosen),
            lambda: self.examinee(quiz=quiz.chosen, summary=summary.chosen),
            lambda: self._fail_open_book(run, quiz.chosen),
        )
        exam = blamed(sitting.exam, quiz.chosen, quiz_review.issues, failed_open_book)
        return _record(summary, summary_review, quiz, quiz_review, exam, sitting.lost)

    def _write_summary(self, run: "Run", previous: Iteration | None) -> Generation[str]:
        brief = {"document": run.reading.document, "target_words": self.config.target_words}
        if previous is None:
            return cast("Generation[str]", self.generate_summary(brief))
        if not previous.summary_feedback and self.config.savings.keep_uncriticised:
            return _kept(previous.summary, self.config.summary_generators)
        return cast("Generation[str]", self.generate_summary(brief, previous.summary, previous.summary_feedback))

    def _write_quiz(self, run: "Run", previous: Iteration | None) -> Generation[Quiz] | None:
        if not self.config.quiz_stream:
            return None
        reading = run.reading
        brief = {
            "document": reading.document,
            "original": reading.original,
            "windows": reading.windows,
            "wanted": self.config.questions,
        }
        if previous is None or previous.quiz is None:
            return cast("Generation[Quiz]", self.generate_quiz(brief))
        if not previous.quiz_feedback and self.config.savings.keep_uncriticised:
            return _kept(previous.quiz, self.config.quiz_generators)
        return cast("Generation[Quiz]", self.generate_quiz(brief, previous.quiz, previous.quiz_feedback))

    def _review_summary(self, run: "Run", summary: str, quiz: Quiz | None) -> ReviewRecord:
        questions = quiz.sheet() if quiz else []
        inputs = {"summary": summary, "questions": questions}
        return cast(ReviewRecord, self.review_summary(run.reading.document, summary, inputs))

    def _review_quiz(self, run: "Run", quiz: Quiz, summary: str) -> ReviewRecord:
        inputs = {"quiz": quiz, "summary": summary}
        return cast(ReviewRecord, self.review_quiz(run.reading.document, quiz, inputs, unproven(quiz)))

    def _fail_open_book(self, run: "Run", quiz: Quiz) -> set[int]:
        """Numbers of questions that an examinee with the document at hand fails; each question is tried once a run."""
        if not self.config.verify_quiz:
            return set()
        new = [q for q in quiz.questions if q not in run.verified]
        for window in run.reading.windows:
            here = [q for q in new if len(run.reading.windows) == 1 or q.evidence in window.text]
            sitting = self.examinee.with_document(Quiz(questions=here), window)
            run.verified.update({here[a.number - 1]: a.correct for a in sitting.exam.answers})
        return {n for n, q in enumerate(quiz.questions, 1) if run.verified.get(q) is False}

    def _stop(self, iterations: Sequence[Iteration]) -> StopReason | None:
        """Line 4, and the further reasons of DESIGN 5.5."""
        last = iterations[-1]
        if not last.summary_feedback and not last.quiz_feedback:
            return "no_feedback"
        bar = self.config.accept_accuracy
        accuracy = last.exam.accuracy if last.exam else None
        if bar is not None and accuracy is not None and accuracy >= bar and not _review_issues(last):
            return "accepted"
        if len(iterations) > 1 and (last.summary, last.quiz) == (iterations[-2].summary, iterations[-2].quiz):
            return "unchanged"
        return None

    def _finish(self, run: "Run") -> SummQResult:
        """What is returned: the last summary or the best, rewritten to length if wanted, with its exam."""
        returned, exam = len(run.iterations) - 1, run.iterations[-1].exam
        quiz = run.iterations[-1].quiz
        if self.config.return_iteration == "best" and quiz is not None and len(run.iterations) > 1:
            returned, exam = self._best(run.iterations, quiz)
        summary = run.iterations[returned].summary
        if self.config.rewrite:
            words = self.config.rewrite_words or self.config.target_words
            summary = self.rewriter(summary=summary, target_words=words).rewritten
            exam = self.examinee(quiz=quiz, summary=summary).exam if quiz is not None else None
        return SummQResult(
            summary=summary,
            quiz=quiz,
            exam=exam,
            iterations=run.iterations,
            returned=returned,
            stop_reason=run.stop_reason,
            digested=run.reading.passages,
            rewritten=self.config.rewrite,
            savings=_savings(run.iterations),
        )

    def _best(self, iterations: Sequence[Iteration], quiz: Quiz) -> "tuple[int, Exam]":
        """The iteration whose summary does best in the last quiz, the latest among equals, and its exam."""
        exams = together(*[lambda s=i.summary: self.examinee(quiz=quiz, summary=s).exam for i in iterations])
        best = max(range(len(exams)), key=lambda k: (exams[k].accuracy or 0.0, k))
        return best, exams[best]


@dataclass(frozen=True)
class Run:
    """What Algorithm 1 carries from one iteration to the next."""

    reading: Reading
    iterations: list[Iteration] = field(default_factory=list)
    verified: dict[Any, bool | None] = field(default_factory=dict)
    stop_reason: StopReason = "max_iterations"

    @property
    def last(self) -> Iteration | None:
        """The iteration before this one."""
        return self.iterations[-1] if self.iterations else None


def _summary_stream(config: SummQConfig) -> "tuple[Generate[str], Review]":
    generate = Generate(SUMMARY, config.summary_generators, config.savings)
    return generate, Review(SUMMARY, config.summary_reviewers, config.debate_rounds, config.savings)


def _quiz_stream(config: SummQConfig) -> "tuple[Generate[Quiz], Review]":
    craft: Craft[Quiz] = replace(QUIZ, revise_only_criticised=config.savings.revise_only_criticised)
    generate = Generate(craft, config.quiz_generators, config.savings)
    return generate, Review(craft, config.quiz_reviewers, config.debate_rounds, config.savings)


def _record(
    summary: Generation[str],
    summary_review: ReviewRecord,
    quiz: Generation[Quiz] | None = None,
    quiz_review: ReviewRecord | None = None,
    exam: Exam | None = None,
    lost: Sequence[LostMember] = (),
) -> Iteration:
    """The iteration with its feedback: what reviewers hold, and what the examinee failed, split by who is to blame."""
    quiz_issues = quiz_review.issues if quiz_review else []
    failures = for_the_summary(exam, quiz.chosen) if exam and quiz else []
    return Iteration(
        summary=summary.chosen,
        quiz=quiz.chosen if quiz else None,
        summary_generation=summary,
        quiz_generation=quiz,
        summary_review=summary_review,
        quiz_review=quiz_review,
        exam=exam,
        summary_feedback=[*summary_review.issues, *failures],
        quiz_feedback=[*quiz_issues, *(for_the_quiz(exam, quiz.chosen, quiz_issues) if exam and quiz else [])],
        lost=list(lost),
    )


def _kept(previous: Any, agents: int) -> Generation[Any]:
    """A generation that was not needed: nobody criticised the previous artifact."""
    calls = agents if agents == 1 else 2 * agents + 2
    return Generation(drafts=[], decided_by="kept", chosen=previous, saved={"keep_uncriticised": calls})


def _review_issues(iteration: Iteration) -> list[Issue]:
    return [*iteration.summary_review.issues, *(iteration.quiz_review.issues if iteration.quiz_review else [])]


def _savings(iterations: Sequence[Iteration]) -> dict[str, int]:
    saved: Counter[str] = Counter()
    for i in iterations:
        for record in (i.summary_generation, i.quiz_generation, i.summary_review, i.quiz_review):
            saved.update(record.saved if record else {})
    return dict(saved)


__all__ = ["SummQ"]
