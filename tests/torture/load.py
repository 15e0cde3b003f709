"""Many documents at once against a server that fails now and then: is each finished or reported, and at what cost?

Run: `python -m tests.torture.load [--documents 50 500] [--concurrency 64] [--rate 0.05] [--seed 0] [--out FILE]`. It
goes on where it stopped. Needs /proc.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.documents import HARBOUR
from tests.fault_server import FaultServer
from tests.torture.trials import Outcome, markdown, series

OPTIONS = "--words 60 --questions 1/1/1 --iterations 1 --out run --progress off --json"
CONFIG = "[options]\ndeadline = 20.0\nlongest_wait = 1.0\n"
WARM = 50
"""Documents after which memory counts: what every run needs is there by then."""


@dataclass(frozen=True)
class Sample:
    """What a process holds at a moment."""

    finished: int
    megabytes: float
    files: int


def documents(folder: Path, number: int) -> list[str]:
    """Files of 300 words each, all of them different."""
    words = HARBOUR.read_text().split()
    names = []
    for n in range(number):
        start = 37 * n % (len(words) - 300)
        name = f"part-{n}.txt"
        (folder / name).write_text(f"Part {n} of the report. {' '.join(words[start : start + 300])}")
        names.append(name)
    return names


def samples(process: "subprocess.Popen[bytes]", folder: Path) -> Iterator[Sample]:
    """What the process holds, ten times a second until it ends."""
    proc = Path("/proc") / str(process.pid)
    while process.poll() is None:
        try:
            resident = re.search(r"VmRSS:\s+(\d+)", (proc / "status").read_text())
            files = len(os.listdir(proc / "fd"))
        except OSError:
            continue
        if resident:
            yield Sample(len(list(folder.glob("run/*/request.json"))), int(resident[1]) / 1024, files)
        time.sleep(0.1)


def loaded(number: int, concurrency: int, rate: float, seed: int) -> Outcome:
    """One run over so many documents."""
    with tempfile.TemporaryDirectory() as place, FaultServer(rate, seed=seed, hang=1.0) as server:
        folder = Path(place)
        (folder / "summq.toml").write_text(CONFIG)
        command = [sys.executable, "-m", "summq", "summarize", *documents(folder, number), *OPTIONS.split()]
        command += ["--config", "summq.toml", "--backbone", f"openai/m@{server.url}", "--concurrency", str(concurrency)]
        environment = {**os.environ, "OPENAI_API_KEY": "none", "SUMMQ_CACHE_DIR": str(folder / "cache")}
        began = time.monotonic()
        with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=stdout, stderr=stderr)
            seen = list(samples(process, folder))
        seconds = time.monotonic() - began
        told = (folder / "stderr").read_text()
        warm = next((one.megabytes for one in seen if one.finished >= WARM), seen[-1].megabytes)
        return {
            "documents": number,
            "requests": len(server.requests),
            "faults": server.faults.total(),
            "finished": len(list(folder.glob("run/*/request.json"))),
            "reported": len(re.findall(r"^summq: part-\d+", told, re.MULTILINE)),
            "tracebacks": told.count("Traceback"),
            "megabytes": round(max(one.megabytes for one in seen)),
            "growth": round(max([one.megabytes for one in seen if one.finished >= WARM] or [warm]) - warm, 1),
            "files": max(one.files for one in seen),
            "seconds_a_document": round(seconds / number, 2),
        }


def main() -> None:
    """Run all, print the table; exit with 1 where a document is missing or a bound is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[50, 500])
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/torture/load.jsonl"))
    wanted = parser.parse_args()
    names = [f"{number}/{wanted.concurrency}/{wanted.rate}/{wanted.seed}" for number in wanted.documents]

    def trial(name: str) -> Outcome:
        return loaded(int(name.partition("/")[0]), wanted.concurrency, wanted.rate, wanted.seed)

    outcomes = list(series(wanted.out, names, trial))
    print(markdown([{key: value for key, value in one.items() if key != "trial"} for one in outcomes]))
    sys.exit(any(_fails(one) for one in outcomes))


def _fails(one: Outcome) -> bool:
    whole = one["finished"] + one["reported"] >= one["documents"]
    return not whole or one["tracebacks"] or one["growth"] > 50 or one["files"] > 128


if __name__ == "__main__":
    main()
