"""What a candidate's process can be asked to do, as bytes that can be made once and sent many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.grading.answer import read_call, read_load
from autodrill.grading.child import frames, values
from autodrill.grading.child.frames import STRUCTURE_BYTES, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.grading.outcome import CallOutcome, LoadOutcome

__all__ = ["Request", "call_request", "load_request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A frame to send, and what to expect.

    Attributes:
        frame: What is sent.
        answers: How many frames come back, if each of them is that of a call that returned; else fewer.
        seconds: Wall time for each of them.
        limit: Bytes the payload of each may have.
        read: How to read each.
    """

    frame: bytes
    answers: int
    seconds: float
    limit: int
    read: Callable[..., LoadOutcome | CallOutcome]


def load_request(source: bytes, filename: str, entry: str, seconds: float) -> Request:
    """Ask to run a file: see `Runner.load`."""
    frame = frames.pack(Kind.LOAD, (source, filename, entry, float(seconds)))
    return Request(frame, 1, seconds, STRUCTURE_BYTES, read_load)


def call_request(
    calls: Sequence[Sequence[Any]], *, budget: int, seconds: float, again: frozenset[int] = frozenset()
) -> Request:
    """Ask for calls of the entry, one after another.

    Args:
        calls: The positional arguments of each: see `Runner.call`. What is equal in several calls travels once.
        budget: Bytes of data each answer may hold.
        seconds: Wall time of each.
        again: Which calls, by index, get the very objects that the first one got, as that left them, and not fresh
            copies; their own arguments are then those of the first.

    Raises:
        TypeError: An argument cannot travel.
    """
    own, asked = values.calls_to_wire(calls)
    told = tuple((same, index in again) for index, same in enumerate(asked))
    frame = frames.pack(Kind.CALL, (own, told, budget, float(seconds)))
    return Request(frame, len(calls), seconds, budget + STRUCTURE_BYTES, read_call)
