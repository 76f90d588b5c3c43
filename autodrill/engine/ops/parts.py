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
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.shape import stack
from autodrill.engine.ops.trigonometric import cos, sin

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "absolute", "angle", "complex", "conj", "imag", "polar", "real", "sgn", "sign", "view_as_complex",
    "view_as_real",
]
# fmt: on

# Cartesian parts


@behaves("elementwise", complex="real", integers=True)
@primitive(broadcasts=True, integers=True)
def real(xp: Namespace, x: Array) -> Array:
    """Return a copy of the real part; PyTorch returns a view.

    Source: `numpy.real`, as a copy.
    """
    return xp.array(xp.real(x))


@behaves("elementwise", complex="real", integers=True)
@primitive(broadcasts=True, integers=True)
def imag(xp: Namespace, x: Array) -> Array:
    """Return a copy of the imaginary part, which is 0 for real numbers; PyTorch returns a view.

    Source: `numpy.imag`, as a copy.
    """
    return xp.array(xp.imag(x))


@primitive(broadcasts=True, integers=True)
def conj(xp: Namespace, x: Array) -> Array:
    """Return the complex conjugate.

    Source: `numpy.conj`, as a copy.
    """
    return xp.conj(x)


def _shape(value: Any) -> tuple[int, ...]:
    return getattr(value, "shape", ())


@primitive(broadcasts=True)
def complex(xp: Namespace, real: Array, imag: Array) -> Array:
    """Return real + i imag, of real arrays.

    Returns:
        The common shape of both, as complex numbers; of float32 and narrower, complex64.

    Source: `torch.complex`.
    """
    check_real("complex", real, imag)
    # A product with i would give 0 · ∞ = NaN for an infinite part.
    out = xp.empty(np.broadcast_shapes(_shape(real), _shape(imag)), xp.result_type(real, imag, np.complex64))
    out.real = real
    out.imag = imag
    return out


real.vjp(x=lambda g: g)
real.jvp("linear")
imag.vjp(x=lambda g: g * 1j)
imag.jvp("linear")
conj.vjp(x=lambda g: g.conj())
conj.jvp("linear")
complex.vjp(real=lambda g: g.real, imag=lambda g: g.imag)
complex.jvp("linear")


def view_as_real(x: Array) -> Any:
    """Return complex numbers as pairs of real numbers along a new last axis, as a copy; PyTorch returns a view.

    Args:
        x: Complex numbers of any shape.

    Returns:
        Shape (..., 2), the real parts and the imaginary parts.

    Raises:
        TypeError: x is not complex.

    Source: `torch.view_as_real`.
    """
    if not is_complex(x):
        raise TypeError(f"`view_as_real` needs complex numbers, not `{x.dtype}`")
    return stack([real(x), imag(x)], axis=-1)


def view_as_complex(x: Array) -> Any:
    """Return pairs of real numbers along the last axis as complex numbers, as a copy; PyTorch returns a view.

    Args:
        x: Real numbers, shape (..., 2): the real parts and the imaginary parts.

    Returns:
        Complex numbers of shape (...).

    Raises:
        TypeError: x is complex.
        ValueError: The last axis does not have length 2.

    Source: `torch.view_as_complex`.
    """
    if x.ndim == 0 or x.shape[-1] != 2:
        raise ValueError(f"`view_as_complex` needs a last axis of length 2, not shape {x.shape}")
    return complex(x[..., 0], x[..., 1])


# Polar parts


@primitive(integers=True)
def sign(xp: Namespace, x: Array) -> Array:
    """Return -1, 0 or 1 for real x, with derivative 0 everywhere; use `sgn` for complex numbers.

    Source: `numpy.sign`; derivative as in `torch.sign`.
    """
    return xp.sign(x)


sign.vjp(x=lambda g: g * 0)
sign.jvp("elementwise")


@behaves("elementwise", complex="complex", integers=True)
@primitive(on_complex="adjoint")
def sgn(xp: Namespace, x: Array) -> Array:
    """Return x / |x|, and 0 at 0 with derivative 0; for real x this is the sign.

    Source: `torch.sgn`.
    """
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


@behaves("elementwise", complex="real", integers=True)
@primitive(on_complex="adjoint", integers=True)
def absolute(xp: Namespace, x: Array) -> Array:
    """Return |x|; its subgradient at 0 is 0.

    Source: `numpy.absolute`; derivative as in `torch.abs`.
    """
    return xp.absolute(x)


absolute.vjp(x=lambda g, x: g * sgn(x))
absolute.jvp("elementwise")


def _angle_vjp(g: Array, x: Array) -> Array:
    if not is_complex(x):
        return g * 0
    squared = (x * x.conj()).real
    zero = raw(squared) == 0
    return where(zero, 0, g * (1j * x) / where(zero, 1, squared))


@behaves("elementwise", complex="real")
@primitive(on_complex="adjoint")
def angle(xp: Namespace, x: Array) -> Array:
    """Return the argument of x, in (-π, π]; for real x it is 0 or π, with derivative 0. The subgradient at 0 is 0.

    Source: `numpy.angle`; derivatives as in `torch.angle`.
    """
    return xp.angle(x)


angle.vjp(x=_angle_vjp)
angle.jvp("elementwise")


@behaves("elementwise")
def polar(abs: Array, angle: Array) -> Any:
    """Return abs · exp(i angle), of real arrays.

    Returns:
        The common shape of both, as complex numbers.

    Source: `torch.polar`.
    """
    check_real("polar", abs, angle)
    return complex(abs * cos(angle), abs * sin(angle))
