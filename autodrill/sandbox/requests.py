"""What a candidate's process can be asked to do, as bytes that can be made once and sent many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.sandbox.child import call_codec, frames, values
from autodrill.sandbox.child.frames import STRUCTURE_BYTES, FrameKind
from autodrill.sandbox.replies import read_call, read_load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.sandbox.outcomes import CallOutcome, LoadOutcome

__all__ = ["Call", "Request", "call_request", "load_request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A frame to send, and what to expect.

    Attributes:
        frame: What is sent.
        size: Bytes of it as they lie in the process, where what repeats itself is spelled out.
        answers: How many frames come back, if each of them is that of a call that returned; else fewer.
        seconds: Wall time for each of them.
        limit: Bytes the payload of each may have.
        read: How to read each.
    """

    frame: bytes
    size: int
    answers: int
    seconds: float
    limit: int
    read: Callable[..., LoadOutcome | CallOutcome]


def load_request(source: bytes, filename: str, entry: str, seconds: float) -> Request:
    """Ask to run a file: see `Runner.load`."""
    frame = frames.pack(FrameKind.LOAD, (source, filename, entry, float(seconds)))
    return Request(frame, len(frame), 1, seconds, STRUCTURE_BYTES, read_load)


@dataclass(frozen=True, slots=True)
class Call:
    """A call to ask for.

    Attributes:
        args: Its positional arguments: see `Runner.call`.
        again: Whether it gets, instead, the very objects that the first call got, as that left them.
        watched: Whether it matters what it does to its arguments, and how its results lie in memory.
    """

    args: Sequence[Any]
    again: bool = False
    watched: bool = True


def call_request(calls: Sequence[Call], *, budget: int, seconds: float) -> Request:
    """Ask for calls of the entry, one after another.

    Args:
        calls: The calls. What is equal in several of them travels once.
        budget: Bytes of data each answer may hold.
        seconds: Wall time of each.

    Raises:
        TypeError: An argument cannot travel.
    """
    own, places = values.calls_to_wire([call.args for call in calls])
    asked = [call_codec.CallSpec(each, call.again, call.watched) for each, call in zip(places, calls, strict=True)]
    frame = call_codec.pack(own, asked, budget, seconds)
    size = len(frame) + sum(map(call_codec.spared, own))
    return Request(frame, size, len(calls), seconds, budget + STRUCTURE_BYTES, read_call)
