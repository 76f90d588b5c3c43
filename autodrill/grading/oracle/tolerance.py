"""Tolerance of a result: the measured effect of rounding on the right answer, times a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.drills.answer_records import ULPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["Derivative", "amplified_rounding", "largest"]

_SALTS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd multipliers without a pattern in their bits (from Fibonacci hashing and xxHash)."""

_NOTHING = 8 * float(np.finfo(np.float64).eps)
"""Magnitude, relative to the cotangents and the other results, up to which a result is 0 except for rounding."""

_JUMP = 1e-3
"""The largest change, relative to the largest gradient, that rounding explains when float64 inputs change in the last
place. A larger change means that the slope jumps there, like the slope of 0**b at b = 1."""


class Derivative(Protocol):
    """A VJP or JVP, as a function of the inputs and of the cotangents or tangents."""

    def __call__(
        self,
        primals: list[Array],
        directions: list[Array],
        *,
        smooth: bool = False,
        thorough: bool = False,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> list[Array]:
        """Compute it in a dtype, and compare it with finite differences if the case is smooth."""
        ...


def amplified_rounding(
    derivative: Derivative,
    primals: list[Array],
    cotangents: list[Array],
    gradients: list[Array],
    dtype: np.dtype[Any],
    *,
    units: float = 0.0,
    large: bool = False,
) -> list[Array]:
    """Return the tolerance of each result: the measured effect of rounding, times a margin.

    Rounding of the inputs: each input and cotangent is perturbed by one unit in its last place, with pseudorandom
    signs. Equal inputs get equal signs, so that ties stay ties. Even a perfect algorithm in this dtype cannot avoid
    the largest change of each element and of the whole result, nor one unit in the last place of either.

    Rounding of intermediate values, as of p - 1 for p near 1: it shows in a float32 computation, and is scaled by the
    ratio of the two dtypes' units. For p so near 1 that float32 loses every digit, this measures too little. So
    `units` units in the last place of the largest cotangent are allowed everywhere.

    Cancellation: below the square of a unit, relative to the cotangent, the engine's own cancellation decides the
    digits. A result that is negligible relative to the cotangents and the other results has cancelled. Its error
    depends on the order of operations, so its tolerance is relative to them.

    A `large` case bounds the cost of an answer. It allows the error of a sum of thousands of terms taken one by one.
    """
    eps = float(np.finfo(dtype).eps)
    ulps = max(ULPS.values()) if large else ULPS[dtype.name]
    cotangent = max(map(largest, cotangents), default=0.0)
    floor = float(np.finfo(dtype).tiny) + eps**2 * cotangent
    peaks = [largest(g) for g in gradients]
    overall = max(cotangent, *peaks)
    moved = [np.zeros_like(g) for g in gradients]

    def nudge(a: Array, salt: int, *, apart: bool = False) -> Array:
        return a * (1 + eps * _signs(a, salt, apart=apart)) if a.dtype.kind == "f" else a

    with np.errstate(all="ignore"):
        if not cotangents or any(map(np.any, cotangents)):  # with a zero cotangent nothing changes
            for salt in _SALTS:
                again = derivative([nudge(p, salt) for p in primals], [nudge(c, salt, apart=True) for c in cotangents])
                _widen(moved, gradients, again, most=_JUMP * overall if dtype == np.float64 else np.inf)
            coarse = derivative(primals, cotangents, dtype=np.float32)
            _widen(moved, gradients, coarse, eps / float(np.finfo(np.float32).eps))
        sizes = [overall if peak <= _NOTHING * overall else peak for peak in peaks]
        return [
            ulps * (change + largest(change) + eps * (np.abs(g) + size) + floor) + units * eps * cotangent
            for g, change, size in zip(gradients, moved, sizes, strict=True)
        ]


def _signs(values: Array, salt: int, *, apart: bool) -> Array:
    """Return a pseudorandom 1 or -1 for each value: the leading bit of its bits times an odd number.

    If `apart`, the position is added to the bits, so that equal values get different signs.
    """
    bits: Array = np.asarray(values, dtype=np.float64).reshape(-1).view(np.uint64)
    if apart:
        bits = bits + np.arange(bits.size, dtype=np.uint64)
    leading = (bits * np.uint64(salt)).view(np.int64) < 0
    return np.where(leading, -1.0, 1.0).reshape(np.shape(values))


def _widen(
    moved: list[Array], gradients: list[Array], others: list[Array], factor: float = 1.0, most: float = np.inf
) -> None:
    """Raise each of `moved` to the change of its gradient times a factor, unless that is infinite or a jump."""
    for total, gradient, other in zip(moved, gradients, others, strict=True):
        change = np.abs(other - gradient)
        np.fmax(total, factor * np.where(np.isfinite(other) & (change <= most), change, 0), out=total)


def largest(array: Array) -> float:
    """Return the largest magnitude among the finite elements, 0 if there is none."""
    return float(np.abs(array).max(initial=0.0, where=np.isfinite(array)))
