"""A typo is told at once: no option that a command has is taken for one."""

import subprocess
import sys

import pytest

from summq.cli.main import COMMANDS, LazyCommand, command_of
from summq.cli.typos import options_of, unknown_option

EVERY = [
    one
    for command in COMMANDS
    for one in ([command] if isinstance(command, LazyCommand) else command.commands.values())
    if isinstance(one, LazyCommand)
]


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command.name)
def test_every_option_of_a_command_is_known(command: LazyCommand) -> None:
    real = command_of(command.function())
    names = {name for option in real.params for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}

    assert names <= options_of(command.target)


def test_a_typo_is_found() -> None:
    assert unknown_option("summarize:summarize", ["a.md", "--json", "--words", "9", "--wrods=20"]) == (
        "--wrods; did you mean --words?"
    )


@pytest.mark.parametrize("args", [["--json", "--dry-run"], ["--", "--wrods"], ["--out", "--wrods"], ["--out=x", "-h"]])
def test_what_may_be_right_is_left_to_the_command(args: list[str]) -> None:
    assert unknown_option("summarize:summarize", args) is None


def test_a_typo_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['summq', 'eval', '--sistems', 'lead']\n"
        "from summq.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code, 'dspy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "2 False"
    assert ran.stderr == "summq: eval has no option --sistems; did you mean --systems?\n"
