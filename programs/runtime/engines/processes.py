"""Workers that are processes of this machine, through the servers of `multiprocessing.managers`."""

import asyncio
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import iscoroutine
from multiprocessing import get_context, parent_process
from multiprocessing.managers import BaseManager
from typing import Any

import cloudpickle

from summq.programs.errors import RunError
from summq.programs.runtime.engines.coordinator import Coordinator, Limits, Port
from summq.programs.runtime.engines.crew import Handle, WorkerDied
from summq.programs.runtime.engines.remote import RemoteEngine, Work, Worker

ENDED = (EOFError, ConnectionError, BrokenPipeError)


class Served:
    """An object in another process, called with arguments that may be programs; a coordinator in an event loop."""

    def __init__(self, made: bytes) -> None:
        threading.Thread(target=_end_with_parent, daemon=True).start()
        make, arguments = pickle.loads(made)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._object = make(*arguments)

    def call(self, method: str, arguments: bytes) -> bytes:
        """Call a method in this thread."""
        answer: bytes = cloudpickle.dumps(getattr(self._object, method)(*pickle.loads(arguments)))
        return answer

    def call_in_loop(self, method: str, arguments: bytes) -> bytes:
        """Call a method in the event loop."""

        async def called() -> Any:
            answer = getattr(self._object, method)(*pickle.loads(arguments))
            return await answer if iscoroutine(answer) else answer

        answer: bytes = cloudpickle.dumps(asyncio.run_coroutine_threadsafe(called(), self._loop).result())
        return answer


def _end_with_parent() -> None:
    """A command that is killed leaves nobody behind who goes on calling."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


class Server(BaseManager):
    """A process that serves one object."""


Server.register("Served", Served)


def _serve(make: Callable[..., Any], *arguments: Any) -> tuple[Server, Any]:
    server = Server(ctx=get_context("spawn"))
    server.start()
    return server, server.Served(cloudpickle.dumps((make, arguments)))  # type: ignore[attr-defined]


class ProcessPort:
    """The way to a coordinator in another process."""

    def __init__(self, proxy: Any) -> None:
        self._proxy = proxy

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method and return what it returns."""
        try:
            return pickle.loads(self._proxy.call_in_loop(method, cloudpickle.dumps(arguments)))
        except ENDED as error:
            raise RunError("the coordinator of the command has ended: run it again to continue") from error

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method."""
        self.ask(method, *arguments)


class ProcessHandle:
    """The way to a worker in another process."""

    def __init__(self, server: Server, proxy: Any) -> None:
        self._server, self._proxy = server, proxy

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the worker; raises `WorkerDied`."""
        try:
            return pickle.loads(self._proxy.call(method, cloudpickle.dumps(arguments)))
        except ENDED as error:
            raise WorkerDied("a process of this machine has ended") from error

    def kill(self) -> None:
        """End the worker, at once where it does not end within a second."""
        self._server.shutdown()


class ProcessEngine(RemoteEngine):
    """Processes of this machine."""

    @contextmanager
    def coordinator(self, limits: Limits) -> Iterator[Port]:
        """A process beside the workers."""
        server, proxy = _serve(Coordinator, limits)
        try:
            yield ProcessPort(proxy)
        finally:
            server.shutdown()

    def hiring(self, work: Work, port: Port, each: int) -> Callable[[str], Handle]:
        """Spawned processes, which import what they need themselves."""
        return lambda name: ProcessHandle(*_serve(Worker, name, work, port))


__all__ = ["ProcessEngine"]
