"""The subset of Markdown in question files: sections, code fences and bullets, each with its line."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.questions import Fence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Bullet", "Passage", "Section"]

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(.*?)\s*$")
_BULLET = re.compile(r"^([-+]) +(.*)$")


def _fence(line: str) -> re.Match[str] | None:
    # The substring test comes first: with it the whole bank loads in less than a tenth of a second.
    return _FENCE.match(line) if "```" in line or "~~~" in line else None


@dataclass(frozen=True, slots=True)
class Bullet:
    """One list item.

    Attributes:
        text: Its text, with dedented continuation lines.
        line: The 1-based line of the file where it starts.
        plus: Whether it starts with `+` instead of `-`.
    """

    text: str
    line: int
    plus: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, its line, and the text up to the next heading of the same level."""

    heading: str
    line: int
    passage: Passage


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive lines of a file.

    Attributes:
        lines: The texts of the lines.
        coded: For each line, whether it belongs to a code block, including its fences.
        first: The 1-based number of the first line in the file.
        unclosed: The line of a fence that is never closed, or None.
    """

    lines: tuple[str, ...]
    coded: tuple[bool, ...]
    first: int
    unclosed: int | None = None

    @classmethod
    def scan(cls, lines: Sequence[str], start: int, end: str) -> Passage:
        """Return the lines from index `start` up to the first line outside code that equals `end`."""
        coded: list[bool] = []
        opened: str | None = None
        opened_at: int | None = None
        for number in range(start, len(lines)):
            line = lines[number]
            if opened is None and line.startswith(end) and line.rstrip() == end:
                break
            fence = _fence(line)
            if opened is None:
                coded.append(fence is not None)
                if fence is not None:
                    opened, opened_at = fence[1], number + 1
            else:
                coded.append(True)
                if fence is not None and fence[1].startswith(opened) and not fence[2]:
                    opened = opened_at = None
        return cls(tuple(lines[start : start + len(coded)]), tuple(coded), start + 1, opened_at)

    def part(self, start: int, stop: int) -> Passage:
        """Return the lines from index `start` up to `stop`."""
        return Passage(self.lines[start:stop], self.coded[start:stop], self.first + start)

    @property
    def text(self) -> str:
        """The lines as one string without blank lines around it."""
        return "\n".join(self.lines).strip("\n").rstrip()

    def sections(self, marker: str) -> tuple[Passage, tuple[Section, ...]]:
        """Split at the headings that start with `marker` and a blank.

        Returns:
            What stands before the first heading, and the sections in order.
        """
        prefix = marker + " "
        starts = [i for i, line in enumerate(self.lines) if line.startswith(prefix) and not self.coded[i]]
        stops = [*starts[1:], len(self.lines)]
        sections = tuple(
            Section(self.lines[start][len(prefix) :].strip(), self.first + start, self.part(start + 1, stop))
            for start, stop in zip(starts, stops, strict=True)
        )
        return self.part(0, starts[0] if starts else len(self.lines)), sections

    def fences(self) -> tuple[Fence, ...]:
        """Return the code fences, dedented by the indentation of the fence."""
        return tuple(self._fences())

    def _fences(self) -> Iterator[Fence]:
        opened: re.Match[str] | None = None
        code: list[str] = []
        start = 0
        for number, line, is_code in zip(itertools.count(self.first), self.lines, self.coded, strict=False):
            if not is_code:
                continue
            match = _fence(line)
            if opened is None:
                opened, code, start = match, [], number + 1
            elif match is not None and match[1].startswith(opened[1]) and not match[2]:
                indent = len(opened[0]) - len(opened[0].lstrip())
                yield Fence("".join(c[indent:] + "\n" for c in code), opened[2], start)
                opened = None
            else:
                code.append(line)

    def bullets(self) -> tuple[Bullet, ...]:
        """Return the top-level list items; an item continues over indented and blank lines."""
        items: list[tuple[int, bool, list[str]]] = []
        for number, line, is_code in zip(itertools.count(self.first), self.lines, self.coded, strict=False):
            match = None if is_code else _BULLET.match(line)
            if match is not None:
                items.append((number, match[1] == "+", [match[2]]))
            elif items:
                items[-1][2].append(line.removeprefix("  "))
        return tuple(Bullet("\n".join(lines).strip(), number, plus) for number, plus, lines in items)

    def stray(self) -> int | None:
        """Return the number of the first line before any bullet that is not blank, or None."""
        for number, line in enumerate(self.lines, self.first):
            if _BULLET.match(line):
                return None
            if line.strip():
                return number
        return None
