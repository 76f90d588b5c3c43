"""The messages between the two processes: a kind, a length and one value.

frame   kind:u8 length:u64 payload      little-endian; the payload is one value of `wire`

A CALL's payload is in `marshal`'s encoding, which is read several times faster. That is for the way to the candidate's
process alone, which trusts its parent; on the way back there is nothing but `wire`.
"""

from __future__ import annotations

import marshal
import struct
from dataclasses import dataclass, replace
from enum import IntEnum
from math import prod
from typing import TYPE_CHECKING, Any

from . import wire

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "HEADER_BYTES",
    "LOST_CHANNEL",
    "PERIOD",
    "STRUCTURE_BYTES",
    "Asked",
    "Kind",
    "pack",
    "pack_calls",
    "period_of",
    "read_calls",
    "read_header",
]

LOST_CHANNEL = 113
"""The exit status of a candidate's process that finds its channel closed under it."""

STRUCTURE_BYTES = 1 << 16
"""What a payload may hold beside the data of an answer."""

PASSED = ("job", "stdout", "stderr", "dump", "status", "marker")
"""The descriptors that a fork server is sent with a request, in order; the marker only where lines are traced."""

MESSAGE_BYTES = 4096
"""What a message to or from a fork server may hold."""

NUMBER = struct.Struct("<i")
"""What a fork server answers with: a process id, an exit status or, negative, an error."""

PERIOD = 4099
"""Elements after which an array may repeat itself and need not travel twice: a prime, so that rows are not alike."""

_HEADER = struct.Struct("<BQ")
HEADER_BYTES = _HEADER.size


class Kind(IntEnum):
    """What a frame is; those below `READY` go to the candidate's process, the others come back."""

    START = 1
    SCENARIO = 2
    LOAD = 3
    CALL = 4
    READY = 10
    LOADED = 11
    NOT_DEFINED = 12
    BROKEN = 13
    RETURNED = 14
    RAISED = 15
    OVERSIZED = 16


_KINDS = {int(kind): kind for kind in Kind}


def pack(kind: Kind, value: wire.Value) -> bytes:
    """Encode one frame.

    Raises:
        WireError: The value cannot travel.
    """
    out: list[bytes | memoryview] = [b""]
    wire.write(out, value)
    out[0] = _HEADER.pack(kind, sum(map(len, out)))
    return b"".join(out)


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that is asked for.

    Attributes:
        places: Which of the arguments that were sent stands at each position, a byte each.
        again: Whether it gets the very objects that the first call got, as that left them.
        watched: Whether it is looked at what it does to its arguments, and how its results lie in memory.
    """

    places: bytes
    again: bool = False
    watched: bool = True


def pack_calls(own: Sequence[wire.Value], asked: Sequence[Asked], budget: int, seconds: float) -> bytes:
    """Encode a CALL.

    Args:
        own: The arguments of all calls, each once.
        asked: The calls.
        budget: Bytes of data each answer may hold.
        seconds: Wall time of each.
    """
    told = [(each.places, each.again, each.watched) for each in asked]
    payload = marshal.dumps(([_plain(_folded(value)) for value in own], told, budget, float(seconds)))
    return _HEADER.pack(Kind.CALL, len(payload)) + payload


def period_of(array: wire.Array) -> bytes | memoryview:
    """Return as much of an array's data as tells all of it: one period, or all."""
    data = array.data
    length = PERIOD * wire.item_size(array.dtype)
    return data[:length] if len(data) > length and data[length:] == data[:-length] else data


def _folded(value: wire.Value) -> wire.Value:
    return replace(value, data=period_of(value)) if isinstance(value, wire.Array) else value


def _unfolded(array: wire.Array) -> wire.Array:
    size = prod(array.shape) * wire.item_size(array.dtype)
    if len(array.data) < size:
        array.data = (bytes(array.data) * -(-size // len(array.data)))[:size]
    return array


def read_calls(payload: bytes | bytearray) -> tuple[list[wire.Value], list[Asked], int, float]:
    """Decode the payload of a CALL."""
    own, told, budget, seconds = marshal.loads(payload)  # noqa: S302  the parent has written it
    return [_from_plain(value) for value in own], [Asked(*each) for each in told], budget, seconds


def _plain(value: wire.Value) -> object:
    """Describe an array by a tuple and, to tell them apart, a tuple by a tuple in a tuple."""
    if isinstance(value, wire.Array):
        return (value.dtype, value.shape, bytes(value.data), value.scalar, int(value.layout))
    if isinstance(value, tuple):
        return (tuple(_plain(item) for item in value),)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _from_plain(value: Any) -> wire.Value:
    kind = type(value)
    if kind is tuple:
        if len(value) == 1:
            return tuple([_from_plain(item) for item in value[0]])
        dtype, shape, data, scalar, layout = value
        return _unfolded(wire.Array(dtype, shape, data, scalar, wire.Layout(layout)))
    if kind is list:
        return [_from_plain(item) for item in value]
    if kind is dict:
        return {key: _from_plain(item) for key, item in value.items()}
    return value  # type: ignore[no-any-return]  # what is left is what `_plain` has left as it was


def read_header(header: bytes | bytearray, *, limit: int) -> tuple[Kind, int]:
    """Return a frame's kind and the length of its payload in bytes.

    Args:
        header: The first `HEADER_BYTES` bytes of the frame.
        limit: The longest payload the reader will take.

    Raises:
        WireError: The kind is unknown, or the payload longer than `limit`.
    """
    code, length = _HEADER.unpack(header)
    kind = _KINDS.get(code)
    if kind is None:
        raise wire.WireError(f"a frame of unknown kind {code}")
    if length > limit:
        raise wire.WireError(f"a frame of {length} bytes where at most {limit} are accepted")
    return kind, length
