"""Engines whose workers are other processes: each has a session of its own, and works on several items at once.

A worker that dies is replaced, and its unfinished items are worked on by others; the calls that it had finished are in
the response cache of the coordinator, which lives beside the command. Nothing but the command writes results.
"""

import contextvars
import os
import pickle
import re
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import dspy

from summq.programs.errors import RunError
from summq.programs.runtime.cache import CACHE_VARIABLE, current_cache
from summq.programs.runtime.engines.base import Item, OpenSession, Result
from summq.programs.runtime.engines.coordinator import Limits, Port
from summq.programs.runtime.engines.crew import Crew, Handle, NewsReader, WorkerDied
from summq.programs.runtime.engines.joined import joined, limited_by
from summq.programs.runtime.replies import as_expected, first_line

COMMAND = "the command"
"""What the coordinator calls the process of the command, which may make calls of its own."""
DEATHS = 5
"""Of workers, after which the item that they all were at work on is given up."""
PASSED_ON = re.compile(r"_(API_KEY|API_BASE|BASE_URL|API_VERSION)\Z|\A(SUMMQ|AWS|AZURE|GOOGLE|VERTEXAI|HF|LITELLM)_")
"""Variables of the environment that workers get: keys and addresses of backbones, and what concerns models."""


@dataclass(frozen=True)
class Work:
    """What workers do: the function, the session around it, how many calls the gate lets through, the environment.

    Kinds of warnings that the command does not want to see are `ignored` by its workers, too.
    """

    function: Callable[[Any], Any]
    session: OpenSession
    limit: int
    environment: dict[str, str]
    ignored: Sequence[type[Warning]] = ()


@dataclass(frozen=True)
class Outcome:
    """What a function returned, or raised."""

    result: Any = None
    error: Exception | None = None


class Worker:
    """One process."""

    def __init__(self, name: str, work: Work, port: Port) -> None:
        self._name, self._work, self._port = name, work, port
        self._context = contextvars.copy_context()
        self._open = ExitStack()

    def ready(self) -> Exception | None:
        """Open the session; returns why that can't be done."""
        os.environ.update({**self._work.environment, CACHE_VARIABLE: ""})
        for kind in self._work.ignored:
            warnings.simplefilter("ignore", kind)
        try:
            self._open.enter_context(joined(self._port, self._name, self._work.limit, self._work.session))
        except Exception as error:
            return portable(error)
        self._context = contextvars.copy_context()
        return None

    def run(self, item: Any) -> Outcome:
        """Work on one item."""
        return self._context.copy().run(self._run, item)

    def _run(self, item: Any) -> Outcome:
        try:
            return Outcome(self._work.function(item))
        except Exception as error:
            return Outcome(error=portable(error))


def portable(error: Exception) -> Exception:
    """What a user is told of an error, with the place in the code; its text alone where it can't be pickled."""
    expected = as_expected(error)
    expected.add_note("".join(traceback.format_exception(error)))
    expected.__cause__ = expected.__context__ = None
    try:
        pickle.loads(pickle.dumps(expected))
    except Exception:
        return RunError(f"{type(error).__name__}: {first_line(error)}")
    return expected


class RemoteEngine(ABC):
    """Workers that are other processes. A kind of them says how the coordinator and a worker are started."""

    remote = True

    def __init__(self, workers: int, machines: int = 1) -> None:
        self.workers, self.machines = workers, machines

    @abstractmethod
    def coordinator(self, limits: Limits) -> AbstractContextManager[Port]:
        """A coordinator that ends with the context."""

    @abstractmethod
    def hiring(self, work: Work, port: Port, each: int) -> Callable[[str], Handle]:
        """What starts a worker of a name, which can be called `each` times at once."""

    @contextmanager
    def running(
        self, function: Callable[[Item], Result], session: OpenSession, each: int
    ) -> Iterator[Callable[[Item], Result]]:
        """The function, to be run by workers under the limits of the session in force.

        Raises what `session` raises in a worker, and `RunError` where workers die again and again.
        """
        budget, limit = dspy.settings.budget, dspy.settings.gate.limit
        spent = (budget.calls, budget.cost)
        limits = Limits(limit, budget.max_calls, budget.max_cost, *spent, current_cache().where)
        with self.coordinator(limits) as port, NewsReader(port), limited_by(port, COMMAND, limit):
            hire = self.hiring(Work(function, session, limit, passed_on(), ignored_warnings()), port, each)
            crew = Crew(hire, min(self.workers, limit), each, port)
            try:
                yield lambda item: _worked_on(crew, item)
            finally:
                crew.dismiss()


def _worked_on(crew: Crew, item: Any) -> Any:
    """What the function makes of an item, on the first worker that does not die of it."""
    for _ in range(DEATHS):
        member = crew.take()
        try:
            outcome: Outcome = member.handle.call("run", item)
        except WorkerDied as died:
            crew.lost(member, died)
            continue
        finally:
            crew.give_back(member)
        if outcome.error is not None:
            raise outcome.error
        return outcome.result
    raise RunError(f"{DEATHS} workers in a row died while they worked on it: has each enough memory?")


def ignored_warnings() -> list[type[Warning]]:
    """The kinds of warnings that are ignored here, wherever they come from."""
    return [
        kind
        for action, message, kind, module, _ in warnings.filters
        if action == "ignore" and message is None and module is None and isinstance(kind, type)
    ]


def passed_on() -> dict[str, str]:
    """The variables of the environment that workers get."""
    return {name: value for name, value in os.environ.items() if PASSED_ON.search(name)}


__all__ = ["RemoteEngine", "Work", "Worker"]
