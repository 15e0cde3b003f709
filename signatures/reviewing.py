"""What reviewers are asked (Algorithm 3): annotate, tell which issues are the same, debate, decide."""

import dspy

from summq.signatures.document import Document
from summq.signatures.issues import Arguments, HeardArgument, IssueGroups, IssueList, NumberedIssue, Verdicts
from summq.signatures.questions import Quiz, SheetItem


class ReviewSummary(dspy.Signature):
    """Review a summary against its document and list what is wrong with it.

    Look for factual errors (the document says otherwise, or says nothing of the kind), omissions (something that
    matters, above all something that the exam asks about, is missing), redundancy (something is said twice or does
    not matter), and incoherence (a sentence can't be understood where it stands). Quote what you mean, prove it with
    a sentence of the document, and say what to write instead. A sound summary has no issues: do not invent any.
    """

    document: Document = dspy.InputField(desc="the document that was summarised")
    questions: list[SheetItem] = dspy.InputField(desc="an exam that readers of the summary will sit")
    summary: str = dspy.InputField(desc="the summary under review")
    found: IssueList = dspy.OutputField(desc="the issues, the gravest first; empty if there are none")


class ReviewQuiz(dspy.Signature):
    """Review an exam against its document and list what is wrong with it.

    Look for wrong answers, ambiguous questions (more than one answer is right), unanswerable ones (the document does
    not tell), trivial ones (answerable without having read anything, or about what does not matter), duplicates, and
    gaps in coverage (something that matters is not asked). Name the number of the question, prove the issue with a
    sentence of the document, and say how to mend it. A sound exam has no issues: do not invent any. That the summary
    does not answer a question is no fault of the question.
    """

    document: Document = dspy.InputField(desc="the document examined on")
    quiz: Quiz = dspy.InputField(desc="the exam under review, questions numbered from 1 in this order")
    summary: str = dspy.InputField(desc="the summary on which it will be sat")
    found: IssueList = dspy.OutputField(desc="the issues, the gravest first; empty if there are none")


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
    it in a sentence or two, with a quotation from the document as evidence. Change your mind when the evidence is
    against you.
    """

    document: Document = dspy.InputField(desc="the evidence: the document, or the passages of it that matter here")
    draft: str = dspy.InputField(desc="what the issues are about")
    contested: list[NumberedIssue] = dspy.InputField(desc="issues that only one reviewer raised")
    heard: list[HeardArgument] = dspy.InputField(desc="arguments of earlier rounds")
    debate: Arguments = dspy.OutputField(desc="one argument for each contested issue")


class DecideIssues(dspy.Signature):
    """Vote on each contested issue that was raised about a draft.

    Uphold an issue if the document and the arguments show that the draft has this fault and that mending it would make
    the draft better; otherwise reject it.
    """

    document: Document = dspy.InputField(desc="the document, which is the evidence")
    draft: str = dspy.InputField(desc="what the issues are about")
    contested: list[NumberedIssue] = dspy.InputField(desc="issues to vote on")
    heard: list[HeardArgument] = dspy.InputField(desc="the arguments of the debate")
    votes: Verdicts = dspy.OutputField(desc="one vote for each contested issue")


__all__ = ["DebateIssues", "DecideIssues", "GroupIssues", "ReviewQuiz", "ReviewSummary"]
