"""Mutated replies and bodies through everything that reads them, and whole runs on mutated replies.

Run: `python -m tests.torture.fuzz [--replies 1000] [--runs 2000] [--seed 0] [--out FILE]`. It goes on where it stopped.
A failure names the seed of its mutation.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dspy
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import AdapterParseError
from pydantic import TypeAdapter

from summq.eval.data.rows import Row
from summq.eval.metrics.faithfulness import Faithfulness
from summq.eval.preference.judge import Judge
from summq.eval.preference.pairs import Pair
from summq.programs import SummQ
from summq.programs.baselines import BASELINES
from summq.programs.config import SummQConfig
from summq.programs.errors import SummQError
from summq.programs.examiner import Examiner
from summq.programs.prompts import EXAMPLE
from summq.programs.runs.jobs import shortage_of
from summq.programs.runtime import adapter, retries
from summq.programs.runtime.offline import OfflineEngine
from summq.programs.runtime.parsing import marked_sections, read_marked, read_object, read_text
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import session
from summq.signatures import KINDS, LostAgent, QuestionCounts, SummQResult
from tests.fakes import FakeProvider
from tests.fault_server import message
from tests.planted import COMPLETED, Faulty, Planted, halls, on
from tests.torture.mutations import mutated, restructured
from tests.torture.trials import Outcome, markdown, series

SLOW = 10.0  # seconds in which anything has to be read
ERRING = OfflineEngine(rates=dict.fromkeys(("generator", "reviewer", "examinee", "grader"), 0.3), seed=4)
FEW = dict.fromkeys(KINDS, 1)
Read = Callable[[Any, str], dict[str, Any]]
Sample = tuple[Read, Any, str]
"""What reads a reply, the signature that was asked, and the reply."""


@cache
def samples() -> Mapping[str, list[Sample]]:
    """Sound replies of every role, by role and form: in marked sections, and as a JSON object or plain text."""
    found: dict[str, list[Sample]] = defaultdict(list)

    def listen(signature: Any, reply: str) -> dict[str, Any]:
        role = dspy.settings.role
        found[f"{role}, marked"].append((read_marked, signature, reply))
        sections = marked_sections(reply, list(signature.output_fields)) or {}
        if adapter.is_prose(signature):
            found[f"{role}, text"].append((read_text, signature, *sections.values()))
        else:
            kinds = {name: field.annotation for name, field in signature.output_fields.items()}
            values = {name: text if kinds[name] is str else _value(text) for name, text in sections.items()}
            found[f"{role}, JSON"].append((read_object, signature, json.dumps(values, ensure_ascii=False)))
        return read_marked(signature, reply)

    with patch.object(adapter, "read_marked", listen):
        with on(ERRING):
            _ask_everybody()
        with on(ERRING, window=1200):  # takes notes
            SummQ.preset("solo", max_iterations=1, target_words=60, questions=FEW)(document=EXAMPLE.text * 8)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _ask_everybody() -> None:
    config = SummQConfig.preset("combo_r", paper_faithful=True, verify_quiz=True, blind_control=True, target_words=60)
    SummQ(config)(document=EXAMPLE)
    for baseline in BASELINES.values():
        baseline(target_words=60)(document=EXAMPLE)
    Examiner(QuestionCounts(**FEW))(EXAMPLE)
    half = EXAMPLE.text[: len(EXAMPLE.text) // 2]
    Judge()(Pair("pair", EXAMPLE, half, EXAMPLE.text), "coverage", "which says more")
    Faithfulness().score(half, Row("row", EXAMPLE))


def reading(place: str, number: int, seed: int) -> Outcome:
    """What comes of so many mutations of the replies of a role."""
    outcomes: Counter[str] = Counter()
    faults = []
    for n in range(number):
        name = f"{seed}/{place}/{n}"
        dice = random.Random(name)
        read, signature, reply = dice.choice(samples()[place])
        began = time.monotonic()
        try:
            fields = read(signature, mutated(reply, dice))
            fault = invalid(signature, fields)
            outcomes["read"] += 1
        except AdapterParseError as error:
            fault = "" if "\n" not in str(error).partition("\n\nLM Response")[0][:1] else "an error of several lines"
            outcomes["refused"] += 1
        except Exception as error:  # whatever else it is, it is what is looked for
            fault = repr(error)[:200]
        if time.monotonic() - began > SLOW:
            fault = f"took {time.monotonic() - began:.0f} s"
        faults += [f"{name}: {fault}"] if fault else []
    return {"read": outcomes["read"], "refused": outcomes["refused"], "faults": faults}


def invalid(signature: Any, fields: Mapping[str, Any]) -> str:
    """What is wrong with fields that were read; empty if nothing is."""
    for name, field in signature.output_fields.items():
        kind: TypeAdapter[Any] = TypeAdapter(field.annotation)
        try:
            again = kind.validate_json(kind.dump_json(fields[name], by_alias=True))
        except Exception as error:
            return f"{name}: {error!r}"[:200]
        if again != fields[name]:
            return f"{name} is another when it has been written and read"
        if field.annotation is str and not fields[name].strip() and fields[name] != field.default:
            return f"{name} is blank"
    return ""


GIST = f"[[ ## gist ## ]]\nlamps\n\n{COMPLETED}"
READER = Role(dspy.Signature("text -> gist"), "reader")
WIRES: Mapping[str, Any] = {
    "openai": message(GIST),
    "mistral": message(GIST),  # through LiteLLM
    "anthropic": {
        "id": "r",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": GIST}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 10},
    },
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": GIST}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
    },
}
"""A sound body of each of them."""


def answering(wire: str, number: int, seed: int) -> Outcome:
    """What comes of so many mutations of a body that a server sends."""
    outcomes: Counter[str] = Counter()
    faults = []
    body = json.dumps(WIRES[wire])
    os.environ |= {"OPENAI_API_KEY": "none", "MISTRAL_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    os.environ |= {"GEMINI_API_KEY": "none"}
    with FakeProvider() as server, session(f"{wire}/m@{server.url}", cache_dir="", attempts=1) as current:
        for n in range(number):
            name = f"{seed}/{wire}/{n}"
            sent = body_of(body, random.Random(name)).encode("utf-8", "surrogatepass")
            server.always = lambda _, sent=sent: (200, {}, sent)  # type: ignore[misc]
            try:
                outcomes["refused" if isinstance(reply := _gist(n), (LostAgent, SummQError)) else "read"] += 1
                fault = "" if isinstance(reply, (LostAgent, SummQError)) else invalid(READER.signature, reply)
                fault = "several lines" if isinstance(reply, SummQError) and "\n" in str(reply) else fault
            except Exception as error:
                fault = repr(error)[:200]
            faults += [f"{name}: {fault}"] if fault else []
            server.requests.clear()
        asked, used = number, current.meter.usage()
    faults += [f"{seed}/{wire}: usage {used}"] if used.input_tokens < 0 or (used.cost or 0) < 0 else []
    return {"read": outcomes["read"], "refused": outcomes["refused"], "asked": asked, "faults": faults}


def body_of(body: str, dice: random.Random) -> str:
    """A mutated body: as JSON, as text, or both."""
    if dice.random() < 0.6:
        body = json.dumps(restructured(json.loads(body), dice))
        if dice.random() < 0.7:
            return body
    return mutated(body, dice)


def _gist(number: int) -> Any:
    try:
        return attempt("reader", lambda: READER(text=f"Hall {number}."))
    except SummQError as error:
        return error


class Fuzzed(Faulty):
    """Mutates a share of the replies."""

    def spoil(self, text: str, dice: random.Random) -> tuple[str, str]:
        """A mutated reply, which ended by itself as far as is known."""
        return mutated(text, dice), dice.choice(["stop", "stop", "stop", "length", "content_filter"])


class Losses(BaseCallback):
    """Counts the roles whose replies could not be used however often they were asked."""

    def __init__(self) -> None:
        self.by_role: Counter[str] = Counter()
        self._roles: dict[str, str] = {}

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Note who begins."""
        if isinstance(instance, Role):
            self._roles[call_id] = instance.role

    def on_module_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Note how it ended."""
        role = self._roles.pop(call_id, None)
        if role and exception is not None:
            self.by_role[role] += 1


COUNTED = ("summary_generator", "summary_reviewer", "quiz_reviewer")
"""Of these every loss is named; examinee, grader and quiz generator make up for it, or it is said what is lacking."""


def running(name: str, rate: float) -> Outcome:
    """What comes of a SOLO run with a small quiz, a share of whose replies are mutated."""
    constrained = hash_of(name) % 2 == 1  # by rule where JSON is wanted: the offline reader writes none
    engine, losses = Fuzzed(Planted() if constrained else OfflineEngine(), rate, seed=hash_of(name)), Losses()
    document = halls(20) if constrained else EXAMPLE
    with on(engine, constrained=constrained), callbacks(losses):
        try:
            result: SummQResult = solo()(document=document).result
            ended, fault = "finished", wrong(result, losses)
        except SummQError as error:
            ended, fault = type(error).__name__, "an error of several lines" if "\n" in str(error) else ""
        except Exception as error:
            ended, fault = "traceback", repr(error)[:200]
    lost = losses.by_role.total()
    return {"ended": ended, "spoiled": engine.spoiled, "lost": lost, "faults": [f"{name}: {fault}"] if fault else []}


def solo() -> SummQ:
    """The program of a run."""
    return SummQ.preset("solo", max_iterations=2, target_words=60, questions=FEW)


@contextmanager
def callbacks(one: BaseCallback) -> Iterator[None]:
    """A context in which DSPy tells `one`, too."""
    with dspy.context(callbacks=[*dspy.settings.callbacks, one]):
        yield


def hash_of(name: str) -> int:
    """A number that is the same in every process."""
    return random.Random(name).randrange(2**32)


def wrong(result: SummQResult, losses: Losses) -> str:
    """What is invalid in a result, or not told by it; empty if nothing is."""
    if not result.summary.strip() or SummQResult.model_validate_json(result.model_dump_json(by_alias=True)) != result:
        return "an invalid result"
    if result.quiz and (faults := [fault for q in result.quiz.questions for fault in q.faults()]):
        return f"a question with {faults[0]}"
    if result.quiz and len(result.quiz.questions) < sum(FEW.values()) and not shortage_of(result):
        return "questions are lacking without a word"
    if result.quiz and result.exam and len(result.exam.answers) != len(result.quiz.questions):
        return "an exam of another quiz"
    named = Counter(agent.role.partition(".")[0] for agent in everybody_lost(result))
    for role in COUNTED:
        lost = sum(count for name, count in losses.by_role.items() if name.partition(".")[0] == role)
        if lost != named[role]:
            return f"{role}: {lost} lost, {named[role]} named"
    return ""


def everybody_lost(result: SummQResult) -> list[LostAgent]:
    """All agents that a result names as lost."""
    return [*(agent for iteration in result.iterations for agent in iteration.all_lost), *result.lost]


def row_of(what: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The row of a kind of trials in the table."""
    ended = Counter(one["ended"] for one in outcomes if "ended" in one)
    read, refused = (sum(one.get(key, 0) for one in outcomes) for key in ("read", "refused"))
    return {
        "what": what,
        "mutations": read + refused or sum(one["spoiled"] for one in outcomes),
        "ended": ", ".join(f"{name} {count}" for name, count in ended.most_common())
        or f"read {read}, refused {refused}",
        "losses": sum(one.get("lost", 0) for one in outcomes),
        "faults": sum(len(one["faults"]) for one in outcomes),
    }


def main() -> None:
    """Run everything, print the table; exit with 1 where there is a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replies", type=int, default=1000, help="for each role and form, and bodies for each wire")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=0.3, help="of replies that are mutated in a run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/torture/fuzz.jsonl"))
    wanted = parser.parse_args()
    retries.FIRST_WAIT = 0.01
    number, seed = wanted.replies, wanted.seed
    trials: dict[str, tuple[list[str], Callable[[str], Outcome]]] = {
        "replies": (sorted(samples()), lambda place: reading(place, number, seed)),
        "bodies": (list(WIRES), lambda wire: answering(wire, number, seed)),
        "runs": ([f"{seed}/run/{n}" for n in range(wanted.runs)], lambda name: running(name, wanted.rate)),
    }
    faults, rows = [], []
    for what, (places, trial) in trials.items():
        outcomes = list(series(wanted.out, [f"{what}:{place}" for place in places], _named(trial)))
        rows.append(row_of(f"{what} ({len(places)})", outcomes))
        faults += [fault for one in outcomes for fault in one["faults"]]
    print(markdown(rows), *faults[:50], sep="\n")
    sys.exit(bool(faults))


def _named(trial: Callable[[str], Outcome]) -> Callable[[str], Outcome]:
    return lambda name: trial(name.partition(":")[2])


if __name__ == "__main__":
    main()
