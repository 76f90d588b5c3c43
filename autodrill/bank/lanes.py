"""The graph of a tape in text, as in `git log --graph`: one lane for each value that is still needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.tracing.tape import Row, Tape

__all__ = ["lanes"]


def lanes(tape: Tape) -> list[str]:
    """Return the lanes of a tape: one text for each row, all of the same width.

    `●` is the row's own value. A horizontal line connects it to its operands: `├` and `┤` are operands that later rows
    still need, `└` and `┘` are operands used here for the last time, and `│` is a value that the line crosses.
    """
    last_use = {source: row.number for row in tape.rows for source in row.sources}
    slots: list[int | None] = []
    drawn = []
    for row in tape.rows:
        ending = [s for s in row.sources if last_use[s] == row.number and s != tape.output]
        place = _place(slots, ending)
        drawn.append(_line(slots, place, row, ending))
        for source in ending:
            slots[slots.index(source)] = None
        needed = row.number in last_use or row.number == tape.output
        slots[place] = row.number if needed else None
    width = max(map(len, drawn))
    return [line.ljust(width) for line in drawn]


def _place(slots: list[int | None], ending: Sequence[int]) -> int:
    """Return the lane of a new value: that of the leftmost operand that ends here, else a free lane, else a new one."""
    if ending:
        return min(slots.index(source) for source in ending)
    if None not in slots:
        slots.append(None)
    return slots.index(None)


def _line(slots: Sequence[int | None], place: int, row: Row, ending: Sequence[int]) -> str:
    ends = {place, *(slots.index(source) for source in row.sources)}
    first, last = min(ends), max(ends)
    signs = []
    for lane, number in enumerate(slots):
        if lane == place:
            sign = "●"
        elif number in row.sources:
            closed = number in ending
            sign = (
                ("└" if closed else "├")
                if lane == first
                else ("┘" if closed else "┤")
                if lane == last
                else "┴┼"[not closed]
            )
        elif number is not None:
            sign = "│"
        else:
            sign = "─" if first < lane < last else " "
        signs.append(sign + ("─" if first <= lane < last else " "))
    return "".join(signs).rstrip()
