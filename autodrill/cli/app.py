"""The command line: which commands there are, and the one place where errors become exit codes."""

import os
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated

import typer

from autodrill.cli.exits import Exit
from autodrill.errors import AutodrillError, ContentError, InternalError

__all__ = ["COMMANDS", "Command", "build", "main"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: the module and function that carry it out, and who it is for."""

    module: str
    function: str
    panel: str


_CANDIDATE, _INSTRUCTOR = "For the candidate", "For the instructor"

COMMANDS = {
    "quiz": Command("quiz", "quiz", _CANDIDATE),
    "list": Command("browse", "list_", _CANDIDATE),
    "show": Command("browse", "show", _CANDIDATE),
    "open": Command("browse", "open_", _CANDIDATE),
    "check": Command("check", "check", _CANDIDATE),
    "hint": Command("assist", "hint", _CANDIDATE),
    "solution": Command("assist", "solution", _CANDIDATE),
    "reset": Command("browse", "reset", _CANDIDATE),
    "next": Command("home", "next_", _CANDIDATE),
    "verify": Command("verify", "verify", _INSTRUCTOR),
}
"""Every command; a module is imported only when its command is typed, or all are asked about."""


def build(only: str | None = None) -> typer.Typer:
    """Return the application, with one command or with all of them."""
    app = typer.Typer(
        name="autodrill",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # halves the time of --help, and help texts are data, not markup
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    for name, command in COMMANDS.items():
        if only is None or name == only:
            module = import_module(f"autodrill.cli.{command.module}")
            app.command(name, rich_help_panel=command.panel)(getattr(module, command.function))
    return app


def _version(asked: bool) -> None:  # noqa: FBT001 typer calls it so
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
    """Practise autodiff and backprop: a question bank that schedules itself, and a grader that names the rule you broke.

    Exit codes: 0 done or right, 1 wrong, 2 usage, 3 autodrill's own fault, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        from autodrill.cli.home import status

        status()


def main() -> None:
    """Run the command line and exit."""
    first = sys.argv[1] if len(sys.argv) > 1 else "--version"
    alone = first in COMMANDS or first == "--version"  # then no other command's module is wanted
    only = first if alone and "_AUTODRILL_COMPLETE" not in os.environ else None
    try:
        build(only)()
    except AutodrillError as error:
        _report(error)
        raise SystemExit(Exit.INTERNAL if isinstance(error, InternalError) else Exit.USAGE) from None
    except BrokenPipeError:
        # Whoever was reading has seen enough; the interpreter must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(Exit.DONE) from None
    except KeyboardInterrupt:
        raise SystemExit(Exit.INTERRUPTED) from None


def _report(error: AutodrillError) -> None:
    """Say what happened and what to type next on stderr; as a document on stdout too where JSON was asked for."""
    from autodrill.render.plain import Paint, clean, say

    if _asked_for_json():
        from autodrill.render.document import write_document

        problems = [str(p) for p in error.problems] if isinstance(error, ContentError) else []
        fields = {"kind": type(error).__name__, "message": error.message, "hint": error.hint, "problems": problems}
        write_document("error", error=fields)
    label = Paint.for_stream(sys.stderr, os.environ)("error", "red", "bold")
    where = f"{error.where}: " if error.where else ""
    message = "\n".join(clean(line) for line in f"{where}{error.message}".splitlines())
    say(f"{label}: {message}", err=True)
    if error.hint:
        say(f"\nhint: {clean(error.hint)}", err=True)


def _asked_for_json() -> bool:
    words = sys.argv[1:]
    pairs = zip(words, [*words[1:], ""], strict=True)
    flagged = any(w == "--output-format=json" or (w == "--output-format" and after == "json") for w, after in pairs)
    return flagged or os.environ.get("AUTODRILL_OUTPUT_FORMAT") == "json"
