"""What writers are asked: those of Algorithm 2, for summaries and for quizzes; the rewriter; the taker of notes.

The docstring of a signature is its prompt. Field names are the same for both streams, so that one module serves both.
"""

from typing import Literal

import dspy

from summq.signatures.document import Document
from summq.signatures.issues import Issue
from summq.signatures.questions import PartQuota, Question, QuestionCounts, Quiz


class DraftSummary(dspy.Signature):
    """Write a summary of the document.

    Cover what matters most in every part of it: who did what, why, with what result, and the figures and dates that
    carry the argument. State only what the document says. Write connected prose without headings or lists, and keep to
    the wanted length.
    """

    document: Document = dspy.InputField(desc="the document to summarise")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    summary: str = dspy.OutputField(desc="the summary")


class ReviseSummary(dspy.Signature):
    """Revise your summary of the document so that every point of the feedback is met.

    Look up in the document what the feedback asks for and work it in. Where room is needed, shorten what nobody asked
    for. Keep what was not criticised. State only what the document says, and keep to the wanted length.
    """

    document: Document = dspy.InputField(desc="the document to summarise")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    previous: str = dspy.InputField(desc="the summary to revise")
    feedback: list[Issue] = dspy.InputField(desc="what reviewers and an examinee found wanting in it")
    summary: str = dspy.OutputField(desc="the revised summary")


class AggregateSummaries(dspy.Signature):
    """Merge the candidate summaries of one document into a single better one.

    Keep every important point that any of them makes, say each thing once, resolve contradictions, and keep to the
    wanted length. Add nothing that no candidate says.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    target_words: int = dspy.InputField(desc="length of the summary in words, to be kept within 10 percent")
    candidates: list[str] = dspy.InputField(desc="summaries by independent writers")
    summary: str = dspy.OutputField(desc="the merged summary")


class RankSummaries(dspy.Signature):
    """Choose the best of the candidate summaries of one document.

    Compare them for coverage of what matters, for truth to the document, for coherence, and for keeping to the wanted
    length, in this order.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    target_words: int = dspy.InputField(desc="wanted length in words")
    candidates: dict[str, str] = dspy.InputField(desc="summaries by their labels")
    best: str = dspy.OutputField(desc="the label of the best candidate, nothing else")


class VoteSummary(dspy.Signature):
    """Choose the better of two summaries of one document.

    Compare them for coverage of what matters, for truth to the document, for coherence, and for keeping to the wanted
    length, in this order. The order in which they are shown means nothing.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    target_words: int = dspy.InputField(desc="wanted length in words")
    first: str = dspy.InputField(desc="one summary")
    second: str = dspy.InputField(desc="the other summary")
    better: Literal["first", "second"] = dspy.OutputField(desc="which of the two is better")


class DraftQuiz(dspy.Signature):
    """Write an exam about the document for somebody who has read a good summary of it.

    Ask about what matters: actors, actions, causes, results, and the figures and dates that carry the argument. Each
    question stands alone, has exactly one right answer in the document, and can't be answered by common knowledge.
    Quote as evidence the sentence of the document that proves the answer, word for word. A multiple-choice question has
    four different plausible options, one of them right. About half of the true/false statements are false. A short
    answer is a name, a figure, a date or a few words. Spread the questions over the parts of the document as wanted.
    """

    document: Document = dspy.InputField(desc="the document to examine on")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind")
    spread: list[PartQuota] = dspy.InputField(desc="how many questions about each part of the document")
    present: list[str] = dspy.InputField(desc="questions that exist already and must not be asked again")
    quiz: Quiz = dspy.OutputField(desc="the questions with their answers and evidence")


class ReviseQuiz(dspy.Signature):
    """Write new questions about the document to replace the questions of an exam that were criticised.

    For each criticised question write one of the same kind that has none of the faults named in the feedback, or fill
    the gap that it points out. Each question stands alone, has exactly one right answer in the document, and quotes as
    evidence the sentence that proves it, word for word. Ask nothing that is asked already.
    """

    document: Document = dspy.InputField(desc="the document to examine on")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind to write")
    spread: list[PartQuota] = dspy.InputField(desc="how many questions about each part of the document")
    stays: dict[int, str] = dspy.InputField(desc="questions of the quiz that stay, by number; do not ask them again")
    present: list[str] = dspy.InputField(desc="new questions that are written already; do not ask them again")
    criticised: dict[int, Question] = dspy.InputField(desc="questions to replace, by number")
    dropped: dict[int, Question] = dspy.InputField(
        desc="sound questions, by number, that give way to what the feedback says nothing is asked about"
    )
    feedback: list[Issue] = dspy.InputField(desc="what is wrong with the quiz; questions are named by number")
    quiz: Quiz = dspy.OutputField(desc="the new questions with their answers and evidence")


class AggregateQuizzes(dspy.Signature):
    """Choose from the candidate exams about one document the questions that together make the best exam.

    Prefer questions about what matters that have one certain answer, take as many of each kind as wanted, spread them
    over the document, and take no two that ask the same thing.
    """

    document: Document = dspy.InputField(desc="the document examined on")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind, besides those that all have")
    shared: Quiz = dspy.InputField(desc="questions that all candidates have; they are settled")
    candidates: dict[str, Question] = dspy.InputField(desc="questions by independent writers, by their labels")
    chosen: list[str] = dspy.OutputField(desc="the labels of the chosen questions")


class RankQuizzes(dspy.Signature):
    """Choose the best of the candidate exams about one document.

    Compare them for asking about what matters, for questions with one certain answer, for spread over the document, and
    for having as many questions of each kind as wanted, in this order.
    """

    document: Document = dspy.InputField(desc="the document examined on")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind, besides those that all have")
    shared: Quiz = dspy.InputField(desc="questions that all candidates have; they are settled")
    candidates: dict[str, Quiz] = dspy.InputField(desc="the other questions of each exam, by its label")
    best: str = dspy.OutputField(desc="the label of the best candidate, nothing else")


class VoteQuiz(dspy.Signature):
    """Choose the better of two exams about one document.

    Compare them for asking about what matters, for questions with one certain answer, for spread over the document, and
    for having as many questions of each kind as wanted, in this order. The order in which they are shown means nothing.
    """

    document: Document = dspy.InputField(desc="the document examined on")
    wanted: QuestionCounts = dspy.InputField(desc="how many questions of each kind, besides those that both have")
    shared: Quiz = dspy.InputField(desc="questions that both have; they are settled")
    first: Quiz = dspy.InputField(desc="the other questions of one exam")
    second: Quiz = dspy.InputField(desc="the other questions of the other exam")
    better: Literal["first", "second"] = dspy.OutputField(desc="which of the two is better")


class RewriteToLength(dspy.Signature):
    """Rewrite the summary to the wanted length.

    Keep what matters most and what the figures, names and dates are; drop what matters least; add nothing. Write
    connected prose.
    """

    summary: str = dspy.InputField(desc="the summary to rewrite")
    target_words: int = dspy.InputField(desc="wanted length in words, to be kept within 10 percent")
    rewritten: str = dspy.OutputField(desc="the summary at the wanted length")


class DigestPassage(dspy.Signature):
    """Take notes of one passage of a long document for somebody who will summarise the whole from notes alone.

    Keep who did what, why, with what result, and all figures, names and dates that carry the argument, in the order of
    the passage. State only what the passage says, and keep to the wanted length.
    """

    passage: str = dspy.InputField(desc="a passage of the document, or notes of several passages")
    position: str = dspy.InputField(desc="which passage of how many")
    target_words: int = dspy.InputField(desc="length of the notes in words")
    notes: str = dspy.OutputField(desc="the notes")


__all__ = [
    "AggregateQuizzes",
    "AggregateSummaries",
    "DigestPassage",
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
