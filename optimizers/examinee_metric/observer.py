"""Letting a summary sit the exam of its document, and seeing how it goes."""

from dataclasses import dataclass
from pathlib import Path

from summq.optimizers.examinee_metric.claims import claims_of
from summq.optimizers.examinee_metric.features import Features, features_of, remarks_on
from summq.programs.examine import Examinee
from summq.programs.examiner import Examiner, QuizShelf
from summq.programs.runtime.role import UnusableReply
from summq.signatures import Document, Exam, QuestionCounts, Quiz


@dataclass(frozen=True)
class Observation:
    """What was seen of one summary."""

    document: Document
    summary: str
    quiz: Quiz
    exam: Exam
    features: Features

    def remarks(self) -> list[str]:
        """What to mend, as lines of feedback. Questions are named, keys are not (DESIGN 5.4)."""
        failed = [
            f"Somebody who has read only this summary can't answer: {answer.question}"
            for answer in self.exam.scored
            if not answer.correct
        ]
        return [*remarks_on(claims_of(self.document, self.summary)), *failed]


class Observer:
    """Makes the quiz of each document once and lets any summary of it sit the same one.

    Args:
        questions: How many questions of each kind.
        seed: Another seed makes another quiz.
        usual_words: The length from which a summary is short or long; None: no length is.
        quizzes: The folder in which quizzes are kept; in memory if not given.
        examinee: One with compiled prompts (`SummQ.load(DIR).examinee`); an ordinary one if not given.
    """

    def __init__(
        self,
        questions: QuestionCounts,
        seed: int,
        usual_words: float | None,
        quizzes: Path | None = None,
        examinee: Examinee | None = None,
    ) -> None:
        self.questions = questions
        self.seed = seed
        self.usual_words = usual_words
        self.examinee = examinee or Examinee(seed, open_book=False)
        self._shelf = QuizShelf(quizzes, Examiner(questions, seed))

    def observe(self, document: Document, summary: str) -> Observation:
        """See a summary that is not empty.

        Raises:
            UnusableReply: There is no quiz, or none of the answers could be scored.
        """
        quiz = self._shelf.quiz_for(document).quiz
        exam: Exam = self.examinee(quiz=quiz, summary=summary).exam
        if not exam.scored:
            raise UnusableReply("examinee: no answer could be scored")
        return Observation(document, summary, quiz, exam, features_of(document, quiz, summary, exam, self.usual_words))


__all__ = ["Observation", "Observer"]
