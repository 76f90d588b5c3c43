"""The command line: the table of commands, and the one place where errors become exit codes."""

import inspect
import os
import re
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from autodrill.cli.options import Exit
from autodrill.errors import AutodrillError, ContentError, FileError, InternalError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["COMMANDS", "Command", "build", "main"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its module, its function, and the panel of the help text that lists it."""

    module: str
    function: str
    panel: str


_CANDIDATE, _INSTRUCTOR = "For the candidate", "For the instructor"

COMMANDS = {
    "quiz": Command("quiz_command", "quiz", _CANDIDATE),
    "interview": Command("interview_command", "interview", _CANDIDATE),
    "list": Command("list_command", "list_", _CANDIDATE),
    "show": Command("exercise_commands", "show", _CANDIDATE),
    "open": Command("exercise_commands", "open_", _CANDIDATE),
    "predict": Command("predict_command", "predict", _CANDIDATE),
    "watch": Command("watch_command", "watch", _CANDIDATE),
    "check": Command("check_command", "check", _CANDIDATE),
    "hint": Command("help_commands", "hint", _CANDIDATE),
    "solution": Command("help_commands", "solution", _CANDIDATE),
    "reset": Command("exercise_commands", "reset", _CANDIDATE),
    "history": Command("history_command", "history", _CANDIDATE),
    "stats": Command("stats_command", "stats", _CANDIDATE),
    "next": Command("home_commands", "next_", _CANDIDATE),
    "due": Command("due_command", "due", _CANDIDATE),
    "limit": Command("due_command", "limit", _CANDIDATE),
    "undo": Command("rating_commands", "undo", _CANDIDATE),
    "rate": Command("rating_commands", "rate", _CANDIDATE),
    "tune": Command("tune_command", "tune", _CANDIDATE),
    "doctor": Command("doctor_command", "doctor", _CANDIDATE),
    "trace": Command("trace_command", "trace", _CANDIDATE),
    "new": Command("new_command", "new", _INSTRUCTOR),
    "verify": Command("verify_command", "verify", _INSTRUCTOR),
    "grade": Command("grade_command", "grade", _INSTRUCTOR),
}
"""Every command. Its module is imported only to run that command, or to list all commands."""


def build(names: "Iterable[str]" = tuple(COMMANDS)) -> typer.Typer:
    """Return the application with the named commands; only their modules are imported."""
    app = typer.Typer(
        name="autodrill",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # halves the time of --help, and help texts are data, not markup
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=_help(_root))(_root)
    for name in names:
        command = COMMANDS[name]
        function = getattr(import_module(f"autodrill.cli.{command.module}"), command.function)
        app.command(name, help=_help(function), rich_help_panel=command.panel)(function)
    return app


def _help(function: "Callable[..., None]") -> str:
    """Return a docstring as help text, in which an indented block after `Examples:` or the like keeps its lines."""
    return re.sub(r"\n\n(?=[^\n]+:\n  )", "\n\n\b\n", inspect.cleandoc(function.__doc__ or ""))


def _version(asked: bool) -> None:
    if asked:
        from autodrill.cli.version import print_version

        print_version()
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 the callback acts on it
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Practise autodiff and backprop for interviews.

    Answer questions with spaced repetition (`quiz`), and write backward passes (`open`, `check`). The grader names the
    rule that a wrong answer breaks.

    Exit codes:
      0    done, or the graded work passes
      1    the graded work fails
      2    usage error
      3    a fault of autodrill or of the exercise
      130  interrupted
    """
    if context.invoked_subcommand is None:
        from autodrill.cli.first_run import welcome
        from autodrill.cli.home_commands import status

        chosen = None if welcome() else status(COMMANDS)
        if chosen:
            raise typer.Exit(_invoke(list(chosen)))


def main() -> None:
    """Run the command line and exit."""
    if "_AUTODRILL_COMPLETE" in os.environ:
        _complete()
    if hasattr(signal, "SIGCHLD"):  # a parent that ignores it would hide from this process how its child processes end
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        code = _run(sys.argv[1:])
    except BrokenPipeError:
        # The reader of the pipe has gone. Without this the interpreter would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.DONE
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:  # already reported; the interpreter would flush again at exit and report it a second time
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)


def _complete() -> NoReturn:
    """Answer the shell that completes a command line. With nothing to say, as for a malformed pack, say nothing."""
    sys.modules["rich"] = None  # type: ignore[assignment]  # typer would load rich to strip markup, and no help has any
    with suppress(AutodrillError):
        build()(prog_name="autodrill")
    raise SystemExit(Exit.USAGE)


def _run(arguments: list[str]) -> int:
    from autodrill.render.plain import flush

    try:
        code = _invoke(arguments)
        flush(sys.stdout)
    except AutodrillError as error:
        _report(error, arguments)
        code = Exit.INTERNAL if isinstance(error, InternalError) else Exit.USAGE
    except BrokenPipeError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  its exit code would look like that of an answer
        from autodrill.cli.keyboard import TerminatedError

        if isinstance(error, TerminatedError):
            return int(str(error.code))
        import traceback

        traceback.print_exc()
        hint = "this is a fault of autodrill: please report it with the lines above"
        _report(InternalError(f"{type(error).__name__}: {error}", hint=hint), arguments)
        code = Exit.INTERNAL
    return code


def _invoke(arguments: list[str]) -> int:
    """Run a command and return its exit code; typer's errors become autodrill's.

    Raises:
        UsageError: The command does not accept these arguments.
        UnknownNameError: There is no such command.
    """
    first = arguments[0] if arguments else ""
    if first and not first.startswith("-") and first not in COMMANDS:
        from autodrill.drills.library import suggest

        nearest = suggest(first, COMMANDS)
        raise UnknownNameError(
            "command", first, nearest, hint=None if nearest else "`autodrill --help` lists the commands"
        )
    everything = first.startswith("-") and first != "--version"
    app = get_command(build(COMMANDS if everything else [first] if first in COMMANDS else []))
    try:
        with app.make_context("autodrill", list(arguments)) as context:
            app.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except TyperException as error:
        asked = getattr(error, "ctx", None)
        path = asked.command_path if asked else "autodrill"
        raise UsageError(error.format_message(), hint=f"`{path} --help` shows the arguments and options") from None
    return Exit.DONE


def _report(error: AutodrillError, arguments: list[str]) -> None:
    """Write an error and its hint to stderr, and with `--output-format json` also as a document to stdout."""
    from autodrill.render.plain import Paint, clean, say, width_of, wrapped, write

    if kind := _json_format(arguments):
        from autodrill.render.document import as_json, document

        problems = [str(p) for p in error.problems] if isinstance(error, ContentError) else []
        fields = {
            "kind": type(error).__name__,
            "message": error.message,
            "hint": error.hint,
            "where": error.where,
            "problems": problems,
        }
        with suppress(FileError):  # if stdout is what cannot be written, stderr says so below
            write(sys.stdout, as_json(document("error", error=fields), indent=2 if kind == "json" else None) + "\n")
    where = f"{error.where}: " if error.where else ""
    text = "\n".join(clean(line) for line in f"error: {where}{error.message}".splitlines())
    text += f"\n\nhint: {clean(error.hint)}" if error.hint else ""
    if sys.stderr.isatty():
        text = wrapped(text, width_of(sys.stderr, os.environ))
    label = Paint.for_stream(sys.stderr, os.environ)("error", "red", "bold")
    say(label + text.removeprefix("error"), err=True)


def _json_format(arguments: list[str]) -> str | None:
    """Return the JSON format that was asked for, or None."""
    for word, after in zip(arguments, [*arguments[1:], ""], strict=False):
        asked = after if word == "--output-format" else word.removeprefix("--output-format=")
        if asked in {"json", "jsonl"} and word.startswith("--output-format"):
            return asked
    return "json" if os.environ.get("AUTODRILL_OUTPUT_FORMAT") == "json" else None
