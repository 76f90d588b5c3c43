"""A frame: the whole terminal as lines that are redrawn in place."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Any, Self

from autodrill.render.plain import ascii_only, flush, in_ascii, write
from autodrill.render.watch_screen import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType, TracebackType
    from typing import TextIO

    from autodrill.cli.keyboard import TerminalKeyboard

__all__ = ["Frame"]

# The second screen keeps what was on the terminal before. Without automatic wrapping, no line can push others down.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
_LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
# A terminal that knows these two shows everything between them at once.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
_SIZE = (80, 24)


class Frame:
    """The terminal's second screen. Use it as a context manager inside that of the keyboard.

    The frame is written in one piece, line over line, so that it never flickers. Ctrl-Z gives the terminal back before
    the process stops.

    Args:
        stream: The terminal.
        keyboard: Its keyboard.
    """

    def __init__(self, stream: TextIO, keyboard: TerminalKeyboard) -> None:
        self._stream = stream
        self._keyboard = keyboard
        self._shown: list[str] = []
        self._cursor: tuple[int, int] | None = None
        self._signalled: set[int] = set()
        self._handlers: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGTSTP):
            self._handlers[number] = signal.signal(number, self._note)
        self._write(_ENTER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with contextlib.suppress(Exception):  # the terminal may be gone
            self._write(_LEAVE)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    @property
    def size(self) -> tuple[int, int]:
        """The terminal's columns and lines."""
        try:
            columns, lines = os.get_terminal_size(self._stream.fileno())
        except OSError:
            columns = lines = 0
        return columns or _SIZE[0], lines or _SIZE[1]

    def show(self, lines: Sequence[str], cursor: tuple[int, int] | None = None) -> None:
        """Replace the frame by these lines, unless it shows them already.

        Args:
            lines: The lines.
            cursor: The row and column of the cursor, from 0; None hides it.
        """
        if ascii_only(self._stream):
            lines = [in_ascii(line) for line in lines]
        columns, height = self.size
        lines = list(lines)[:height]
        if (lines, cursor) != (self._shown, self._cursor):
            # A full line is not followed by an erasure, which would take its last character.
            rows = [line + ("\x1b[K" if columns_of(line) < columns else "") for line in lines]
            rest = "\x1b[J" if len(lines) < height else ""
            at = f"\x1b[{cursor[0] + 1};{cursor[1] + 1}H\x1b[?25h" if cursor else "\x1b[?25l"
            self._write(f"{_BEGIN}\x1b[H" + "\r\n".join(rows) + rest + at + _END)
            self._shown, self._cursor = lines, cursor

    def attend(self) -> bool:
        """Act on signals of the terminal, and return whether the frame must be drawn again.

        After Ctrl-Z this returns once the process continues.
        """
        signalled, self._signalled = self._signalled, set()
        if signal.SIGTSTP in signalled:
            with self.left():
                signal.raise_signal(signal.SIGTSTP)
            self._signalled.discard(signal.SIGCONT)
        elif signal.SIGCONT in signalled:  # after `kill -STOP`, which cannot be noticed before
            self._write(_ENTER)
        if signalled:
            self._shown = []
        return bool(signalled)

    @contextlib.contextmanager
    def left(self) -> Iterator[None]:
        """Give the terminal back inside the context, as for an editor. There Ctrl-Z has its default effect."""
        self._write(_LEAVE)
        with self._keyboard.released():
            stop = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            try:
                yield
            finally:
                signal.signal(signal.SIGTSTP, stop)
        self._write(_ENTER)
        self._shown = []

    def _write(self, text: str) -> None:
        write(self._stream, text)
        flush(self._stream)

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Note a signal for `attend`. Nothing is written here, because a write may have been interrupted."""
        self._signalled.add(number)
        earlier = self._handlers.get(signal.Signals(number))
        if callable(earlier):
            earlier(number, frame)
