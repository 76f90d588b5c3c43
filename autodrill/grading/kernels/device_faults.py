"""What a kernel can do that no GPU allows, as the simulated device finds it: names, words and rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DEVICE_FAULTS", "DeviceFault", "told"]

DEVICE_FAULTS = {
    "no bounds check": Rule(
        "no-bounds-check",
        "a thread touches memory past the end of an array",
        "the size is no multiple of the block: which threads have no element, and what do they do?",
    ),
    "race": Rule(
        "race",
        "two threads update the same place without atomicAdd, and one of the updates is lost",
        "who else writes there, and what happens if both read before either writes?",
    ),
    "overwritten": Rule(
        "overwritten",
        "several threads write to the same place, and the last one wins",
        "must their values add up, or should only one of them write?",
    ),
    "missing barrier": Rule(
        "missing-barrier",
        "a thread touches what another one writes, with no __syncthreads between",
        "which barrier makes sure that all have written before anybody reads, and read before anybody writes again?",
    ),
    "divergent barrier": Rule(
        "divergent-barrier",
        "not every thread of the block reaches the same barrier",
        "is it inside an `if`, or after a `return` that some threads have taken?",
    ),
    "never written": Rule(
        "reads-unwritten",
        "a thread reads what no thread has written",
        "what does that memory hold when the kernel begins?",
    ),
    "wild pointer": Rule(
        "wild-pointer",
        "a thread touches memory that belongs to none of the arrays",
        "where does that address come from: a null pointer, a local array's end, an index far off?",
    ),
    "writes an input": Rule(
        "mutates-input", "the kernel writes to an array that is only to be read", "which pointer is it written through?"
    ),
}
"""By name: the rule, for which an exercise may have better words."""

_NUMBERED = (
    *("no bounds check", "race", "overwritten", "missing barrier", "divergent barrier", "never written"),
    "writes an input",
)
"""As device.cpp numbers them, from 1."""

_FIGURES = re.compile(r"-?\d{1,18}(?: -?\d{1,18}){8}")
_SHARED, _NO_ARRAY = -1, -2


class DeviceFault:
    """What a candidate's process says of a finding: figures, and not one word of its own.

    Args:
        said: The kind, the array, its number of elements, the element, block and thread, the other block and thread,
            and the instruction or, negative, the line.

    Raises:
        ValueError: It is anything else.
    """

    def __init__(self, said: str) -> None:
        if not _FIGURES.fullmatch(said):
            raise ValueError("no finding")
        figures = [int(figure) for figure in said.split()]
        self.kind, self.array, self.size, self.element, self.block, self.thread = figures[:6]
        self.other_block, self.other_thread, self.at = figures[6:]
        if not 1 <= self.kind <= len(_NUMBERED):
            raise ValueError("no kind of finding")

    @property
    def name(self) -> str:
        """Its name among `DEVICE_FAULTS`."""
        name = _NUMBERED[self.kind - 1]
        return "wild pointer" if name == "no bounds check" and self.array == _NO_ARRAY else name


def told(found: DeviceFault, arrays: Sequence[str]) -> str:
    """Return a finding in words.

    Args:
        found: The finding.
        arrays: The names of the kernel's arrays, in order.
    """
    place = "memory that belongs to no array"
    if found.array == _SHARED:
        place = "shared memory"
    elif 0 <= found.array < len(arrays):
        place = f"`{arrays[found.array]}[{found.element}]`"
    me = _thread(found.block, found.thread)
    other = _thread(found.other_block, found.other_thread)
    if found.other_block == found.block:
        other = f"thread {found.other_thread}"
    match found.name:
        case "no bounds check" | "wild pointer":
            place = place.replace("shared memory", "memory beside its shared arrays")
            return f"{me} touches {place}" + (f", which has {found.size} elements" if found.array >= 0 else "")
        case "race":
            return f"{me} and {other} both touch {place} without atomicAdd"
        case "overwritten":
            return f"{me} writes over what {other} wrote to {place}"
        case "missing barrier":
            return f"{me} and {other} touch {place} with no barrier between"
        case "divergent barrier":
            return f"{me} waits at a barrier that {other} does not reach"
        case "never written":
            return f"{me} reads {place} before anybody has written there"
        case _:
            return f"{me} writes to {place}"


def _thread(block: int, thread: int) -> str:
    return f"thread {thread} of block {block}"
