"""The exam score: what an examinee who has read only the summary can answer about the document."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from summq.eval.data.rows import Row
from summq.eval.metrics.base import Column, Score, unscored
from summq.eval.statistics import Estimate, summarise
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf, pool_for
from summq.programs.feedback import without_text
from summq.programs.runtime.replies import attempt
from summq.signatures import Exam, GradedAnswer, LostAgent, Question, QuestionCounts, Quiz


@dataclass(frozen=True)
class Examined:
    """The exams of one summary, one for each quiz that it took, and the agents that were lost over them."""

    exams: list[Exam]
    lost: list[LostAgent]

    @property
    def score(self) -> Estimate:
        """The mean over kinds of the share of right answers, 0 to 1, with its interval over questions.

        A question that several of the quizzes ask is one source.
        """
        answers = [answer for exam in self.exams for answer in exam.answers if not answer.known]
        counts = Counter(answer.kind for answer in answers if answer.correct is not None)
        scored = sum(counts.values())

        def value(answer: GradedAnswer) -> float | None:
            """Weighed so that the mean of all values is the mean over kinds."""
            return None if answer.correct is None else answer.correct * scored / (len(counts) * counts[answer.kind])

        questions = [answer.question for answer in answers]
        return summarise([value(answer) for answer in answers], questions, bounds=(0, 1))


def examine(
    examinee: Examinee,
    quizzes: Sequence[Quiz],
    summaries: Sequence[str],
    known: Mapping[Question, bool] = MappingProxyType({}),
) -> list[Examined]:
    """Let every summary take every quiz; the calls are small, and all open answers are graded together.

    Args:
        known: Whether a question was answered right without any text; then it does not count.
    """
    asked = [(quiz, summary) for summary in summaries for quiz in quizzes]
    outcomes = examinee.all_of(asked)
    exams = [without_text(outcome.exam, quiz, known) for outcome, (quiz, _) in zip(outcomes, asked, strict=True)]
    return [
        Examined(
            exams[first : first + len(quizzes)], [a for o in outcomes[first : first + len(quizzes)] for a in o.lost]
        )
        for first in range(0, len(asked), len(quizzes))
    ]


class ExamAccuracy:
    """The share of right answers, 0 to 1, and the same corrected for chance (0 is guessing); kinds weigh the same.

    Every system's summary of a document takes the same quiz, drawn from a pool of questions that was made once and
    shown to no system. It runs on the backbones of the session: the roles are `examiner`, `examinee` and `grader`.

    Args:
        quizzes: The folder in which questions are kept.
        questions: How many of each kind.
        seed: Another seed draws other questions.
    """

    name = "exam"
    columns = (
        Column(key="exam", heading="exam", main=True),
        Column(key="exam_corrected", heading="exam, corrected for chance", least=-1),
    )

    def __init__(self, quizzes: Path, questions: QuestionCounts | None = None, seed: int = 0) -> None:
        self.questions = questions or QuestionCounts()
        self.seed = seed
        self.shelf = QuizShelf(quizzes, Examiner(pool_for(self.questions)))
        self.examinee = Examinee(seed, open_book=False, blind=False)

    def score(self, prediction: str, row: Row) -> Score:
        """The score of one summary; unscored where no quiz or no readable answer was to be had."""
        drawn = attempt("examiner", lambda: self.shelf.pool_about(row.document).draw(self.questions, self.seed))
        if isinstance(drawn, LostAgent):
            return unscored(self.columns, f"no quiz: {drawn.error}")
        exam: Exam = self.examinee(quiz=drawn.quiz, summary=prediction).exam
        values = {"exam": exam.score, "exam_corrected": exam.score_corrected}
        details = {
            "questions": len(exam.answers),
            "missing": drawn.missing.total,
            "unscored": exam.unscored,
            "blind_rate": drawn.blind_rate,
            "not_in_summary": sum(answer.not_in_summary for answer in exam.answers),
            "by_kind": exam.accuracy_by_kind,
            "answers": [
                {"evidence": question.evidence, "correct": answer.correct}
                for question, answer in zip(drawn.quiz.questions, exam.answers, strict=True)
            ],
        }
        return Score(values, details, reason=None if exam.scored else "no answer could be scored")

    def describe(self) -> Mapping[str, str | float]:
        """The kinds and numbers of questions, and how they are asked."""
        return {
            "questions": _mix(self.questions),
            "seed": self.seed,
            "drawn_from": _mix(pool_for(self.questions)),
            "quiz": "one a document, checked with the document at hand and without any text, the same for all systems",
        }


def _mix(counts: QuestionCounts) -> str:
    return f"{counts.multiple_choice}/{counts.true_false}/{counts.short_answer}"


__all__ = ["ExamAccuracy", "Examined", "examine"]
