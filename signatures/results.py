"""What a run hands back: every draft, vote, annotation, argument, verdict and answer, and what it cost."""

import textwrap
from typing import Generic, Literal, TypeVar

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, computed_field

from summq.signatures.exams import Exam
from summq.signatures.issues import FailedQuestion, HeardArgument, Issue, NumberedIssue, Verdict
from summq.signatures.questions import QuestionCounts, Quiz

Artifact = TypeVar("Artifact")
Choice = Literal["aggregate", "best"]
Decision = Literal["single", "equal", "vote", "tie", "only_candidate", "budget", "kept", "unrevised"]
REPR_CHARACTERS = 80
StopReason = Literal["no_feedback", "accepted", "unchanged", "max_iterations", "budget"]


class Record(BaseModel):
    """Base of everything that a result records: frozen."""

    model_config = ConfigDict(frozen=True)


class LostAgent(Record):
    """An agent whose reply could not be had or used."""

    role: str
    member: int
    error: str


class Vote(Record):
    """One generator's choice between the aggregate and the best draft."""

    voter: int
    choice: Choice
    shown_first: Choice


class Generation(Record, Generic[Artifact]):
    """One run of Algorithm 2: the drafts, the two candidates, the votes, and what won."""

    drafts: list[Artifact]
    aggregate: Artifact | None = Field(default=None, description="None when there was only one draft")
    best: int | None = Field(default=None, description="index of the draft that was ranked best")
    votes: list[Vote] = Field(default_factory=list)
    decided_by: Decision
    chosen: Artifact
    lost: list[LostAgent] = Field(default_factory=list)
    left_out: list[str] = Field(
        default_factory=list, description="last sentences of texts that stayed too long when they had been sent back"
    )
    saved: dict[str, int] = Field(default_factory=dict, description="what was spared, by the rule: see SummQResult")


class IssueOutcome(Record):
    """What became of one group of issues that are the same."""

    issue: NumberedIssue
    members: list[str] = Field(description="ids of the issues in the group")
    reviewers: list[int]
    status: Literal["agreed", "upheld", "rejected"]
    upheld: int = 0
    votes: int = 0


class ReviewerVerdicts(Record):
    """One reviewer's votes on the contested issues."""

    reviewer: int
    verdicts: list[Verdict]


class ReviewRecord(Record):
    """One run of Algorithm 3: annotations, groups, debate, votes, and the issues that stand."""

    annotations: list[NumberedIssue]
    grouped_by: Literal["none", "call", "rule"]
    outcomes: list[IssueOutcome]
    arguments: list[HeardArgument] = Field(default_factory=list)
    verdicts: list[ReviewerVerdicts] = Field(default_factory=list)
    issues: list[Issue] = Field(description="M + K: what was agreed or upheld")
    lost: list[LostAgent] = Field(default_factory=list)
    saved: dict[str, int] = Field(default_factory=dict, description="what was spared, by the rule: see SummQResult")


class Tally(Record):
    """Calls, tokens, money and time."""

    calls: int = 0
    cache_hits: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = Field(default=0.0, description="USD; None when the price of any call is unknown")
    seconds: float = Field(default=0.0, description="time spent in calls, added up over parallel ones")


class Usage(Tally):
    """A tally for the whole run and for each role."""

    roles: dict[str, Tally] = Field(default_factory=dict)


class Iteration(Record):
    """One round of Algorithm 1."""

    summary: str
    quiz: Quiz | None
    summary_generation: Generation[str]
    quiz_generation: Generation[Quiz] | None
    summary_review: ReviewRecord
    quiz_review: ReviewRecord | None
    exam: Exam | None
    summary_feedback: list[FailedQuestion | Issue] = Field(description="what its next writers are told, gravest first")
    quiz_feedback: list[FailedQuestion | Issue]
    unused_feedback: list[FailedQuestion | Issue] = Field(
        default_factory=list, description="the least grave, for which a revision of that length has no room"
    )
    lost: list[LostAgent] = Field(default_factory=list, description="examinees and graders whose replies were lost")

    @property
    def review_issues(self) -> list[Issue]:
        """What reviewers of both streams agreed on or upheld."""
        return [*self.summary_review.issues, *(self.quiz_review.issues if self.quiz_review else [])]

    @property
    def all_lost(self) -> list[LostAgent]:
        """Every agent that was lost in this round, generators and reviewers included."""
        records = (self.summary_generation, self.quiz_generation, self.summary_review, self.quiz_review)
        return [lost for record in records if record for lost in record.lost] + self.lost


class SummQResult(Record):
    """The outcome of a run of SummQ. It can be replayed from its iterations on paper.

    Its `repr` is a line; notebooks show the summary and its exam.
    """

    schema_version: int = Field(default=1, serialization_alias="schema", validation_alias="schema")
    summary: str
    quiz: Quiz | None
    wanted: QuestionCounts | None = Field(default=None, description="how many questions the quiz was to have")
    wanted_words: int | None = Field(default=None, description="how long the summary was to be")
    exam: Exam | None
    iterations: list[SerializeAsAny[Iteration]]
    returned: int = Field(description="index of the iteration whose summary was returned")
    stop_reason: StopReason
    lost: list[LostAgent] = Field(default_factory=list, description="agents lost after the last iteration")
    digested: int = Field(default=0, description="passages read through notes because the document exceeds the window")
    digest: str = Field(default="", description="those notes; empty when the document fits")
    rewritten: bool = Field(default=False, description="whether a length-controlled rewrite was the last step")
    savings: dict[str, int] = Field(
        default_factory=dict,
        description="what was spared, by rule: calls that were not made; readings of the document by calls that were "
        "(comparing_without_document, debate_on_passages)",
    )
    usage: Usage = Field(default_factory=Usage)

    @computed_field
    @property
    def missing(self) -> QuestionCounts | None:
        """How many of the wanted questions the quiz lacks; None without a quiz."""
        return self.wanted.lacking(self.quiz.questions) if self.wanted and self.quiz else None

    @property
    def left_out(self) -> list[str]:
        """The last sentences of drafts that stayed too long when they had been sent back."""
        return [sentence for iteration in self.iterations for sentence in iteration.summary_generation.left_out]

    @property
    def cut_short(self) -> bool:
        """Whether a budget ended within the run: the summary is what there was by then."""
        generations = (one for i in self.iterations for one in (i.summary_generation, i.quiz_generation) if one)
        return self.stop_reason == "budget" or any(one.decided_by == "budget" for one in generations)

    def __repr__(self) -> str:
        start = textwrap.shorten(self.summary, REPR_CHARACTERS, placeholder="...")
        return f"SummQResult({start!r}, {self.exam!r}, iterations={len(self.iterations)}, stopped={self.stop_reason!r})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        paragraphs = Markup("").join(map(Markup("<p>{}</p>").format, self.summary.split("\n\n")))
        answers = self.exam.answers if self.exam else []
        marks = {True: "right", False: "wrong", None: "unscored"}
        rows = Markup("").join(
            Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
                a.number, a.question, a.given or "", "not in summary" if a.not_in_summary else marks[a.correct]
            )
            for a in answers
        )
        head = Markup("<tr><th>#</th><th>question</th><th>answer from the summary</th><th>mark</th></tr>")
        table = Markup("<details><summary>{!r}</summary><table>{}{}</table></details>").format(self.exam, head, rows)
        return str(paragraphs + table if answers else paragraphs)


__all__ = [
    "Choice",
    "Decision",
    "Generation",
    "IssueOutcome",
    "Iteration",
    "LostAgent",
    "ReviewRecord",
    "ReviewerVerdicts",
    "StopReason",
    "SummQResult",
    "Tally",
    "Usage",
    "Vote",
]
