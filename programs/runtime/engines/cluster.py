"""Workers of a Ray cluster: each is a process with a session of its own, and works on several items at once.

A worker that dies is replaced, and its unfinished items are worked on by others; the calls that it had finished are in
the response cache of the coordinator, which lives on the node of the command. Nothing but the command writes results.
"""

import contextvars
import logging
import os
import pickle
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import dspy

from summq.programs.errors import ConfigError, RunError
from summq.programs.runtime.cache import CACHE_VARIABLE, current_cache
from summq.programs.runtime.engines.base import Item, OpenSession, Result
from summq.programs.runtime.engines.coordinator import Coordinator, Limits
from summq.programs.runtime.engines.crew import Crew, NewsReader
from summq.programs.runtime.engines.joined import joined
from summq.programs.runtime.replies import as_expected, first_line

DEATHS = 5
"""Of workers, after which the item that they all were at work on is given up."""
PASSED_ON = re.compile(r"_(API_KEY|API_BASE|BASE_URL|API_VERSION)\Z|\A(SUMMQ|AWS|AZURE|GOOGLE|VERTEXAI|HF|LITELLM)_")
"""Variables of the environment that workers get: keys and addresses of backbones, and what concerns models."""


class RayPort:
    """The way to a coordinator that is an actor of Ray."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method and return what it returns."""
        import ray

        try:
            return ray.get(getattr(self.actor, method).remote(*arguments))
        except ray.exceptions.RayActorError as error:
            raise RunError("the coordinator of the command has ended: run it again to continue") from error

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method and go on at once."""
        getattr(self.actor, method).remote(*arguments)


@dataclass(frozen=True)
class Work:
    """What workers do: the function, the session around it, and the environment that both need."""

    function: Callable[[Any], Any]
    session: OpenSession
    at_once: int
    environment: dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """What a function returned, or raised."""

    result: Any = None
    error: Exception | None = None


class Worker:
    """One process of the cluster."""

    def __init__(self, name: str, work: Work, coordinator: Any) -> None:
        self._name, self._work, self._port = name, work, RayPort(coordinator)
        self._context = contextvars.copy_context()
        self._open = ExitStack()

    def ready(self) -> Exception | None:
        """Open the session; returns why that can't be done."""
        os.environ.update({**self._work.environment, CACHE_VARIABLE: ""})
        try:
            self._open.enter_context(joined(self._port, self._name, self._work.at_once, self._work.session))
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
    """The error, or where it can't be pickled one that says the same; with the lines of a traceback for a bug."""
    told = as_expected(error)
    told.__cause__ = told.__context__ = None
    if told is error:
        told.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(told))
    except Exception:
        return RunError(f"{type(error).__name__}: {first_line(error)}")
    return told


class RayEngine:
    """The workers of a cluster that is connected to already.

    Args:
        workers: How many processes.
    """

    remote = True

    def __init__(self, workers: int) -> None:
        self.workers = workers

    @contextmanager
    def running(
        self, function: Callable[[Item], Result], session: OpenSession, each: int
    ) -> Iterator[Callable[[Item], Result]]:
        """The function, to be run by workers under the limits of the session in force.

        Raises what `session` raises in a worker, and `RunError` where workers die again and again.
        """
        import ray

        budget, gate = dspy.settings.budget, dspy.settings.gate
        limits = Limits(
            gate.limit, budget.max_calls, budget.max_cost, budget.calls, budget.cost, current_cache().folder
        )
        here = ray.get_runtime_context().get_node_id()
        coordinator = _actor(Coordinator, concurrency=10_000, cpus=0, node=here).remote(limits)
        work = ray.put(Work(function, session, gate.limit, passed_on()))
        worker = _actor(Worker, concurrency=each, cpus=1)
        port = RayPort(coordinator)
        crew = Crew(lambda name: worker.remote(name, work, coordinator), min(self.workers, gate.limit), each, port)
        try:
            with NewsReader(port):
                yield lambda item: _worked_on(crew, item)
        finally:
            crew.dismiss()
            ray.kill(coordinator)


def _worked_on(crew: Crew, item: Any) -> Any:
    """What the function makes of an item, on the first worker that does not die of it."""
    import ray

    for _ in range(DEATHS):
        member = crew.take()
        try:
            outcome: Outcome = ray.get(member.actor.run.remote(item))
        except ray.exceptions.RayTaskError:
            crew.give_back(member)
            raise
        except ray.exceptions.RayError as error:  # dead, or its node is, or what it returned was lost
            crew.lost(member, error)
            continue
        crew.give_back(member)
        if outcome.error is not None:
            raise outcome.error
        return outcome.result
    raise RunError(f"{DEATHS} workers in a row died while they worked on it: see the logs of the cluster (ray status)")


def _actor(of: type, *, concurrency: int, cpus: int, node: str | None = None) -> Any:
    """A class as an actor of Ray, on any node or on a given one."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy: Any = NodeAffinitySchedulingStrategy(node, soft=False) if node else "SPREAD"
    options = {"num_cpus": cpus, "max_concurrency": concurrency, "max_restarts": 0}
    return ray.remote(of).options(**options, scheduling_strategy=strategy)


def passed_on() -> dict[str, str]:
    """The variables of the environment that workers get."""
    return {name: value for name, value in os.environ.items() if PASSED_ON.search(name)}


@contextmanager
def ray_engine(address: str | None, workers: int | None) -> Iterator[RayEngine]:
    """Connect to a cluster, or start one on this machine; see `open_engine`.

    Raises:
        ConfigError: Ray is not installed, or nothing answers at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise ConfigError("--engine ray needs one more package: pip install -e '.[ray]'") from error
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, namespace="summq")
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = address or os.environ.get("RAY_ADDRESS") or "this machine"
        raise ConfigError(f"--engine ray: no cluster at {where} ({first_line(error)}); see `ray status`") from error
    resources: Any = ray.cluster_resources  # has no types
    try:
        yield RayEngine(workers or max(1, int(resources().get("CPU", 1))))
    finally:
        ray.shutdown()


__all__ = ["RayEngine", "RayPort", "ray_engine"]
