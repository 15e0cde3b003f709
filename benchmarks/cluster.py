"""Does work on a Ray cluster come out as in one process, whatever dies, within its limits, and faster with more nodes?

    python benchmarks/cluster.py [--json] [--documents 200] [--only same limits faster]

A cluster of one head without CPUs and two nodes is started on this machine. `same`: documents on `offline`, while a
worker and then a node are killed with -9, against the files that a single process writes. `limits`: a simulated
provider of its own counts requests in flight, in all, and those that were asked again after a worker was killed.
`faster`: calls of a second, on one node with 8 slots and on two.
"""

import hashlib
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronicle import chronicle
from dspy.lm15 import Request
from provider import Hardware, LoggedRequest, Provider, Remembered, offline_answer
from report import Criterion, Report, add, finish, parser, table
from throughput import Load

from summq.eval.data import Dataset, Row
from summq.eval.metrics import make_metric
from summq.eval.run.plan import EvalPlan
from summq.eval.run.runner import evaluate
from summq.eval.systems import make_systems
from summq.programs.config import SummQConfig
from summq.programs.errors import BudgetSpent
from summq.programs.runs.folder import RunFolder
from summq.programs.runs.jobs import Job, run_jobs
from summq.programs.runtime.cache import CACHE_VARIABLE
from summq.programs.runtime.engines import LOCAL, Engine, open_engine
from summq.programs.settings import Settings
from summq.signatures import Document, QuestionCounts, SummQResult

LIMIT, MOST_CALLS = 8, 500
STORE = 100 * 1024 * 1024  # bytes of Ray's object store; 78 MB are the least
INSTANT = Hardware(prefill_rate=1e9, decode_rate=1e9, concurrency=1000)
COMPARED = ("summary.md", "quiz.json", "document.txt", "request.json", "digest.md")
CONFIG = SummQConfig.preset(
    "solo",
    target_words=60,
    max_iterations=2,
    questions=QuestionCounts(multiple_choice=2, true_false=2, short_answer=2),
)


class Nodes:
    """A cluster on this machine: a head without CPUs, and nodes that can be added and killed."""

    def __init__(self, nodes: int, cpus: int) -> None:
        os.environ.setdefault("RAY_raylet_start_wait_time_s", "180")  # other work may keep the machine busy
        from ray.cluster_utils import Cluster

        self._cpus = cpus
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add() for _ in range(nodes)]
        self.address: str = self._cluster.address

    def add(self) -> Any:
        """One more node."""
        return self._cluster.add_node(num_cpus=self._cpus, object_store_memory=STORE)

    def kill_node(self) -> None:
        """Kill the processes of a node with -9."""
        self._cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def kill_worker(self) -> None:
        """Kill one worker with -9."""
        os.kill(workers()[0], signal.SIGKILL)

    def end(self) -> None:
        """End all of it."""
        self._cluster.shutdown()


def workers() -> list[int]:
    """The process ids of SummQ's workers on this machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::Worker"):
                found.append(int(path.parent.name))
        except OSError:  # ended just now
            continue
    return sorted(found)


@contextmanager
def cluster(nodes: int = 2, cpus: int = 1) -> Iterator[tuple[Nodes, Engine]]:
    """A cluster and the engine on it."""
    made = Nodes(nodes, cpus)
    try:
        with open_engine("ray", made.address) as engine:
            yield made, engine
    finally:
        made.end()


def documents(number: int, tokens: int = 700) -> list[Document]:
    """Documents that differ throughout."""
    return [Document(id=f"d{k:03}", text=chronicle(tokens, seed=k)) for k in range(number)]


def summarised(texts: Sequence[Document], folder: Path, settings: Settings, engine: Engine) -> int:
    """Run the documents; returns how many have a whole result."""
    jobs = [Job(document, RunFolder(folder / document.id)) for document in texts]
    with settings.session():
        outcomes = run_jobs(settings.summq(), jobs, settings, engine)
    for outcome in outcomes:
        if isinstance(outcome, Exception) and not isinstance(outcome, BudgetSpent):
            raise outcome
    return sum(isinstance(outcome, SummQResult) and outcome.stop_reason != "budget" for outcome in outcomes)


@contextmanager
def meanwhile(*steps: tuple[Callable[[], bool], Callable[[], None]]) -> Iterator[None]:
    """While inside, do each step once its condition holds, one after the other; raises where one was not done."""
    left = list(steps)
    ended = threading.Event()

    def watch() -> None:
        while left and not ended.wait(0.05):
            if left[0][0]():
                left.pop(0)[1]()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    yield
    ended.set()
    thread.join()
    if left:
        raise RuntimeError(f"{len(left)} steps were not done: take more documents")


def done(folder: Path) -> int:
    """How many documents have their files."""
    return len(list(folder.glob("*/request.json")))


def differences(one: Path, other: Path) -> int:
    """How many files of the runs in two folders differ; times on the clock may."""
    names = [path.relative_to(one) for path in sorted(one.glob("*/*")) if path.name in COMPARED]
    names += [path.relative_to(other) for path in sorted(other.glob("*/*")) if path.name in COMPARED]
    files = sum(_bytes(one / name) != _bytes(other / name) for name in dict.fromkeys(names))
    return files + sum(_timeless(one / name.parent) != _timeless(other / name.parent) for name in dict.fromkeys(names))


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _timeless(folder: Path) -> str:
    result = SummQResult.model_validate_json((folder / "result.json").read_text("utf-8"))
    return result.model_copy(update={"usage": None}).model_dump_json()


@dataclass(frozen=True)
class Same:
    """How many documents were finished, and how many files differ from those of a single process."""

    finished: int
    differing: int


def same(number: int) -> Same:
    """Documents on `offline`, with a worker killed after a quarter and a node after half of them."""
    texts, settings = documents(number), Settings(config=CONFIG)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        summarised(texts, folder / "alone", settings, LOCAL)
        with cluster(cpus=2) as (nodes, engine):
            kills = (
                (lambda: done(folder / "cluster") >= number // 4, nodes.kill_worker),
                (lambda: done(folder / "cluster") >= number // 2, nodes.kill_node),
            )
            with meanwhile(*kills):
                finished = summarised(texts, folder / "cluster", settings, engine)
        return Same(finished, differences(folder / "alone", folder / "cluster"))


@dataclass(frozen=True)
class Limits:
    """What a provider saw: the most requests at once, requests until the budget ended, requests asked again."""

    peak: int
    calls: int
    again: int
    finished: int


def limits(number: int, seconds: float = 0.2) -> Limits:
    """Runs until a budget is spent, and again without one; a worker is killed in either."""
    asked: Counter[str] = Counter()
    answer = slow(seconds, asked)
    texts = documents(number)
    with replies_in_a_folder() as made, Provider(answer, hardware=INSTANT) as provider:
        backbone = f"hosted_vllm/simulated@{provider.url}"
        settings = Settings(config=CONFIG, backbone=backbone, concurrency=LIMIT)
        with cluster() as (nodes, engine):
            with meanwhile((lambda: asked.total() >= MOST_CALLS // 2, nodes.kill_worker)):
                summarised(texts, Path(made), settings.model_copy(update={"max_calls": MOST_CALLS}), engine)
            calls = asked.total()
            with meanwhile((lambda: asked.total() >= calls + MOST_CALLS // 4, nodes.kill_worker)):
                finished = summarised(texts, Path(made), settings, engine)
        return Limits(Load.of(provider.log, LIMIT).peak, calls, asked.total() - len(asked), finished)


@contextmanager
def replies_in_a_folder() -> Iterator[str]:
    """A folder, in which the response cache lies as well."""
    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE_VARIABLE] = f"{folder}/replies"
        try:
            yield f"{folder}/runs"
        finally:
            os.environ.pop(CACHE_VARIABLE)
            os.environ.update({CACHE_VARIABLE: before} if before is not None else {})


def slow(seconds: float, asked: Counter[str] | None = None) -> Callable[[Request], str]:
    """An answer that takes so long, and counts how often each request was asked."""
    remembered = Remembered(offline_answer())

    def answer(request: Request) -> str:
        if asked is not None:
            asked[hashlib.sha256(repr(request).encode()).hexdigest()] += 1
        time.sleep(seconds)
        return remembered(request)

    return answer


def calls_a_second(nodes: int, rows: int) -> float:
    """Of an evaluation whose calls take a second, with 8 slots a node, while all slots are in use."""
    data = Dataset("chronicles", "test", tuple(Row(d.id, d, ("-",)) for d in documents(rows, tokens=50)))
    with tempfile.TemporaryDirectory() as made, Provider(second_of_work, hardware=INSTANT) as provider:
        settings = Settings(backbone=f"hosted_vllm/simulated@{provider.url}", concurrency=LIMIT * nodes)
        plan = EvalPlan(data, make_systems(["direct"], data), [make_metric("surface")], backbone=settings.backbone)
        with cluster(nodes) as (_, engine), settings.session():
            evaluate(plan, Path(made), engine=engine, session=settings.session)
        return rate(provider.log, LIMIT * nodes)


def second_of_work(request: Request) -> str:
    """A summary, after a second."""
    time.sleep(1.0)
    return "[[ ## summary ## ]]\nThe river rose.\n\n[[ ## completed ## ]]"


def rate(log: Sequence[LoggedRequest], slots: int) -> float:
    """Replies a second from the moment when all slots are in use until the last calls begin; workers start apart."""
    begun = sorted(request.arrival for request in log)
    full = next((t for t in begun if sum(r.arrival <= t < r.finish for r in log) >= slots), None)
    if full is None:
        raise RuntimeError("the slots were never all in use: take more rows")
    last = begun[-slots]
    return sum(full < request.finish <= last for request in log) / (last - full)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=200)
    options.add_argument("--rows", type=int, default=640, help="of `faster`")
    options.add_argument("--only", nargs="+", default=["same", "limits", "faster"])
    chosen = options.parse_args(arguments)
    made, criteria = table("", "measured"), list[Criterion]()
    if "same" in chosen.only:
        one = same(chosen.documents)
        criteria += [
            Criterion("documents finished", one.finished, chosen.documents, at_least=True),
            Criterion("files that differ from those of a single process", one.differing, 0),
        ]
    if "limits" in chosen.only:
        two = limits(chosen.documents)
        add(made, "requests that were asked again after two workers were killed", two.again)
        criteria += [
            Criterion("requests in flight at the provider", two.peak, LIMIT),
            Criterion(f"requests beyond --max-calls {MOST_CALLS}", two.calls - MOST_CALLS, LIMIT),
            Criterion(f"requests short of --max-calls {MOST_CALLS}", MOST_CALLS - two.calls, LIMIT),
            Criterion("requests asked again for each worker killed", two.again / 2, LIMIT),
            Criterion("documents finished without the budget", two.finished, chosen.documents, at_least=True),
        ]
    if "faster" in chosen.only:
        alone, both = (calls_a_second(nodes, chosen.rows) for nodes in (1, 2))
        add(made, "calls of a second, a second, on one node with 8 slots", alone)
        add(made, "... on two", both)
        criteria.append(Criterion("times as fast on two nodes", both / alone, 1.8, at_least=True))
    figures = {criterion.name: criterion.value for criterion in criteria}
    finish(Report(figures, [made], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()

__all__ = ["LIMIT", "MOST_CALLS", "calls_a_second", "limits", "same"]
