"""The command line: which commands there are, and the one place where errors become exit codes."""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from autodrill.cli.exits import Exit
from autodrill.errors import AutodrillError, ContentError, FileError, InternalError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["COMMANDS", "Command", "build", "main"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: the module and function that carry it out, and who it is for."""

    module: str
    function: str
    panel: str


_CANDIDATE, _INSTRUCTOR = "For the candidate", "For the instructor"

COMMANDS = {
    "quiz": Command("quiz_command", "quiz", _CANDIDATE),
    "list": Command("exercise_commands", "list_", _CANDIDATE),
    "show": Command("exercise_commands", "show", _CANDIDATE),
    "open": Command("exercise_commands", "open_", _CANDIDATE),
    "check": Command("check_command", "check", _CANDIDATE),
    "hint": Command("help_commands", "hint", _CANDIDATE),
    "solution": Command("help_commands", "solution", _CANDIDATE),
    "reset": Command("exercise_commands", "reset", _CANDIDATE),
    "next": Command("home_commands", "next_", _CANDIDATE),
    "doctor": Command("doctor_command", "doctor", _CANDIDATE),
    "trace": Command("trace_command", "trace", _CANDIDATE),
    "new": Command("new_command", "new", _INSTRUCTOR),
    "verify": Command("verify_command", "verify", _INSTRUCTOR),
    "grade": Command("grade_command", "grade", _INSTRUCTOR),
}
"""Every command; a module is imported only when its command is typed, or all are asked about."""


def build(names: "Iterable[str]" = tuple(COMMANDS)) -> typer.Typer:
    """Return the application with the commands named; only their modules are imported."""
    app = typer.Typer(
        name="autodrill",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # halves the time of --help, and help texts are data, not markup
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    for name in names:
        command = COMMANDS[name]
        module = import_module(f"autodrill.cli.{command.module}")
        app.command(name, rich_help_panel=command.panel)(getattr(module, command.function))
    return app


def _version(asked: bool) -> None:
    if asked:
        from autodrill.cli.version import print_version

        print_version()
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 the callback acts on it
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Practise autodiff and backprop: questions that schedule themselves, a grader that names the rule you broke.

    Exit codes: 0 done or right, 1 wrong, 2 usage, 3 autodrill's own fault, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        from autodrill.cli.home_commands import status

        status()


def main() -> None:
    """Run the command line and exit."""
    if "_AUTODRILL_COMPLETE" in os.environ:
        build()(prog_name="autodrill")
    try:
        code = _run(sys.argv[1:])
    except BrokenPipeError:
        # Whoever was reading has seen enough; the interpreter must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.DONE
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:  # it has been said; the interpreter would try once more, and say so in its own words
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)


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
    except Exception as error:  # noqa: BLE001  whatever it is, exit code 1 would say that the learner is wrong
        import traceback

        traceback.print_exc()
        hint = "this is a fault of autodrill's: please report it with the lines above"
        _report(InternalError(f"{type(error).__name__}: {error}", hint=hint), arguments)
        code = Exit.INTERNAL
    return code


def _invoke(arguments: list[str]) -> int:
    """Run a command, typer's own ends and errors turned into ours.

    Raises:
        UsageError: The command line does not fit the command.
        UnknownNameError: There is no such command.
    """
    first = arguments[0] if arguments else ""
    if first and not first.startswith("-") and first not in COMMANDS:
        from autodrill.drills.library import suggest

        nearest = suggest(first, COMMANDS)
        raise UnknownNameError("command", first, nearest, hint=None if nearest else "`autodrill --help` lists them all")
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
        raise UsageError(error.format_message(), hint=f"`{path} --help` shows how it is used") from None
    return Exit.DONE


def _report(error: AutodrillError, arguments: list[str]) -> None:
    """Say what happened and what to type next on stderr; as a document on stdout too where JSON was asked for."""
    from autodrill.render.plain import Paint, clean, say

    if _asked_for_json(arguments):
        from autodrill.render.document import write_document

        problems = [str(p) for p in error.problems] if isinstance(error, ContentError) else []
        fields = {
            "kind": type(error).__name__,
            "message": error.message,
            "hint": error.hint,
            "where": error.where,
            "problems": problems,
        }
        with suppress(FileError):  # if that is what cannot be written, it is said below
            write_document("error", error=fields)
    label = Paint.for_stream(sys.stderr, os.environ)("error", "red", "bold")
    where = f"{error.where}: " if error.where else ""
    message = "\n".join(clean(line) for line in f"{where}{error.message}".splitlines())
    say(f"{label}: {message}", err=True)
    if error.hint:
        say(f"\nhint: {clean(error.hint)}", err=True)


def _asked_for_json(arguments: list[str]) -> bool:
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    flagged = any(w == "--output-format=json" or (w == "--output-format" and after == "json") for w, after in pairs)
    return flagged or os.environ.get("AUTODRILL_OUTPUT_FORMAT") == "json"
