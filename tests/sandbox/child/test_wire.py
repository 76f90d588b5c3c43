"""The wire format: decoding inverts encoding, and malformed bytes raise WireError and nothing else."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodrill.sandbox.child import frames, wire
from autodrill.sandbox.child.wire import Array, Layout, Opaque, Value, WireError, decode, encode

ITEM_SIZES = {code: np.dtype(code).itemsize for code in wire.DTYPES}

texts = st.text(
    st.characters(exclude_categories=()), max_size=20
)  # with lone surrogates, which a submission may return


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    dtype = draw(st.sampled_from(wire.DTYPES))
    scalar = draw(st.booleans())
    shape = () if scalar else tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    size = math.prod(shape) * ITEM_SIZES[dtype]
    data = draw(st.binary(min_size=size, max_size=size))
    if dtype == "b1":
        data = bytes(byte & 1 for byte in data)
    return Array(dtype, shape, data, scalar, draw(st.sampled_from(Layout)))


leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**200), 2**200),
    st.floats(allow_nan=False),
    texts,
    st.binary(max_size=20),
    arrays(),
    st.builds(Opaque, texts),
)
trees: st.SearchStrategy[Value] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple), st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(trees)
def test_decode_inverts_encode(tree: Value) -> None:
    back = decode(encode(tree))
    assert back == tree
    assert repr(back_types(back)) == repr(back_types(tree))  # equality is not enough: 1 == True == 1.0


def back_types(value: Value) -> object:
    if isinstance(value, tuple | list):
        return (type(value), [back_types(item) for item in value])
    if isinstance(value, dict):
        return (dict, [(key, back_types(item)) for key, item in value.items()])
    return type(value)


def test_float_bits_are_preserved() -> None:
    for number in (math.nan, -0.0, math.inf):
        back = decode(encode(number))
        assert isinstance(back, float)
        assert struct.pack("<d", back) == struct.pack("<d", number)


@given(trees, st.data())
def test_decode_of_corrupted_bytes_is_a_value_or_a_wire_error(tree: Value, data: st.DataObject) -> None:
    raw = bytearray(encode(tree))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    read_or_refuse(bytes(raw))


@given(trees, st.data())
def test_decode_refuses_truncated_bytes(tree: Value, data: st.DataObject) -> None:
    raw = encode(tree)
    with pytest.raises(WireError):
        decode(raw[: data.draw(st.integers(0, len(raw) - 1))])


@given(trees, st.binary(min_size=1, max_size=4))
def test_decode_refuses_trailing_bytes(tree: Value, extra: bytes) -> None:
    with pytest.raises(WireError, match="after the value"):
        decode(encode(tree) + extra)


@given(st.binary(max_size=60))
def test_decode_of_random_bytes_is_a_value_or_a_wire_error(raw: bytes) -> None:
    read_or_refuse(raw)


def read_or_refuse(raw: bytes) -> None:
    try:
        value = decode(raw)
    except WireError:
        return
    assert decode(encode(value)) == value or "nan" in repr(value)  # an accepted value can be encoded again


U32_MAX = struct.pack("<I", 2**32 - 1)


@pytest.mark.parametrize(
    "raw",
    [
        b"l" + U32_MAX,  # four billion items
        b"s" + U32_MAX,  # four gigabytes of text
        b"m" + U32_MAX,
        b"af8 \0\0\1" + struct.pack("<QQ", 2**40, 2**43),  # eight terabytes of array
        b"af8 \0\0\2" + struct.pack("<QQQ", 0, 2**62, 0),  # NumPy refuses the size although it is empty
        b"af8 \0\0\x41" + bytes(65 * 8) + bytes(8),  # 65 dimensions
        b"af8 \0\1\1" + struct.pack("<QQ", 1, 8) + bytes(8),  # a scalar with a dimension
        b"af8 \4\0\0" + struct.pack("<Q", 8) + bytes(8),  # an unknown layout
        b"aO8 \0\0\0" + struct.pack("<Q", 8) + bytes(8),  # a pointer to an object
        b"ab1 \0\0\0" + struct.pack("<Q", 1) + b"\2",  # a bool that is 2
        b"i\0\0",  # an int of no bytes
        b"m" + struct.pack("<I", 1) + b"N" + b"N",  # a key that is not text
        b"m" + struct.pack("<I", 2) + (b"s" + struct.pack("<I", 1) + b"k" + b"N") * 2,  # a key twice
        b"s" + struct.pack("<I", 1) + b"\xff",  # not UTF-8
        b"?",
        b"",
    ],
)
def test_decode_refuses_false_sizes_and_types_before_allocating(raw: bytes) -> None:
    with pytest.raises(WireError):
        decode(raw)


def test_decode_bounds_arrays_without_elements() -> None:
    rows = Array("f8", (1000, 0), b"")
    assert decode(encode([rows, rows]), max_extent=16_000) == [rows, rows]
    with pytest.raises(WireError, match="without elements"):
        decode(encode([rows, rows]), max_extent=15_999)


def test_depth_is_bounded_in_encode_and_decode() -> None:
    deep: Value = None
    for _ in range(wire.MAX_DEPTH + 1):
        deep = [deep]
    with pytest.raises(WireError, match="deep"):
        encode(deep)
    with pytest.raises(WireError, match="deep"):
        decode((b"l" + struct.pack("<I", 1)) * (wire.MAX_DEPTH + 1) + b"N")


def test_decode_bounds_the_number_of_values() -> None:
    raw = encode([[None] * 5, [None] * 5])
    assert decode(raw, max_items=13) == [[None] * 5, [None] * 5]
    with pytest.raises(WireError):
        decode(raw, max_items=12)


@pytest.mark.parametrize("value", [object(), {1: None}, 2**9000, np.float64(1.0), {"a": object()}])
def test_encode_refuses_other_types(value: Value) -> None:
    with pytest.raises(WireError):
        encode(value)


def test_read_header_refuses_unknown_kinds_and_long_payloads() -> None:
    header = frames.pack(frames.FrameKind.RETURNED, "ab")[: frames.HEADER_BYTES]
    assert frames.read_header(header, limit=7) == (frames.FrameKind.RETURNED, 7)
    with pytest.raises(WireError, match="at most 6"):
        frames.read_header(header, limit=6)
    with pytest.raises(WireError, match="unknown kind"):
        frames.read_header(b"\xff" + header[1:], limit=7)
