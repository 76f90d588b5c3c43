"""Keyboard input: single keys if the terminal supports them, else whole lines."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType
    from typing import TextIO

__all__ = [
    "CHANGED",
    "DOWN",
    "ENTER",
    "MOVES",
    "PAGE_DOWN",
    "PAGE_UP",
    "SPACE",
    "UP",
    "Keyboard",
    "LineKeyboard",
    "TerminalKeyboard",
    "TerminatedError",
    "terminal_keyboard_works",
]

ENTER = "enter"
SPACE = "space"
CHANGED = "changed"
"""Not a key. The terminal changed its size, or `fg` resumed the program, so the screen must be drawn again."""

UP, DOWN, PAGE_UP, PAGE_DOWN = "up", "down", "page up", "page down"
MOVES = (UP, DOWN, PAGE_UP, PAGE_DOWN)
"""Keys that get no message where they have no effect. A mouse wheel, for example, sends arrow keys."""

_SEQUENCES = {"A": UP, "B": DOWN, "5~": PAGE_UP, "6~": PAGE_DOWN}
"""The known keys, by the text that follows `ESC [` or `ESC O`. Other keys, and keys with Ctrl or Shift, are skipped."""
_ARROWS = ("up", "down", "right", "left", "home", "end")
_NAMES = {"\r": ENTER, "\n": ENTER, " ": SPACE}
_END_OF_FILE = "\x04"
_STROKES = {
    "\r": ENTER,
    "\n": ENTER,
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x04": "ctrl-d",
    "\x01": "home",
    "\x05": "end",
    "\x02": "left",
    "\x06": "right",
    "\x10": "up",
    "\x0e": "down",
    "\x0b": "ctrl-k",
    "\x15": "ctrl-u",
    "\x17": "ctrl-w",
    **{f"\x1b{start}{final}": name for start in "[O" for final, name in zip("ABCDHF", _ARROWS, strict=True)},
    "\x1b[1~": "home",
    "\x1b[7~": "home",
    "\x1b[4~": "end",
    "\x1b[8~": "end",
    "\x1b[3~": "delete",
}
"""The names of the keys that edit a text. The control keys are the same as in a shell."""
# The bytes of an arrow key arrive together. After a lone Escape nothing follows within this time.
_ESCAPE_SECONDS = 0.05


class _ChangedError(Exception):
    """The terminal changed while a key was awaited."""


class Keyboard(Protocol):
    """A source of keys and lines. Both methods raise EOFError at the end of input and KeyboardInterrupt at Ctrl-C."""

    single_keys: bool
    """Whether a key press arrives without Enter, so that the screen can be redrawn in place."""

    def key(self) -> str:
        """Return the next key: a lower-case character, `ENTER`, `SPACE`, `CHANGED`, or an arrow or page key."""

    def line(self, prompt: str) -> str:
        """Show `prompt` and return the line typed after it, without its newline."""


class LineKeyboard:
    """Keys from whole lines: an empty line is Enter, a line of spaces is Space, else each character is a key."""

    single_keys = False

    def __init__(self, stream: TextIO, prompts: TextIO) -> None:
        self._stream = stream
        self._prompts = prompts
        self._keys: deque[str] = deque()

    def key(self) -> str:
        """Return the next key of the current line, or the first key of a new line."""
        if not self._keys:
            line = self._read()
            self._keys.extend(line.replace(" ", "").lower() or [SPACE if line else ENTER])
        return self._keys.popleft()

    def line(self, prompt: str) -> str:
        """Return the next line and drop the unread keys of the current line."""
        self._keys.clear()
        self._prompts.write(prompt)
        self._prompts.flush()
        return self._read()

    def _read(self) -> str:
        line = self._stream.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")


class TerminalKeyboard:
    """Single keys from the terminal on standard input; a context manager that restores the terminal's settings.

    Inside the context the terminal neither echoes keys nor waits for Enter. Keys typed ahead count. Ctrl-C and Ctrl-Z
    keep their meaning. SIGTERM and SIGHUP raise TerminatedError, so that the settings are restored then too.
    """

    single_keys = True

    def __init__(self) -> None:
        import termios

        self._descriptor = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._descriptor)
        self._handlers: dict[signal.Signals, Any] = {}
        self._waiting = self._pending = False

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, _leave)
        for number in (signal.SIGCONT, signal.SIGWINCH):
            self._handlers[number] = signal.signal(number, self._changed)
        self._single_keys()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._whole_lines()

    def key(self) -> str:
        """Return the next key; function keys are skipped."""
        while True:
            try:
                self._wait()
            except _ChangedError:
                return CHANGED
            key = self._character()
            if key == _END_OF_FILE:
                raise EOFError
            if key and (key.isprintable() or key in _NAMES):
                return _NAMES.get(key, key.lower())

    def key_within(self, seconds: float, wake: int) -> str | None:
        """Return the next key, or None after some seconds, or as soon as the descriptor `wake` is readable."""
        ready = select.select([self._descriptor, wake], [], [], seconds)[0]
        return self.key() if self._descriptor in ready else None

    def stroke_within(self, seconds: float) -> str | None:
        """Return the next key while a text is edited, or None after some seconds.

        A letter keeps its case, and an editing key has a name, such as `left` or `ctrl-w`. A key without a name is an
        empty string.
        """
        if not select.select([self._descriptor], [], [], seconds)[0]:
            return None
        stroke = self._character(named=True)
        return _STROKES.get(stroke, stroke if stroke.isprintable() else "")

    def line(self, prompt: str) -> str:
        """Show `prompt` and return the line typed after it, with the terminal's line editing."""
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - makes arrow keys work in input()
        with self.released():
            return input(prompt)

    @contextlib.contextmanager
    def released(self) -> Iterator[None]:
        """Give the terminal its former settings inside the context, as for an editor."""
        self._whole_lines()
        try:
            yield
        finally:
            self._single_keys()

    def _wait(self) -> None:
        """Wait for a byte without reading it, so that an interrupted wait loses none.

        Raises:
            _ChangedError: The terminal changed.
        """
        self._waiting = True
        try:
            if self._pending:  # the terminal changed while a card was drawn
                raise _ChangedError
            select.select([self._descriptor], [], [])
        finally:
            self._waiting = self._pending = False

    def _changed(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGCONT:  # after Ctrl-Z and `fg` the shell's settings hold
            self._single_keys()
        self._pending = True
        if self._waiting:
            raise _ChangedError

    def _single_keys(self) -> None:
        import termios
        import tty

        # TCSADRAIN keeps what was typed ahead; TCSAFLUSH would drop it.
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def _whole_lines(self) -> None:
        import termios

        with contextlib.suppress(termios.error):  # the terminal may be gone, which can be why the program ends
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _character(self, *, named: bool = False) -> str:
        """Read one character, or the name of an arrow or page key; return an empty string for invalid UTF-8.

        Return an empty string for other escape sequences too, or the sequence itself if the caller asks for it.
        """
        first = self._byte()
        if first == b"\x1b":
            sequence = self._sequence()
            return f"\x1b{sequence}" if named else _SEQUENCES.get(sequence[1:], "")
        length = 1 + (first >= b"\xc0") + (first >= b"\xe0") + (first >= b"\xf0")
        rest = b"".join(self._byte() for _ in range(length - 1))
        return (first + rest).decode("utf-8", "ignore")

    def _sequence(self) -> str:
        """Read the rest of the sequence that an arrow or function key sends: `ESC [ ... final` or `ESC O final`."""
        read = b""
        while select.select([self._descriptor], [], [], _ESCAPE_SECONDS)[0]:
            read += self._byte()
            if (len(read) > 1 and b"@" <= read[-1:] <= b"~") or read[:1] not in {b"[", b"O"}:
                break
        return read.decode("ascii", "replace")

    def _byte(self) -> bytes:
        try:
            byte = os.read(self._descriptor, 1)
        except OSError:  # the terminal is gone
            byte = b""
        if not byte:
            raise EOFError
        return byte


def terminal_keyboard_works() -> bool:
    """Say whether single keys can be read: standard input is a terminal, not dumb, and its settings can be changed."""
    if os.environ.get("TERM") == "dumb" or not sys.stdin.isatty():
        return False
    try:
        import termios
    except ImportError:  # Windows
        return False
    try:
        termios.tcgetattr(sys.stdin.fileno())
    except termios.error:
        return False
    return True


class TerminatedError(SystemExit):
    """SIGTERM or SIGHUP came while single keys were read. Its code is the exit code."""


def _leave(number: int, _frame: FrameType | None) -> None:
    raise TerminatedError(128 + number)
