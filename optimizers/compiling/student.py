"""What an optimizer is shown of a program: one learner for each component, which writes nothing but an addendum.

All agents of a component learn the same addendum and demos, each beside its own angle. Task, guards and angle are shown
to whoever writes instructions, with the place of the role in the program, and stay as they are whatever it writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from summq.programs.runtime.role import Role
from summq.signatures import Document

ADDENDUM = "What is added to this task; write only this, as advice to whoever has the task:"
NONE = "(nothing yet)"
DOCUMENT_TEXTS = frozenset({"passage", "passages"})
"""Input fields that hold stretches of a document as plain text."""


@dataclass(frozen=True)
class Lesson:
    """What a component has learned."""

    addendum: str
    demos: tuple[dspy.Example, ...] = ()


@dataclass(frozen=True)
class Component:
    """The agents that play one role. Not a module: optimizers must not find the agents behind a learner."""

    agents: tuple[Role, ...]


class Learner(dspy.Predict):
    """The predictor that an optimizer sees in place of all agents of a component.

    Its instructions are what `shown` makes of the task and the addendum; its demos are those of all agents.
    """

    def __init__(self, agents: Sequence[Role]) -> None:
        first = agents[0]
        super().__init__(first.signature.with_instructions(shown(first, first.addendum)))
        self.demos = list(first.demos)
        self.component = Component(tuple(agents))

    @property
    def lesson(self) -> Lesson:
        """What was learned so far; demos without the texts of their documents."""
        return Lesson(
            addendum_in(self.signature.instructions, self.component.agents[0]),
            tuple(without_document(demo) for demo in self.demos),
        )

    def forward(self, *, agent: int = 0, **inputs: Any) -> dspy.Prediction:
        """Ask one agent, with its own angle and what the component has learned."""
        role, lesson = self.component.agents[agent], self.lesson
        given = {"lm": self.lm} if self.lm is not None else {}
        with dspy.context(trace=None):
            reply = role(signature=role.instructed(lesson.addendum), demos=list(lesson.demos), **{**given, **inputs})
        trace = dspy.settings.trace
        if trace is not None:
            trace.append((self, {name: inputs[name] for name in role.signature.input_fields if name in inputs}, reply))
        return reply


class Voice:
    """Stands where an agent stood in a program, and speaks through the learner of its component."""

    def __init__(self, learner: Learner, agent: int) -> None:
        self.learner = learner
        self.agent = agent

    def __call__(self, **inputs: Any) -> dspy.Prediction:
        return self.learner(agent=self.agent, **inputs)

    @property
    def _role(self) -> Role:
        return self.learner.component.agents[self.agent]

    @property
    def role(self) -> str:
        """The name of the role."""
        return self._role.role

    @property
    def signature(self) -> type[dspy.Signature]:
        """What the role is asked."""
        signature: type[dspy.Signature] = self._role.signature
        return signature


class Student(dspy.Module):
    """A copy of a program, or of a part of it, whose predictors are learners, by the names of their roles."""

    def __init__(self, part: dspy.Module) -> None:
        super().__init__()
        self.part = part.deepcopy()
        agents = [agent for _, agent in self.part.named_predictors() if isinstance(agent, Role)]
        components = {role: [a for a in agents if a.role == role] for role in dict.fromkeys(a.role for a in agents)}
        self.learners = {role: Learner(members) for role, members in components.items()}
        voices = {id(a): Voice(self.learners[r], k) for r, members in components.items() for k, a in enumerate(members)}
        for module in [self.part, *(module for _, module in self.part.named_sub_modules())]:
            _replace(module.__dict__, voices)

    def forward(self, **inputs: Any) -> Any:
        """Run the part."""
        return self.part(**inputs)


def teach(program: dspy.Module, lessons: Mapping[str, Lesson]) -> list[str]:
    """Give all agents of each role what it has learned; returns the names of their predictors."""
    changed = []
    for name, agent in program.named_predictors():
        lesson = lessons.get(agent.role) if isinstance(agent, Role) else None
        if lesson is not None:
            agent.signature, agent.demos = agent.instructed(lesson.addendum), list(lesson.demos)
            changed.append(name)
    return changed


def lessons_of(student: dspy.Module) -> dict[str, Lesson]:
    """What the learners of a student, or of a compiled copy of one, have learned, by their roles."""
    learners = (learner for _, learner in student.named_predictors() if isinstance(learner, Learner))
    return {learner.component.agents[0].role: learner.lesson for learner in learners}


def shown(role: Role, addendum: str) -> str:
    """The instructions as a writer of instructions gets to see them."""
    parts = ("This task is fixed:", role.frozen, place_of(role.role), ADDENDUM, addendum or NONE)
    return "\n\n".join(filter(None, parts))


def addendum_in(instructions: str, role: Role) -> str:
    """What is to be added to the task, out of whatever an optimizer wrote: it may repeat the task, or not."""
    return instructions.rpartition(ADDENDUM)[2].replace(role.frozen, "").replace(NONE, "").strip()


def without_document(demo: Any) -> dspy.Example:
    """A demo without the texts of its document, which would multiply the length of every prompt."""
    kept = {
        name: value
        for name, value in dict(demo).items()
        if name not in DOCUMENT_TEXTS and not isinstance(value, Document)
    }
    return dspy.Example(**kept)


def _replace(attributes: dict[str, Any], voices: Mapping[int, Voice]) -> None:
    for name, value in attributes.items():
        if id(value) in voices:
            attributes[name] = voices[id(value)]
        elif isinstance(value, list):
            value[:] = [voices.get(id(item), item) for item in value]


_READERS = {
    "summary": "All candidates go to an aggregator, which merges them, and to a ranker, which names the best of them.",
    "quiz": "All questions go to an aggregator, which selects among them, and to a ranker, which names the best quiz.",
}


def _stream(name: str) -> dict[str, str]:
    return {
        f"{name}_generator.draft": f"It comes first and gets the document alone. {_READERS[name]}",
        f"{name}_generator.revise": (
            f"It gets the {name} of the last iteration and the issues that reviewers agreed on. {_READERS[name]}"
        ),
        f"{name}_generator.vote": (
            "It gets the aggregate and the best draft, in an order that says nothing. What most generators vote for "
            "goes to the reviewers and into the examination."
        ),
        f"{name}_aggregator": (
            "It gets what several generators wrote independently. Generators then vote between its result and the "
            "draft that a ranker calls the best."
        ),
        f"{name}_ranker": (
            "It gets what several generators wrote independently. Generators then vote between its choice and an "
            "aggregate."
        ),
        f"{name}_reviewer.review": (
            f"It gets the {name} that the generators chose. Its issues are grouped with those of other reviewers; what "
            f"only one raised is debated; what stands goes to the generators, who revise the {name} by it. A false "
            f"issue makes the {name} worse."
        ),
        f"{name}_reviewer.debate": (
            "It gets issues that only one reviewer raised, and the arguments so far. What it upholds goes to the "
            "generators, who revise by it."
        ),
        f"{name}_reviewer.verdict": (
            "It gets contested issues with all arguments about them. What most uphold goes to the generators, who "
            "revise by it."
        ),
        f"{name}_grouper": (
            "It gets the issues of all reviewers. Those that it puts together count as agreed on; all others are "
            "debated."
        ),
    }


# Prompts proposed for a module whose place in the program is unknown drift.
PLACES = {
    **_stream("summary"),
    **_stream("quiz"),
    "examinee": "It gets a summary and a quiz written on the document. What it gets wrong is sent back as an omission.",
    "examinee.open_book": "It gets the document and a quiz. Questions that it can't answer as keyed are thrown out.",
    "grader": "It gets an examinee's short answers with their keys. Its marks decide what the summary lacks.",
    "rewriter": "It gets the final summary. What it writes is what the user reads.",
    "digester": "It gets one passage of a document that is too long to be read. Everybody else reads only its notes.",
}


def place_of(role: str) -> str:
    """What a role gets from whom and who reads it; empty for a role that is not of the program."""
    place = PLACES.get(role, "")
    return f"Its place in the program: {place}" if place else ""


__all__ = ["Lesson", "Student", "lessons_of", "teach", "without_document"]
