"""The conversion of values in both directions."""

from __future__ import annotations

import types
from collections import OrderedDict, namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.sandbox.child import frames, wire
from autodrill.sandbox.child.values import Arg, OversizedError, from_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 1 << 20


def back(value: Any) -> Any:
    """Send a result to the parent."""
    return from_wire(wire.decode(wire.encode(to_wire(value, limit=LIMIT))))


def there(value: Any) -> Any:
    """Send an argument to a child process."""
    frame = frames.pack_call([to_wire(value, limit=LIMIT)], [frames.CallSpec(b"\0")], 0, 1.0)
    (plain,), *_ = frames.unpack_call(frame[frames.HEADER_BYTES :])
    return frames.build_argument(plain)


both_ways = pytest.mark.parametrize("travel", [there, back])


@both_ways
@pytest.mark.parametrize("dtype", [*wire.DTYPES, ">f8", ">i4"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 3), (2, 1, 4)])
def test_array_arrives_new_with_values_shape_and_native_dtype(
    dtype: str, shape: tuple[int, ...], travel: Callable[[Any], Any]
) -> None:
    sent = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2, dtype)
    got = travel(sent)
    np.testing.assert_array_equal(got, sent, strict=False)
    assert type(got) is np.ndarray
    assert got.dtype == sent.dtype.newbyteorder("=")
    assert got.flags.owndata
    assert got.flags.writeable
    assert got.flags.aligned


@pytest.mark.parametrize("layout", wire.Layout)
@pytest.mark.parametrize("shape", [(), (0, 2), (5,), (2, 3), (2, 3, 4)])
def test_layout_changes_strides_and_not_values(layout: wire.Layout, shape: tuple[int, ...]) -> None:
    sent = np.random.default_rng(0).normal(size=shape)
    got = there(Arg(sent, layout))
    np.testing.assert_array_equal(got, sent, strict=True)
    assert got.flags.writeable
    if got.size > 1:
        assert got.flags.c_contiguous == (layout is wire.Layout.C or (layout is wire.Layout.F and got.ndim == 1))
        assert (got.strides[0] < 0) == (layout is wire.Layout.REVERSED)


def test_from_wire_ignores_the_layout() -> None:
    told = wire.Array("f8", (2, 3), bytes(48), layout=wire.Layout.STRIDED)
    assert from_wire(told).flags.c_contiguous


@both_ways
@pytest.mark.parametrize("scalar", [np.float64(0.1), np.float32(2), np.int8(-3), np.bool_(True), np.complex128(1j)])
def test_numpy_scalar_stays_a_scalar(scalar: np.generic, travel: Callable[[Any], Any]) -> None:
    assert type(travel(scalar)) is type(scalar)
    assert travel(scalar) == scalar
    assert type(travel(np.asarray(scalar))) is np.ndarray


@both_ways
def test_non_contiguous_view_keeps_its_elements(travel: Callable[[Any], Any]) -> None:
    base = np.arange(24.0).reshape(4, 6)
    for view in (base[::2, ::-3], base.T, np.broadcast_to(base[0], (3, 6))):
        np.testing.assert_array_equal(travel(view), view, strict=True)


@pytest.mark.parametrize("size", [frames.PERIOD - 1, frames.PERIOD, frames.PERIOD + 1, 3 * frames.PERIOD, 20_000])
@pytest.mark.parametrize("other", [None, 0, frames.PERIOD, -1])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "c16", "b1"])
def test_periodic_array_is_sent_as_one_period(size: int, other: int | None, dtype: str) -> None:
    sent = np.resize(np.random.default_rng(0).integers(0, 2, frames.PERIOD), size).astype(dtype)
    if other is not None and other < size:
        sent[other] = 1 - sent[other]
    described = to_wire(sent, limit=LIMIT)
    assert isinstance(described, wire.Array)
    repeats = size > frames.PERIOD and (other is None or other >= size)
    frame = frames.pack_call([described], [frames.CallSpec(b"\0")], 0, 1.0)
    if size > frames.PERIOD + 1:
        assert (len(frame) < sent.nbytes) == repeats
    assert sent.nbytes <= len(frame) + frames.repeated_bytes(described)
    np.testing.assert_array_equal(there(sent), sent, strict=True)
    np.testing.assert_array_equal(there([sent, (sent, {"again": sent})])[1][1]["again"], sent, strict=True)


class Sub(np.ndarray[Any, Any]):
    pass


class Text(str):
    __slots__ = ()


Pair = namedtuple("Pair", "a b")  # noqa: PYI024  # submissions use untyped ones


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.zeros(2).view(Sub), "Sub"),
        (np.ma.array([1.0]), "MaskedArray"),
        (np.array([None]), "ndarray of dtype object"),
        (np.array(["a"]), "ndarray of dtype <U1"),
        (np.zeros(1, "M8[s]"), "ndarray of dtype datetime64[s]"),
        ((i for i in range(3)), "generator"),
        (Pair(1, 2), "Pair"),
        (OrderedDict(a=1), "OrderedDict"),
        (Text("a"), "Text"),
        ({1: 2}, "dict whose keys are not all str"),
        (1 << 9000, "int of 9001 bits"),
        (len, "builtin_function_or_method"),
        (types, "module"),
    ],
)
def test_to_wire_only_names_other_types(value: object, name: str) -> None:
    assert to_wire(value, limit=LIMIT) == wire.Opaque(name)


def test_type_name_runs_no_code_of_the_type() -> None:
    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]  # the attack is to override it
            raise AssertionError

    class Liar(metaclass=Meta):
        pass

    assert to_wire(Liar(), limit=LIMIT) == wire.Opaque("Liar")


def loop() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (np.broadcast_to(0.0, (10**6, 10**6)), r"shape \(1000000, 1000000\) and dtype float64 \(8,000,000\.0 MB\)"),
        ([np.zeros(60_000), np.zeros(80_000)], r"shape \(80000,\)"),
        (np.zeros((2**25, 0)), r"shape \(33554432, 0\)"),
        ([np.zeros((0, 60_000)), np.zeros((80_000, 0))], r"shape \(80000, 0\)"),
        ("x" * LIMIT, "str of length 1048576"),
        ([0] * 200_000, "too many parts"),
        ([[[0] * 1000] * 1000], "too many parts"),
        (loop(), "nested more than"),
        ({"k" * LIMIT: 1}, "very long keys"),
    ],
)
def test_to_wire_refuses_large_values_before_copying(value: object, what: str) -> None:
    with pytest.raises(OversizedError, match=what):
        to_wire(value, limit=LIMIT)
