"""The bytes between the two processes: a strict, bounded encoding of plain values, read without trusting the writer.

A value is a tag, and by the tag:

    N T F                           None, True, False
    i   length:u16 bytes            int, two's complement
    d   f64                         float
    s   length:u32 bytes            str, UTF-8 (lone surrogates allowed: a candidate may return them)
    b   length:u32 bytes            bytes
    t l count:u32 value*            tuple, list
    m   count:u32 (key value)*      dict, every key a str
    a   dtype:3 layout:u8 scalar:u8 ndim:u8 size:u64* length:u64 bytes      array in C order
    o   length:u32 bytes            opaque: the name of a type that does not travel

Everything is little-endian. There is no pickle and nothing with behaviour: reading can only build the types above,
and a reader refuses a size before it allocates for it. Standard library only: both processes import this first.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

__all__ = [
    "DTYPES",
    "MAX_DEPTH",
    "MAX_INT_BYTES",
    "MAX_ITEMS",
    "MAX_NDIM",
    "Array",
    "Layout",
    "Opaque",
    "Value",
    "WireError",
    "decode",
    "encode",
    "write",
]

DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "c8", "c16")
"""What an array may hold, as NumPy's kind and item size; the byte order is always little."""

MAX_NDIM = 64  # NumPy's own limit since 2.0
MAX_DEPTH = 32
MAX_ITEMS = 100_000
MAX_INT_BYTES = 1024

_ITEM_SIZES = {code: int(code[1:]) for code in DTYPES}
_ADDRESS_SPACE = 2**63
_LAYOUTS = range(4)

_U16 = struct.Struct("<H")
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_F64 = struct.Struct("<d")


class WireError(Exception):
    """Bytes that are not a value within the reader's limits, or a value that cannot be written within them."""


class Layout(IntEnum):
    """How an array argument lies in memory when the candidate gets it; the values are the same in each."""

    C = 0
    """Contiguous, last axis fastest."""
    F = 1
    """Contiguous, first axis fastest: what a transpose of a C-ordered array looks like."""
    STRIDED = 2
    """Every second element along every axis of a larger buffer."""
    REVERSED = 3
    """Negative strides along every axis."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array as bytes.

    Attributes:
        dtype: One of `DTYPES`.
        shape: Its shape, () for 0-d.
        data: The elements in C order, little-endian; `prod(shape) * itemsize` bytes.
        scalar: Whether it was a NumPy scalar (`np.float64(1)`), which is not a 0-d array.
        layout: How the receiver shall lay it out.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview
    scalar: bool = False
    layout: Layout = Layout.C


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value of a type that does not travel; all that is known of it is what its type is called."""

    type_name: str


Value: TypeAlias = (
    "bool | int | float | str | bytes | Array | Opaque | tuple[Value, ...] | list[Value] | dict[str, Value] | None"
)


_TYPES = frozenset({type(None), bool, int, float, str, bytes, tuple, list, dict, Array, Opaque})


def encode(value: Value) -> bytes:
    """Encode one value.

    Raises:
        WireError: It is of another type, too deep, or too large for the format.
    """
    out: list[bytes | memoryview] = []
    write(out, value)
    return b"".join(out)


def write(out: list[bytes | memoryview], value: Value, depth: int = MAX_DEPTH) -> None:
    """Append the encoding of one value to `out`, in pieces: see `encode`."""
    if depth < 0:
        raise WireError(f"a value nested more than {MAX_DEPTH} deep")
    if type(value) not in _TYPES:
        raise WireError(f"a value of type {type(value).__name__}")
    if value is None:
        out.append(b"N")
    elif isinstance(value, bool):
        out.append(b"T" if value else b"F")
    elif isinstance(value, Array):
        _write_array(out, value)
    elif isinstance(value, float):
        out += (b"d", _F64.pack(value))
    elif isinstance(value, int):
        raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        if len(raw) > MAX_INT_BYTES:
            raise WireError(f"an int of {value.bit_length()} bits")
        out += (b"i", _U16.pack(len(raw)), raw)
    elif isinstance(value, str):
        _write_sized(out, b"s", value.encode("utf-8", "surrogatepass"))
    elif isinstance(value, bytes):
        _write_sized(out, b"b", value)
    elif isinstance(value, Opaque):
        _write_sized(out, b"o", value.type_name.encode("utf-8", "surrogatepass"))
    elif isinstance(value, dict):
        out += (b"m", _U32.pack(len(value)))
        for key, item in value.items():
            if type(key) is not str:
                raise WireError(f"a dict key of type {type(key).__name__}")
            _write_sized(out, b"s", key.encode("utf-8", "surrogatepass"))
            write(out, item, depth - 1)
    else:
        out += (b"t" if isinstance(value, tuple) else b"l", _U32.pack(len(value)))
        for item in value:
            write(out, item, depth - 1)


def _write_sized(out: list[bytes | memoryview], tag: bytes, raw: bytes) -> None:
    out += (tag, _U32.pack(len(raw)), raw)


def _write_array(out: list[bytes | memoryview], array: Array) -> None:
    ndim = len(array.shape)
    out += (
        b"a",
        array.dtype.encode().ljust(3),
        bytes((array.layout, array.scalar, ndim)),
        struct.pack(f"<{ndim}Q", *array.shape),
        _U64.pack(len(array.data)),
        array.data,
    )


def decode(payload: bytes | bytearray, *, max_items: int = MAX_ITEMS, max_depth: int = MAX_DEPTH) -> Value:
    """Decode the one value that `payload` is.

    Args:
        payload: All of it; the arrays that are returned look into it, so it must not change.
        max_items: The most values in it, containers and what is inside them counted alike.
        max_depth: The deepest nesting of containers.

    Raises:
        WireError: It is anything else than exactly one well-formed value within the limits.
    """
    reader = _Reader(payload, max_items)
    value = reader.value(max_depth)
    if reader.at != len(payload):
        raise WireError(f"{len(payload) - reader.at} bytes after the value")
    return value


class _Reader:
    """A cursor over a payload that never reads past its end."""

    def __init__(self, payload: bytes | bytearray, items: int) -> None:
        self.payload = memoryview(payload)
        self.at = 0
        self.items = items

    def window(self, count: int) -> memoryview:
        end = self.at + count
        if end > len(self.payload):
            raise WireError(f"{count} bytes announced where {len(self.payload) - self.at} are left")
        window = self.payload[self.at : end]
        self.at = end
        return window

    def take(self, count: int) -> bytes:
        return self.window(count).tobytes()

    def number(self, form: struct.Struct) -> int:
        (number,) = form.unpack(self.take(form.size))
        return int(number)

    def value(self, depth: int) -> Value:
        if depth < 0:
            raise WireError("a value nested too deep")
        self.items -= 1
        if self.items < 0:
            raise WireError("too many values")
        match self.take(1):
            case b"N":
                return None
            case b"T":
                return True
            case b"F":
                return False
            case b"d":
                (number,) = _F64.unpack(self.take(8))
                return float(number)
            case b"i":
                return self.integer()
            case b"s":
                return self.text()
            case b"b":
                return self.take(self.number(_U32))
            case b"t":
                return tuple(self.value(depth - 1) for _ in range(self.number(_U32)))
            case b"l":
                return [self.value(depth - 1) for _ in range(self.number(_U32))]
            case b"m":
                return self.mapping(depth)
            case b"a":
                return self.array()
            case b"o":
                return Opaque(self.text())
            case tag:
                raise WireError(f"an unknown tag {tag!r}")

    def integer(self) -> int:
        length = self.number(_U16)
        if not 0 < length <= MAX_INT_BYTES:
            raise WireError(f"an int of {length} bytes")
        return int.from_bytes(self.take(length), "little", signed=True)

    def text(self) -> str:
        raw = self.take(self.number(_U32))
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise WireError("text that is not UTF-8") from None

    def mapping(self, depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for _ in range(self.number(_U32)):
            if self.take(1) != b"s":
                raise WireError("a dict key that is not text")
            key = self.text()
            if key in found:
                raise WireError("a dict key twice")
            found[key] = self.value(depth - 1)
        return found

    def array(self) -> Array:
        dtype = self.take(3).decode("latin-1").rstrip(" ")
        if dtype not in _ITEM_SIZES:
            raise WireError(f"an unknown dtype {dtype!r}")
        layout, scalar, ndim = self.take(3)
        if layout not in _LAYOUTS or scalar > 1:
            raise WireError("an array with unknown flags")
        if ndim > MAX_NDIM or (scalar and ndim):
            raise WireError(f"an array or scalar of {ndim} dimensions")
        shape = struct.unpack(f"<{ndim}Q", self.take(8 * ndim))
        itemsize = _ITEM_SIZES[dtype]
        # NumPy multiplies the non-zero sizes when it checks that an array can be addressed, even if one size is zero.
        if math.prod(size or 1 for size in shape) * itemsize >= _ADDRESS_SPACE:
            raise WireError("an array larger than memory can be")
        length = self.number(_U64)
        if length != math.prod(shape) * itemsize:
            raise WireError(f"{length} bytes for an array of shape {shape} and dtype {dtype}")
        data = self.window(length)
        if dtype == "b1" and bytes(data).translate(None, b"\0\1"):
            raise WireError("a bool that is neither true nor false")
        return Array(dtype, shape, data, bool(scalar), Layout(layout))
