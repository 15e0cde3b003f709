"""What reviewers raise, argue about and decide (Algorithm 3). The examinee's failures take the same form."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from summq.signatures.parsing import Listing, Text


class Issue(BaseModel):
    """One thing that is wrong with a draft. Permissive when parsed; one without a target or explanation is dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Annotated[
        Text,
        Field(
            json_schema_extra={"maxLength": 20},
            description="summary: factual_error, omission, redundancy, incoherence; "
            "quiz: wrong_answer, ambiguous, unanswerable, trivial, duplicate, coverage_gap",
        ),
    ] = ""
    target: Annotated[
        Text,
        Field(
            json_schema_extra={"maxLength": 300},
            description="the words of the summary, or the number of the question, that the issue is about",
        ),
    ] = ""
    explanation: Annotated[Text, Field(json_schema_extra={"maxLength": 400}, description="what is wrong, and why")] = ""
    evidence: Annotated[
        Text, Field(json_schema_extra={"maxLength": 500}, description="a sentence of the document, word for word")
    ] = ""
    fix: Annotated[Text, Field(json_schema_extra={"maxLength": 400}, description="what to write instead")] = ""

    def __bool__(self) -> bool:
        """Whether the issue says anything."""
        return bool(self.target or self.explanation)


class IssueList(Listing):
    """Issues found by one reviewer; empty when there is nothing to say."""

    issues: list[Issue] = Field(json_schema_extra={"maxItems": 20})


class NumberedIssue(Issue):
    """An issue with the id under which it is grouped, debated and decided."""

    id: str
    reviewer: int = Field(default=-1, description="index of the reviewer who raised it")


class IssueGroups(Listing):
    """Issues that say the same thing, by id."""

    groups: list[Annotated[list[Text], Field(json_schema_extra={"maxItems": 10})]] = Field(
        json_schema_extra={"maxItems": 40}, description="each group lists the ids of issues that are the same"
    )


class Argument(BaseModel):
    """What one reviewer holds about one contested issue."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issue: Annotated[Text, Field(description="id of the issue")] = ""
    argument: Annotated[Text, Field(json_schema_extra={"maxLength": 400})] = ""
    evidence: Annotated[
        Text, Field(json_schema_extra={"maxLength": 400}, description="a sentence of the document, word for word")
    ] = ""
    uphold: Annotated[bool | None, Field(description="true: the issue stands; false: it does not")] = None


class Arguments(Listing):
    """One reviewer's arguments of one round, one for each contested issue."""

    arguments: list[Argument] = Field(json_schema_extra={"maxItems": 40})


class HeardArgument(Argument):
    """An argument as the other reviewers hear it."""

    reviewer: int
    round: int


class Verdict(BaseModel):
    """One reviewer's vote on one contested issue."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issue: Annotated[Text, Field(description="id of the issue")] = ""
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
    "Verdict",
    "Verdicts",
]
