"""A scripted language model: it answers every role by plan, remembers what it was asked, and fails on demand.

Unplanned roles do their work well: drafts are sound, reviewers find nothing, the examinee answers everything right.
The document that they work on is a row of halls, each with a number of lamps that nothing else tells.
"""

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, Usage
from pydantic import BaseModel, TypeAdapter

from summq.programs.runtime.offline.request import read_request
from summq.programs.runtime.offline.roles import rule_for
from summq.programs.runtime.readable import understood
from summq.programs.runtime.session import Session, session
from summq.signatures import NOT_KNOWN, Document, Issue, Question, QuestionCounts
from tests.fakes import InstantEngine, instant_backbone

COMPLETED = "[[ ## completed ## ]]"
GARBLED = "I am sorry, the halls are dark."


@dataclass(frozen=True)
class Asked:
    """A request, and whose it was."""

    role: str
    agent: int
    request: Request

    @property
    def text(self) -> str:
        """Everything that the request says, system line included."""
        return "\n".join([str(self.request.system or ""), *(turn.text or "" for turn in self.request.messages)])

    def shown(self, name: str) -> str:
        """An input field as it stands in the last turn."""
        asked = read_request(self.request)
        assert asked is not None
        return asked.inputs[name]

    def __getitem__(self, name: str) -> str:
        """An input field of the last turn: a text as it is, anything else as JSON."""
        asked = read_request(self.request)
        rule = rule_for(asked) if asked else None
        kind: Any = rule.signature.input_fields[name].annotation if rule else str
        value = understood(self.shown(name), kind)
        return value if kind is str else TypeAdapter(kind).dump_json(value).decode()


Outputs = Mapping[str, Any]
Plan = Mapping[str, Any]


class Overheard:
    """Remembers what an engine is asked."""

    supports_function_calling = False
    supports_reasoning = False

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.supports_response_schema = engine.supports_response_schema
        self.supported_params = engine.supported_params
        self.asked: list[Asked] = []

    def complete(self, request: Request) -> Response:
        asked = Asked(str(dspy.settings.get("role")), int(dspy.settings.get("agent") or 0), request)
        self.asked.append(asked)
        response: Response = self.engine.complete(request)
        return response

    def of(self, role: str) -> list[Asked]:
        """What one role (all its duties, if none is named) was asked, agent by agent."""
        mine = [a for a in self.asked if a.role == role or a.role.startswith(f"{role}.")]
        return sorted(mine, key=lambda a: a.agent)

    @property
    def calls(self) -> dict[str, int]:
        """How many calls each role made."""
        return dict(Counter(a.role for a in self.asked))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Planted(Overheard):
    """An engine that answers by plan, in chat layout, or in JSON where a schema is given.

    A plan maps a role, or one agent of it (`summary_generator.vote#1`), to its outputs by field, to a raw reply, to an
    exception that is raised, to a function of `Asked` that gives one of these, or to a list of them for successive
    calls of one agent, of which the last one serves all further calls.
    """

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(InstantEngine())
        self.plan = plan or {}

    def complete(self, request: Request) -> Response:
        response = super().complete(request)
        asked = Asked(str(dspy.settings.get("role")), int(dspy.settings.get("agent") or 0), request)
        mine = [a for a in self.asked if (a.role, a.agent) == (asked.role, asked.agent)]
        reply = self._reply(asked, len(mine) - 1)
        usage = Usage(input_tokens=len(asked.text) // 4, output_tokens=1 + len(reply) // 4)
        return replace(response, message=Message.assistant([TextPart(reply)]), usage=usage)

    def _reply(self, asked: Asked, turn: int) -> str:
        answer: Any = self.plan.get(f"{asked.role}#{asked.agent}", self.plan.get(asked.role))
        if isinstance(answer, list):
            answer = answer[min(turn, len(answer) - 1)]
        if callable(answer):
            answer = answer(asked)
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            answer = soundly(asked)
        if isinstance(answer, str):
            return answer
        if asked.request.config.response_format is not None:
            return _written(answer)
        return in_chat(answer) if COMPLETED in (asked.request.messages[-1].text or "") else str(*answer.values())


class Faulty(Overheard):
    """Spoils a share of an engine's replies: some turn to noise, some are cut off, some lose a stretch. Seeded."""

    def __init__(self, engine: Any, rate: float, seed: int = 0) -> None:
        super().__init__(engine)
        self.rate = rate
        self.seed = seed
        self.spoiled = 0
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Response:
        response = super().complete(request)
        with self._lock:
            said = Asked("", 0, request).text
            self._times[said] += 1
            dice = random.Random(f"{self.seed}/{self._times[said]}/{said}")
            if dice.random() >= self.rate:
                return response
            self.spoiled += 1
        spoiled, reason = self.spoil(response.message.text or "", dice)
        return replace(response, message=Message.assistant([TextPart(spoiled)]), finish_reason=reason)

    def spoil(self, text: str, dice: random.Random) -> tuple[str, str]:
        """What becomes of a reply, and why it is said to have ended."""
        start, end = sorted(dice.sample(range(len(text) + 1), 2))
        return dice.choice(
            [(GARBLED, "stop"), (text[:start], "stop"), (text[:end], "length"), (text[:start] + text[end:], "stop")]
        )


@contextmanager
def planted(plan: Plan | None = None, **options: Any) -> Iterator[Planted]:
    """A session on an engine with this plan; replies are not cached unless `cache=True`."""
    engine = Planted(plan)
    with on(engine, **options):
        yield engine


@contextmanager
def on(
    engine: Any, *, cache: bool = False, constrained: bool = False, window: int | None = None, **options: Any
) -> Iterator[Session]:
    """A session on an engine, failing at once where a backbone would wait and try again."""
    backbone = instant_backbone(engine, constrained=constrained, attempts=1, cache=cache, window=window)
    with session(backbone, cache_dir="", **options) as current:
        yield current


def in_chat(outputs: Outputs) -> str:
    """Outputs as a chat reply."""
    blocks = [f"[[ ## {name} ## ]]\n{_written(value)}" for name, value in outputs.items()]
    return "\n\n".join([*blocks, COMPLETED])


def lamps(hall: int) -> int:
    """How many lamps a hall has."""
    return 1000 + 7 * hall


def sentence(hall: int) -> str:
    """What the document says about a hall."""
    return f"In hall {hall} the keeper found {lamps(hall)} lamps."


def halls(number: int = 100) -> Document:
    """A document about so many halls."""
    return Document(text=" ".join(sentence(hall) for hall in range(1, number + 1)), title="Halls")


def question(hall: int, kind: str = "short_answer", **changes: Any) -> Question:
    """A sound question about a hall."""
    right = str(lamps(hall))
    options = [str(lamps(hall) + k) for k in (1, 0, 2, 3)]
    forms: dict[str, dict[str, Any]] = {
        "short_answer": {"question": f"How many lamps has hall {hall}?", "answer": right},
        "true_false": {"question": f"True or false: hall {hall} has {right} lamps.", "answer": "true"},
        "multiple_choice": {"question": f"Which number of lamps has hall {hall}?", "answer": right, "options": options},
    }
    return Question.model_validate({"kind": kind, **forms[kind], "evidence": sentence(hall), **changes})


def issue(target: str = "hall", kind: str = "omission", explanation: str = "It is not told.") -> Issue:
    """An issue that a reviewer may raise."""
    return Issue(kind=kind, target=target, explanation=explanation)


def found(*issues: Issue) -> Outputs:
    """A reviewer's reply."""
    return {"found": {"issues": [i.model_dump() for i in issues]}}


def stands(**uphold: bool | None) -> Callable[[Asked], Outputs]:
    """A reply in a debate or a vote: by id (`A1=True`), `default` for all other issues."""

    def reply(asked: Asked) -> Outputs:
        ids = [str(i["id"]) for i in json.loads(asked["contested"])]
        said = [{"issue": i, "uphold": uphold.get(i, uphold.get("default"))} for i in ids]
        if asked.role.endswith("verdict"):
            return {"votes": {"verdicts": said}}
        return {"debate": {"arguments": [{**s, "argument": f"Said by {asked.agent}."} for s in said]}}

    return reply


def soundly(asked: Asked) -> Outputs:
    """What a role answers that has no plan."""
    name, _, duty = asked.role.partition(".")
    if duty in ("draft", "revise"):
        return {"summary": f"Summary by {asked.agent}."} if name.startswith("summary") else {"quiz": wanted_quiz(asked)}
    if asked.role == "examinee.blind":
        return {
            "sheet": {"answers": [{"number": i["number"], "answer": NOT_KNOWN} for i in json.loads(asked["questions"])]}
        }
    if name == "examinee":
        return {"sheet": {"answers": [_right(item) for item in json.loads(asked["questions"])]}}
    if name == "grader":
        return {"marks": {"grades": [{"number": g["number"], "correct": False} for g in json.loads(asked["given"])]}}
    return _SOUND.get(asked.role) or _SOUND[asked.role.partition("_")[2]]


def wanted_quiz(asked: Asked) -> list[Question]:
    """As many questions as are wanted, about halls of all parts that are not asked about yet; members differ."""
    counts = QuestionCounts.model_validate_json(asked["wanted"])
    taken = {int(hall) for hall in re.findall(r"hall (\d+)", asked.request.messages[-1].text or "")}
    order = random.Random(asked.agent).sample(range(1, 101), 100)
    free = iter(hall for hall in order if hall not in taken)
    return [question(next(free), kind) for kind, n in counts.model_dump().items() for _ in range(n)]


def _right(item: dict[str, Any]) -> dict[str, Any]:
    hall = int(re.findall(r"hall (\d+)", item["question"])[0])
    return {"number": item["number"], "answer": "true" if item["kind"] == "true_false" else str(lamps(hall))}


_SOUND: dict[str, Outputs] = {
    "summary_aggregator": {"summary": "Aggregate."},
    "quiz_aggregator": {"chosen": []},
    "ranker": {"best": "A"},
    "generator.vote": {"better": "first"},
    "reviewer.review": {"found": {"issues": []}},
    "reviewer.debate": {"debate": {"arguments": []}},
    "reviewer.verdict": {"votes": {"verdicts": []}},
    "grouper": {"same": {"groups": []}},
    "rewriter": {"rewritten": "Rewritten."},
    "digester": {"notes": "Notes."},
}


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, default=lambda item: item.model_dump() if isinstance(item, BaseModel) else str(item))


__all__ = [
    "GARBLED",
    "Asked",
    "Faulty",
    "Overheard",
    "Plan",
    "Planted",
    "found",
    "halls",
    "in_chat",
    "issue",
    "lamps",
    "on",
    "planted",
    "question",
    "sentence",
    "soundly",
    "stands",
    "wanted_quiz",
]
