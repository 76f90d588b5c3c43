"""Parts of complex numbers: real and imaginary part, conjugate, absolute value and phase.

None of these is holomorphic, so their rules are adjoints; see `complex_convention`. A real number is treated as a
complex one with imaginary part 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.complex_convention import check_real, is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementwise import cos, sin, where
from autodrill.engine.ops.shape import stack

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "absolute", "angle", "complex", "conj", "imag", "polar", "real", "sgn", "sign", "view_as_complex",
    "view_as_real",
]
# fmt: on

# Cartesian parts


@primitive
def real(xp: Namespace, x: Array) -> Array:
    """Return a copy of the real part; PyTorch returns a view."""
    return xp.array(xp.real(x))


@primitive
def imag(xp: Namespace, x: Array) -> Array:
    """Return a copy of the imaginary part, which is 0 for real numbers; PyTorch returns a view."""
    return xp.array(xp.imag(x))


@primitive
def conj(xp: Namespace, x: Array) -> Array:
    """Return the complex conjugate."""
    return xp.conj(x)


@primitive(broadcasts=True)
def complex(xp: Namespace, real: Array, imag: Array) -> Array:
    """Return real + i imag, of real arrays.

    Raises:
        TypeError: An input is complex.
    """
    check_real("complex", real, imag)
    # A product with i would give 0 · ∞ = NaN for an infinite part.
    out = xp.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), xp.result_type(real, imag, np.complex64))
    out.real = real
    out.imag = imag
    return out


real.vjp(x=lambda g: g)
real.jvp("linear")
real.vmap("leading")
imag.vjp(x=lambda g: g * 1j)
imag.jvp("linear")
imag.vmap("leading")
conj.vjp(x=lambda g: g.conj())
conj.jvp("linear")
conj.vmap("leading")
complex.vjp(real=lambda g: g.real, imag=lambda g: g.imag)
complex.jvp("linear")


def view_as_real(x: Array) -> Any:
    """Return complex numbers as pairs of real numbers along a new last axis, as a copy; PyTorch returns a view.

    Raises:
        TypeError: x is not complex.
    """
    if not is_complex(x):
        raise TypeError(f"`view_as_real` needs complex numbers, not `{x.dtype}`")
    return stack([real(x), imag(x)], axis=-1)


def view_as_complex(x: Array) -> Any:
    """Return pairs of real numbers along the last axis as complex numbers, as a copy; PyTorch returns a view.

    Raises:
        ValueError: The last axis does not have length 2.
    """
    if x.ndim == 0 or x.shape[-1] != 2:
        raise ValueError(f"`view_as_complex` needs a last axis of length 2, not shape {x.shape}")
    return complex(x[..., 0], x[..., 1])


# Polar parts


@primitive
def sign(xp: Namespace, x: Array) -> Array:
    """Return -1, 0 or 1 for real x, with derivative 0 everywhere; use `sgn` for complex numbers."""
    return xp.sign(x)


sign.vjp(x=lambda g: g * 0)
sign.jvp("elementwise")


@primitive(on_complex="adjoint")
def sgn(xp: Namespace, x: Array) -> Array:
    """Return x / |x|, and 0 at 0 with derivative 0; for real x this is the sign."""
    if xp is np or not is_complex(x):
        return xp.sign(x)
    size = xp.absolute(x)  # CuPy's sign of a complex number is the sign of its real part
    return x / xp.where(size == 0, 1, size)


def _turning(d: Array, x: Array, out: Array) -> Array:
    """Apply the differential of x / |x|, which is self-adjoint: the part of d perpendicular to x, divided by |x|."""
    if not is_complex(x):
        return d * 0
    size = absolute(x)
    zero = raw(size) == 0
    return where(zero, 0, (d - out * (out.conj() * d).real) / where(zero, 1, size))


sgn.vjp(x=_turning)
sgn.jvp(lambda dx, x, out: _turning(d=dx, x=x, out=out))
sgn.vmap("leading")


@primitive(on_complex="adjoint")
def absolute(xp: Namespace, x: Array) -> Array:
    """Return |x|; its subgradient at 0 is 0."""
    return xp.absolute(x)


absolute.vjp(x=lambda g, x: g * sgn(x))
absolute.jvp("elementwise")


def _angle_vjp(g: Array, x: Array) -> Array:
    if not is_complex(x):
        return g * 0
    squared = (x * x.conj()).real
    zero = raw(squared) == 0
    return where(zero, 0, g * (1j * x) / where(zero, 1, squared))


@primitive(on_complex="adjoint")
def angle(xp: Namespace, x: Array) -> Array:
    """Return the argument of x, in (-π, π]; for real x it is 0 or π, with derivative 0. The subgradient at 0 is 0."""
    return xp.angle(x)


angle.vjp(x=_angle_vjp)
angle.jvp("elementwise")


def polar(abs: Array, angle: Array) -> Any:
    """Return abs · exp(i angle), of real arrays."""
    return complex(abs * cos(angle), abs * sin(angle))
