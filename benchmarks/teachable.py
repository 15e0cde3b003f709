"""A simulated language model that can be taught, over HTTP or in this process: prompts decide how good its replies are.

    python benchmarks/teachable.py --port 8000 --seed 3      # by hand; answers SummQ's roles and writes instructions

What is true is declared in a `World`: for each role, which advice in its instructions makes its replies better and by
how much. Everything else about prompts changes nothing or does harm. Replies say how good they are, and what they
attend to; no text is read or written in earnest, so that whole compilations take seconds. A demo that attends to the
right thing teaches as the advice does. As a prompt model it gives the advice that what it is shown speaks for most
often, or other advice.
"""

import argparse
import hashlib
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import dspy
from dspy.lm15 import Message, Request, Response, TextPart, Usage
from provider import Provider

from summq.programs.runtime.backbones import Backbone, BackboneOptions
from summq.programs.runtime.offline.request import Asked, only_primes, read_request, request_text
from summq.programs.runtime.providers import Endpoint
from summq.programs.runtime.readable import understood
from summq.programs.runtime.usage import FREE

ASPECTS = ("dates", "names", "causes", "figures", "places", "objections")
"""What replies can attend to, and what advice is about."""
HARMFUL = ("Be funny.", "Write in rhymes.")
BASE = 0.4
ROLE_OF = {
    ("summary", "previous"): "summary_generator.revise",
    ("summary", "candidates"): "summary_aggregator",
    ("summary", ""): "summary_generator.draft",
    ("better", ""): "summary_generator.vote",
    ("best", ""): "summary_ranker",
    ("found", ""): "summary_reviewer.review",
}
"""Roles by an output and an input that tell them from others."""
WRITERS_INPUTS = {"current_instruction", "basic_instruction", "attempted_instructions"}
"""What optimizers tell whoever is to write an instruction."""
CHOOSERS = ("summary_generator.vote", "summary_ranker")
ROLES = tuple(ROLE_OF.values())


@dataclass(frozen=True)
class World:
    """What is true of prompts: `gains` by role, in the unit of scores; a role that is not in there learns nothing.

    Args:
        seed: Of everything; the same requests in the same order get the same replies.
        noise: Standard deviation of a reply's quality from rollout to rollout.
        spread: Standard deviation of quality from document to document.
        luck: How often a reply attends to an aspect without being told.
        candour: How often feedback hints at the aspect that helps; else it hints at another.
        harm: What harmful advice costs.
        step: What every revision adds, whatever the prompt: whether further iterations are worth their calls.
    """

    seed: int = 0
    gains: Mapping[str, float] = field(default_factory=dict)
    noise: float = 0.12
    spread: float = 0.08
    luck: float = 0.2
    candour: float = 0.6
    harm: float = 0.1
    step: float = 0.0

    def aspect(self, role: str) -> str:
        """What a role has to attend to; where there is nothing to gain, what it only seems to."""
        return self._random("aspect", role).choice(ASPECTS)

    def ease(self, document: str) -> float:
        """How much better than others the replies about a document are."""
        return self._random("ease", document).gauss(0, self.spread)

    def hint(self, role: str, document: str) -> str:
        """Feedback on a reply to that role: mostly right, and about a role that can't learn, noise."""
        draw = self._random("hint", role, document)
        if role in self.gains and draw.random() < self.candour:
            return f"Missing: the {self.aspect(role)}."
        return f"Missing: the {draw.choice(ASPECTS)}."

    def _random(self, *names: object) -> random.Random:
        return random.Random("/".join(map(str, (self.seed, *names))))


class TeachableModel:
    """Replies to the requests of roles and of optimizers, as declared by a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> str:
        """The reply to a request; the same request again gets another rollout."""
        if only_primes(request):
            return "read"
        draw = self._draw(request)
        asked = read_request(request)
        if asked is None:
            return "I can't read this."
        if not asked.output_names:  # nothing but one text is wanted
            name = "proposed_instruction" if WRITERS_INPUTS & set(asked.input_names) else "summary"
            return str(self._value(name, asked, request, draw))
        fields = {name: self._value(name, asked, request, draw) for name in asked.output_names}
        if asked.as_json:
            return json.dumps(fields)
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
        return "\n\n".join([*(f"[[ ## {name} ## ]]\n{text}" for name, text in texts.items()), "[[ ## completed ## ]]"])

    def _draw(self, request: Request) -> random.Random:
        key = hashlib.sha256(request_text(request).encode()).hexdigest()
        with self._lock:
            self._asked[key] += 1
            number = self._asked[key]
        return random.Random(f"{self.world.seed}/{key}/{number}")

    def _value(self, name: str, asked: Asked, request: Request, draw: random.Random) -> Any:
        role = role_of(name, asked)
        if role is None:
            return advice(name, asked, draw)
        demos = [message.text or "" for message in request.messages if message.role == "assistant"]
        quality, said = self._quality(role, asked, demos, draw)
        if role in CHOOSERS:
            return _choice(name, asked, quality, draw)
        text = f"Quality {quality:.3f}; attends to {said}."
        if name == "found":
            return {"issues": [{"kind": "omission", "target": "all of it", "explanation": text}]}
        return text

    def _quality(self, role: str, asked: Asked, demos: Sequence[str], draw: random.Random) -> tuple[float, str]:
        """How good a reply is, and what it attends to."""
        world, wanted = self.world, self.world.aspect(role)
        told = {aspect for aspect in ASPECTS if f"State the {aspect}" in asked.instructions}
        told |= {aspect for aspect in ASPECTS if any(f"the {aspect}" in demo for demo in demos)}
        lucky = {aspect for aspect in ASPECTS if draw.random() < world.luck}
        quality = BASE + draw.gauss(0, world.noise)
        quality += world.step * (role == "summary_generator.revise")
        quality += _inherited(role, asked) or world.ease(document_of(asked))
        quality += world.gains.get(role, 0.0) * (wanted in told | lucky)
        quality -= world.harm * sum(phrase in asked.instructions for phrase in HARMFUL)
        said = ", ".join(f"the {aspect}" for aspect in sorted(told | lucky)) or "nothing in particular"
        return quality, said


def role_of(output: str, asked: Asked) -> str | None:
    """The role that puts out this field; None for what optimizers ask."""
    for (name, told), role in ROLE_OF.items():
        if name == output and (not told or told in asked.input_names):
            return role
    return None


def document_of(asked: Asked) -> str:
    """The name of the document that a request is about, wherever it is told."""
    named = re.search(r"DOCUMENT (\w+)", f"{asked.document or ''} {' '.join(asked.inputs.values())}")
    return named[1] if named else ""


def quality_in(text: str) -> float:
    """The quality that a reply says it has; the mean where there are several."""
    found = [float(number) for number in re.findall(r"Quality (-?\d+\.\d+)", text)]
    return sum(found) / len(found) if found else 0.0


def _inherited(role: str, asked: Asked) -> float:
    """What a reply owes to what it was made of: a draft, candidates, the issues of a reviewer."""
    if role == "summary_aggregator":
        return quality_in(asked.inputs.get("candidates", "")) - BASE
    if role == "summary_generator.revise":
        previous, feedback = (quality_in(asked.inputs.get(name, "")) for name in ("previous", "feedback"))
        return (previous - BASE) + (feedback - BASE if feedback else 0.0)
    return 0.0


def _choice(name: str, asked: Asked, quality: float, draw: random.Random) -> str:
    """The best candidate as often as the quality says, else any other."""
    if name == "better":
        labelled = {label: quality_in(asked.inputs.get(label, "")) for label in ("first", "second")}
    else:
        candidates = understood(asked.inputs["candidates"], dict[str, str])
        labelled = {label: quality_in(text) for label, text in candidates.items()}
    best = max(labelled, key=labelled.__getitem__)
    others = [label for label in labelled if label != best]
    return best if draw.random() < quality or not others else draw.choice(others)


def advice(name: str, asked: Asked, draw: random.Random) -> Any:
    """What a prompt model writes: the advice so far, and more of it."""
    if name == "module_advice":
        shown = asked.inputs.get("better_program_trajectory", "")
        return dict.fromkeys(understood(asked.inputs["module_names"], list[str]), _further(shown, draw))
    current = asked.inputs.get("current_instruction") or asked.inputs.get("basic_instruction") or ""
    attempts = asked.inputs.get("attempted_instructions", "")
    if attempts:  # the best one comes last
        current = re.split(r"Instruction #\d+", attempts)[-1]
    shown = " ".join(asked.inputs.get(name, "") for name in ("examples_with_feedback", "task_demos"))
    kept = [f"State the {aspect}." for aspect in ASPECTS if f"State the {aspect}." in current]
    if name in ("new_instruction", "proposed_instruction"):
        return " ".join(dict.fromkeys([*kept, _further(shown, draw)]))
    return "By rule."


def _further(shown: str, draw: random.Random) -> str:
    """Advice on what is mentioned most, or on something else; sometimes harmful."""
    mentioned = Counter({aspect: shown.count(f"the {aspect}") for aspect in ASPECTS})
    (aspect, count), *_ = mentioned.most_common(1)
    if not count or draw.random() < 0.2:
        aspect = draw.choice(ASPECTS)
    harm = f" {draw.choice(HARMFUL)}" if draw.random() < 0.15 else ""
    return f"State the {aspect}.{harm}"


class TeachableEngine:
    """The model behind DSPy's engine interface, for benchmarks that make many thousand calls."""

    supports_response_schema = False
    supports_function_calling = False
    supports_reasoning = False
    supported_params: ClassVar[frozenset[str]] = frozenset({"temperature", "max_tokens", "response_format"})

    def __init__(self, world: World) -> None:
        self._model = TeachableModel(world)

    def complete(self, request: Request) -> Response:
        """The reply to a request."""
        message = Message.assistant([TextPart(self._model(request))])
        usage = Usage(input_tokens=1000, output_tokens=10)
        return Response(id="teachable", model=request.model, message=message, finish_reason="stop", usage=usage)

    def __deepcopy__(self, memo: dict[int, Any]) -> "TeachableEngine":
        return self


def backbone(world: World) -> Backbone:
    """The model in this process; its replies come in marked sections, since schemas take longer than all else."""
    lm = dspy.LM("teachable", engine=TeachableEngine(world), num_retries=0)
    return Backbone(Endpoint(lm, "teachable", prices=FREE), BackboneOptions())


def serve(world: World, port: int = 0) -> Provider:
    """The model behind HTTP, as fast as it goes; a context manager with a `url`."""
    return Provider(TeachableModel(world), speed=1e9, port=port)


def main() -> None:
    """Serve a world in which half of the roles have something to learn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with serve(World(options.seed, dict.fromkeys(ROLES[::2], 0.15)), options.port) as provider:
        print(f"hosted_vllm/teachable@{provider.url}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()

__all__ = ["ASPECTS", "CHOOSERS", "ROLES", "TeachableModel", "World", "backbone", "quality_in", "serve"]
