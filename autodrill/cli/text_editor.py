"""A text that is being typed: the effect of each key, and the rows that a screen shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.cli.keyboard import ENTER
from autodrill.render.watch_screen import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TextEditor"]


class TextEditor:
    """A text with a cursor.

    Args:
        text: The text to begin with; the cursor is at its end.
        lines: Whether Enter begins a new line.

    Attributes:
        text: The text.
        at: The cursor, as the number of characters before it.
    """

    def __init__(self, text: str = "", *, lines: bool = False) -> None:
        self.text = text
        self.at = len(text)
        self._lines = lines
        self._width = 80

    def press(self, stroke: str) -> bool:
        """Do what a key does, as `TerminalKeyboard.stroke_within` names it, and return whether it does anything."""
        moves: dict[str, Callable[[], None]] = {
            "left": lambda: self._go(self.at - 1),
            "right": lambda: self._go(self.at + 1),
            "home": lambda: self._go(self._line_start()),
            "end": lambda: self._go(self._line_end()),
            "up": lambda: self._go_to_row(-1),
            "down": lambda: self._go_to_row(1),
            "backspace": lambda: self._delete(self.at - 1, self.at),
            "delete": lambda: self._delete(self.at, self.at + 1),
            "ctrl-w": lambda: self._delete(self._word_start(), self.at),
            "ctrl-u": lambda: self._delete(self._line_start(), self.at),
            "ctrl-k": lambda: self._delete(self.at, self._line_end()),
        }
        if stroke in moves:
            moves[stroke]()
        elif stroke == ENTER and self._lines:
            self._insert("\n")
        elif len(stroke) == 1:
            self._insert(stroke)
        else:
            return False
        return True

    def rows(self, width: int, most: int) -> tuple[list[str], tuple[int, int]]:
        """Return at most `most` rows of the text around the cursor, and the cursor's row and column among them."""
        self._width = width
        spans = _wrapped(self.text, width)
        row = self._row(spans)
        start = spans[row][0]
        column = min(columns_of(self.text[start : self.at]), width - 1)
        first = max(min(row - most + 1, len(spans) - most), 0) if row >= most else 0
        shown = [self.text[begin:end].rstrip("\n") for begin, end in spans[first : first + most]]
        return shown, (row - first, column)

    def _row(self, spans: list[tuple[int, int]]) -> int:
        return max(number for number, (start, _) in enumerate(spans) if start <= self.at)

    def _go_to_row(self, by: int) -> None:
        spans = _wrapped(self.text, self._width)
        row = self._row(spans)
        if 0 <= row + by < len(spans):
            start, end = spans[row + by]
            last = end if row + by + 1 == len(spans) or spans[row + by + 1][0] > end else end - 1
            self._go(min(start + self.at - spans[row][0], max(last, start)))

    def _go(self, at: int) -> None:
        self.at = min(max(at, 0), len(self.text))

    def _line_start(self) -> int:
        return self.text.rfind("\n", 0, self.at) + 1

    def _line_end(self) -> int:
        end = self.text.find("\n", self.at)
        return len(self.text) if end < 0 else end

    def _word_start(self) -> int:
        before = self.text[: self.at].rstrip(" ")
        return max(before.rfind(" "), before.rfind("\n")) + 1

    def _insert(self, letter: str) -> None:
        self.text = self.text[: self.at] + letter + self.text[self.at :]
        self.at += 1

    def _delete(self, start: int, end: int) -> None:
        start = max(start, 0)
        self.text = self.text[:start] + self.text[end:]
        self.at = start


def _wrapped(text: str, width: int) -> list[tuple[int, int]]:
    """Return the rows of a text as its first character and the one after its last, broken after spaces if possible."""
    rows = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        while True:
            stop, used = start, 0
            while stop < end and used + columns_of(text[stop]) <= width:
                used += columns_of(text[stop])
                stop += 1
            stop = max(stop, min(start + 1, end))
            space = text.rfind(" ", start, stop) if stop < end else -1
            if space > start:
                stop = space + 1
            rows.append((start, stop))
            start = stop
            if stop >= end:
                break
        start = end + 1
    return rows
