"""Engines: what runs a function on an item, here or elsewhere.

A command calls the function in as many threads as the engine has slots; where the work is done is the engine's affair.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar

from summq.programs.errors import ConfigError, there_are

Item = TypeVar("Item")
Result = TypeVar("Result")
OpenSession = Callable[[], AbstractContextManager[Any]]
ENGINES = ("local", "ray")


class Engine(Protocol):
    """Runs functions on items: by so many `workers` (processes) on so many `machines`; `remote` if these are others."""

    remote: bool
    workers: int
    machines: int

    def running(
        self, function: Callable[[Item], Result], session: OpenSession, each: int
    ) -> AbstractContextManager[Callable[[Item], Result]]:
        """The function to be called from threads of this process; it returns and raises what `function` does.

        Args:
            function: Where it runs elsewhere, it, its items and its results are pickled.
            session: What a worker opens around all its items; its limits are those of the session in force here.
            each: How many items a worker has at work at once; `workers * each` calls may be made at once.
        """


class LocalEngine:
    """This process, in the session that is in force."""

    remote = False
    workers = 1
    machines = 1

    @contextmanager
    def running(
        self, function: Callable[[Item], Result], session: OpenSession, each: int
    ) -> Iterator[Callable[[Item], Result]]:
        """The function itself."""
        yield function


LOCAL = LocalEngine()


@contextmanager
def open_engine(name: str = "local", address: str | None = None, workers: int | None = None) -> Iterator[Engine]:
    """The engine of that name.

    Args:
        address: Of a Ray cluster; by default `RAY_ADDRESS`, the cluster that runs on this machine, or one that is
            started for this command.
        workers: How many processes; by default one for each CPU of a cluster, and locally this process alone.

    Raises:
        ConfigError: An unknown name; Ray is not installed or can't be reached.
    """
    if name == "ray":
        from summq.programs.runtime.engines.cluster import ray_engine

        with ray_engine(address, workers) as engine:
            yield engine
    elif name != "local":
        raise ConfigError(f"unknown engine {name!r}: {there_are(ENGINES, name)}")
    elif address is not None:
        raise ConfigError("--address names a Ray cluster: add --engine ray")
    elif workers and workers > 1:
        from summq.programs.runtime.engines.processes import ProcessEngine

        yield ProcessEngine(workers)
    else:
        yield LOCAL


__all__ = ["ENGINES", "LOCAL", "Engine", "OpenSession", "open_engine"]
