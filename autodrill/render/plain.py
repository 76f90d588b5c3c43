"""Coloured words and safe text without rich, for the commands that must answer at once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.errors import FileError
from autodrill.render.console import ascii_only, in_ascii

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO

__all__ = ["DIFFICULTY_COLOURS", "Paint", "clean", "fit", "flush", "say", "width_of", "write"]

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "amber": "33", "cyan": "36"}
DIFFICULTY_COLOURS = {"easy": "green", "medium": "amber", "hard": "red", "expert": "red"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts words in colour, or leaves them alone.

    Attributes:
        on: Whether escape codes are written.
    """

    on: bool

    @classmethod
    def for_stream(cls, stream: IO[str], environ: Mapping[str, str]) -> Paint:
        """Decide for a stream: `NO_COLOR` beats `FORCE_COLOR` beats whether it is a terminal that is not dumb."""
        if environ.get("NO_COLOR"):
            return cls(on=False)
        if environ.get("FORCE_COLOR"):
            return cls(on=True)
        return cls(on=stream.isatty() and environ.get("TERM") != "dumb")

    def __call__(self, text: str, *styles: str) -> str:
        """Return the text in the styles named: bold, dim, red, green, amber, cyan."""
        if not self.on or not styles or not text:
            return text
        return f"\x1b[{';'.join(_CODES[s] for s in styles)}m{text}\x1b[0m"


def clean(text: str) -> str:
    """Show control characters and signs that hide or turn text, instead of letting a terminal obey them."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def fit(text: str, width: int) -> str:
    """Cut a line to a width, saying so with three dots: one sign would become three where only ASCII is shown."""
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."


def width_of(stream: IO[str], environ: Mapping[str, str], *, most: int = 100) -> int:
    """The columns to write in: those of the terminal between 40 and `most`, 80 where there is none."""
    named = environ.get("COLUMNS", "")
    if named.isdigit() and int(named) > 0:
        return max(40, min(int(named), most))
    if stream.isatty():
        import os

        try:
            return max(40, min(os.get_terminal_size(stream.fileno()).columns, most))
        except (OSError, ValueError):
            return 80
    return 80


def say(text: str = "", *, err: bool = False) -> None:
    """Write a line to standard output, or standard error, spelled in ASCII where the stream takes nothing else."""
    stream = sys.stderr if err else sys.stdout
    if ascii_only(stream):
        text = in_ascii(text)
    write(stream, text + "\n")


def write(stream: IO[str], text: str) -> None:
    """Write text to a stream.

    Raises:
        BrokenPipeError: Whoever was reading is gone.
        FileError: It takes nothing: the disk it leads to is full, for example.
    """
    with _writing():
        stream.write(text)


def flush(stream: IO[str]) -> None:
    """Write what a stream has kept back.

    Raises:
        BrokenPipeError: As `write`.
        FileError: As `write`.
    """
    with _writing():
        stream.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        hint = "is the disk full that it goes to?"
        raise FileError(f"the output cannot be written: {error.strerror}", hint=hint) from error
