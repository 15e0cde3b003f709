"""What reviewers are asked (Algorithm 3): annotate, tell which issues are the same, debate, decide."""

import dspy

from summq.signatures.document import Document
from summq.signatures.issues import (
    Arguments,
    HeardArgument,
    IssueGroups,
    NumberedIssue,
    QuizIssues,
    SummaryIssues,
    Verdicts,
)
from summq.signatures.questions import Quiz, SheetItem


class ReviewSummary(dspy.Signature):
    """Review a summary against its document: list what is wrong with it, the gravest first.

    - factual_error: the document says otherwise, or says nothing of the kind. Check names, figures, dates, who did what
      to whom, and what led to what.
    - omission: something that a reader needs in order to understand what happened and why is missing, above all what
      the quiz asks about. Say what it is and quote where the document tells it. The summary is to answer the quiz, not
      to mention it.
    - redundancy: something is said twice, or takes room that something more important needs.
    - incoherence: a sentence can't be understood where it stands, since it leaves open who or what is meant.

    Name one fault in each issue, quote the words that have it, prove it with a sentence of the document, and say what
    to write instead. A good issue makes the summary better when it is met. A sound summary has none: invent none.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    questions: list[SheetItem] = dspy.InputField(desc="the quiz that readers of the summary will take")
    summary: str = dspy.InputField(desc="the summary under review")
    found: SummaryIssues = dspy.OutputField(desc="the issues, the gravest first; empty if there are none")


class ReviewQuiz(dspy.Signature):
    """Review a quiz against its document: list what is wrong with it, the gravest first.

    - wrong_answer: the document gives another answer than the key.
    - ambiguous: the document bears out more than one answer or option, or the question leaves open what it asks about.
    - unanswerable: the document does not tell.
    - trivial: it can be answered without having read anything, or it asks about what does not matter.
    - duplicate: another question asks for the same fact.
    - coverage_gap: something that matters is not asked about.

    Name one fault in each issue and the number of the question that has it, prove it with a sentence of the document,
    and say how to mend it. A true_false statement is meant to be false where its key is false. That the summary does
    not answer a question is no fault of the question. A sound quiz has no issues: invent none.
    """

    document: Document = dspy.InputField(desc="the document that the quiz is about")
    quiz: Quiz = dspy.InputField(desc="the quiz under review, with its answers")
    summary: str = dspy.InputField(desc="the summary from which the quiz will be taken")
    found: QuizIssues = dspy.OutputField(desc="the issues, the gravest first; empty if there are none")


class GroupIssues(dspy.Signature):
    """Put together the issues that are the same.

    Issues are the same when mending one mends the other: they are about the same words or the same question and say the
    same is wrong with it. Leave out issues that stand alone.
    """

    issues: list[NumberedIssue] = dspy.InputField(desc="issues raised independently by several reviewers")
    same: IssueGroups = dspy.OutputField(desc="groups of ids of issues that are the same")


class DebateIssues(dspy.Signature):
    """Debate the contested issues that were raised about a draft.

    Take each issue in turn: check it against the document, weigh the arguments heard so far, and argue for or against
    it in a sentence or two, with a quotation from the document as evidence unless the issue has it already. Change your
    mind when the evidence is against you.
    """

    document: Document = dspy.InputField(desc="the evidence: the document, or the passages of it that matter here")
    draft: str = dspy.InputField(desc="what the issues are about")
    contested: list[NumberedIssue] = dspy.InputField(desc="issues that only one reviewer raised")
    heard: list[HeardArgument] = dspy.InputField(desc="arguments of earlier rounds; each quotation stands here once")
    debate: Arguments = dspy.OutputField(desc="one argument for each contested issue")


class DecideIssues(dspy.Signature):
    """Vote on each contested issue that was raised about a draft.

    Uphold an issue if the document and the arguments show that the draft has this fault and that mending it would make
    the draft better; otherwise reject it. Give the reason first, then the vote.
    """

    document: Document = dspy.InputField(desc="the document, which is the evidence")
    draft: str = dspy.InputField(desc="what the issues are about")
    contested: list[NumberedIssue] = dspy.InputField(desc="issues to vote on")
    heard: list[HeardArgument] = dspy.InputField(desc="the arguments of the debate; each quotation stands here once")
    votes: Verdicts = dspy.OutputField(desc="one vote for each contested issue")


__all__ = ["DebateIssues", "DecideIssues", "GroupIssues", "ReviewQuiz", "ReviewSummary"]
