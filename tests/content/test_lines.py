"""The length of an exercise without its prose."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library
from autodrill.drills.solution_file import solution_path

if TYPE_CHECKING:
    from autodrill.drills.exercise import Heading

PLAIN = 40
"""Lines of both files of an elementwise exercise, at most."""

COUNT = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "lines.py"))
ELEMENTWISE = [
    h
    for h in Library.open(environ={}).headings()
    if h.track == "elementwise" or "= elementwise(" in solution_path(h).read_text(encoding="utf-8")
]


@pytest.mark.parametrize("exercise", ELEMENTWISE, ids=lambda e: e.id)
def test_elementwise_exercise_is_short(exercise: Heading) -> None:
    assert COUNT["lines_of"](exercise) <= PLAIN


def test_code_lines_leave_prose_out() -> None:
    text = '''"""Why,
and how."""

HINTS = (  # three
    "a",
)
x = [
    1,
]


@mistake(
    "key",
    "why",
)
def f(g):
    """Nothing."""
    # a comment
    return g


edit(
    "key",
    "why",
)
'''
    assert COUNT["code_lines"](text) == 3 + 1 + 2 + 1
