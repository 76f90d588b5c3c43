"""Operations with steps and jumps, under NumPy's names: rounding, remainders and replacement of NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import clip, where
from autodrill.engine.ops.parts import sign

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "ceil", "clamp", "copysign", "floor", "floor_divide", "fmax", "fmin", "fmod", "frac", "heaviside", "lerp",
    "nan_to_num", "remainder", "round", "trunc",
]
# fmt: on

# Steps: the derivative is 0 everywhere


def _unchanged(x: Array) -> Array:
    """Return a copy of integers: before 2.1, NumPy turns them into floating-point numbers when it rounds them."""
    return x.copy()


@primitive(integers=True)
def floor(xp: Namespace, x: Array) -> Array:
    """Return the largest integer <= x; the derivative is 0 everywhere.

    Source: `numpy.floor`.
    """
    return _unchanged(x) if x.dtype.kind in "biu" else xp.floor(x)


@primitive(integers=True)
def ceil(xp: Namespace, x: Array) -> Array:
    """Return the smallest integer >= x; the derivative is 0 everywhere.

    Source: `numpy.ceil`.
    """
    return _unchanged(x) if x.dtype.kind in "biu" else xp.ceil(x)


@primitive(integers=True)
def trunc(xp: Namespace, x: Array) -> Array:
    """Return x without its fraction; the derivative is 0 everywhere.

    Source: `numpy.trunc`.
    """
    return _unchanged(x) if x.dtype.kind in "biu" else xp.trunc(x)


@primitive(integers=True)
def round(xp: Namespace, x: Array, *, decimals: int = 0) -> Array:
    """Return x rounded to `decimals`, with halves to even; the derivative is 0 everywhere.

    Args:
        decimals: The number of decimals, an integer; -1 rounds to tens.

    Source: `numpy.round`.
    """
    return xp.round(x, decimals)


for _step in (floor, ceil, trunc, round):
    _step.vjp(x=lambda g: g * 0)
    _step.jvp("elementwise")


@primitive(broadcasts=True, integers=True)
def floor_divide(xp: Namespace, x: Array, y: Array) -> Array:
    """Return floor(x / y); the derivative is 0 everywhere.

    Source: `numpy.floor_divide`.
    """
    return xp.floor_divide(x, y)


floor_divide.vjp(x=lambda g: g * 0, y=lambda g: g * 0)
floor_divide.jvp("elementwise")


@behaves("elementwise")
def heaviside(x: Array, h: Array) -> Array:
    """Return 0 for negative x, h for x = 0 and 1 for positive x, as a plain array.

    Raises:
        RuntimeError: An input requires grad or carries a tangent. A derivative of 0 would hide that none exists.

    Source: `numpy.heaviside`.
    """
    check_real("heaviside", x, h)
    for value in (x, h):
        if type(value) is Tensor and (value.requires_grad or value.tangents is not None):
            raise RuntimeError("`heaviside` has no derivative; detach its inputs, or use `where`")
    return backend_of(raw(x)).xp.heaviside(raw(x), raw(h))


# Remainders


@behaves("elementwise", integers=True)
def frac(x: Array) -> Any:
    """Return x - trunc(x), the fraction of x with its sign; the derivative is 1.

    Source: `torch.frac`.
    """
    return x - trunc(x)


@primitive(broadcasts=True, integers=True)
def remainder(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x - y floor(x / y), with the sign of y; also called mod.

    Source: `numpy.remainder`.
    """
    return xp.remainder(x, y)


remainder.vjp(x=lambda g: g, y=lambda g, x, y: -g * floor_divide(raw(x), raw(y)))
remainder.jvp("elementwise")


@primitive(broadcasts=True, integers=True)
def fmod(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x - y trunc(x / y), with the sign of x.

    Source: `numpy.fmod`.
    """
    return xp.fmod(x, y)


fmod.vjp(x=lambda g: g, y=lambda g, x, y: -g * trunc(raw(x) / raw(y)))
fmod.jvp("elementwise")


# Selection


def _takes_first(x: Array, y: Array, larger: bool) -> Array:
    x, y = raw(x), raw(y)
    return ((x >= y) if larger else (x <= y)) | backend_of(y).xp.isnan(y)


@primitive(broadcasts=True, integers=True)
def fmax(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the larger of x and y, ignoring NaN; at a tie x gets the whole gradient.

    Source: `numpy.fmax`; derivatives as in `torch.fmax`.
    """
    return xp.fmax(x, y)


fmax.vjp(
    x=lambda g, x, y: where(_takes_first(x, y, larger=True), g, 0),
    y=lambda g, x, y: where(_takes_first(x, y, larger=True), 0, g),
)
fmax.jvp("elementwise")


@primitive(broadcasts=True, integers=True)
def fmin(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the smaller of x and y, ignoring NaN; at a tie x gets the whole gradient.

    Source: `numpy.fmin`; derivatives as in `torch.fmin`.
    """
    return xp.fmin(x, y)


fmin.vjp(
    x=lambda g, x, y: where(_takes_first(x, y, larger=False), g, 0),
    y=lambda g, x, y: where(_takes_first(x, y, larger=False), 0, g),
)
fmin.jvp("elementwise")


@primitive(integers=True)
def nan_to_num(
    xp: Namespace, x: Array, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Return x with NaN and infinities replaced by numbers; no gradient passes where one was replaced.

    Args:
        nan: The number in place of NaN.
        posinf: The number in place of ∞, by default the largest of the dtype.
        neginf: The number in place of -∞, by default the smallest of the dtype.

    Source: `numpy.nan_to_num`.
    """
    return xp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


nan_to_num.vjp(x=lambda g, x: where(abs(raw(x)) < float("inf"), g, 0))
nan_to_num.jvp("elementwise")


@primitive(broadcasts=True)
def copysign(xp: Namespace, x: Array, y: Array) -> Array:
    """Return |x| with the sign of y; the derivative with respect to y is 0.

    Source: `numpy.copysign`.
    """
    return xp.copysign(x, y)


copysign.vjp(x=lambda g, x, out: g * (sign(raw(x)) * sign(raw(out))), y=lambda g: g * 0)
copysign.jvp("elementwise")


def clamp(x: Array, min: Array | None = None, max: Array | None = None) -> Any:
    """Return x limited to [min, max], with bounds that may be arrays and are then differentiable too.

    The gradient goes to x where min <= x <= max, and otherwise to the bound that replaces x. If min > max, it is max,
    as in PyTorch. `clip` needs no bound.

    Args:
        x: Real numbers of any shape.
        min: The lower bound, a number or an array that broadcasts against x; None for no bound.
        max: The upper bound, likewise.

    Returns:
        The common shape and dtype of x and the bounds.

    Raises:
        TypeError: An argument is complex.
        ValueError: There is no bound, or the shapes do not broadcast.

    Source: `torch.clamp`.
    """
    check_real("clamp", x, min, max)
    if min is None and max is None:
        raise ValueError("`clamp` needs `min`, `max` or both")
    if not hasattr(min, "dtype") and not hasattr(max, "dtype") and (min is None or max is None or min <= max):
        return clip(x, min=min, max=max)
    # A NaN in x stays, as does one in a bound.
    if min is not None:
        x = where((raw(x) >= raw(min)) | (raw(x) != raw(x)), x, min)
    if max is not None:
        x = where((raw(x) <= raw(max)) | (raw(x) != raw(x)), x, max)
    return x


@behaves("elementwise", complex="complex", integers=True)
def lerp(start: Array, end: Array, weight: Array) -> Any:
    """Return start + weight (end - start): `start` at weight 0, `end` at weight 1.

    Source: `torch.lerp`.
    """
    return start + weight * (end - start)
