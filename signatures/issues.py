"""What reviewers raise, argue about and decide (Algorithm 3). The examinee's failures take the same form."""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from summq.signatures.parsing import LONGEST, Listing, Text, index_of, label

MOST_ISSUES = 10  # that a reviewer is asked for at a time, the gravest first
STANDS = {True: "for it", False: "against it", None: "undecided"}
QUOTED = "Evidence: "


class Issue(BaseModel):
    """One thing that is wrong with a draft. Permissive when parsed; one that says nothing, or was cut, is dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Text = ""
    target: Annotated[Text, Field(description="the words, or the number of the question, that the issue is about")] = ""
    explanation: Annotated[Text, Field(description="what is wrong, and why, in one or two sentences")] = ""
    evidence: Annotated[Text, Field(description="the sentence of the document that proves it, word for word")] = ""
    fix: Annotated[Text, Field(description="what to write instead, in one sentence")] = ""

    def __bool__(self) -> bool:
        """Whether the issue says anything, and says it to the end."""
        texts = (self.target, self.explanation, self.evidence, self.fix)
        return bool(self.target or self.explanation) and all(len(text) < LONGEST for text in texts)


def _kinds(*kinds: str) -> Any:
    return Field(json_schema_extra={"enum": list(kinds)})


class SummaryIssue(Issue):
    """An issue of a summary, as its reviewers are asked for it."""

    kind: Annotated[Text, _kinds("factual_error", "omission", "redundancy", "incoherence")] = ""
    target: Annotated[
        Text, Field(description="the words of the summary that the issue is about; for an omission, what is missing")
    ] = ""


class QuizIssue(Issue):
    """An issue of a quiz, as its reviewers are asked for it."""

    kind: Annotated[
        Text, _kinds("wrong_answer", "ambiguous", "unanswerable", "trivial", "duplicate", "coverage_gap")
    ] = ""
    target: Annotated[
        Text, Field(description="the number of the question; for a coverage_gap, what nothing is asked about")
    ] = ""


class IssueList(Listing):
    """Issues found by one reviewer; empty when there is nothing to say."""

    issues: list[Issue]


class SummaryIssues(Listing):
    """Issues found by one reviewer of summaries; empty when there is nothing to say."""

    issues: list[SummaryIssue] = Field(json_schema_extra={"maxItems": MOST_ISSUES})


class QuizIssues(Listing):
    """Issues found by one reviewer of quizzes; empty when there is nothing to say."""

    issues: list[QuizIssue] = Field(json_schema_extra={"maxItems": MOST_ISSUES})


class NumberedIssue(Issue):
    """An issue with the id under which it is grouped, debated and decided."""

    id: str
    reviewer: int = Field(default=-1, description="index of the reviewer who raised it, of whose letter the id is made")

    @model_validator(mode="before")
    @classmethod
    def _reviewer_of_id(cls, value: Any) -> Any:
        letters = re.fullmatch(r"([A-Z]{1,9})\d+", str(value.get("id"))) if isinstance(value, dict) else None
        return {"reviewer": index_of(letters[1]), **value} if letters else value


class IssueGroups(Listing):
    """Issues that say the same thing, by id."""

    groups: list[Annotated[list[Text], Field(json_schema_extra={"maxItems": 10})]] = Field(
        json_schema_extra={"maxItems": 40}, description="each group lists the ids of issues that are the same"
    )


class Argument(BaseModel):
    """What one reviewer holds about one contested issue."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issue: Annotated[Text, Field(description="id of the issue")] = ""
    argument: Annotated[Text, Field(description="why the issue stands or does not, in a sentence or two")] = ""
    evidence: Annotated[
        Text,
        Field(description="the sentence of the document that decides it, word for word; empty if the issue quotes it"),
    ] = ""
    uphold: Annotated[bool | None, Field(description="true: the issue stands; false: it does not")] = None


class Arguments(Listing):
    """One reviewer's arguments of one round, one for each contested issue."""

    arguments: list[Argument] = Field(json_schema_extra={"maxItems": 40})


class HeardArgument(Argument):
    """An argument as the other reviewers hear it: in one line, under the letter that begins its reviewer's ids."""

    template: ClassVar = "{issue}, reviewer {who} in round {round}, {stand}: {words}"

    reviewer: int
    round: int

    @property
    def who(self) -> str:
        """The letter of the reviewer."""
        return label(self.reviewer)

    @property
    def stand(self) -> str:
        """On which side the reviewer is."""
        return STANDS[self.uphold]

    @property
    def words(self) -> str:
        """The argument and what it quotes."""
        argument = self.argument or "No reason is given."
        return f"{argument} {QUOTED}{self.evidence}" if self.evidence else argument

    @model_validator(mode="before")
    @classmethod
    def _as_shown(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "words" not in value:
            return value
        argument, _, evidence = value["words"].partition(f" {QUOTED}")
        uphold = next((side for side, name in STANDS.items() if name == value["stand"]), None)
        return {
            **value,
            "reviewer": index_of(value["who"]),
            "uphold": uphold,
            "argument": argument,
            "evidence": evidence,
        }


class Verdict(BaseModel):
    """One reviewer's vote on one contested issue."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issue: Annotated[Text, Field(description="id of the issue")] = ""
    reason: Annotated[Text, Field(description="what decides it, in one sentence")] = ""
    uphold: Annotated[bool | None, Field(description="true: the issue stands; false: it does not")] = None


class Verdicts(Listing):
    """One reviewer's votes, one for each contested issue."""

    verdicts: list[Verdict] = Field(json_schema_extra={"maxItems": 40})


class FailedQuestion(Issue):
    """A quiz question that a reader of the summary answered wrongly or not at all, as writers are told: never its key.

    For the writers of the summary `target` is the question, for those of the quiz its number.
    """

    kind: Literal["failed_question"] = "failed_question"
    question_number: int
    question_kind: str


__all__ = [
    "Argument",
    "Arguments",
    "FailedQuestion",
    "HeardArgument",
    "Issue",
    "IssueGroups",
    "IssueList",
    "NumberedIssue",
    "QuizIssue",
    "QuizIssues",
    "SummaryIssue",
    "SummaryIssues",
    "Verdict",
    "Verdicts",
]
