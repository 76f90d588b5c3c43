"""Reading what the learner presses: single keys where the terminal can give them, whole lines elsewhere."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import TextIO

__all__ = ["ENTER", "SPACE", "Keyboard", "LineKeyboard", "TerminalKeyboard", "terminal_keyboard_works"]

ENTER = "enter"
SPACE = "space"

_NAMES = {"\r": ENTER, "\n": ENTER, " ": SPACE}
_END_OF_FILE = "\x04"
# The bytes of an arrow key arrive together; a lone Escape is followed by nothing for longer than this.
_ESCAPE_SECONDS = 0.05


class Keyboard(Protocol):
    """Where keys and lines come from; both raise EOFError when there is no more and KeyboardInterrupt at Ctrl-C."""

    single_keys: bool
    """Whether a key is answered at once, so that a screen may be redrawn in place."""

    def key(self) -> str:
        """Return the next key: a lower-case character, `ENTER` or `SPACE`."""

    def line(self, prompt: str) -> str:
        """Return a line typed after `prompt`, without its end."""


class LineKeyboard:
    """Whole lines: an empty one is Enter, a blank one is Space, else each character of it is a key."""

    single_keys = False

    def __init__(self, stream: TextIO, prompts: TextIO) -> None:
        self._stream = stream
        self._prompts = prompts
        self._keys: deque[str] = deque()

    def key(self) -> str:
        """Return the next key of the line last read, or of the next line."""
        if not self._keys:
            line = self._read()
            self._keys.extend(line.replace(" ", "").lower() or [SPACE if line else ENTER])
        return self._keys.popleft()

    def line(self, prompt: str) -> str:
        """Return the next line; keys left over from the last one are forgotten."""
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
    """Single keys of the terminal on standard input; a context manager that leaves the terminal as it found it.

    Keys are neither echoed nor held back for Enter as long as it lasts, so that what is typed ahead counts; Ctrl-C and
    Ctrl-Z keep their meaning. SIGTERM and SIGHUP end the process through the same door as any other exit.
    """

    single_keys = True

    def __init__(self) -> None:
        import termios

        self._descriptor = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._descriptor)
        self._handlers: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, _leave)
        # After Ctrl-Z and `fg` the terminal is as the shell left it.
        self._handlers[signal.SIGCONT] = signal.signal(signal.SIGCONT, lambda *_: self._single_keys())
        self._single_keys()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._whole_lines()

    def key(self) -> str:
        """Return the next key; arrow and function keys are passed over."""
        while True:
            key = self._character()
            if key == _END_OF_FILE:
                raise EOFError
            if key and (key.isprintable() or key in _NAMES):
                return _NAMES.get(key, key.lower())

    def line(self, prompt: str) -> str:
        """Return a line typed after `prompt`, with the terminal's own editing."""
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - arrow keys work in input() once it is loaded
        self._whole_lines()
        try:
            return input(prompt)
        finally:
            self._single_keys()

    def _single_keys(self) -> None:
        import termios
        import tty

        # Draining, not flushing: what was typed ahead counts.
        tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def _whole_lines(self) -> None:
        import termios

        with contextlib.suppress(termios.error):  # the terminal may have gone away, which is why we leave
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

    def _character(self) -> str:
        """Read one character, or an empty string for an escape sequence or a broken one."""
        first = self._byte()
        if first == b"\x1b":
            self._pass_over_sequence()
            return ""
        length = 1 + (first >= b"\xc0") + (first >= b"\xe0") + (first >= b"\xf0")
        rest = b"".join(self._byte() for _ in range(length - 1))
        return (first + rest).decode("utf-8", "ignore")

    def _pass_over_sequence(self) -> None:
        """Read on to the end of what an arrow or function key sends: `ESC [ ... final` or `ESC O final`."""
        introduced = False
        while select.select([self._descriptor], [], [], _ESCAPE_SECONDS)[0]:
            byte = self._byte()
            if introduced and b"@" <= byte <= b"~":
                return
            if not introduced and byte not in {b"[", b"O"}:
                return
            introduced = True

    def _byte(self) -> bytes:
        try:
            byte = os.read(self._descriptor, 1)
        except OSError:  # the terminal has gone away
            byte = b""
        if not byte:
            raise EOFError
        return byte


def terminal_keyboard_works() -> bool:
    """Say whether single keys can be read from standard input: it is a terminal that can be set, and not a dumb one."""
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


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
