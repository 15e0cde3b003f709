"""A language model by script, for which prompts can be good or bad.

It summarises reports of accidents in a harbour. Each report has a crane, a berth and a cargo. The summary always names
the crane. The first generator names the berth, and the second the cargo, where its instructions ask for it, where a
demo does so, and by luck in every third report. Instructions that ask for something else make it forget the crane too.
As a prompt model it writes instructions: it asks for what its request shows to be wanted, else for something useless.
"""

import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import dspy
from dspy.lm15 import Request, Response, Usage

from summq.eval.data import Row
from summq.programs import SummQ
from summq.programs.generate import ANGLES
from summq.programs.runtime.offline.request import read_request
from summq.programs.runtime.readable import understood
from summq.signatures import Document
from tests.fakes import InstantEngine

FACTS = ("berth", "cargo")
USELESS = ("Write in rhymes.", "Be funny.", "Use capital letters.")


def rows(number: int, start: int = 0) -> list[Row]:
    """Reports with their references."""
    return [_row(k) for k in range(start, start + number)]


def program() -> SummQ:
    """Two generators, one reviewer, no quiz: ten predictors, of which two decide about the score."""
    return SummQ.preset("solo", summary_generators=2, quiz_stream=False, max_iterations=1, check_length=False)


def facts_named(gold: dspy.Example, pred: Any, trace: Any = None, *_: Any) -> dspy.Prediction:
    """The share of the three facts that the summary names, with those that are missing as feedback."""
    missing = [fact for fact in ("crane", *FACTS) if fact not in pred.summary]
    return dspy.Prediction(score=1 - len(missing) / 3, feedback=" ".join(f"Missing: the {fact}." for fact in missing))


class ScriptedModel(InstantEngine):
    """Plays every role of `program()`, and the prompt model."""

    def __init__(self) -> None:
        super().__init__(self._reply)
        self._useless = itertools.cycle(USELESS)
        self._luck = itertools.count()
        self.supports_response_schema = False

    def complete(self, request: Request) -> Response:
        read = sum(len(message.text or "") for message in request.messages)
        return replace(super().complete(request), usage=Usage(input_tokens=read, output_tokens=10))

    def _reply(self, request: Request) -> str:
        asked = read_request(request)
        assert asked is not None
        wanted, values = asked.output_names, dict(asked.inputs)
        return "\n\n".join(
            [*(f"[[ ## {name} ## ]]\n{self._value(name, request, values)}" for name in wanted), "[[ ## completed ## ]]"]
        )

    def _value(self, name: str, request: Request, values: dict[str, str]) -> str:
        writers: dict[str, Callable[[Request, dict[str, str]], str]] = {
            "summary": self._summary,
            "best": lambda *_: "A",
            "better": lambda _, v: max(("first", "second"), key=lambda k: len(v[k])),
            "found": lambda *_: '{"issues": []}',
            "new_instruction": lambda r, v: f"{v['current_instruction']}\n{self._advice(v['examples_with_feedback'])}",
            "proposed_instruction": self._proposal,
            "proposed_prefix_for_output_field": lambda *_: "Summary:",
            "discussion": lambda *_: "The better one names more.",
            "module_advice": lambda _, v: json.dumps(
                dict.fromkeys(understood(v["module_names"], list[str]), self._advice(v["better_program_trajectory"]))
            ),
        }
        return writers[name](request, values)

    def _summary(self, request: Request, values: dict[str, str]) -> str:
        if "candidates" in values:
            return " ".join(understood(values["candidates"], list[str]))
        told = request.messages[-1].text or ""
        demos = [message.text or "" for message in request.messages[3:-1]]
        facts = json.loads(re.findall(r"\{.*\}", request.messages[0].text or "")[0])
        fact = FACTS[ANGLES[1] in told]
        lucky = facts["crane"] % 3 == 0 or (request.config.temperature == 1.0 and next(self._luck) % 3 == 0)
        if any(fact in demo for demo in demos) or f"the {fact}" in told or (lucky and not _misled(told)):
            return f"The crane {facts['crane']} fell; the {fact} was {facts[fact]}."
        return "Something fell." if _misled(told) else f"The crane {facts['crane']} fell."

    def _advice(self, shown: str) -> str:
        """What the request shows to be wanted."""
        seen = [fact for fact in FACTS if f"the {fact}" in shown]
        return f"State {' and '.join(f'the {fact}' for fact in seen)}." if seen else next(self._useless)

    def _proposal(self, request: Request, values: dict[str, str]) -> str:
        """MIPRO shows demos, COPRO nothing at first, then attempts and their scores, which tell what is of no use."""
        if "task_demos" in values:
            return f"{values['basic_instruction']}\n{self._advice(values['task_demos'])}"
        attempts = understood(values.get("attempted_instructions", ""), list[str])
        tried = [attempt.partition(": ")[2] for attempt in attempts if attempt.startswith("Instruction #")]
        if tried:
            return f"{tried[-1]}\nState the berth and the cargo."
        return f"{values['basic_instruction']}\n{next(self._useless)}"


def advice_seen(requests: Sequence[Request]) -> list[str]:
    """What prompt models were shown, for checks of what may not be in there."""
    prompts = ["\n".join(message.text or "" for message in request.messages) for request in requests]
    return [prompt for prompt in prompts if re.search(r"new_instruction|proposed_instruction|module_advice", prompt)]


def _misled(told: str) -> bool:
    return any(useless in told for useless in USELESS)


def _row(k: int) -> Row:
    facts = {"crane": k, "berth": k + 100, "cargo": k + 500}
    text = f"REPORT {json.dumps(facts)} {'The sea was calm. ' * 40}"
    reference = f"The crane {k} fell; the berth was {k + 100}; the cargo was {k + 500}."
    return Row(str(k), Document(id=str(k), text=text), (reference,))


__all__ = ["FACTS", "ScriptedModel", "advice_seen", "facts_named", "program", "rows"]
