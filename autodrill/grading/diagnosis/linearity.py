"""Asking a wrong answer for another cotangent: does it scale as every VJP does?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.grading.cases.pipeline import put_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected, Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation
    from autodrill.sandbox.runner import Runner

    Array = NDArray[Any]

__all__ = ["conduct_rule"]

_FACTOR = -2.0
"""A negative power of two: it tells |g|, g² and 1/g from g, and multiplying by it rounds nothing."""


def conduct_rule(process: Runner, drill: Drill, shown: Observation) -> Rule | None:
    """Return the rule for an answer that is not linear in the cotangent, or None.

    It is asked of right answers for every case; of a wrong one it explains why it is wrong.

    Args:
        process: With the candidate's code loaded, or finished.
        drill: The exercise.
        shown: The failing case to ask about.
    """
    known = shown.expected
    numbers = not drill.solution.drive and drill.solution.judge is None and bool(known.cotangents)
    if shown.case.large or shown.case.draws:
        return None  # of a mean of many draws one more says nothing
    if not numbers or not all(np.isfinite(c).all() and np.any(c != 0) for c in known.cotangents):
        return None
    first = _contributions(shown)
    scaled = tuple(np.asarray(_FACTOR * c, dtype=c.dtype) for c in known.cotangents)
    other = _asked(process, drill, shown, replace(known, cotangents=scaled))
    if first is None or other is None:
        return None
    linear = [part.linear for part in known.parts]
    if any(np.any(a) and np.array_equal(a, b) for a, b, held in zip(first, other, linear, strict=True) if held):
        return drill.kind.constant
    for one, two, part, start in zip(first, other, known.parts, known.start or (0.0,) * len(first), strict=True):
        if not part.linear:
            continue
        eps = float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0
        size = max((float(np.max(np.abs(v), initial=0.0)) for v in (one, two)), default=0.0) + abs(start)
        if one.shape != two.shape or np.any(np.abs(two - _FACTOR * one) > 4096 * eps * size):
            return drill.kind.nonlinear
    return None


def _asked(process: Runner, drill: Drill, shown: Observation, known: Expected) -> list[Array] | None:
    if process.finished:
        return None
    return _contributions(put_once(process, drill, shown.case, known))


def _contributions(seen: Observation) -> list[Array] | None:
    """What an answer adds to each `.grad`, or its results themselves; None if they are not all finite numbers."""
    if seen.got is None:
        return None
    start = seen.expected.start or (0.0,) * len(seen.got)
    found = [g.astype(np.float64) - s for g, s in zip(seen.got, start, strict=True) if g is not None and _finite(g)]
    return found if len(found) == len(seen.got) else None


def _finite(array: Array) -> bool:
    return array.dtype.kind in "fiu" and bool(np.isfinite(array).all())
