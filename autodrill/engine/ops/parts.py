"""Complex numbers taken apart and put together: parts, conjugate, absolute value and phase.

None of these is holomorphic: their rules are the adjoints themselves, see `wirtinger`. Of real numbers each is what it
is of complex ones whose imaginary part is 0.
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
    """Return the real part; a copy, where PyTorch's is a view."""
    return xp.array(xp.real(x))


@primitive
def imag(xp: Namespace, x: Array) -> Array:
    """Return the imaginary part, of real numbers 0; a copy, where PyTorch's is a view."""
    return xp.array(xp.imag(x))


@primitive
def conj(xp: Namespace, x: Array) -> Array:
    """Return the complex conjugate."""
    return xp.conj(x)


@primitive(broadcasts=True)
def complex(xp: Namespace, real: Array, imag: Array) -> Array:
    """Return real + i imag, of real arrays.

    Raises:
        TypeError: One of them is complex.
    """
    check_real("complex", real, imag)
    # Not by multiplying with i, which makes 0 · ∞ of an infinite part.
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
    """Return complex numbers as pairs of real ones along a new last axis; a copy, where PyTorch's is a view.

    Raises:
        TypeError: x is not complex.
    """
    if not is_complex(x):
        raise TypeError(f"`view_as_real` takes complex numbers apart, and these are `{x.dtype}`")
    return stack([real(x), imag(x)], axis=-1)


def view_as_complex(x: Array) -> Any:
    """Return pairs of real numbers along the last axis as complex ones; a copy, where PyTorch's is a view.

    Raises:
        ValueError: The last axis has not length 2.
    """
    if x.ndim == 0 or x.shape[-1] != 2:
        raise ValueError(f"`view_as_complex` takes pairs along the last axis, not the shape {x.shape}")
    return complex(x[..., 0], x[..., 1])


# Polar parts


@primitive
def sign(xp: Namespace, x: Array) -> Array:
    """Return -1, 0 or 1 for real x; the derivative is 0 everywhere. For complex numbers there is `sgn`."""
    return xp.sign(x)


sign.vjp(x=lambda g: g * 0)
sign.jvp("elementwise")


@primitive(on_complex="adjoint")
def sgn(xp: Namespace, x: Array) -> Array:
    """Return x / |x|, and 0 at 0, where the derivative is taken to be 0 too; of real x this is the sign."""
    if xp is np or not is_complex(x):
        return xp.sign(x)
    size = xp.absolute(x)  # CuPy's sign of a complex number is that of its real part
    return x / xp.where(size == 0, 1, size)


def _turning(d: Array, x: Array, out: Array) -> Array:
    """Apply the differential of x / |x|: what of d is at right angles to x, over |x|. It is its own adjoint."""
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
    """Return the argument of x, in (-π, π]; of real x, 0 or π, with derivative 0. Its subgradient at 0 is 0."""
    return xp.angle(x)


angle.vjp(x=_angle_vjp)
angle.jvp("elementwise")


def polar(abs: Array, angle: Array) -> Any:
    """Return abs · exp(i angle), of real arrays."""
    return complex(abs * cos(angle), abs * sin(angle))
