"""Estimators: comparison by the mean of many draws, and by their variance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 estimates are arrays

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.grading.cases.unpack import results
from autodrill.sandbox.outcomes import Returned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.exercise import Drill
    from autodrill.sandbox.outcomes import CallOutcome

    Array = NDArray[Any]

__all__ = ["mean_of_draws", "noise"]

_NOISE = 2.0
"""Largest ratio of the draws' variance to the variance of a right estimator, both summed over all elements."""


def mean_of_draws(drill: Drill, expected: Expected, ends: Sequence[CallOutcome]) -> CallOutcome:
    """Return the mean of the answers as one outcome, or the first outcome that cannot be averaged."""
    stacked = _stacked(drill, expected, ends)
    first = ends[0]
    if not isinstance(stacked, list) or not isinstance(first, Returned):
        return stacked if not isinstance(stacked, list) else first
    got, _ = results(drill, expected, first)
    dtypes = [p.dtype if g is None else g.dtype for g, p in zip(got or (), expected.parts, strict=True)]
    means = tuple(s.mean(axis=0).astype(dtype) for s, dtype in zip(stacked, dtypes, strict=True))
    return replace(first, value=means if len(means) > 1 else means[0])


def noise(drill: Drill, expected: Expected, ends: Sequence[CallOutcome]) -> Fault | None:
    """Return the fault of an estimator that is right on average but has too much variance, or None."""
    stacked = _stacked(drill, expected, ends)
    if not isinstance(stacked, list):
        return None
    for each, part in zip(stacked, expected.parts, strict=True):
        if part.deviation is None:
            continue
        if not np.isfinite(each).all():
            continue  # the comparison of the means covers this
        seen, right = float(each.var(axis=0).sum()), float(np.square(part.deviation).sum())
        if seen > _NOISE * right + float(np.square(part.tolerance).sum()):
            return Fault(
                FaultKind.NOISY,
                f"{part.name} is right on average, but the variance of {len(each)} draws is "
                f"{seen / max(right, 1e-300):.3g} times the variance of a right estimator",
            )
    return None


def _stacked(drill: Drill, expected: Expected, ends: Sequence[CallOutcome]) -> list[Array] | CallOutcome:
    """Return all draws of each result as one float64 array, or the first outcome that does not fit."""
    rows: list[Sequence[Array]] = []
    for end in ends:
        got, _ = results(drill, expected, end)
        if got is None:
            return end
        fitting = [g for g, p in zip(got, expected.parts, strict=True) if g is not None and g.shape == p.value.shape]
        if len(fitting) < len(expected.parts) or any(g.dtype.kind not in "fiu" for g in fitting):
            return end
        rows.append(fitting)
    return [np.array([row[i] for row in rows], dtype=np.float64) for i in range(len(expected.parts))]
