from __future__ import annotations

import ast

import numpy as np
import pytest

from autodrill.drills.library import Library
from autodrill.grading.cases.hand_case import hand_case
from autodrill.render.prediction_screen import given_lines

LIBRARY = Library.open(environ={})


def lines(name: str, width: int = 80) -> list[str]:
    found = hand_case(LIBRARY.drill(LIBRARY.find(name)), 0)
    assert found is not None
    return list(given_lines(found, width))


def test_small_matrix_stays_in_one_line() -> None:
    assert lines("mul_broadcast_backward") == [
        "  g = [[2, 1, -1], [3, 2, 1]]",
        "  a = [[1], [2]]",
        "  b = [[2, 3, -1]]",
    ]


def test_default_arguments_of_the_stub_are_shown() -> None:
    assert lines("conv2d_backward")[-2:] == ["  stride = 1", "  pad    = 0"]
    assert lines("var_backward")[-1] == "  ddof = 0"


@pytest.mark.parametrize("width", [60, 80])
def test_array_of_four_axes_has_a_line_for_each_row(width: int) -> None:
    found = lines("conv2d_backward", width)
    at = next(place for place, line in enumerate(found) if line.startswith("  x "))
    assert [line.strip() for line in found[at : at + 4]] == [
        "x      = [[[[1, 2, 3],",
        "[-1, 1, 2]]],",
        "[[[3, -1, 1],",
        "[2, 3, -1]]]]",
    ]
    text = "".join("".join(found[at : at + 4]).partition("=")[2].split()).replace(",", ", ")
    given = hand_case(LIBRARY.drill(LIBRARY.find("conv2d_backward")), 0)
    assert given is not None
    assert np.array_equal(np.array(ast.literal_eval(text)), given.given["x"])


def test_row_wider_than_the_terminal_continues_below() -> None:
    assert max(map(len, lines("maxpool2d_backward", 24))) <= 24
