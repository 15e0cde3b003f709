"""Workers of a Ray cluster. The coordinator is an actor on the node of the command."""

import logging
import os
import signal
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from summq.programs.errors import ConfigError, RunError
from summq.programs.runtime.engines.coordinator import Coordinator, Limits, Port
from summq.programs.runtime.engines.crew import Handle, WorkerDied
from summq.programs.runtime.engines.remote import RemoteEngine, Work, Worker
from summq.programs.runtime.replies import first_line

NO_CLUSTER = "--engine ray: no cluster answers at {} ({}); give the address that `ray start --head` prints"
ANSWERS_WITHIN = 5.0  # seconds
WAITING_CALLS = 10_000
"""How many calls may wait in the coordinator."""


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


class RayHandle:
    """The way to a worker that is an actor of Ray."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the worker; raises `WorkerDied` also where what it returned is lost with its node."""
        import ray

        try:
            return ray.get(getattr(self._actor, method).remote(*arguments))
        except ray.exceptions.RayTaskError:  # a bug; workers return what can be expected
            raise
        except ray.exceptions.RayError as error:
            raise WorkerDied(first_line(error)) from error

    def kill(self) -> None:
        """End the worker."""
        import ray

        ray.kill(self._actor)


class RayEngine(RemoteEngine):
    """The workers of a cluster that is connected to already."""

    @contextmanager
    def coordinator(self, limits: Limits) -> Iterator[Port]:
        """An actor on this node."""
        import ray

        here = ray.get_runtime_context().get_node_id()
        actor = _actor(Coordinator, concurrency=WAITING_CALLS, cpus=0, node=here).remote(limits)
        try:
            yield RayPort(actor)
        finally:
            ray.kill(actor)

    def hiring(self, work: Work, port: Port, each: int) -> Callable[[str], Handle]:
        """Actors that take one CPU each."""
        import ray

        shared, worker = ray.put(work), _actor(Worker, concurrency=each, cpus=1)
        return lambda name: RayHandle(worker.remote(name, shared, port))


def _actor(of: type, *, concurrency: int, cpus: int, node: str | None = None) -> Any:
    """A class as an actor of Ray, on a given node or spread over all."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy: Any = NodeAffinitySchedulingStrategy(node, soft=False) if node else "SPREAD"
    name = f"summq {of.__name__.lower()} {uuid.uuid4().hex}" if node else None
    options = {"num_cpus": cpus, "max_concurrency": concurrency, "max_restarts": 0, "name": name}
    return ray.remote(of).options(**options, scheduling_strategy=strategy)


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
    where = address or os.environ.get("RAY_ADDRESS") or "this machine"
    _require_answer(where)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, namespace="summq")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConfigError(NO_CLUSTER.format(where, first_line(error))) from error
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)  # Ray sets one of its own
    resources: Any = ray.cluster_resources  # has no types
    try:
        nodes: Any = ray.nodes
        machines = sum(node["Alive"] for node in nodes())
        yield RayEngine(workers or max(1, int(resources().get("CPU", 1))), machines)
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Raise at once what Ray would say after minutes; names without a port are looked up by Ray."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=ANSWERS_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(NO_CLUSTER.format(address, first_line(error))) from error


__all__ = ["ray_engine"]
