from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill.grading.diagnosis.short_text import pair, short
from autodrill.sandbox.child.wire import Opaque


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.1 + 0.2, "0.3"),
        (3, "3"),
        (True, "True"),
        (None, "None"),
        ("a\nb", r"'a\nb'"),
        (float("nan"), "nan"),
        (-0.0, "-0"),
        (np.float32(0.1), "0.1"),
        (np.array(2.5), "2.5"),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "[[1, 2], [3, 4]]"),
        (np.array([1.0], np.float32), "[1] float32"),
        (np.array([1, 2]), "[1, 2]"),
        (np.array([True]), "[True] bool"),
        (np.zeros((0, 3)), "empty, shape (0, 3)"),
        (np.zeros((9, 9)), "shape (9, 9)"),
        ((1.0,), "(1,)"),
        ([1.0, (2, 3)], "[1, (2, 3)]"),
        ({"w": 1.5}, "{w: 1.5}"),
        (Opaque("Node"), "a Node"),
    ],
)
def test_short_formats_a_value(value: Any, text: str) -> None:
    assert short(value) == text


def test_short_truncates_a_long_value() -> None:
    text = short(np.arange(60.0) * 1000)
    assert len(text) == 60
    assert text.endswith("...")


def test_pair_shows_enough_digits_to_differ() -> None:
    assert pair(np.array([1.0]), np.array([1.5])) == ("[1]", "[1.5]")
    want, got = pair(np.array([1.0]), np.array([1.00001]))
    assert want != got


def test_pair_shows_the_worst_element_of_large_arrays() -> None:
    want = np.arange(40.0)
    got = want.copy()
    got[7] += 3
    got[8] += 1
    assert pair(want, got) == ("7 at [7]", "10 at [7]")


def test_pair_takes_a_nonfinite_element_as_the_worst() -> None:
    want = np.arange(40.0)
    got = want.copy()
    got[3], got[5] = 100.0, np.nan
    assert pair(want, got) == ("5 at [5]", "nan at [5]")


def test_pair_of_large_arrays_shows_the_worst_element() -> None:
    want = np.zeros((20, 30))
    want[0, 0] = np.inf
    got = want.copy()
    got[3, 4], got[5, 6] = 0.5, -2.0
    assert pair(want, got) == ("0 at [5, 6]", "-2 at [5, 6]")
