"""The rich consoles for standard output and standard error."""

from __future__ import annotations

import codecs
import sys
from typing import TYPE_CHECKING

from autodrill.render.plain import ascii_only, in_ascii

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, NoReturn

    from rich.console import Console

__all__ = ["lines_for_frame", "stderr_console", "stdout_console"]

_MIN_WIDTH = 40
_ERROR_HANDLER = "autodrill.ascii"

# No background colours, because none suits both dark and light terminals.
_STYLES = {
    "markdown.code": "cyan",
    "markdown.code_block": "none",
    "markdown.item.bullet": "dim",
    "markdown.item.number": "dim",
}


def stdout_console() -> Console:
    """Return a console on standard output, for the answer. `stderr_console` lists what it honours."""
    return _console(sys.stdout)


def stderr_console() -> Console:
    """Return a console on standard error, for progress, hints and errors.

    It honours `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` and `COLUMNS`. Strings are never parsed as markup. A sign that the
    stream cannot encode is spelled in ASCII. The width is at least 40 columns, so that words stay whole.
    """
    return _console(sys.stderr)


def lines_for_frame(show: Callable[[Console], None], width: int, *, colour: bool) -> list[str]:
    """Return what `show` prints on a console of this width, line by line, with colour codes if wanted."""
    import io

    from rich.console import Console
    from rich.theme import Theme

    console = Console(
        file=io.StringIO(),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        width=max(width, _MIN_WIDTH),
        markup=False,
        highlight=False,
        emoji=False,
        theme=Theme(_STYLES),
    )
    with console.capture() as captured:
        show(console)
    return captured.get().splitlines()


def _console(stream: IO[str]) -> Console:
    from shutil import get_terminal_size

    from rich.console import Console, ConsoleDimensions
    from rich.theme import Theme

    if ascii_only(stream):
        codecs.register_error(_ERROR_HANDLER, _spell)
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_ERROR_HANDLER)

    class PlainConsole(Console):
        def on_broken_pipe(self) -> NoReturn:
            # rich would exit with 1, which means here that graded work fails. `app.main` exits with 0 instead.
            raise BrokenPipeError

    console = PlainConsole(file=stream, markup=False, highlight=False, emoji=False, theme=Theme(_STYLES))
    if console.is_dumb_terminal:  # rich assumes 80 columns for every dumb terminal
        console.size = ConsoleDimensions(*get_terminal_size())
    console.width = max(console.width, _MIN_WIDTH)
    return console


def _spell(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return in_ascii(error.object[error.start : error.end]), error.end
