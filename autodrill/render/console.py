"""The consoles for standard output and standard error, and the ASCII spelling for screens that need it."""

from __future__ import annotations

import codecs
import sys
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import IO, NoReturn

    from rich.console import Console

__all__ = ["Symbols", "ascii_only", "in_ascii", "stderr_console", "stdout_console", "symbols_for"]

_MIN_WIDTH = 40
_ERROR_HANDLER = "autodrill.ascii"

# No background colours, because none suits both dark and light terminals.
_STYLES = {
    "markdown.code": "cyan",
    "markdown.code_block": "none",
    "markdown.item.bullet": "dim",
    "markdown.item.number": "dim",
}

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
    "✓": "x",
    "✗": "!",
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
ASCII = Symbols(bar="|", yes="x", no="!", arrow="->", ellipsis="...", rule="-", dot="-")


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


def stdout_console() -> Console:
    """Return a console on standard output, for the answer. `stderr_console` lists what it honours."""
    return _console(sys.stdout)


def stderr_console() -> Console:
    """Return a console on standard error, for progress, hints and errors.

    It honours `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` and `COLUMNS`. Strings are never parsed as markup. A sign that the
    stream cannot encode is spelled in ASCII. The width is at least 40 columns, so that words stay whole.
    """
    return _console(sys.stderr)


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
