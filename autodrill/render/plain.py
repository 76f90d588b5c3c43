"""Terminal text without rich, for commands that must start fast: colours, signs, ASCII spelling, control characters."""

from __future__ import annotations

import io
import sys
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO

__all__ = [
    "ASCII",
    "DIFFICULTY_COLOURS",
    "UNICODE",
    "Paint",
    "Symbols",
    "ascii_only",
    "clean",
    "counted",
    "fit",
    "flush",
    "folded",
    "in_ascii",
    "say",
    "symbols_for",
    "width_of",
    "wrapped",
    "write",
    "write_utf8",
]

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "amber": "33", "cyan": "36"}
_NARROWEST = 40
"""The narrowest terminal that lines are made for."""
DIFFICULTY_COLOURS = {"easy": "green", "medium": "amber", "hard": "red", "expert": "red"}


_IN_ASCII = {
    "┃": "|",
    "│": "|",
    "─": "-",
    "━": "-",
    "█": "#",
    **dict.fromkeys("┌┐└┘├┤┬┴┼", "+"),
    "►": ">",
    "◄": "<",
    "▲": "^",
    "▼": "v",
    "⟨": "<",
    "⟩": ">",
    "‖": "||",
    "↔": "<->",
    "•": "*",
    "●": "*",
    "✓": "+",
    "✗": "x",
    "→": "->",
    "←": "<-",
    "↦": "->",
    "⇒": "=>",
    "⟶": "->",
    "…": "...",
    "–": "-",
    "—": "-",
    "−": "-",
    "‐": "-",
    "×": "x",
    "·": "*",
    "⋅": "*",
    "∘": "o",
    "⊙": "(.)",
    "÷": "/",
    "⁄": "/",
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "∼": "~",
    "≡": "==",
    "≪": "<<",
    "≫": ">>",
    "λ": "lambda",
    "Λ": "Lambda",
    "∂": "d",
    "∇": "grad ",
    "Δ": "Delta",
    "Σ": "sum ",
    "∑": "sum ",
    "∏": "prod ",
    "Π": "prod ",
    "∫": "int ",
    "√": "sqrt ",
    "∞": "inf",
    "∈": " in ",
    "∉": " not in ",
    "ᵀ": "T",
    "ᴴ": "H",
    "°": " deg",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "«": '"',
    "»": '"',
    "\u00a0": " ",
    "\u202f": " ",
}
# A combining mark follows its letter: x̄ becomes xbar, as it is spoken.
_COMBINING = {"\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u0302": "hat", "\u0303": "tilde", "\u20d7": "vec"}


@dataclass(frozen=True, slots=True)
class Symbols:
    """The signs that the screens use. Each state also has a word, so no meaning depends on a sign."""

    bar: str
    yes: str
    no: str
    arrow: str
    ellipsis: str
    rule: str
    dot: str


UNICODE = Symbols(bar="┃", yes="✓", no="✗", arrow="→", ellipsis="…", rule="─", dot="·")
ASCII = Symbols(bar="|", yes="+", no="x", arrow="->", ellipsis="...", rule="-", dot="-")


def ascii_only(stream: IO[str]) -> bool:
    """Say whether a stream cannot encode the signs of `Symbols`, as in the C locale or on an old code page."""
    try:
        "┃✓✗→…─∂".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def symbols_for(stream: IO[str]) -> Symbols:
    """Return the signs that a stream can encode."""
    return ASCII if ascii_only(stream) else UNICODE


def in_ascii(text: str) -> str:
    """Return a text in readable ASCII: `∂L/∂x̄ → 0` becomes `dL/dxbar -> 0`."""
    if text.isascii():
        return text
    spelled: list[str] = []
    script_before = ""
    for letter in text:
        script = "" if letter.isascii() else _script(letter)
        # A run of superscripts gets one sign: 2²⁰ becomes 2^20.
        spelled.append((script if script != script_before else "") + _letter(letter))
        script_before = script
    return "".join(spelled)


def _script(letter: str) -> str:
    """Return `^` for a superscript, `_` for a subscript, and an empty string otherwise."""
    kind = unicodedata.decomposition(letter)
    return "^" if kind.startswith("<super>") else "_" if kind.startswith("<sub>") else ""


def _letter(letter: str) -> str:
    if letter.isascii():
        return letter
    known = _IN_ASCII.get(letter) or _COMBINING.get(letter)
    if known is not None:
        return known
    plain = unicodedata.normalize("NFKD", letter)
    if plain != letter:
        return "".join(_letter(part) for part in plain)
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK"):
        word = name.rpartition(" ")[2]
        return word.lower() if "SMALL" in name else word.capitalize()
    return f"[{name.lower()}]" if name else "?"


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours text, or returns it unchanged.

    Attributes:
        on: Whether to write escape codes.
    """

    on: bool

    @classmethod
    def for_stream(cls, stream: IO[str], environ: Mapping[str, str]) -> Paint:
        """Choose for a stream: `NO_COLOR` wins over `FORCE_COLOR`, which wins over the type of the terminal."""
        if environ.get("NO_COLOR"):
            return cls(on=False)
        if environ.get("FORCE_COLOR"):
            return cls(on=True)
        return cls(on=stream.isatty() and environ.get("TERM") != "dumb")

    def __call__(self, text: str, *styles: str) -> str:
        """Return the text in these styles: bold, dim, red, green, amber, cyan."""
        if not self.on or not styles or not text:
            return text
        return f"\x1b[{';'.join(_CODES[s] for s in styles)}m{text}\x1b[0m"


def clean(text: str) -> str:
    """Escape control characters and signs that hide or reverse text, so that no terminal obeys them."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def fit(text: str, width: int) -> str:
    """Cut a line to a width. The cut ends in three dots, because `…` would grow to three in ASCII."""
    return text if len(text) <= width else text[: max(width - 3, 0)] + "..."


def wrapped(text: str, width: int) -> str:
    """Break long lines at spaces, but not inside backticks, so that a command stays whole; indented lines stay too."""
    import re
    import textwrap

    lines = []
    for line in text.splitlines():
        if len(line) <= width or line.startswith(" "):
            lines.append(line)
            continue
        kept = re.sub("`[^`]*`", lambda literal: literal[0].replace(" ", "\0"), line)
        broken = textwrap.wrap(kept, width, break_long_words=False, break_on_hyphens=False)
        lines += [part.replace("\0", " ") for part in broken]
    return "\n".join(lines)


_STYLED = r"( *)((?:\x1b\[[0-9;]+m)?)( *)([^\x1b]*)((?:\x1b\[0m)?)"
_WHOLE = r"`[^`]*`|(?:(?<=: )|(?<=then ))autodrill (?:(?!  )[^,;`])*"
"""Text that a line break must not divide: text in backticks, and a command to type."""


def folded(line: str, width: int) -> list[str]:
    """Break a line at spaces into lines of at most `width` columns, each with its indent and its style.

    A command stays whole, and so does a word, even if it is wider. A line with a style inside it is not broken.
    """
    import re
    import textwrap

    if len(line) <= width:
        return [line]
    match = re.fullmatch(_STYLED, line)
    if match is None or len(match[1] + match[3] + match[4]) <= width:
        return [line]
    before, style, inside, text, end = match.groups()
    indent = before + inside
    kept = re.sub(_WHOLE, lambda literal: literal[0].replace(" ", "\0"), text)
    broken = textwrap.wrap(kept, max(width - len(indent), 1), break_long_words=False, break_on_hyphens=False)
    return [f"{before}{style}{inside}{part}{end}".replace("\0", " ") for part in broken]


def width_of(stream: IO[str], environ: Mapping[str, str], *, most: int = 100) -> int:
    """Return the width to write in: the terminal's, between 40 and `most`, or 80 without a terminal."""
    named = environ.get("COLUMNS", "")
    if named.isdigit() and int(named) > 0:
        return max(_NARROWEST, min(int(named), most))
    if stream.isatty():
        import os

        try:
            return max(_NARROWEST, min(os.get_terminal_size(stream.fileno()).columns, most))
        except (OSError, ValueError):
            return 80
    return 80


def say(text: str = "", *, err: bool = False) -> None:
    """Write a line to standard output or standard error, in ASCII if the stream can encode nothing else.

    On a terminal, a line that does not fit is broken at spaces.
    """
    stream = sys.stderr if err else sys.stdout
    if ascii_only(stream):
        text = in_ascii(text)
    if len(text) > _NARROWEST and stream.isatty():
        import os

        text = "\n".join(folded(text, width_of(stream, os.environ, most=sys.maxsize)))
    write(stream, text + "\n")


def write(stream: IO[str], text: str) -> None:
    """Write text to a stream.

    Raises:
        BrokenPipeError: The reader of the pipe has gone.
        FileError: The stream cannot be written, for example because the disk is full.
    """
    with _writing():
        stream.write(text)


def write_utf8(stream: IO[str]) -> None:
    """Write UTF-8 to a stream from now on, for a format that prescribes it whatever the locale is."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")


def flush(stream: IO[str]) -> None:
    """Write the buffered text of a stream.

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
        hint = "check that the disk is not full, or write elsewhere with `> FILE`"
        raise FileError(f"the output cannot be written: {error.strerror}", hint=hint) from error


def counted(number: int, what: str) -> str:
    """Return a number with its noun: `1 exercise`, `2 exercises`."""
    return f"{number} {what}{'' if number == 1 else 's'}"
