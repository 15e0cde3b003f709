"""The entry point of `summq`: which commands there are, and what a user sees when something goes wrong."""

import errno
import io
import logging
import os
import pkgutil
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from summq.cli.interrupts import INTERRUPTED, TERMINATED, interrupt_by_signals, leave_at_once
from summq.cli.typos import mistake
from summq.cli.waiting import waiting_for


class LazyCommand(TyperCommand):
    """A name and a line of help; the function behind it (`module:function` in `commands`) is imported when needed."""

    def __init__(self, name: str, target: str, help: str) -> None:
        super().__init__(name, help=help, short_help=help, rich_markup_mode=None)
        self.target = target

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Hand over to the real command: the context that it makes is its own. A typo is told before it is imported."""
        if wrong := mistake(str(self.name), self.target, args):
            print_error(wrong)
            raise typer.Exit(BAD_USAGE)
        with waiting_for("loading"):
            function = self.function()
        return command_of(function).make_context(info_name, args, parent, **extra)

    def function(self) -> Callable[..., Any]:
        """The function that the command runs."""
        function: Callable[..., Any] = pkgutil.resolve_name(f"summq.cli.commands.{self.target}")
        return function


class LazyGroup(TyperGroup):
    """A name, a line of help and lazy subcommands."""

    def __init__(self, name: str, help: str, commands: Sequence[LazyCommand]) -> None:
        by_name: dict[str, Any] = {str(command.name): command for command in commands}
        super().__init__(
            name=name, help=help, short_help=help, commands=by_name, no_args_is_help=True, rich_markup_mode=None
        )


def command_of(function: Callable[..., Any]) -> Any:
    """A function with annotated parameters as a command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)  # plain: no name is cut, whatever the width
    app.command()(function)
    return typer.main.get_command(app)


BAD_USAGE = 2
PIPE_CLOSED = 141  # as of any command that a closed pipe ends
UNWRITABLE = {errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EPIPE}
COMMANDS: list[LazyCommand | LazyGroup] = [
    LazyCommand("summarize", "summarize:summarize", "Summarise documents and examine the summaries."),
    LazyCommand("text", "text:text", "Print the text of a document as it is read."),
    LazyCommand("exam", "exam:exam", "Examine any summary with a quiz about its document."),
    LazyCommand("eval", "eval:eval_command", "Run systems on a data set and measure what they write."),
    LazyCommand("judge", "judge:judge", "Compare two systems pair by pair, by a language model."),
    LazyCommand("sheets", "judge:sheets", "Write blinded sheets on which people compare two systems."),
    LazyCommand("votes", "judge:votes", "Sum up filled sheets: win rates and agreement."),
    LazyGroup(
        "metric",
        "Learn a metric of summaries, and show what it has learned.",
        [
            LazyCommand("learn", "metric:learn", "Learn it from a data set, and from judgements."),
            LazyCommand("show", "metric:show", "Show weights, agreement and gates in words."),
        ],
    ),
    LazyCommand("compile", "compile:compile_command", "Learn the prompts of roles from a training split."),
    LazyCommand("tune", "tune:tune_command", "Search for the best structure: agents, iterations, questions."),
    LazyCommand("prompts", "prompts:prompts", "Write the prompt of every role as it is sent."),
    LazyCommand("init", "init:init", "Write a config file with every key."),
    LazyCommand("report", "report:report", "Rebuild the page, tables and plots of a run."),
    LazyCommand("doctor", "doctor:doctor", "Show what is installed, which backbones answer, what is missing."),
]
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Long documents in, examined summaries out.")


def show_version(wanted: bool) -> None:
    """Print the version and leave, when that was asked for."""
    if wanted:
        print(f"summq {version('summq')}")
        raise typer.Exit()


@app.callback()
def summq(
    show: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Long documents in, examined summaries out."""


def command_line() -> Any:
    """The command `summq` with all its subcommands."""
    group: Any = typer.main.get_command(app)  # with the options that install shell completion
    for command in COMMANDS:
        group.add_command(command)
    return group


def main() -> None:
    """Run `summq`; an expected error is one line on stderr and an exit status, never a traceback."""
    escape_what_is_lacking()
    terminated = interrupt_by_signals()
    runtime = logging.getLogger("summq.runtime")
    if not any(isinstance(handler, Warnings) for handler in runtime.handlers):
        runtime.addHandler(Warnings(logging.WARNING))
    warnings.formatwarning = one_line
    try:
        run_command()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave_at_once(TERMINATED if terminated.is_set() else INTERRUPTED)
        raise
    except Exception as error:
        sys.exit(report(error))


class Warnings(logging.Handler):
    """Prints on stderr what is waited for and what does not work as it should, as lines of their own."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one line, wherever stderr leads by now."""
        from summq.programs.text.cleaning import harmless  # there by now: it was SummQ that logged

        print(harmless(f"summq: {record.getMessage()}"), file=sys.stderr)


def escape_what_is_lacking() -> None:
    """Let stdout escape the characters that its encoding lacks, as stderr does."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def one_line(message: Warning | str, *args: Any, **kwargs: Any) -> str:
    """A warning as users see it: without the place in the code."""
    return f"warning: {message}\n"


def run_command() -> None:
    """Run the command and write what stdout still holds, so that a full disk shows here, not as the process ends."""
    try:
        command_line()(prog_name="summq")
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Typer ends with 1 then
            raise SystemExit(PIPE_CLOSED) from end
        if sys.stdout is not None:  # as it is when it was closed: `summq ... >&-`
            sys.stdout.flush()
        raise


def report(error: Exception) -> int:
    """Print an expected error and return its exit status; raise any other, with its traceback."""
    if isinstance(error, OSError) and error.errno in UNWRITABLE and error.filename is None:
        return give_up_stdout(error)
    from summq.programs.errors import SummQError  # here, so that --help does not wait for DSPy
    from summq.programs.runtime.replies import as_expected

    told = as_expected(error)
    if not isinstance(told, SummQError):
        raise error
    print_error(str(told))
    return told.exit_status


def print_error(text: str) -> None:
    """Print an error on stderr, without keys and without what would rewrite the terminal."""
    from summq.programs.runtime.redaction import redacted
    from summq.programs.text.cleaning import harmless

    print(harmless(f"summq: {redacted(text)}"), file=sys.stderr)


def give_up_stdout(error: OSError) -> int:
    """Say that stdout can't be written, but nothing to `| head`; what it still holds is dropped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return PIPE_CLOSED
    print(f"summq: the output can't be written: {error.strerror}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()


__all__ = ["COMMANDS", "LazyCommand", "LazyGroup", "command_of", "main"]
