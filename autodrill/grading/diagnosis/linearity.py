"""Linearity of a wrong answer: the failing case again with a scaled cotangent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.grading.cases.case_set import put_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected, Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.runner import Runner

    Array = NDArray[Any]

__all__ = ["linearity_rule"]

_FACTOR = -2.0
"""A negative power of two: the product is exact, and |g|, g² and 1/g do not change by the same factor as g."""


def linearity_rule(runner: Runner, drill: Drill, shown: Observation) -> Rule | None:
    """Return the rule for a wrong answer that is not linear in the cotangent, or None.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        drill: The exercise.
        shown: The observation of the failing case.
    """
    expected = shown.expected
    numbers = not drill.solution.drive and drill.solution.judge is None and bool(expected.cotangents)
    if shown.case.large or shown.case.draws or drill.has_unit_cotangent:
        return None  # one more draw says nothing about a mean of many
    if not numbers or not all(np.isfinite(c).all() and np.any(c != 0) for c in expected.cotangents):
        return None
    first = _contributions(shown)
    scaled = tuple(np.asarray(_FACTOR * c, dtype=c.dtype) for c in expected.cotangents)
    other = _repeated(runner, drill, shown, replace(expected, cotangents=scaled))
    if first is None or other is None:
        return None
    linear = [part.linear for part in expected.parts]
    if any(
        np.any(a) and np.array_equal(a, b) for a, b, is_linear in zip(first, other, linear, strict=True) if is_linear
    ):
        return drill.kind.constant
    for one, two, part, start in zip(first, other, expected.parts, expected.start or (0.0,) * len(first), strict=True):
        if not part.linear:
            continue
        eps = float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0
        size = max((float(np.max(np.abs(v), initial=0.0)) for v in (one, two)), default=0.0) + abs(start)
        if one.shape != two.shape or np.any(np.abs(two - _FACTOR * one) > 4096 * eps * size):
            return drill.kind.nonlinear
    return None


def _repeated(runner: Runner, drill: Drill, shown: Observation, expected: Expected) -> list[Array] | None:
    if runner.finished:
        return None
    return _contributions(put_once(runner, drill, shown.case, expected))


def _contributions(seen: Observation) -> list[Array] | None:
    """Return what an answer adds to each `.grad`, or else its results; None unless all are finite numbers."""
    if seen.got is None:
        return None
    start = seen.expected.start or (0.0,) * len(seen.got)
    found = [g.astype(np.float64) - s for g, s in zip(seen.got, start, strict=True) if g is not None and _finite(g)]
    return found if len(found) == len(seen.got) else None


def _finite(array: Array) -> bool:
    return array.dtype.kind in "fiu" and bool(np.isfinite(array).all())
