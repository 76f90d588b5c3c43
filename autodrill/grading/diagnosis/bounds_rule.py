"""The rule of a kernel that accesses memory out of bounds, which knows whether a guard may be missing."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 shapes are those of arrays

from autodrill.drills.answer_records import Rule
from autodrill.sandbox.outcomes import Raised

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

__all__ = ["bounds_rule"]

_KEY = "out-of-bounds"

_THREAD = re.compile(r"(thread \d+ of block \d+) accesses ")

_PLACE = re.compile(r"`(\w+)\[(-?\d+)\]`, which has (\d+) elements?")


def bounds_rule(drill: Drill, o: Observation) -> Rule | None:
    """Return the rule of an access out of bounds, or None for any other outcome.

    A missing guard is a possible cause only if some threads have no element.

    Args:
        drill: The exercise.
        o: The observation.
    """
    if not isinstance(o.outcome, Raised) or o.outcome.type != "out of bounds":
        return None
    thread, place = _THREAD.search(o.outcome.message), _PLACE.search(o.outcome.message)
    if thread is None:
        return None
    if place is None:
        return Rule(
            _KEY,
            "a thread accesses memory outside the shared arrays of its block",
            f"which index does {thread[1]} compute, and how many elements does the shared array have?",
        )
    name, element, size = place[1], int(place[2]), int(place[3])
    if element < 0:
        return Rule(
            _KEY,
            "a thread accesses memory before the first element of an array",
            f"which index or offset gives {element} for {thread[1]}? Is it wrong, or must a condition stop the thread?",
        )
    if _covers_exactly(drill, o, name, size):
        return Rule(
            _KEY,
            "a thread accesses memory past the end of an array: an index, an offset, a row length or the end of a loop "
            "is wrong",
            f"`{name}` has size {size}. Which element should {thread[1]} access instead of element {element}?",
        )
    return Rule(
        _KEY,
        "a thread accesses memory past the end of an array: a guard is missing or wrong, or an index, an offset, a row "
        "length or the end of a loop is wrong",
        f"Has {thread[1]} anything to do at element {element} of `{name}`, which has size {size}? "
        "If not, which condition should stop it? If so, which index is right?",
    )


def _covers_exactly(drill: Drill, o: Observation, name: str, size: int) -> bool:
    """Whether each thread of the launch has equally many elements of an array."""
    given = drill.kind.shown_arguments(drill, o.case, o.expected)
    if "grid" not in given or "block" not in given:
        return False
    given = {part.name: part.value for part in o.expected.parts} | given
    grid, block = (np.atleast_1d(given[axes]).tolist() for axes in ("grid", "block"))
    threads = [math.prod(axis) for axis in zip(_three(grid), _three(block), strict=True)]
    shape = np.shape(given[name]) if name in given else (size,)
    if math.prod(threads) == threads[0]:
        return size > 0 and (size == threads[0] or (len(shape) == 1 and size % threads[0] == 0))
    return size > 0 and all(n % count == 0 for n, count in zip(reversed(shape), threads, strict=False))


def _three(axes: list[int]) -> list[int]:
    return [*axes, 1, 1][:3]
