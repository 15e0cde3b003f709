"""A typo is told at once: no option that a command has is taken for one."""

import subprocess
import sys

import pytest

from summq.cli.main import COMMANDS, LazyCommand, command_of
from summq.cli.typos import BACKBONES, malformed_spec, options_of, unknown_option

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


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command.name)
def test_every_option_that_names_backbones_is_known(command: LazyCommand) -> None:
    options = command_of(command.function()).params
    named = {name for option in options if "SPEC" in (option.metavar or "") for name in option.opts} - {"--data"}

    assert named <= BACKBONES


@pytest.mark.parametrize(
    ("target", "args", "says"),
    [
        ("summarize:summarize", ["a.md", "--backbone", "gpt-4o"], "did you mean openai/gpt-4o?"),
        ("summarize:summarize", ["a.md", "--json", "--backbone=offlin"], "did you mean offline?"),
        ("summarize:summarize", ["a.md", "--role", "examinee=qwen3:8b"], "did you mean ollama_chat/qwen3:8b?"),
        ("eval:eval_command", ["--scorer", "judge.gguf"], "did you mean local:judge.gguf?"),
        ("eval:eval_command", ["--backbones", "offline, claude-opus"], "did you mean anthropic/claude-opus?"),
    ],
)
def test_a_malformed_backbone_is_found(target: str, args: list[str], says: str) -> None:
    assert says in (malformed_spec(target, args) or "")


@pytest.mark.parametrize(
    "args", [["--backbone"], ["--role", "examinee"], ["--out", "gpt-4o"], ["--", "--backbone", "gpt-4o"]]
)
def test_what_may_be_no_backbone_is_left_to_the_command(args: list[str]) -> None:
    assert malformed_spec("summarize:summarize", args) is None


def test_a_typo_is_found() -> None:
    assert unknown_option("summarize:summarize", ["a.md", "--json", "--words", "9", "--wrods=20"]) == (
        "--wrods; did you mean --words?"
    )


@pytest.mark.parametrize("args", [["--json", "--dry-run"], ["--", "--wrods"], ["--out", "--wrods"], ["--out=x", "-h"]])
def test_what_may_be_right_is_left_to_the_command(args: list[str]) -> None:
    assert unknown_option("summarize:summarize", args) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--sistems", "lead"], "eval has no option --sistems; did you mean --systems?"),
        (["--judge", "lokal"], "'lokal' names no backbone; did you mean local? Else write one like "),
    ],
)
def test_a_typo_imports_nothing_heavy(args: list[str], says: str) -> None:
    code = (
        f"import sys; sys.argv = ['summq', 'eval', *{args}]\n"
        "from summq.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code, 'dspy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "2 False"
    assert ran.stderr.startswith(f"summq: {says}")
    assert ran.stderr.count("\n") == 1
