"""Between live values and what travels: which Python and NumPy values a candidate can be handed and can hand back."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from . import wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Arg",
    "OversizedError",
    "SameAs",
    "calls_to_wire",
    "dtype_of",
    "encode",
    "from_wire",
    "plain",
    "to_wire",
    "type_name",
]

_NAME_LIMIT = 100
_ANY_SIZE = 1 << 40
_MAX_ITEMS = wire.MAX_ITEMS - 10_000  # the rest is for what else is in the frame
_MAX_DEPTH = wire.MAX_DEPTH - 2  # a frame's own tuples are around it


class OversizedError(Exception):
    """A value that is too large, too long or too deep to hand over; its text says what and how large."""


@dataclass(frozen=True, slots=True)
class Arg:
    """An array to deliver in a given memory layout."""

    value: NDArray[Any]
    layout: wire.Layout = wire.Layout.C


@dataclass(frozen=True, slots=True)
class SameAs:
    """In a call's arguments: the same object as the earlier positional argument `index`, not an equal one."""

    index: int


class _Budget:
    """What is left to spend on one value."""

    def __init__(self, limit: int) -> None:
        self.bytes = limit
        self.items = _MAX_ITEMS

    def spend(self, count: int) -> bool:
        """Take `count` bytes and return whether they were there."""
        self.bytes -= count
        return self.bytes >= 0

    def item(self) -> None:
        self.items -= 1
        if self.items < 0:
            raise OversizedError("a value of too many parts")


def plain(result: Any) -> Any:
    """Return the tuple that a result is if it is a named one, else the result; nothing of its own runs."""
    kind = type(result)
    if kind is tuple or not issubclass(kind, tuple):
        return result
    return tuple.__getitem__(result, slice(None))


def to_wire(value: Any, *, limit: int) -> wire.Value:
    """Describe a live value for the wire.

    Only exact types are taken at their word: None, bool, int, float, str, bytes, tuple, list, dict with str keys,
    `numpy.ndarray` and NumPy scalars of the wire's dtypes. A subclass may have behaviour of its own, so it is opaque,
    as is everything else.

    Args:
        value: Any object at all; none of its own code runs.
        limit: The most bytes of data in it.

    Raises:
        OversizedError: It holds more than `limit` bytes, too many parts, or is nested too deep (or in itself).
    """
    return _describe(value, _Budget(limit), _MAX_DEPTH)


def encode(value: Any, *, limit: int) -> bytes:
    """Return `wire.encode(to_wire(value, limit=limit))`; arrays, NumPy's scalars and tuples of them without the detour.

    Raises:
        OversizedError: As `to_wire`.
    """
    import numpy as np

    several = type(value) is tuple
    out: list[bytes | memoryview] = [wire.tuple_header(len(value))] if several else []
    for item in value if several else (value,):
        kind = type(item)
        scalar = kind in _scalar_types()
        code, as_it_is = _code_of(item.dtype) if scalar or kind is np.ndarray else (None, False)
        if code is None or not as_it_is or item.nbytes > limit:
            return wire.encode(to_wire(value, limit=limit))
        limit -= item.nbytes
        out += (wire.array_header(code, item.shape, item.nbytes, scalar), item.tobytes())
    return b"".join(out)


def calls_to_wire(calls: Sequence[Sequence[Any]]) -> tuple[tuple[wire.Value, ...], tuple[bytes, ...]]:
    """Describe the positional arguments of some calls.

    Returns:
        The distinct ones, equal ones of several calls counted once, and for each call which of them stands at each
        position, a byte each.

    Raises:
        TypeError: One cannot travel, or is `SameAs` one that does not stand before it.
        OversizedError: One has too many parts or is nested too deep.
        ValueError: There are more than 256 of them.
    """
    own: list[wire.Value] = []
    places: dict[bytes, list[int]] = {}
    asked = []
    for args in calls:
        same: list[int] = []
        for position, arg in enumerate(args):
            if isinstance(arg, SameAs):
                if not 0 <= arg.index < position:
                    raise TypeError(f"argument {position} cannot be the same as argument {arg.index}")
                same.append(same[arg.index])
                continue
            value = to_wire(arg, limit=_ANY_SIZE)
            if (opaque := _find_opaque(value)) is not None:
                raise TypeError(f"argument {position} cannot travel: {opaque.type_name}")
            alike = places.setdefault(wire.encode(value), [])
            place = next((place for place in alike if place not in same), None)  # only `SameAs` makes two one object
            if place is None:
                place = len(own)
                alike.append(place)
                own.append(value)
            same.append(place)
        asked.append(bytes(same))
    return tuple(own), tuple(asked)


def _describe(value: Any, budget: _Budget, depth: int) -> wire.Value:
    import numpy as np

    budget.item()
    if depth < 0:
        raise OversizedError(f"a value nested more than {_MAX_DEPTH} deep")
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return value  # type: ignore[no-any-return]  # narrowed by exact type, which mypy cannot follow on Any
    if kind is np.ndarray:
        return _describe_array(value, budget)
    if kind is tuple:
        return tuple(_describe(item, budget, depth - 1) for item in value)
    if kind is list:
        return [_describe(item, budget, depth - 1) for item in value]
    if kind is dict:
        if any(type(key) is not str for key in value):
            return wire.Opaque("dict whose keys are not all str")
        if not budget.spend(4 * sum(map(len, value))):
            raise OversizedError("a dict with very long keys")
        return {key: _describe(item, budget, depth - 1) for key, item in value.items()}
    if kind is int:
        bits = value.bit_length()
        return value if bits < 8 * wire.MAX_INT_BYTES else wire.Opaque(f"int of {bits} bits")
    if kind is str or kind is bytes:
        if not budget.spend(4 * len(value)):
            raise OversizedError(f"a {kind.__name__} of length {len(value)}")
        return value  # type: ignore[no-any-return]  # as above
    if kind is Arg:
        return _flagged(_describe_array(np.asarray(value.value), budget), layout=value.layout)
    if kind in _scalar_types():
        return _flagged(_describe_array(np.asarray(value), budget), scalar=True)
    return wire.Opaque(type_name(value))


@cache
def _scalar_types() -> frozenset[type]:
    import numpy as np

    return frozenset(np.dtype(code).type for code in (*wire.DTYPES, "longlong", "ulonglong"))


def _describe_array(array: NDArray[Any], budget: _Budget) -> wire.Array | wire.Opaque:
    dtype = array.dtype
    code, as_it_is = _code_of(dtype)
    if code is None:
        return wire.Opaque(f"ndarray of dtype {dtype}"[:_NAME_LIMIT])
    # Spent before the copy is made: a view with zero strides can claim terabytes that do not exist.
    if not budget.spend(array.nbytes):
        raise OversizedError(f"an array of shape {array.shape} and dtype {dtype} ({array.nbytes / 1e6:,.1f} MB)")
    raw = array if as_it_is else array.astype(f"<{code}")
    return wire.Array(code, array.shape, raw.tobytes())


@lru_cache(256)
def _code_of(dtype: np.dtype[Any]) -> tuple[str | None, bool]:
    """Return what the wire calls a dtype, None if it does not travel, and whether its bytes are in the wire's order."""
    code = f"{dtype.kind}{dtype.itemsize}"
    if code not in wire.DTYPES:
        return None, False
    return code, sys.byteorder == "little" and dtype.isnative


def _flagged(
    array: wire.Array | wire.Opaque, *, scalar: bool = False, layout: wire.Layout = wire.Layout.C
) -> wire.Array | wire.Opaque:
    if isinstance(array, wire.Opaque):
        return array
    return wire.Array(array.dtype, array.shape, array.data, scalar, layout)


def type_name(value: object) -> str:
    """Return what `type(value)` is called, at most 100 characters, running no code of the candidate's metaclass."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name[:_NAME_LIMIT]


def from_wire(value: wire.Value) -> Any:
    """Build the live value: every array fresh, aligned, writable and its own owner; an `Opaque` stays what it is."""
    import numpy as np

    if isinstance(value, wire.Array):
        read: NDArray[Any] = np.ndarray(value.shape, dtype_of(value.dtype), value.data)
        return read[()] if value.scalar else read.copy()
    if isinstance(value, tuple):
        return tuple(map(from_wire, value))
    if isinstance(value, list):
        return list(map(from_wire, value))
    if isinstance(value, dict):
        return {key: from_wire(item) for key, item in value.items()}
    return value


@cache
def dtype_of(code: str) -> np.dtype[Any]:
    """Return the dtype of an array that travels."""
    import numpy as np

    return np.dtype(f"<{code}")


def _find_opaque(value: wire.Value) -> wire.Opaque | None:
    """Return the first opaque value in a tree, None if all of it can be rebuilt."""
    if isinstance(value, wire.Opaque):
        return value
    if isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            if (found := _find_opaque(item)) is not None:
                return found
    return None
