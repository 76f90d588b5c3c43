"""A CALL: what to call with which arguments, as the parent writes it and the candidate's process reads it.

Its payload is in `marshal`'s encoding, which is read several times faster than `wire`. That is for the way to the
candidate's process alone, which trusts its parent; on the way back there is nothing but `wire`.

An array is a tuple: dtype, shape, data, how often the data is repeated, whether it is a scalar, layout. To tell them
apart, a tuple is a tuple in a tuple; everything else is itself.
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
"""Elements after which an array may repeat itself and need not travel twice: a prime, so that no two rows are alike."""

PackedValue: TypeAlias = Any
"""An argument as it travels."""

PackedSpec: TypeAlias = tuple[bytes, bool, bool]
"""The attributes of an `CallSpec`, as they travel."""


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One call that is asked for.

    Attributes:
        places: Which of the arguments that were sent stands at each position, a byte each.
        again: Whether it gets the very objects that the first call got, as that left them.
        watched: Whether it is looked at what it does to its arguments, and how its results lie in memory.
    """

    places: bytes
    again: bool = False
    watched: bool = True


def pack(own: Sequence[wire.Value], asked: Sequence[CallSpec], budget: int, seconds: float) -> bytes:
    """Encode the frame of a CALL.

    Args:
        own: The arguments of all calls, each once.
        asked: The calls.
        budget: Bytes of data each answer may hold.
        seconds: Wall time of each.
    """
    told: list[PackedSpec] = [(each.places, each.again, each.watched) for each in asked]
    payload = marshal.dumps(([_plain(value) for value in own], told, budget, float(seconds)))
    return frames.header(frames.FrameKind.CALL, len(payload)) + payload


def spared(value: wire.Value) -> int:
    """Return how many bytes of an argument need not travel."""
    if isinstance(value, wire.Array):
        return len(value.data) - len(_unrepeated(value))
    if isinstance(value, dict):
        return sum(map(spared, value.values()))
    return sum(map(spared, value)) if isinstance(value, tuple | list) else 0


def _unrepeated(array: wire.Array) -> bytes | memoryview:
    """Return as much of an array's data as tells all of it: one period, or all."""
    data = array.data
    length = PERIOD * wire.item_size(array.dtype)
    return data[:length] if len(data) > length and data[length:] == data[:-length] else data


def _plain(value: wire.Value) -> PackedValue:
    if isinstance(value, wire.Array):
        data = bytes(_unrepeated(value))
        times = -(-len(value.data) // len(data)) if data else 1
        return (value.dtype, value.shape, data, times, value.scalar, int(value.layout))
    if isinstance(value, tuple):
        return (tuple(_plain(item) for item in value),)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def read(payload: bytes | bytearray) -> tuple[list[PackedValue], list[PackedSpec], int, float]:
    """Decode the payload of a CALL: the arguments, the calls, bytes of data each answer may hold, seconds of each."""
    own, told, budget, seconds = marshal.loads(payload)  # noqa: S302  the parent has written it
    return own, told, budget, seconds


def build(plain: PackedValue) -> Any:
    """Build an argument: every array fresh, writable, laid out as it is told to be."""
    if type(plain) is not tuple:
        if type(plain) is list:
            return [build(item) for item in plain]
        return {key: build(item) for key, item in plain.items()} if type(plain) is dict else plain
    if len(plain) == 1:
        return tuple([build(item) for item in plain[0]])

    import numpy as np

    code, shape, data, times, scalar, layout = plain
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


def data_of(plain: PackedValue) -> bytes | None:
    """Return the data of an array as it travelled; None if it did not whole, or is none."""
    if type(plain) is not tuple or len(plain) == 1 or plain[3] != 1:
        return None
    data: bytes = plain[2]
    return data
