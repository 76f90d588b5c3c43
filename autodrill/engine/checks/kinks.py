"""Detection of kinks: points at which the left and the right derivative differ or do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autodrill.engine.checks.finite_differences import AT_ONCE, scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.engine.checks.finite_differences import Evaluation

__all__ = ["one_sided_slopes"]

Float: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_PROBES = (2.0**-12, 2.0**-17, 2.0**-22)  # steps at which both slopes are computed, relative to the input's scale
_EPS = float(np.finfo(np.float64).eps)


def one_sided_slopes(evaluate: Evaluation, inputs: Sequence[Any], k: int, weights: Sequence[Float]) -> Float:
    """Return the left and right slope of `weights · f` in each element of an input, if the two differ.

    For a smooth function their difference shrinks with the step. At a kink it stays constant. At a jump or a domain
    boundary it grows or is not finite.

    Returns:
        An array of shape (elements, 2): NaN if there is no kink, and infinite if the slopes have no limit.
    """
    exact = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs]
    x = exact[k]
    found = np.full((x.size, 2), np.nan)
    weight = np.concatenate([np.zeros(0), *(np.asarray(w).reshape(-1) for w in weights)])
    scales = scale_of(x).reshape(-1)
    offsets = np.multiply.outer(scales, [sign * probe for probe in _PROBES for sign in (-1.0, 1.0)])

    with np.errstate(all="ignore"):
        (rows,) = evaluate(exact, k, x[None])
        centre, size = float(np.sum(weight * rows)), float(np.sum(np.abs(weight * rows)))
        values = np.concatenate([np.zeros((0, 2 * len(_PROBES))), *_moved(evaluate, exact, k, offsets, weight)])
        for element, scale in enumerate(scales):
            steps = [probe * scale for probe in _PROBES]
            ends = values[element].reshape(len(_PROBES), 2)
            pairs = [
                ((centre - low) / step, (high - centre) / step) for step, (low, high) in zip(steps, ends, strict=True)
            ]
            left, right = pairs[-1]
            gaps = [abs(b - a) for a, b in pairs]
            sizes = [max(abs(a), abs(b)) for a, b in pairs]
            if not np.isfinite(gaps[-1]):
                found[element] = -np.inf, np.inf
                continue
            rounding = 8 * _EPS * size / (_PROBES[-1] * scale)
            seen = max(100 * rounding, 1e-5 * sizes[-1])
            if sizes[-1] > seen and _follows_a_power(sizes, at_least=1.2):  # a jump, or a boundary such as that of √x
                found[element] = -np.inf, np.inf
            elif gaps[-1] > seen and _follows_a_power(
                gaps, at_least=0.5
            ):  # for a smooth f the gap falls to 1/32 each time
                found[element] = left, right
    return found


def _moved(evaluate: Evaluation, inputs: Sequence[Any], k: int, offsets: Float, weight: Float) -> Iterator[Float]:
    """Yield `weight · f` for each element of an input and each of its offsets, some elements at a time."""
    x = inputs[k]
    each = offsets.shape[1]
    at_once = max(1, AT_ONCE // (each * max(x.size, weight.size, 1)))
    for start in range(0, x.size, at_once):
        elements = np.arange(start, min(start + at_once, x.size))
        points = np.broadcast_to(x.reshape(-1), (elements.size, each, x.size)).copy()
        points[np.arange(elements.size), :, elements] += offsets[elements]
        rows = evaluate(inputs, k, points.reshape(-1, *x.shape))
        yield (rows @ weight).reshape(elements.size, each)


def _follows_a_power(values: Sequence[float], *, at_least: float) -> bool:
    """Whether each value exceeds the previous by about the same factor, `at_least` or more; noise does not."""
    coarse, middle, fine = values
    grows = fine > at_least * middle and middle > at_least * coarse
    return grows and middle > 0 and 2 / 3 < fine * coarse / middle**2 < 3 / 2
