"""Processes killed at random moments: is a finished call ever paid again, and does the same command end equal?

Run: `python -m tests.torture.kills [--kills 50] [--seed 0] [--commands combo exam] [--out FILE]`. It goes on where it
stopped. The moments are drawn over the replies of a whole run: after so many, and some milliseconds.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import shlex
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from dspy.lm15 import request_from_openai_chat

from summq.programs.runtime.offline import OfflineEngine
from tests.documents import HARBOUR
from tests.fakes import FakeProvider
from tests.fault_server import USAGE, message, scaled
from tests.torture.trials import Outcome, markdown, series

DOMAIN = HARBOUR.parent / "domain"
GRACE = 0.25
"""Seconds that a process has to read and keep a reply after the server has sent it; a reply that is younger when the
process is killed counts as in flight. Long, since a busy machine may not let the process run in the meantime."""
LONGEST = 300.0  # seconds that a command may take


class CountingServer(FakeProvider):
    """The offline reader behind HTTP; `sent` says of each reply when, and to which request, it was sent in full."""

    def __init__(self) -> None:
        super().__init__(delay=0.05)
        self.sent: list[tuple[float, str]] = []
        self.always = self._answer_once
        self._engine = OfflineEngine()
        self._replies: dict[str, tuple[int, dict[str, str], Any]] = {}

    def begin(self) -> None:
        """Forget what was sent, once nothing is in flight any more."""
        while self.in_flight:
            time.sleep(0.01)
        self.sent, self.requests = [], []

    def delivered(self, body: Mapping[str, Any]) -> None:
        """Note a reply that was sent in full."""
        self.sent.append((time.monotonic(), _key(body)))

    def _answer_once(self, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        key = _key(body)
        if key not in self._replies:
            asked = {name: body[name] for name in ("model", "messages", "response_format") if name in body}
            primer = body.get("max_completion_tokens", body.get("max_tokens")) == 1
            text = "." if primer else self._engine.complete(request_from_openai_chat(asked)).message.text
            self._replies[key] = 200, {}, message(text, usage=scaled(USAGE, body))
        return self._replies[key]


def _key(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Command:
    """A command, what it needs in its folder, and what is the same however often it was killed."""

    line: str
    result: Callable[[Path], object]
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)


def rows() -> str:
    """Twenty overlapping parts of the example, long enough to be primed."""
    words = HARBOUR.read_text().split()
    parts = [" ".join(words[95 * n : 95 * n + 950]) for n in range(20)]
    row = [{"id": str(n), "document": part, "summary": part[:300]} for n, part in enumerate(parts)]
    return "".join(json.dumps(one) + "\n" for one in row)


def without(value: Any, *left_out: str) -> Any:
    """JSON without these keys, at any depth: what was used, and how long it took."""
    if isinstance(value, dict):
        return {key: without(one, *left_out) for key, one in value.items() if key not in left_out}
    return [without(one, *left_out) for one in value] if isinstance(value, list) else value


def run_result(folder: Path) -> object:
    """The result of a run, and its summary as it lies beside it."""
    result = without(json.loads((folder / "run/result.json").read_text()), "usage")
    return result, (folder / "run/summary.md").read_text()


def eval_result(folder: Path) -> object:
    """The summaries and scores of an evaluation."""
    lines = [json.loads(line) for line in (folder / "run/predictions.jsonl").read_text().splitlines()]
    cells = {f"{one['system']}/{one['id']}": [one["summary"], one["metrics"], one["error"]] for one in lines}
    assert len(cells) == len(lines), "a document was finished twice"
    return cells


def exam_result(folder: Path) -> object:
    """The exam that was printed, and the questions that are kept."""
    (pool,) = (folder / "quizzes").glob("*.json")
    return json.loads((folder / "stdout").read_text()), json.loads(pool.read_text())


def compile_result(folder: Path) -> object:
    """The compiled prompts, and what was measured of them."""
    manifest = json.loads((folder / "run/manifest.json").read_text())
    return json.loads((folder / "run/program.json").read_text()), without(manifest, "lm_calls", "cost", "backbone")


def tune_result(folder: Path) -> object:
    """The front of the study by its trials, and the choice with all that it was made by."""
    return (folder / "run/front.md").read_text(), json.loads((folder / "run/choice.json").read_text())


def metric_result(folder: Path) -> object:
    """The weights of the learned metric, its agreement and its gates."""
    return json.loads((folder / "run/metric.json").read_text())


SMALL_SPACE = Path(__file__).parents[2] / "benchmarks" / "small.toml"

COMMANDS = {
    "combo": Command(
        f"summarize '{HARBOUR}' --preset combo --words 150 --questions 2/2/2 --iterations 2 --out run", run_result
    ),
    "eval": Command(
        "eval --data rows.jsonl --systems direct,summq-solo=summq-solo:max_iterations=1 --words 100 "
        "--metrics exam,surface --questions 2/2/2 --out run",
        eval_result,
        {"rows.jsonl": rows},
    ),
    "exam": Command(
        f"exam summary.txt --document '{HARBOUR}' --questions 4/4/4 --quizzes quizzes --json",
        exam_result,
        {"summary.txt": lambda: " ".join(HARBOUR.read_text().split()[:600])},
    ),
    "compile": Command(
        f"compile --data '{DOMAIN}' --optimizer bootstrap --roles summary_reviewer.review,examinee "
        "--metric-calls 24 --folds 1 --words 60 --out run",
        compile_result,
    ),
    "tune": Command(
        f"tune --data '{DOMAIN}' --space space.toml --trials 4 --trial-rows 2 --limit 4 --rollouts 1 --words 60 "
        "--questions 1/1/1 --quality rouge1=1 --choose auto --out run",
        tune_result,
        {"space.toml": lambda: f"{SMALL_SPACE.read_text('utf-8')}questions = false\n"},
    ),
    "metric": Command(f"metric learn --data '{DOMAIN}' --limit 3 --out run", metric_result),
}


def run_here(arguments: Sequence[str], folder: Path) -> None:
    """Run `summq` in this process, which was made for that; what it prints goes into files."""
    os.chdir(folder)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.environ |= {"OPENAI_API_KEY": "none", "SUMMQ_CACHE_DIR": str(folder / "cache")}
    sys.modules["matplotlib"] = None  # type: ignore[assignment]  # plots take longer than all the rest
    sys.argv = ["summq", *arguments]
    from summq.cli.main import main

    main()


@dataclass(frozen=True)
class Whole:
    """What a run that nobody kills is sent: how often each reply, which requests had replies that could not be used and
    are therefore never kept, and its result.
    """

    sent: "Counter[str]"
    refused: "frozenset[str]"
    result: object


@dataclass(frozen=True)
class Series:
    """Trials of one command: begun, killed, and run to its end."""

    command: Command
    server: CountingServer
    folder: Path

    def start(self, name: str) -> BaseProcess:
        """The process of the command, in the folder of the trial."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for file, written in self.command.files.items():
            (folder / file).write_text(written())
        arguments = [*shlex.split(self.command.line), "--backbone", f"openai/m@{self.server.url}"]
        context = multiprocessing.get_context("forkserver")
        process = context.Process(target=run_here, args=(arguments, folder))
        process.start()
        return process

    def finished(self, name: str) -> "tuple[int | None, Counter[str]]":
        """Run the command to its end; its exit status, and how often each reply was sent."""
        self.server.begin()
        process = self.start(name)
        process.join(LONGEST)
        if process.is_alive():
            process.kill()
            process.join()
        return process.exitcode, Counter(key for _, key in self.server.sent)

    def killed(self, name: str, replies: int, delay: float) -> "dict[str, list[float]]":
        """Kill the command after so many replies and seconds: the ages of the replies to each request, newest first."""
        self.server.begin()
        process = self.start(name)
        while len(self.server.sent) < replies and process.is_alive():
            time.sleep(0.001)
        process.join(delay)
        moment = time.monotonic()
        process.kill()
        process.join()
        ages = defaultdict[str, list[float]](list)
        for at, key in reversed(self.server.sent):
            if at < moment:
                ages[key].append(moment - at)
        return ages

    def whole(self) -> Whole:
        """A run that nobody kills, and what is sent when only its kept replies are there."""
        status, sent = self.finished("whole")
        assert status == 0, (self.folder / "whole/stderr").read_text()
        result = self.command.result(self.folder / "whole")
        (self.folder / "kept").mkdir()
        (self.folder / "whole/cache").rename(self.folder / "kept/cache")
        _, refused = self.finished("kept")
        return Whole(sent, frozenset(refused), result)

    def trial(self, name: str, whole: Whole, dice: random.Random) -> Outcome:
        """Kill once, at a moment that the dice choose, and run to the end."""
        sent = whole.sent
        replies = dice.randint(0, sent.total())
        ages = self.killed(name, replies, dice.uniform(0, 0.05 if replies < sent.total() else 1.0))
        status, again = self.finished(name)
        useful = {key: old for key, old in ages.items() if key not in whole.refused}
        twice = [age for key, old in useful.items() for age in old[: max(0, len(old) + again[key] - max(1, sent[key]))]]
        stderr = (self.folder / name / "stderr").read_text()
        return {
            "finished": sum(age > GRACE for old in useful.values() for age in old),
            "paid_twice": sum(age > GRACE for age in twice),
            "in_flight_paid_twice": sum(age <= GRACE for age in twice),
            "oldest_paid_twice": round(max(twice, default=0.0), 3),
            "equal": status == 0 and self.command.result(self.folder / name) == whole.result,
            "traceback": "Traceback" in stderr,
            "status": status,
        }


def run_series(name: str, kills: int, seed: int, out: Path, server: CountingServer) -> list[Outcome]:
    """The outcomes of one command."""
    with tempfile.TemporaryDirectory() as folder:
        one = Series(COMMANDS[name], server, Path(folder))
        whole = cache(one.whole)

        def trial(trial_name: str) -> Outcome:
            outcome = one.trial(trial_name.replace("/", "-"), whole(), random.Random(trial_name))
            print(f"{trial_name}: {outcome}", file=sys.stderr)
            return outcome

        return list(series(out, [f"{name}/{seed}/{number}" for number in range(kills)], trial))


def row_of(name: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The row of a command in the table."""
    return {
        "command": name,
        "kills": len(outcomes),
        "finished calls at the kills": sum(one["finished"] for one in outcomes),
        "of these paid twice": sum(one["paid_twice"] for one in outcomes),
        "in flight, paid twice": sum(one["in_flight_paid_twice"] for one in outcomes),
        "oldest of these, s": max(one["oldest_paid_twice"] for one in outcomes),
        "results equal": sum(one["equal"] for one in outcomes),
        "tracebacks": sum(one["traceback"] for one in outcomes),
    }


def preload() -> None:
    """Let the process from which all others fork import everything once."""
    modules = ["main", "summarize", "eval", "exam", "compile", "tune", "metric"]
    multiprocessing.set_forkserver_preload([__name__, *(f"summq.cli.{name}" for name in modules)])


def main() -> None:
    """Run all series, print the table; exit with 1 where something was paid twice or came out otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--out", type=Path, default=Path("runs/torture/kills.jsonl"))
    wanted = parser.parse_args()
    preload()
    with CountingServer() as server:
        done = {name: run_series(name, wanted.kills, wanted.seed, wanted.out, server) for name in wanted.commands}
    print(markdown([row_of(name, outcomes) for name, outcomes in done.items()]))
    outcomes = [outcome for some in done.values() for outcome in some]
    sys.exit(any(one["paid_twice"] or not one["equal"] or one["traceback"] for one in outcomes))


if __name__ == "__main__":
    main()
