"""Where the workers of a study run: in processes of this machine, or as tasks of a Ray cluster.

Workers share nothing but the storage of the study, so the same code runs in both.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from summq.programs.errors import BackboneError, ConfigError

Work = Callable[[int], None]


def in_processes(work: Work, workers: int) -> None:
    """Run `work(0)`, `work(1)`, ..., each in a process of its own. Raises the first exception of any of them."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for future in [pool.submit(work, worker) for worker in range(workers)]:
            future.result()


def on_ray(work: Work, workers: int) -> None:
    """The same as tasks of the Ray cluster at `RAY_ADDRESS`, or of a cluster started on this machine.

    Raises:
        BackboneError: Ray is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise BackboneError("--engine ray needs one more package: pip install -e '.[ray]'") from error
    ray.init(ignore_reinit_error=True, logging_level=logging.ERROR)
    task: Any = ray.remote(num_cpus=1)(lambda worker: work(worker))
    try:
        ray.get([task.remote(worker) for worker in range(workers)])
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    finally:
        ray.shutdown()


ENGINES: Mapping[str, Callable[[Work, int], None]] = {"local": in_processes, "ray": on_ray}


def find_engine(name: str) -> Callable[[Work, int], None]:
    """The function that runs workers. Raises `ConfigError` for an unknown name."""
    if name not in ENGINES:
        raise ConfigError(f"unknown engine {name!r}: use one of {', '.join(ENGINES)}")
    return ENGINES[name]


__all__ = ["find_engine"]
