"""How far off an answer may be: what rounding does to the right one, measured, times a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np  # noqa: TID253 this module is numbers through and through; whoever imports it needs numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["ULPS", "Derivative", "amplified_rounding", "largest"]

_SALTS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Odd numbers with no pattern in their bits (those of Fibonacci hashing and of xxHash)."""

ULPS = 1024.0
"""How many times the rounding error that the problem itself amplifies an answer may be off: another order of
summation costs tens, a wrong formula costs billions."""

_NOTHING = 8 * float(np.finfo(np.float64).eps)
"""A result nowhere larger than this, relative to the cotangents and the other results, is 0 but for rounding."""

_JUMP = 1e-3
"""What moves by so much of the largest gradient when float64 inputs move in the last place is no rounding: the slope
jumps there, as that of 0**b at b = 1 does."""


class Derivative(Protocol):
    """What is asked for, as a function of the inputs and of what it is linear in."""

    def __call__(
        self,
        primals: list[Array],
        directions: list[Array],
        *,
        smooth: bool = False,
        thorough: bool = False,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> list[Array]:
        """Compute it in a dtype, and hold it against differences where it is smooth."""
        ...


def amplified_rounding(
    derivative: Derivative,
    primals: list[Array],
    cotangents: list[Array],
    gradients: list[Array],
    dtype: np.dtype[Any],
    *,
    units: float = 0.0,
) -> list[Array]:
    """Derive the tolerance: what rounding does to the answer, measured, times a margin.

    Each input and cotangent is moved by one unit in its last place, up or down as if at random, but equal inputs
    alike, so that ties stay ties; the largest change of each element and of all, and one unit in the last place of the
    element and of the largest beside it, are what even a perfect algorithm in this dtype cannot avoid. What rounding
    on the way does, as where p - 1 is taken of a p near 1, is seen by computing in float32, and is as much smaller as
    this dtype's unit is; but where float32 loses all of it, as of a p nearer to 1, that says nothing, so some units
    of the cotangent are allowed everywhere. Below the square of a unit, relative to the cotangent, the engine's own
    cancellation decides the digits. A result that is nothing beside the cotangents and the other results has
    cancelled: how far depends on the order of operations, so it is measured by them.
    """
    eps = float(np.finfo(dtype).eps)
    cotangent = max(map(largest, cotangents), default=0.0)
    floor = float(np.finfo(dtype).tiny) + eps**2 * cotangent
    peaks = [largest(g) for g in gradients]
    beside = max(cotangent, *peaks)
    moved = [np.zeros_like(g) for g in gradients]

    def nudge(a: Array, salt: int, *, apart: bool = False) -> Array:
        return a * (1 + eps * _signs(a, salt, apart=apart)) if a.dtype.kind == "f" else a

    with np.errstate(all="ignore"):
        if not cotangents or any(map(np.any, cotangents)):  # of a cotangent of 0 the answer is 0 all around
            for salt in _SALTS:
                again = derivative([nudge(p, salt) for p in primals], [nudge(c, salt, apart=True) for c in cotangents])
                _widen(moved, gradients, again, most=_JUMP * beside if dtype == np.float64 else np.inf)
            coarse = derivative(primals, cotangents, dtype=np.float32)
            _widen(moved, gradients, coarse, eps / float(np.finfo(np.float32).eps))
        sizes = [beside if peak <= _NOTHING * beside else peak for peak in peaks]
        return [
            ULPS * (change + largest(change) + eps * (np.abs(g) + size) + floor) + units * eps * cotangent
            for g, change, size in zip(gradients, moved, sizes, strict=True)
        ]


def _signs(values: Array, salt: int, *, apart: bool) -> Array:
    """Draw 1 or -1 for each value: the leading bit of its bits, and of its place if equal ones are to be told apart.

    The bits are multiplied by an odd number before.
    """
    bits: Array = np.asarray(values, dtype=np.float64).reshape(-1).view(np.uint64)
    if apart:
        bits = bits + np.arange(bits.size, dtype=np.uint64)
    leading = (bits * np.uint64(salt)).view(np.int64) < 0
    return np.where(leading, -1.0, 1.0).reshape(np.shape(values))


def _widen(
    moved: list[Array], gradients: list[Array], others: list[Array], factor: float = 1.0, most: float = np.inf
) -> None:
    """Take in how far others are from the gradients, where that is finite and no jump, times a factor."""
    for total, gradient, other in zip(moved, gradients, others, strict=True):
        change = np.abs(other - gradient)
        np.fmax(total, factor * np.where(np.isfinite(other) & (change <= most), change, 0), out=total)


def largest(array: Array) -> float:
    """Return the largest magnitude among the finite elements, 0 if there is none."""
    return float(np.abs(array).max(initial=0.0, where=np.isfinite(array)))
