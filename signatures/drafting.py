"""What writers are asked: those of Algorithm 2, for summaries and for quizzes; the rewriter; the taker of notes.

The docstring of a signature is its prompt. Field names are the same for both streams, so that one module serves both.
"""

from typing import Literal

import dspy

from summq.signatures.document import Document
from summq.signatures.issues import Issue
from summq.signatures.questions import PartQuota, Question, QuestionCounts, Quiz


class DraftSummary(dspy.Signature):
    """Write a summary of the document for somebody who will not read it.

    Tell what happened from first to last: who did what, why, and with what result. Say at once what the whole is about,
    take from every part of the document what a reader needs in order to follow the next one, and close with the outcome
    or the conclusion. Give the names, figures and dates on which something depends, exactly as the document has them,
    and leave out examples, scenery and asides.

    Tell the matter itself and do not mention the document. Every sentence stands alone: it says who or what it is
    about. State only what the document says, in its language unless another one is asked for. Write connected prose, no
    headings and no lists, and keep to the wanted length.
    """

    document: Document = dspy.InputField(desc="the document to summarise")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    summary: str = dspy.OutputField(desc="the summary, at the wanted length")


DraftOfAnyLength = (
    DraftSummary.delete("target_words")
    .with_instructions(DraftSummary.instructions.replace(", and keep to the wanted length", ""))
    .with_updated_fields("summary", desc="the summary")
)
"""The same without a wanted length."""


class ReviseSummary(dspy.Signature):
    """Revise your summary of the document so that every point of the feedback is met.

    Look up in the document what the feedback is about and write what the document says. Where room is needed, shorten
    what matters least. Keep the sentences that nobody criticised. Every sentence stands alone: it says who or what it
    is about. State only what the document says, never mention the feedback, the quiz or the revision, and keep to the
    language and the wanted length.
    """

    document: Document = dspy.InputField(desc="the document to summarise")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    previous: str = dspy.InputField(desc="the summary to revise")
    feedback: list[Issue] = dspy.InputField(desc="what reviewers and an examinee found wanting in it")
    summary: str = dspy.OutputField(desc="the whole summary as revised, at the wanted length")


class AggregateSummaries(dspy.Signature):
    """Merge the candidate summaries of one document into a single better one.

    Take from them every point that a reader needs to follow what happened, who did it, why and with what result. Say
    each thing once and in the order of events. Where candidates contradict each other, write what the document says, if
    you have it, and else leave it out. Add nothing that no candidate says. Every sentence stands alone. Write connected
    prose in the language of the candidates and keep to the wanted length.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    candidates: list[str] = dspy.InputField(desc="summaries by independent writers")
    summary: str = dspy.OutputField(desc="the merged summary, at the wanted length")


class RankSummaries(dspy.Signature):
    """Choose the best of the candidate summaries of one document.

    Compare them for coverage of what matters (who did what, why, with what result), for truth to the document, for
    sentences that can be understood where they stand, and for keeping to the wanted length, in this order. Give the
    reason first, then the choice. The order in which they are shown means nothing.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    target_words: int = dspy.InputField(desc="wanted length in words")
    candidates: dict[str, str] = dspy.InputField(desc="summaries by their labels")
    reason: str = dspy.OutputField(desc="what decides, in one sentence", default="")
    best: str = dspy.OutputField(desc="the label of the best candidate, nothing else")


class VoteSummary(dspy.Signature):
    """Choose the better of two summaries of one document.

    Compare them for coverage of what matters (who did what, why, with what result), for truth to the document, for
    sentences that can be understood where they stand, and for keeping to the wanted length, in this order. Give the
    reason first, then the choice. The order in which they are shown means nothing.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    target_words: int = dspy.InputField(desc="wanted length in words")
    first: str = dspy.InputField(desc="one summary")
    second: str = dspy.InputField(desc="the other summary")
    reason: str = dspy.OutputField(desc="what decides, in one sentence", default="")
    better: Literal["first", "second"] = dspy.OutputField(desc="which of the two is better")


class DraftQuiz(dspy.Signature):
    """Write quiz questions about the document, to be answered by somebody who has read only a good summary of it.

    Ask about what matters: who did what, why, with what result, and the figures and dates on which something depends.
    For each question first copy the sentence of the document that proves the answer, word for word and whole; then ask
    for what this sentence says. A question names who and what it is about ("the harbour act of 1912", not "the act",
    "it" or "this document"), so that it can be understood by itself, has exactly one right answer, and can't be
    answered by common knowledge or good guessing. Write in the language of the document.

    - multiple_choice: a question with its right answer and three wrong ones. The wrong ones are of the same sort and
      length as the right one (names for a name, figures for a figure, reasons for a reason), plausible to somebody who
      has not read the document, clearly wrong by it, and none of them says the right answer in other words.
    - true_false: a statement and never a question, such as "The council raised the fee in 1987." About half of the
      statements are false: they differ from what the document says in one thing that matters.
    - short_answer: a question whose answer is a name, a figure, a date or a few words.

    Spread the questions over the parts of the document as wanted, and ask for each fact only once.
    """

    document: Document = dspy.InputField(desc="the document to ask about")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind")
    spread: list[PartQuota] = dspy.InputField(desc="how many questions about each part of the document")
    present: list[str] = dspy.InputField(desc="questions that exist already and must not be asked again")
    quiz: Quiz = dspy.OutputField(desc="the questions with their evidence and answers")


class ReviseQuiz(dspy.Signature):
    """Write new questions about the document in place of the questions of a quiz that were criticised.

    For each criticised question write one of the same kind that has none of the faults named in the feedback, or that
    fills the gap which it points out. First copy the sentence of the document that proves the answer, word for word and
    whole; then ask for what this sentence says. A question can be understood by itself, has exactly one right answer,
    and can't be answered without having read about the matter. The wrong answers of a multiple_choice question are of
    the same sort as the right one, plausible, clearly wrong by the document, and none says the right answer in other
    words. A true_false item is a statement. Ask nothing that is asked already, and write in the language of the
    document.
    """

    document: Document = dspy.InputField(desc="the document to ask about")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind to write")
    spread: list[PartQuota] = dspy.InputField(desc="how many questions about each part of the document")
    stays: dict[int, str] = dspy.InputField(desc="questions of the quiz that stay, by number; do not ask them again")
    present: list[str] = dspy.InputField(desc="new questions that are written already; do not ask them again")
    criticised: dict[int, Question] = dspy.InputField(desc="questions to replace, by number")
    dropped: dict[int, Question] = dspy.InputField(
        desc="sound questions, by number, that give way to what the feedback says nothing is asked about"
    )
    feedback: list[Issue] = dspy.InputField(desc="what is wrong with the quiz; questions are named by number")
    quiz: Quiz = dspy.OutputField(desc="the new questions with their evidence and answers")


class AggregateQuizzes(dspy.Signature):
    """Choose from the candidate questions about one document those that together make the best quiz.

    Prefer questions about what matters that have one certain answer, take as many of each kind as wanted, spread them
    over the document, and take no two that ask for the same fact.
    """

    document: Document = dspy.InputField(desc="the document that the quiz is about")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind, besides those that all have")
    shared: Quiz = dspy.InputField(desc="questions that all candidates have; they are settled")
    candidates: dict[str, Question] = dspy.InputField(desc="questions by independent writers, by their labels")
    chosen: list[str] = dspy.OutputField(desc="the labels of the chosen questions")


class RankQuizzes(dspy.Signature):
    """Choose the best of the candidate quizzes about one document.

    Compare them for asking about what matters, for questions with one certain answer, for spread over the document, and
    for having as many questions of each kind as wanted, in this order. Give the reason first, then the choice. The
    order in which they are shown means nothing.
    """

    document: Document = dspy.InputField(desc="the document that the quizzes are about")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind, besides those that all have")
    shared: Quiz = dspy.InputField(desc="questions that all candidates have; they are settled")
    candidates: dict[str, Quiz] = dspy.InputField(desc="the other questions of each quiz, by its label")
    reason: str = dspy.OutputField(desc="what decides, in one sentence", default="")
    best: str = dspy.OutputField(desc="the label of the best candidate, nothing else")


class VoteQuiz(dspy.Signature):
    """Choose the better of two quizzes about one document.

    Compare them for asking about what matters, for questions with one certain answer, for spread over the document, and
    for having as many questions of each kind as wanted, in this order. Give the reason first, then the choice. The
    order in which they are shown means nothing.
    """

    document: Document = dspy.InputField(desc="the document that the quizzes are about")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind, besides those that both have")
    shared: Quiz = dspy.InputField(desc="questions that both have; they are settled")
    first: Quiz = dspy.InputField(desc="the other questions of one quiz")
    second: Quiz = dspy.InputField(desc="the other questions of the other quiz")
    reason: str = dspy.OutputField(desc="what decides, in one sentence", default="")
    better: Literal["first", "second"] = dspy.OutputField(desc="which of the two is better")


class RewriteToLength(dspy.Signature):
    """Rewrite the summary to the wanted length.

    Keep what happened, who did it, why and with what result, and the figures, names and dates on which this depends;
    drop what matters least; add nothing. Write connected prose in the language of the summary.
    """

    summary: str = dspy.InputField(desc="the summary to rewrite")
    target_words: int = dspy.InputField(desc="wanted length in words, to be kept within 10 percent")
    rewritten: str = dspy.OutputField(desc="the summary at the wanted length")


class DigestPassage(dspy.Signature):
    """Take notes of one passage of a long document for somebody who will summarise the whole from notes alone.

    Keep who did what, why, with what result, and all figures, names and dates on which something depends, in the order
    of the passage. Name people and things in every sentence, since what stands around the passage will not be known.
    State only what the passage says, in its language, and keep to the wanted length.
    """

    passage: str = dspy.InputField(desc="a passage of the document, or notes of several passages")
    position: str = dspy.InputField(desc="which passage of how many")
    target_words: int = dspy.InputField(desc="length of the notes in words")
    notes: str = dspy.OutputField(desc="the notes")


__all__ = [
    "AggregateQuizzes",
    "AggregateSummaries",
    "DigestPassage",
    "DraftOfAnyLength",
    "DraftQuiz",
    "DraftSummary",
    "RankQuizzes",
    "RankSummaries",
    "ReviseQuiz",
    "ReviseSummary",
    "RewriteToLength",
    "VoteQuiz",
    "VoteSummary",
]
