"""The frames between the two processes, and the other constants that both must agree on.

    frame   kind:u8 length:u64 payload      little-endian

The payload is one value, encoded by `wire`. Only the payload of CALL is marshalled, see `pack_call`.
"""

from __future__ import annotations

import marshal
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from . import wire
from .values import array_type, dtype_of
from .wire import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "HEADER_BYTES",
    "LOST_CHANNEL",
    "OF_A_RANK",
    "PERIOD",
    "RANK_BYTES",
    "STRUCTURE_BYTES",
    "CallSpec",
    "FrameKind",
    "PackedSpec",
    "PackedValue",
    "build_argument",
    "built",
    "header",
    "pack",
    "pack_call",
    "read_header",
    "repeated_bytes",
    "returned",
    "unchanged",
    "unpack_call",
]

LOST_CHANNEL = 113
"""The exit status of a child process whose channel was closed by its submission."""

STRUCTURE_BYTES = 1 << 16
"""The bytes that a payload may hold besides the data of a reply."""

RANK_BYTES = 1 << 24
"""The bytes of data that a message from or to a rank, or a result of it, may hold."""

OF_A_RANK = "<rank>"
"""In place of the text of a scenario: the process serves the calls of one rank, see `rank_calls.serve`."""

PASSED = ("job", "stdout", "stderr", "dump", "status", "line")
"""The descriptors that a fork server receives for each fork, in order; `line` only if lines are traced."""

MESSAGE_BYTES = 4096
"""The longest message to or from a fork server."""

NUMBER = struct.Struct("<q")
"""A message of a fork server. Its request is the bytes that a fork may allocate; its replies are a process id or a
negative error number, and later an exit status."""

LINE = struct.Struct("<I")
"""The running line in shared memory, 0 before the first one."""

_NOTHING, _THREE_ITEMS = wire.encode(None), wire.tuple_header(3)
_HEADER = struct.Struct("<BQ")
HEADER_BYTES = _HEADER.size


class FrameKind(IntEnum):
    """The kind of a frame. Those below READY go to the child process, the others come from it."""

    START = 1
    SCENARIO = 2
    LOAD = 3
    CALL = 4
    ANSWER = 5
    READY = 10
    LOADED = 11
    NOT_DEFINED = 12
    BROKEN = 13
    RETURNED = 14
    RAISED = 15
    OVERSIZED = 16
    ASKED = 17
    RANK = 18


_KINDS = {int(kind): kind for kind in FrameKind}


def pack(kind: FrameKind, value: wire.Value) -> bytes:
    """Encode one frame.

    Raises:
        WireError: The value cannot be encoded.
    """
    out: list[bytes | memoryview] = [b""]
    wire.write(out, value)
    out[0] = _HEADER.pack(kind, sum(map(len, out)))
    return b"".join(out)


def returned(result: bytes, claims: wire.Value, evidence: bytes) -> wire.Encoded:
    """Return the payload of RETURNED, whose result is already encoded."""
    told = _NOTHING if claims is None else wire.encode(claims)
    return wire.Encoded(b"".join((_THREE_ITEMS, result, told, wire.bytes_header(len(evidence)), evidence)))


def header(kind: FrameKind, length: int) -> bytes:
    """Return the header of a frame whose payload has `length` bytes."""
    return _HEADER.pack(kind, length)


def read_header(header: bytes | bytearray, *, limit: int) -> tuple[FrameKind, int]:
    """Return a frame's kind and the length of its payload in bytes.

    Args:
        header: The beginning of the frame, at least `HEADER_BYTES` bytes.
        limit: The longest accepted payload, in bytes.

    Raises:
        WireError: The kind is unknown, or the payload longer than `limit`.
    """
    code, length = _HEADER.unpack_from(header)
    kind = _KINDS.get(code)
    if kind is None:
        raise wire.WireError(f"a frame of unknown kind {code}")
    if length > limit:
        raise wire.WireError(f"a frame of {length} bytes; at most {limit} are accepted")
    return kind, length


PERIOD = 4099
"""The period in elements of an array that is sent as one period. It is a prime, so that the rows of a matrix differ."""

PackedValue: TypeAlias = Any
"""A packed argument."""

PackedSpec: TypeAlias = "tuple[bytes, bool, int | None]"
"""The attributes of a `CallSpec`."""


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One call of a CALL frame.

    Attributes:
        places: For each position, the index of its argument among those of the frame, as a byte.
        again: Whether it receives the very objects that the first call received, as that call left them.
        checksum: `memory_claims.checksum` of its arguments. None: changed arguments and shared memory are not reported.
    """

    places: bytes
    again: bool = False
    checksum: int | None = None


def pack_call(own: Sequence[wire.Value], specs: Sequence[CallSpec], budget: int, seconds: float) -> bytes:
    """Encode a CALL frame.

    Args:
        own: The distinct arguments of all calls.
        specs: The calls.
        budget: Bytes of data that each reply may hold.
        seconds: Wall time for each call.
    """
    packed: list[PackedSpec] = [(each.places, each.again, each.checksum) for each in specs]
    payload = marshal.dumps(([_packed(value) for value in own], packed, budget, float(seconds)))
    return header(FrameKind.CALL, len(payload)) + payload


def repeated_bytes(value: wire.Value) -> int:
    """Return how many bytes of an argument are repetitions, which are not sent."""
    if isinstance(value, wire.Array):
        return len(value.data) - len(_unrepeated(value))
    if isinstance(value, dict):
        return sum(map(repeated_bytes, value.values()))
    return sum(map(repeated_bytes, value)) if isinstance(value, tuple | list) else 0


def _unrepeated(array: wire.Array) -> bytes | memoryview:
    """Return one period of an array's data if the array is periodic, else all of it."""
    data = array.data
    length = PERIOD * wire.item_size(array.dtype)
    return data[:length] if len(data) > length and data[length:] == data[:-length] else data


def _packed(value: wire.Value) -> PackedValue:
    if isinstance(value, wire.Array):
        data = bytes(_unrepeated(value))
        times = -(-len(value.data) // len(data)) if data else 1
        return (value.dtype, value.shape, data, times, value.scalar, int(value.layout))
    if isinstance(value, tuple):
        return (tuple(_packed(item) for item in value),)
    if isinstance(value, list):
        return [_packed(item) for item in value]
    if isinstance(value, dict):
        return {key: _packed(item) for key, item in value.items()}
    return value


def unpack_call(payload: bytes | bytearray) -> tuple[list[PackedValue], list[PackedSpec], int, float]:
    """Decode a CALL payload: arguments, calls, bytes of data that each reply may hold, seconds for each call."""
    own, specs, budget, seconds = marshal.loads(payload)  # noqa: S302  the parent has written it
    return own, specs, budget, seconds


def built(own: Sequence[wire.Value], places: bytes) -> list[Any]:
    """Return the arguments of a call as the child process builds them.

    Args:
        own: The distinct arguments of all calls.
        places: See `CallSpec`.
    """
    return [build_argument(_packed(own[place])) for place in places]


def build_argument(packed: PackedValue) -> Any:
    """Build an argument. Every array in it is new, writable, and has the requested layout."""
    if type(packed) is not tuple:
        if type(packed) is list:
            return [build_argument(item) for item in packed]
        return {key: build_argument(item) for key, item in packed.items()} if type(packed) is dict else packed
    if len(packed) == 1:
        return tuple([build_argument(item) for item in packed[0]])
    code, shape, data, times, scalar, layout = packed
    array: NDArray[Any] = array_type()(shape, dtype_of(code), data if times == 1 else data * times)
    if scalar:
        return array[()]
    return _laid_out(array, Layout(layout)) if layout else array.copy()


def unchanged(arguments: Sequence[Any], packed: Sequence[PackedValue], places: bytes) -> bool:
    """Return whether the arrays among the arguments of a call still contain the numbers that were sent.

    A checksum can be the same for other numbers. Arrays within lists, and repeated numbers, are left to it.
    """
    for argument, place in zip(arguments, places, strict=True):
        sent = packed[place]
        is_array = type(sent) is tuple and len(sent) > 1 and sent[3] == 1 and not sent[4]
        if is_array and argument.tobytes() != sent[2]:
            return False
    return True


def _laid_out(array: NDArray[Any], layout: Layout) -> NDArray[Any]:
    import numpy as np

    match layout:
        case Layout.C:
            return array.copy()
        case Layout.F:
            return array.copy(order="F")
        case Layout.STRIDED:
            buffer = np.zeros((2, *array.shape), array.dtype, order="F")
            buffer[0] = array
            strided: NDArray[Any] = buffer[0, ...]
            return strided
        case Layout.REVERSED:
            flip: tuple[Any, ...] = (..., *(slice(None, None, -1),) * array.ndim)
            reversed_: NDArray[Any] = array[flip].copy()[flip]
            return reversed_
