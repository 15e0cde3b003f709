"""Runs the ten commands of docs/new-domain.md on a real model, and keeps what they print.

    python benchmarks/new_domain.py --backbone "local:$(tools/real_model.sh)" --out docs/results/new-domain.md

The commands are those of the guide with `--backbone`, and smaller: `--limit` where they read data, fewer trials and
metric calls, a small space. A command that is done is not run again; one that was stopped goes on by itself, as the
guide says. The page is written anew after each.
"""

import argparse
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rows import Rows

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs" / "new-domain.md"
ON_A_BACKBONE = ("doctor", "eval", "compile", "tune", "summarize")
SECOND = "offline"
"""The backbone that stands beside the real one where the guide compiles for two."""
SMALLER = {"--metric-calls": "24", "--trials": "3", "--space": "small.toml"}
ADDED = {"eval": [], "compile": ["--rollouts", "1", "--program-rows", "4"], "tune": ["--rollouts", "1"]}
"""What commands that read data get besides their `--limit`."""
SPACE = f"{(ROOT / 'benchmarks' / 'small.toml').read_text('utf-8')}questions = 2\n"


@dataclass(frozen=True)
class Ran:
    """A command that has ended well: what was typed, how long it took in seconds, and what it printed."""

    command: str
    seconds: float
    printed: str


def main() -> None:
    """Run the commands that are not done yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backbone", required=True)
    parser.add_argument("--limit", type=int, default=4, help="rows of each split")
    parser.add_argument("--work", type=Path, default=Path("runs/new-domain"), help="the folder in which they run")
    parser.add_argument("--out", type=Path, default=Path("docs/results/new-domain.md"))
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    kept = Rows(given.work / "ran.jsonl")
    done = [Ran(**row) for row in kept]
    for printed in guide_commands()[len(done) :]:
        ran = run(adapted(printed, given.backbone, given.limit), given.work)
        kept.add(asdict(ran))
        done.append(ran)
        given.out.write_text(page(done, given.backbone), "utf-8")
    print(page(done, given.backbone))


def guide_commands() -> list[str]:
    """The commands as the guide prints them."""
    lines = GUIDE.read_text("utf-8").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def adapted(command: str, backbone: str, limit: int) -> list[str]:
    """A command of the guide for a small model."""
    words = shlex.split(command)
    if words[0] != "summq":
        return words
    named = words.count("--backbone")
    smaller = [SMALLER.get(before, word) for before, word in zip(["", *words], words, strict=False)]
    kept = [word for before, word in zip(["", *smaller], smaller, strict=False) if "--backbone" not in (before, word)]
    if words[1] in ON_A_BACKBONE:
        kept += ["--backbone", backbone, *(["--backbone", SECOND] if named > 1 else [])]
    return [*kept, "--limit", str(limit), *ADDED[words[1]]] if words[1] in ADDED else kept


def run(words: Sequence[str], folder: Path) -> Ran:
    """Run one command in the folder, with the examples beside it; ends this script where it fails."""
    examples = folder / "examples"
    if not examples.exists():
        examples.symlink_to(ROOT / "examples")
    (folder / SMALLER["--space"]).write_text(SPACE, "utf-8")
    command, start = shlex.join(words), time.monotonic()
    print(f"$ {command}", file=sys.stderr, flush=True)
    program = [sys.executable, "-m", "summq", *words[1:]] if words[0] == "summq" else list(words)
    ended = subprocess.run(program, cwd=folder, stdout=subprocess.PIPE, text=True)
    if ended.returncode:
        sys.exit(f"{command} ended with status {ended.returncode}: the same command of this script goes on with it")
    return Ran(command, time.monotonic() - start, ended.stdout)


def page(done: Sequence[Ran], backbone: str) -> str:
    """What was printed, and how long it took."""
    total = sum(ran.seconds for ran in done) / 60
    parts = [
        f"```console\n$ {ran.command}\n{ran.printed.rstrip()}\n```\n\n{ran.seconds / 60:.1f} minutes." for ran in done
    ]
    head = f"# The ten commands on a real model\n\n`{backbone}`: {len(done)} commands, {total:.0f} minutes in all."
    return "\n\n".join([head, *parts]) + "\n"


if __name__ == "__main__":
    main()
