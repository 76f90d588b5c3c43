"""A card on one screen: the pieces that stay in place, and the text that pages between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType
    from rich.segment import Segment

    Line = list[Segment]

__all__ = ["Frame", "Shown", "fitted"]

_ROOM_BESIDE_KEY, _ROOM_BESIDE_FOOT = 7, 3
"""The fewest lines of text on a page while the key or the foot stays on the screen. With less room, the key or the foot
is paged too."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A card at one stage.

    Attributes:
        head: What stays at the top: the header, the title, the verdict.
        key: The right answer. It stays too if there is room for it.
        text: What pages: the question before the answer, and the answer after it.
        foot: What stays at the bottom: the key points and the ratings.
        opened: A part that the learner opened in place of `text`.
    """

    head: Sequence[RenderableType]
    key: Sequence[RenderableType] = ()
    text: Sequence[RenderableType] = ()
    foot: Sequence[RenderableType] = ()
    opened: RenderableType | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The lines of a frame on a screen.

    Attributes:
        lines: The lines, from the top.
        earlier: The place of the previous page, or None on the first page.
        later: The place of the next page, or None on the last page.
        left: How many lines there are after this page.
    """

    lines: list[Line]
    earlier: int | None = None
    later: int | None = None
    left: int = 0


def fitted(frame: Frame, console: Console, rows: int, place: int) -> Shown:
    """Fit a frame into a number of rows.

    Head, key and foot stay. If that leaves too little room, the key pages before the text, then the foot as well, then
    everything.

    Args:
        frame: The frame.
        console: The console, which has the width.
        rows: The rows of the screen that are free.
        place: The first line of the paged text to show.
    """

    def lines(parts: Sequence[RenderableType]) -> list[Line]:
        return [line for part in parts for line in console.render_lines(part, pad=False)]

    head, key, foot, plain = lines(frame.head), lines(frame.key), lines(frame.foot), lines(frame.text)
    text = plain if frame.opened is None else lines([frame.opened])
    # A part that is opened gets the room of the text, so that the lines below it stay where they are.
    text += (foot[:1] or [[]]) * (min(len(plain), max(rows - len(head) - len(key) - len(foot), 0)) - len(text))
    if len(head) + len(key) + len(text) + len(foot) <= rows:
        return Shown([*head, *key, *text, *foot])
    layouts: tuple[tuple[list[Line], list[Line], list[Line], int], ...] = (
        ([*head, *key], text, foot, _ROOM_BESIDE_KEY if key else _ROOM_BESIDE_FOOT),
        (head, [*key, *text], foot, _ROOM_BESIDE_FOOT),
        (head, [*key, *foot, *text], [], _ROOM_BESIDE_FOOT),
        ([], [*head, *key, *foot, *text], [], min(rows - 1, 0)),
    )
    top, paged, bottom, _ = next(at for at in layouts if rows - len(at[0]) - len(at[2]) - 1 >= at[3])
    # The first line of what pages is a blank one, or the header of the card, and stays too.
    top, paged = [*top, *paged[:1]], paged[1:]
    room = max(rows - len(top) - len(bottom), 1)
    pages = _pages(paged, room) or [(0, 0)]
    at = max(i for i, (start, _) in enumerate(pages) if start <= max(place, 0))
    start, end = pages[at]
    # What stays at the bottom begins with a blank line. It fills a short page, so that the bottom does not move.
    blank = bottom[:1] * (room - (end - start))
    earlier = pages[at - 1][0] if at else None
    later = pages[at + 1][0] if at + 1 < len(pages) else None
    return Shown([*top, *paged[start:end], *blank, *bottom], earlier, later, len(paged) - end)


def _pages(lines: Sequence[Line], room: int) -> list[tuple[int, int]]:
    """Split lines into pages, each as its first line and the line after its last.

    A page does not begin with a blank line. A single line of a paragraph is not left alone at the top of a page.
    """
    pages = []
    start = 0
    while start < len(lines):
        end = min(start + room, len(lines))
        alone = end < len(lines) and not _is_blank(lines[end]) and (end + 1 == len(lines) or _is_blank(lines[end + 1]))
        if alone and room > 2 and not _is_blank(lines[end - 1]):
            end -= 1
        pages.append((start, end))
        while end < len(lines) and _is_blank(lines[end]):
            end += 1
        start = end
    return pages


def _is_blank(line: Line) -> bool:
    return not "".join(segment.text for segment in line).strip(" ┃|")
