"""What the examinee and the grader are asked (TAKEQUIZ of Algorithm 1)."""

import dspy

from summq.signatures.document import Document
from summq.signatures.exams import Answers, Grades, KeyedAnswer
from summq.signatures.questions import SheetItem


class TakeQuiz(dspy.Signature):
    """Sit an exam about a text of which you have read only the summary.

    Answer each question from what the summary says and from nothing else that you may know. For multiple choice give
    the right option word for word, for true/false give true or false, for a short answer give a few words. If the
    summary does not tell, answer: not in the summary.
    """

    summary: str = dspy.InputField(desc="all that you have read")
    questions: list[SheetItem] = dspy.InputField(desc="the questions, by number")
    sheet: Answers = dspy.OutputField(desc="one answer for each question, by number")


class TakeQuizOpenBook(dspy.Signature):
    """Sit an exam about the document with the document at hand.

    Answer each question from what the document says and from nothing else that you may know. For multiple choice give
    the right option word for word, for true/false give true or false, for a short answer give a few words. If the
    document does not tell, answer: not in the document.
    """

    document: Document = dspy.InputField(desc="the document at hand")
    questions: list[SheetItem] = dspy.InputField(desc="the questions, by number")
    sheet: Answers = dspy.OutputField(desc="one answer for each question, by number")


class GradeAnswers(dspy.Signature):
    """Grade short answers of an exam against the key.

    An answer is correct when it says what the key says: other words, a longer or shorter form, or another way of
    writing a figure, a date or a name do not matter. It is wrong when it says something else, only part of what was
    asked, or nothing.
    """

    given: list[KeyedAnswer] = dspy.InputField(desc="answers beside their keys, by number")
    marks: Grades = dspy.OutputField(desc="one grade for each answer, by number")


__all__ = ["GradeAnswers", "TakeQuiz", "TakeQuizOpenBook"]
