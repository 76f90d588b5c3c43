"""Finding kinks: points where a function has a slope to the left and another to the right, or none at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autodrill.engine.numerical import scale_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["one_sided_slopes"]

Float: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_PROBES = (2.0**-12, 2.0**-17, 2.0**-22)  # steps, relative to the input's scale, at which both slopes are taken
_EPS = float(np.finfo(np.float64).eps)


def one_sided_slopes(
    f: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], k: int, weights: Sequence[Float]
) -> Float:
    """Return, for each element of an input, the slopes of `weights · f` to the left and to the right where they differ.

    In a smooth function their distance shrinks with the step; at a kink it stays, at a jump or the end of the domain
    it grows or is not finite.

    Returns:
        Of shape (elements, 2); NaN where no kink is found, and infinite where the slopes themselves have no limit.
    """
    exact = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs]
    x = exact[k]
    found = np.full((x.size, 2), np.nan)

    def value(element: int, step: float) -> tuple[float, float]:
        moved = x.copy().reshape(-1)
        moved[element] += step
        outputs = f(*exact[:k], moved.reshape(x.shape), *exact[k + 1 :])
        terms = [(w * y, np.abs(w * y)) for w, y in zip(weights, outputs, strict=True)]
        return float(sum(np.sum(t) for t, _ in terms)), float(sum(np.sum(size) for _, size in terms))

    with np.errstate(all="ignore"):
        for element, scale in enumerate(scale_of(x).reshape(-1)):
            centre, size = value(element, 0.0)
            pairs = [
                ((centre - value(element, -step)[0]) / step, (value(element, step)[0] - centre) / step)
                for step in (probe * scale for probe in _PROBES)
            ]
            left, right = pairs[-1]
            gaps = [abs(b - a) for a, b in pairs]
            sizes = [max(abs(a), abs(b)) for a, b in pairs]
            if not np.isfinite(gaps[-1]):
                found[element] = -np.inf, np.inf
                continue
            rounding = 8 * _EPS * size / (_PROBES[-1] * scale)
            seen = max(100 * rounding, 1e-5 * sizes[-1])
            if sizes[-1] > seen and _follows_a_power(sizes, at_least=1.2):  # a jump, or the edge of a root
                found[element] = -np.inf, np.inf
            elif gaps[-1] > seen and _follows_a_power(gaps, at_least=0.5):  # where f is smooth, 1/32 each time
                found[element] = left, right
    return found


def _follows_a_power(values: Sequence[float], *, at_least: float) -> bool:
    """Whether each value is at least so many times the one before, and by about the same factor: noise is not."""
    coarse, middle, fine = values
    grows = fine > at_least * middle and middle > at_least * coarse
    return grows and middle > 0 and 2 / 3 < fine * coarse / middle**2 < 3 / 2
