"""The wire format: a strict, bounded encoding of plain values. The reader does not trust the writer.

A value is a tag, and by the tag:

    N T F                           None, True, False
    i   length:u16 bytes            int, two's complement
    d   f64                         float
    s   length:u32 bytes            str, UTF-8 (with lone surrogates, which a submission may return)
    b   length:u32 bytes            bytes
    t l count:u32 value*            tuple, list
    m   count:u32 (key value)*      dict, every key a str
    a   dtype:3 layout:u8 scalar:u8 ndim:u8 size:u64* length:u64 bytes      array in C order
    o   length:u32 bytes            opaque: the name of a type that cannot be sent

All numbers are little-endian. Nothing is pickled. Reading can only build the types above, and it checks every size
before it allocates memory. This module uses the standard library only, because both processes import it before NumPy.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TypeAlias

__all__ = [
    "DTYPES",
    "MAX_DEPTH",
    "MAX_INT_BYTES",
    "MAX_ITEMS",
    "MAX_NDIM",
    "Array",
    "Encoded",
    "Layout",
    "Opaque",
    "Value",
    "WireError",
    "array_header",
    "bytes_header",
    "decode",
    "encode",
    "extent",
    "item_size",
    "tuple_header",
    "write",
]

DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "c8", "c16")
"""The dtypes of arrays: NumPy's kind and the item size. The byte order is always little-endian."""

MAX_NDIM = 64  # NumPy's own limit since 2.0
MAX_DEPTH = 32
MAX_ITEMS = 100_000
MAX_INT_BYTES = 1024

_ITEM_SIZES = {code.encode().ljust(3): (code, int(code[1:])) for code in DTYPES}
_SIZE_OF = dict(_ITEM_SIZES.values())
_NAMES = {code: code.encode().ljust(3) for code in DTYPES}
_ADDRESS_SPACE = 2**63

_U16 = struct.Struct("<H")
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_F64 = struct.Struct("<d")
_ARRAY = struct.Struct("<c3sBBB")
_SIZES = tuple(struct.Struct(f"<{ndim}QQ") for ndim in range(MAX_NDIM + 1))
"""For each number of dimensions: the shape, then the length in bytes."""


class WireError(Exception):
    """Bytes that do not encode a value within the limits, or a value that cannot be encoded within them."""


class Layout(IntEnum):
    """The memory layout of an array argument. Its values do not depend on it."""

    C = 0
    """Contiguous, last axis fastest."""
    F = 1
    """Contiguous, first axis fastest, like the transpose of a C-ordered array."""
    STRIDED = 2
    """Every second element of a larger buffer, first axis fastest. Flattening copies it, and copies arrays that NumPy
    allocates with the same layout.
    """
    REVERSED = 3
    """Negative strides along every axis."""


_LAYOUTS = tuple(Layout)


@dataclass(slots=True)  # not frozen: each call makes many, and a frozen class takes three times as long
class Array:
    """An array as bytes. It is never modified.

    Attributes:
        dtype: One of `DTYPES`.
        shape: Its shape, () for 0-d.
        data: The elements in C order, little-endian; `prod(shape) * itemsize` bytes.
        scalar: Whether it was a NumPy scalar (`np.float64(1)`), which is not a 0-d array.
        layout: The layout that the child process gives it.
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview
    scalar: bool = False
    layout: Layout = Layout.C


@dataclass(frozen=True, slots=True)
class Opaque:
    """The name of the type of a value that cannot be sent."""

    type_name: str


@dataclass(frozen=True, slots=True)
class Encoded:
    """A value that is already encoded. It can only be written."""

    raw: bytes


_Container: TypeAlias = "tuple[Value, ...] | list[Value] | dict[str, Value]"
Value: TypeAlias = "bool | int | float | str | bytes | Array | Opaque | Encoded | _Container | None"


def encode(value: Value) -> bytes:
    """Encode one value.

    Raises:
        WireError: It is of another type, too deep, or too large for the format.
    """
    out: list[bytes | memoryview] = []
    write(out, value)
    return b"".join(out)


def write(out: list[bytes | memoryview], value: Value, depth: int = MAX_DEPTH) -> None:
    """Append the encoding of one value to `out`: see `encode`."""
    if depth < 0:
        raise WireError(f"a value nested more than {MAX_DEPTH} deep")
    kind: type[object] = type(value)  # exact: a subclass can override behaviour
    if kind is tuple or kind is list:
        assert isinstance(value, tuple | list)
        out.append(tuple_header(len(value)) if kind is tuple else b"l" + _U32.pack(len(value)))
        for item in value:
            write(out, item, depth - 1)
    elif kind is Array:
        assert isinstance(value, Array)
        out.append(array_header(value.dtype, value.shape, len(value.data), value.scalar, value.layout))
        out.append(value.data)
    elif kind is Encoded:
        assert isinstance(value, Encoded)
        out.append(value.raw)
    elif value is None:
        out.append(b"N")
    elif kind is bool:
        out.append(b"T" if value else b"F")
    elif kind is float:
        out.append(b"d" + _F64.pack(value))
    elif kind is int:
        assert isinstance(value, int)
        raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        if len(raw) > MAX_INT_BYTES:
            raise WireError(f"an int of {value.bit_length()} bits")
        out.append(b"i" + _U16.pack(len(raw)) + raw)
    elif kind is str:
        assert isinstance(value, str)
        _write_sized(out, b"s", value.encode("utf-8", "surrogatepass"))
    elif kind is bytes:
        assert isinstance(value, bytes)
        _write_sized(out, b"b", value)
    elif kind is dict:
        assert isinstance(value, dict)
        out.append(b"m" + _U32.pack(len(value)))
        for key, item in value.items():
            if type(key) is not str:
                raise WireError(f"a dict key of type {type(key).__name__}")
            _write_sized(out, b"s", key.encode("utf-8", "surrogatepass"))
            write(out, item, depth - 1)
    elif kind is Opaque:
        assert isinstance(value, Opaque)
        _write_sized(out, b"o", value.type_name.encode("utf-8", "surrogatepass"))
    else:
        raise WireError(f"a value of type {kind.__name__}")


def tuple_header(length: int) -> bytes:
    """Return the encoding of a tuple up to its items."""
    return b"t" + _U32.pack(length)


def bytes_header(length: int) -> bytes:
    """Return the encoding of bytes up to the bytes themselves."""
    return b"b" + _U32.pack(length)


@lru_cache(256)
def array_header(
    dtype: str, shape: tuple[int, ...], length: int, scalar: bool = False, layout: Layout = Layout.C
) -> bytes:
    """Return the encoding of an array up to the `length` bytes of its elements."""
    ndim = len(shape)
    return _ARRAY.pack(b"a", _NAMES[dtype], layout, scalar, ndim) + _SIZES[ndim].pack(*shape, length)


def item_size(dtype: str) -> int:
    """Return the bytes of one element."""
    return _SIZE_OF[dtype]


def extent(shape: tuple[int, ...], itemsize: int) -> int:
    """Return the bytes that an array would have if every size of 0 were 1.

    An array without elements has no bytes on the wire, but a list or a copy of it can take this many: NumPy checks the
    product of the other sizes, and `tolist` makes a list for each row.
    """
    return math.prod(size or 1 for size in shape) * itemsize


def _write_sized(out: list[bytes | memoryview], tag: bytes, raw: bytes) -> None:
    out += (tag + _U32.pack(len(raw)), raw)


def decode(
    payload: bytes | bytearray,
    *,
    max_items: int = MAX_ITEMS,
    max_depth: int = MAX_DEPTH,
    max_extent: int = _ADDRESS_SPACE - 1,
) -> Value:
    """Decode one value.

    Args:
        payload: Its encoding. The returned arrays are views of it, so it must not change.
        max_items: The largest number of values in it, both containers and their items.
        max_depth: The deepest nesting of containers.
        max_extent: The largest sum of the extents of its arrays without elements, in bytes: see `extent`.

    Raises:
        WireError: It is not exactly one well-formed value within the limits.
    """
    reader = _Reader(payload, max_items, max_extent)
    value = reader.value(max_depth)
    if reader.at != len(payload):
        raise WireError(f"{len(payload) - reader.at} bytes after the value")
    return value


class _Reader:
    """A cursor over a payload that never reads past its end."""

    def __init__(self, payload: bytes | bytearray, items: int, extent: int) -> None:
        self.payload = memoryview(payload)
        self.end = len(payload)
        self.at = 0
        self.items = items
        self.extent = extent

    def skip(self, count: int) -> int:
        """Advance by `count` bytes, and return the position before them."""
        at = self.at
        if at + count > self.end:
            raise WireError(f"{count} bytes announced, {self.end - at} left")
        self.at = at + count
        return at

    def take(self, count: int) -> bytes:
        at = self.skip(count)
        return self.payload[at : at + count].tobytes()

    def count(self) -> int:
        count: int = _U32.unpack_from(self.payload, self.skip(4))[0]
        return count

    def value(self, depth: int) -> Value:
        if depth < 0:
            raise WireError("a value nested too deep")
        self.items -= 1
        if self.items < 0:
            raise WireError("too many values")
        at = self.at
        if at >= self.end:
            raise WireError("1 bytes announced, 0 left")
        self.at = at + 1
        match self.payload[at]:
            case 0x61:  # a
                return self.array()
            case 0x74:  # t
                return tuple([self.value(depth - 1) for _ in range(self.count())])
            case 0x64:  # d
                (number,) = _F64.unpack_from(self.payload, self.skip(8))
                return float(number)
            case 0x69:  # i
                return self.integer()
            case 0x4E:  # N
                return None
            case 0x54:  # T
                return True
            case 0x46:  # F
                return False
            case 0x73:  # s
                return self.text()
            case 0x62:  # b
                return self.take(self.count())
            case 0x6C:  # l
                return [self.value(depth - 1) for _ in range(self.count())]
            case 0x6D:  # m
                return self.mapping(depth)
            case 0x6F:  # o
                return Opaque(self.text())
            case tag:
                raise WireError(f"an unknown tag {bytes((tag,))!r}")

    def integer(self) -> int:
        (length,) = _U16.unpack_from(self.payload, self.skip(2))
        if not 0 < length <= MAX_INT_BYTES:
            raise WireError(f"an int of {length} bytes")
        return int.from_bytes(self.take(length), "little", signed=True)

    def text(self) -> str:
        raw = self.take(self.count())
        try:
            return raw.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise WireError("text that is not UTF-8") from None

    def mapping(self, depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for _ in range(self.count()):
            if self.payload[self.skip(1)] != 0x73:
                raise WireError("a dict key that is not text")
            key = self.text()
            if key in found:
                raise WireError("a dict key twice")
            found[key] = self.value(depth - 1)
        return found

    def array(self) -> Array:
        at = self.skip(_ARRAY.size - 1) - 1
        end = at + _ARRAY.size + _U64.size * (self.payload[at + _ARRAY.size - 1] + 1)
        dtype, shape, length, scalar, layout = _array_header(self.payload[at:end].tobytes())
        self.at = end
        if not length:
            self.extent -= extent(shape, _SIZE_OF[dtype])
            if self.extent < 0:
                raise WireError("an array without elements, but of huge sizes")
        at = self.skip(length)
        data = self.payload[at : at + length]
        if dtype == "b1" and data.tobytes().translate(None, b"\0\1"):
            raise WireError("a bool that is neither true nor false")
        return Array(dtype, shape, data, scalar, layout)


@lru_cache(256)  # a submission chooses the shapes
def _array_header(header: bytes) -> tuple[str, tuple[int, ...], int, bool, Layout]:
    """Return what `array_header` was given.

    Raises:
        WireError: It does not begin an array.
    """
    _, name, layout, scalar, ndim = _ARRAY.unpack_from(header)
    known = _ITEM_SIZES.get(name)
    if known is None:
        raise WireError(f"an unknown dtype {name!r}")
    if layout >= len(_LAYOUTS) or scalar > 1:
        raise WireError("an array with unknown flags")
    if ndim > MAX_NDIM or (scalar and ndim):
        raise WireError(f"an array or scalar of {ndim} dimensions")
    sizes = _SIZES[ndim]
    if len(header) < _ARRAY.size + sizes.size:
        raise WireError(f"{sizes.size} bytes announced, {len(header) - _ARRAY.size} left")
    *shape, length = sizes.unpack_from(header, _ARRAY.size)
    dtype, itemsize = known
    if length != math.prod(shape) * itemsize:
        raise WireError(f"{length} bytes for an array of shape {tuple(shape)} and dtype {dtype}")
    return dtype, tuple(shape), length, bool(scalar), _LAYOUTS[layout]
