"""Exam accuracy: what an examinee who has read only the summary can answer about the document (Algorithm 1, line 3)."""

from collections.abc import Mapping
from pathlib import Path

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.replies import attempt
from summq.signatures import Exam, LostAgent, QuestionCounts

POOL = 2  # the quiz is drawn from twice as many questions


class ExamAccuracy:
    """The share of right answers, 0 to 1, and the same corrected for chance (0 is guessing); higher is better.

    Every system's summary of a document takes the same quiz, which was made once and shown to no system. It runs on the
    backbones of the session: the roles are `examiner`, `examinee` and `grader`.

    Args:
        quizzes: The folder in which quizzes are kept.
        questions: How many of each kind.
        seed: Another seed makes another quiz.
    """

    name = "exam"
    columns = (
        Column(key="exam", heading="exam", main=True),
        Column(key="exam_corrected", heading="exam, corrected for chance", least=-1),
    )

    def __init__(self, quizzes: Path, questions: QuestionCounts | None = None, seed: int = 0) -> None:
        self.examiner = Examiner(questions or QuestionCounts(), seed, POOL)
        self.shelf = QuizShelf(quizzes, self.examiner)
        self.examinee = Examinee(seed, open_book=False)

    def score(self, prediction: str, row: Row) -> Score:
        """The score of one summary; unscored where no quiz or no readable answer was to be had."""
        quiz = attempt("examiner", lambda: self.shelf.quiz_for(row.document).quiz)
        if isinstance(quiz, LostAgent):
            return unscored(self.columns, f"no quiz: {quiz.error}")
        exam: Exam = self.examinee(quiz=quiz, summary=prediction).exam
        values = {"exam": exam.accuracy, "exam_corrected": exam.chance_corrected}
        details = {
            "questions": len(exam.answers),
            "unscored": exam.unscored,
            "not_in_summary": sum(answer.not_in_summary for answer in exam.answers),
            "by_kind": exam.accuracy_by_kind,
            "answers": [
                {"evidence": question.evidence, "correct": answer.correct}
                for question, answer in zip(quiz.questions, exam.answers, strict=True)
            ],
        }
        return Score(values, details, reason=None if exam.scored else "no answer could be scored")

    def describe(self) -> Mapping[str, str | float]:
        """The kinds and numbers of questions, and how they are asked."""
        wanted = self.examiner.wanted
        return {
            "questions": f"{wanted.multiple_choice}/{wanted.true_false}/{wanted.short_answer}",
            "seed": self.examiner.seed,
            "drawn_from": POOL * wanted.total,
            "quiz": "one a document, checked with the document at hand, the same for all systems",
        }


__all__ = ["ExamAccuracy"]
