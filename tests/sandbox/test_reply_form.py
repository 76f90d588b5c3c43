"""An answer in the right form is read as decoding reads it, and nothing else is taken for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodrill.sandbox.child import values, wire
from autodrill.sandbox.reply_form import Form

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETS: list[list[NDArray[Any]]] = [
    [np.arange(6.0).reshape(2, 3)],
    [np.float64(2.5) * np.ones(())],
    [np.ones((2, 0)), np.arange(4, dtype=np.int32), np.full((1, 1), np.nan, np.float32)],
]


def encoded(answer: object) -> bytes:
    return wire.encode((values.to_wire(answer, limit=1 << 20), None))


def as_answer(arrays: list[NDArray[Any]]) -> object:
    return tuple(arrays) if len(arrays) > 1 else arrays[0]


@pytest.mark.parametrize("arrays", SETS)
def test_an_answer_in_the_right_form_is_read(arrays: list[NDArray[Any]]) -> None:
    read = Form(arrays).read(encoded(as_answer(arrays)))
    assert read is not None
    for array, same in zip(arrays, read, strict=True):
        np.testing.assert_array_equal(array, same)
        assert (array.dtype, array.shape) == (same.dtype, same.shape)


def test_a_numpy_scalar_will_do_for_an_array_without_dimensions() -> None:
    form = Form([np.zeros(()), np.zeros((), np.float32)])
    read = form.read(encoded((np.float64(3), np.float32(4))))
    assert read is not None
    assert [float(each) for each in read] == [3, 4]


@pytest.mark.parametrize(
    "answer",
    [np.zeros((3, 2)), np.zeros(6), np.zeros((2, 3), np.int64), [np.zeros((2, 3))], (np.zeros((2, 3)),), None, 0.0],
)
def test_any_other_form_is_left_to_be_decoded(answer: object) -> None:
    assert Form([np.zeros((2, 3))]).read(encoded(answer)) is None


def test_an_answer_that_claims_something_is_left_to_be_decoded() -> None:
    form = Form([np.zeros(2)])
    assert form.read(wire.encode((values.to_wire(np.zeros(2), limit=100), ((0,), (), (), ())))) is None


@given(st.sampled_from(SETS), st.integers(0, 200), st.integers(1, 255))
def test_what_is_taken_for_an_answer_decodes_to_the_same(arrays: list[NDArray[Any]], place: int, flip: int) -> None:
    payload = bytearray(encoded(as_answer(arrays)))
    payload[place % len(payload)] ^= flip
    read = Form(arrays).read(bytes(payload))
    if read is None:
        return
    value, claimed = values.from_wire(wire.decode(payload))
    decoded = value if isinstance(value, tuple) else (value,)
    assert claimed is None
    assert [np.asarray(each).tobytes() for each in decoded] == [each.tobytes() for each in read]


def test_what_cannot_travel_has_no_form() -> None:
    with pytest.raises(TypeError, match="cannot travel"):
        Form([np.zeros(2, dtype=object)])
