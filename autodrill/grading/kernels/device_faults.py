"""Device faults: what the simulated device finds in a kernel, with names, messages and rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DEVICE_FAULTS", "DeviceFault", "description"]

DEVICE_FAULTS = {
    "out of bounds": Rule(
        "out-of-bounds",
        "a thread accesses memory outside an array",
        "which index does this thread compute, and how many elements does the array have?",
    ),
    "race": Rule(
        "race",
        "two threads access the same element, at least one of them writes, and nothing orders the accesses",
        "which element should each of these threads access? Is an index wrong, or must the update be atomic?",
    ),
    "overwritten": Rule(
        "overwritten",
        "several threads write to the same element, and the last write wins",
        "which element should each of these threads write? Is an index wrong, or must the values be added?",
    ),
    "missing barrier": Rule(
        "missing-barrier",
        "a thread accesses an element that another thread writes, with no __syncthreads in between",
        "should both threads access that element? If so, which barrier separates the write from the other access?",
    ),
    "divergent barrier": Rule(
        "divergent-barrier",
        "not every thread of the block reaches the same barrier",
        "is the barrier inside an `if`, or after a `return` that some threads take?",
    ),
    "never written": Rule(
        "reads-unwritten",
        "a thread reads memory that no thread has written",
        "what does that memory hold when the kernel starts?",
    ),
    "wild pointer": Rule(
        "wild-pointer",
        "a thread accesses memory that belongs to none of the arrays",
        "where does that address come from: a null pointer, the end of a local array, a wrong index?",
    ),
    "writes an input": Rule(
        "mutates-input", "the kernel writes to an input array", "which pointer does the kernel write through?"
    ),
    "too much shared memory": Rule(
        "too-much-shared-memory",
        "a block needs more shared memory than it may have",
        "how many bytes do the shared arrays of one block take together?",
    ),
}
"""Rules by the name of the fault. A known mistake of the exercise can replace them."""

_NUMBERED = (
    *("out of bounds", "race", "overwritten", "missing barrier", "divergent barrier", "never written"),
    "writes an input",
    "too much shared memory",
)
"""Names in the order of their numbers in device.cpp, from 1."""

MOST_SHARED = 48 << 10
"""Bytes of shared memory that a block may have, unless the host asks for more. It is the limit of device.cpp too."""

_FIGURES = re.compile(r"-?\d{1,18}(?: -?\d{1,18}){9}")
_SHARED, _NO_ARRAY = -1, -2
_OTHER_ATOMIC, _MINE_ATOMIC = 1, 2


class DeviceFault:
    """A finding as the candidate's process reports it: integers only, no text.

    Args:
        text: The kind, the array, its number of elements, the element, block and thread, the other block and thread,
            the instruction or, negative, the line, and a count: of threads with an access out of bounds, or of barriers
            passed. In a race, it is 1 if the other thread's access is atomic, and 2 if this thread's is.

    Raises:
        ValueError: The text is anything else.
    """

    def __init__(self, text: str) -> None:
        if not _FIGURES.fullmatch(text):
            raise ValueError("no finding")
        figures = [int(figure) for figure in text.split()]
        self.kind, self.array, self.size, self.element, self.block, self.thread = figures[:6]
        self.other_block, self.other_thread, self.at, self.count = figures[6:]
        if not 1 <= self.kind <= len(_NUMBERED):
            raise ValueError("no kind of finding")

    @property
    def name(self) -> str:
        """Its name in `DEVICE_FAULTS`."""
        name = _NUMBERED[self.kind - 1]
        return "wild pointer" if name == "out of bounds" and self.array == _NO_ARRAY else name


def description(found: DeviceFault, arrays: Sequence[str]) -> str:
    """Return the message of a finding.

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
        case "out of bounds" | "wild pointer":
            place = place.replace("shared memory", "memory outside its shared arrays")
            size = f", which has {found.size} element{'s' * (found.size != 1)}" if found.array >= 0 else ""
            count = f"; threads of the block out of bounds: {found.count}" if found.count > 1 else ""
            return f"{me} accesses {place}{size}{count}"
        case "race" if found.count == _OTHER_ATOMIC:
            return f"{me} accesses {place} without atomicAdd, and {other} updates it atomically"
        case "race" if found.count == _MINE_ATOMIC:
            return f"{me} updates {place} atomically, and {other} accesses it without atomicAdd"
        case "race":
            return f"{me} and {other} both access {place} without atomicAdd"
        case "overwritten":
            return f"{me} overwrites what {other} wrote to {place}"
        case "missing barrier":
            return f"{me} and {other} access {place} with no barrier in between; barriers passed: {found.count}"
        case "divergent barrier":
            return f"{me} waits at a barrier that {other} does not reach"
        case "never written":
            return f"{me} reads {place} before any thread has written there"
        case "too much shared memory":
            return f"a block needs {found.element} bytes of shared memory, and a launch allows {MOST_SHARED}"
        case _:
            return f"{me} writes to {place}"


def _thread(block: int, thread: int) -> str:
    return f"thread {thread} of block {block}"
