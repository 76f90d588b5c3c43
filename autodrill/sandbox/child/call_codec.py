"""The encoding of a CALL frame: the arguments, and which calls to make with them.

The payload is encoded by `marshal`, which is read several times faster than `wire`. Only the child process reads it,
and it trusts its parent. Replies are always encoded by `wire`.

An array is packed as a tuple: dtype, shape, data, number of repetitions of the data, whether it is a scalar, layout. A
tuple is packed inside a tuple of length 1, so that it cannot be mistaken for an array. Any other value is itself.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from . import frames, wire
from .values import dtype_of
from .wire import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["PERIOD", "CallSpec", "PackedSpec", "PackedValue", "build", "data_of", "pack", "read", "spared"]

PERIOD = 4099
"""The period in elements of an array that is sent as one period. It is a prime, so that the rows of a matrix differ."""

PackedValue: TypeAlias = Any
"""A packed argument."""

PackedSpec: TypeAlias = tuple[bytes, bool, bool]
"""The attributes of a `CallSpec`."""


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One call of a CALL frame.

    Attributes:
        places: For each position, the index of its argument among those of the frame, as a byte.
        again: Whether it receives the very objects that the first call received, as that call left them.
        watched: Whether changed arguments and shared memory are reported.
    """

    places: bytes
    again: bool = False
    watched: bool = True


def pack(own: Sequence[wire.Value], specs: Sequence[CallSpec], budget: int, seconds: float) -> bytes:
    """Encode a CALL frame.

    Args:
        own: The distinct arguments of all calls.
        specs: The calls.
        budget: Bytes of data that each reply may hold.
        seconds: Wall time for each call.
    """
    packed: list[PackedSpec] = [(each.places, each.again, each.watched) for each in specs]
    payload = marshal.dumps(([_pack(value) for value in own], packed, budget, float(seconds)))
    return frames.header(frames.FrameKind.CALL, len(payload)) + payload


def spared(value: wire.Value) -> int:
    """Return how many bytes of an argument are repetitions, which are not sent."""
    if isinstance(value, wire.Array):
        return len(value.data) - len(_unrepeated(value))
    if isinstance(value, dict):
        return sum(map(spared, value.values()))
    return sum(map(spared, value)) if isinstance(value, tuple | list) else 0


def _unrepeated(array: wire.Array) -> bytes | memoryview:
    """Return one period of an array's data if the array is periodic, else all of it."""
    data = array.data
    length = PERIOD * wire.item_size(array.dtype)
    return data[:length] if len(data) > length and data[length:] == data[:-length] else data


def _pack(value: wire.Value) -> PackedValue:
    if isinstance(value, wire.Array):
        data = bytes(_unrepeated(value))
        times = -(-len(value.data) // len(data)) if data else 1
        return (value.dtype, value.shape, data, times, value.scalar, int(value.layout))
    if isinstance(value, tuple):
        return (tuple(_pack(item) for item in value),)
    if isinstance(value, list):
        return [_pack(item) for item in value]
    if isinstance(value, dict):
        return {key: _pack(item) for key, item in value.items()}
    return value


def read(payload: bytes | bytearray) -> tuple[list[PackedValue], list[PackedSpec], int, float]:
    """Decode a CALL payload: arguments, calls, bytes of data that each reply may hold, seconds for each call."""
    own, specs, budget, seconds = marshal.loads(payload)  # noqa: S302  the parent has written it
    return own, specs, budget, seconds


def build(packed: PackedValue) -> Any:
    """Build an argument. Every array in it is new, writable, and has the requested layout."""
    if type(packed) is not tuple:
        if type(packed) is list:
            return [build(item) for item in packed]
        return {key: build(item) for key, item in packed.items()} if type(packed) is dict else packed
    if len(packed) == 1:
        return tuple([build(item) for item in packed[0]])

    import numpy as np

    code, shape, data, times, scalar, layout = packed
    array: NDArray[Any] = np.ndarray(shape, dtype_of(code), data if times == 1 else data * times)
    if scalar:
        return array[()]
    return _laid_out(array, Layout(layout)) if layout else array.copy()


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


def data_of(packed: PackedValue) -> bytes | None:
    """Return the data of a packed array; None if only one period was sent, or if it is no array."""
    if type(packed) is not tuple or len(packed) == 1 or packed[3] != 1:
        return None
    data: bytes = packed[2]
    return data
