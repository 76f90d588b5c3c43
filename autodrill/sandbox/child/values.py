"""The conversion between Python values and wire values, and the types that a submission can receive and return."""

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
    "array_type",
    "calls_to_wire",
    "dtype_of",
    "encode",
    "find_opaque",
    "from_wire",
    "is_sent_as_it_is",
    "plain",
    "to_wire",
    "type_name",
]

_NAME_LIMIT = 100
_ANY_SIZE = 1 << 40
_MAX_ITEMS = wire.MAX_ITEMS - 10_000  # the frame contains other items as well
_MAX_DEPTH = wire.MAX_DEPTH - 2  # the value is inside two tuples of the frame


class OversizedError(Exception):
    """A value is too large, too long or nested too deeply to be sent. The message says which value."""


@dataclass(frozen=True, slots=True)
class Arg:
    """An array argument with a requested memory layout."""

    value: NDArray[Any]
    layout: wire.Layout = wire.Layout.C


@dataclass(frozen=True, slots=True)
class SameAs:
    """An argument that is the same object as the earlier positional argument `index`."""

    index: int


class _Budget:
    """The remaining budget of one value."""

    def __init__(self, limit: int) -> None:
        self.bytes = limit
        self.items = _MAX_ITEMS

    def spend(self, count: int) -> bool:
        """Take `count` bytes, and return whether the budget had them."""
        self.bytes -= count
        return self.bytes >= 0

    def item(self) -> None:
        self.items -= 1
        if self.items < 0:
            raise OversizedError("a value with too many parts")


def plain(result: Any) -> Any:
    """Convert a named tuple to a tuple, without running any of its code. Return any other value unchanged."""
    kind = type(result)
    if kind is tuple or not issubclass(kind, tuple):
        return result
    return tuple.__getitem__(result, slice(None))


def to_wire(value: Any, *, limit: int) -> wire.Value:
    """Convert a Python value to a wire value.

    Only values of these exact types are converted: None, bool, int, float, str, bytes, tuple, list, dict with str keys,
    `numpy.ndarray`, and NumPy scalars of `wire.DTYPES`. A subclass can override behaviour, so it becomes `wire.Opaque`,
    like any other type.

    Args:
        value: Any object. None of its code is run.
        limit: The largest number of bytes of data in it.

    Raises:
        OversizedError: It has more than `limit` bytes or too many items, or is nested too deeply or in itself.
    """
    return _describe(value, _Budget(limit), _MAX_DEPTH)


def encode(value: Any, *, limit: int) -> bytes:
    """Return `wire.encode(to_wire(value, limit=limit))`; arrays, NumPy's scalars and tuples of them without the detour.

    Raises:
        OversizedError: As `to_wire`.
    """
    array, scalars = array_type(), _scalar_types()
    several = type(value) is tuple
    out: list[bytes | memoryview] = [wire.tuple_header(len(value))] if several else []
    left = limit
    for item in value if several else (value,):
        kind = type(item)
        scalar = kind in scalars
        code, as_it_is = _code_of(item.dtype) if scalar or kind is array else (None, False)
        if code is None or not as_it_is:
            return wire.encode(to_wire(value, limit=limit))
        length = item.nbytes
        left -= length or wire.extent(item.shape, item.itemsize)
        if left < 0:
            return wire.encode(to_wire(value, limit=limit))
        out += (wire.array_header(code, item.shape, length, scalar), item.tobytes())
    return b"".join(out)


def calls_to_wire(calls: Sequence[Sequence[Any]]) -> tuple[tuple[wire.Value, ...], tuple[bytes, ...]]:
    """Convert the positional arguments of several calls.

    Returns:
        The distinct arguments, and for each call the indexes of its arguments among them, as bytes.

    Raises:
        TypeError: An argument cannot be sent, or a `SameAs` does not refer to an earlier argument.
        OversizedError: An argument has too many items or is nested too deeply.
        ValueError: There are more than 256 distinct arguments.
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
            if (opaque := find_opaque(value)) is not None:
                raise TypeError(f"argument {position} cannot be sent: {opaque.type_name}")
            alike = places.setdefault(wire.encode(value), [])
            # Only `SameAs` makes two arguments of a call the same object.
            place = next((place for place in alike if place not in same), None)
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
    # Checked before copying: a view with zero strides can have a size of terabytes. So can an array without elements as
    # soon as it becomes a list.
    if not budget.spend(array.nbytes or wire.extent(array.shape, array.itemsize)):
        raise OversizedError(f"an array of shape {array.shape} and dtype {dtype} ({array.nbytes / 1e6:,.1f} MB)")
    raw = array if as_it_is else array.astype(f"<{code}")
    return wire.Array(code, array.shape, raw.tobytes())


@lru_cache(256)
def _code_of(dtype: np.dtype[Any]) -> tuple[str | None, bool]:
    """Return the wire's code of a dtype, None if it has none, and whether its bytes are already little-endian."""
    code = f"{dtype.kind}{dtype.itemsize}"
    if code not in wire.DTYPES:
        return None, False
    return code, sys.byteorder == "little" and dtype.isnative


def is_sent_as_it_is(dtype: np.dtype[Any]) -> bool:
    """Whether the bytes of an array of a dtype are sent without conversion."""
    return _code_of(dtype)[1]


def _flagged(
    array: wire.Array | wire.Opaque, *, scalar: bool = False, layout: wire.Layout = wire.Layout.C
) -> wire.Array | wire.Opaque:
    if isinstance(array, wire.Opaque):
        return array
    return wire.Array(array.dtype, array.shape, array.data, scalar, layout)


def type_name(value: object) -> str:
    """Return the name of a value's type, at most 100 characters, without running code of its metaclass."""
    name: str = type.__dict__["__name__"].__get__(type(value))
    return name[:_NAME_LIMIT]


def from_wire(value: wire.Value) -> Any:
    """Convert a wire value to a Python value. Every array is new, aligned and writable. `Opaque` values stay."""
    kind: type[object] = type(value)
    if kind is wire.Array:
        assert isinstance(value, wire.Array)
        read: NDArray[Any] = array_type()(value.shape, dtype_of(value.dtype), value.data)
        return read[()] if value.scalar else read.copy()
    if kind is tuple or kind is list:
        assert isinstance(value, tuple | list)
        items = [from_wire(item) for item in value]
        return tuple(items) if kind is tuple else items
    if kind is dict:
        assert isinstance(value, dict)
        return {key: from_wire(item) for key, item in value.items()}
    return value


@cache
def array_type() -> type[NDArray[Any]]:
    """Return `numpy.ndarray`. An import in each call would take as long as the rest of a small function."""
    import numpy as np

    return np.ndarray


@cache
def dtype_of(code: str) -> np.dtype[Any]:
    """Return the NumPy dtype of a code of `wire.DTYPES`."""
    import numpy as np

    return np.dtype(f"<{code}")


def find_opaque(value: wire.Value) -> wire.Opaque | None:
    """Return the first opaque value in a wire value, None if there is none."""
    if isinstance(value, wire.Opaque):
        return value
    if isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            if (found := find_opaque(item)) is not None:
                return found
    return None
