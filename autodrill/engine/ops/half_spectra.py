"""Fourier transforms of real numbers, and their inverses: half of a spectrum that has Hermitian symmetry.

The two primitives are adjoint to each other up to weights for the omitted half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import check_real, is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.fourier import SWAPPED, Norm, axes_and_lengths, check_norm, dft, resized
from autodrill.engine.ops.parts import conj
from autodrill.engine.ops.shape import along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn", "irdft", "irfft", "irfft2", "irfftn", "rdft", "rfft",
    "rfft2", "rfftn",
]
# fmt: on


@primitive(on_complex="adjoint")
def rdft(xp: Namespace, x: Array, *, axis: int, norm: Norm = None) -> Array:
    """Return the first n // 2 + 1 points of the transform of real x along `axis`; the others are their conjugates.

    Args:
        x: Real values of any shape, n along the axis.
        axis: The axis transformed.
        norm: As for `fft`.

    Returns:
        Complex, the shape of x with n // 2 + 1 points along the axis.

    Raises:
        TypeError: x is complex.
        IndexError: x lacks the axis.

    Source: agrees with `numpy.fft.rfft` at the full length.
    """
    check_real("rdft", x)
    return xp.fft.rfft(x, axis=axis, norm=norm)


@primitive(on_complex="adjoint")
def irdft(xp: Namespace, x: Array, *, n: int, axis: int, norm: Norm = None) -> Array:
    """Return the n real points whose half spectrum is x.

    Args:
        x: Complex values, n // 2 + 1 along the axis.
        n: The number of points.
        axis: The axis transformed.
        norm: As for `irfft`: the norm of the inverse transform.

    Returns:
        Real, the shape of x with n points along the axis.

    Raises:
        ValueError: n is less than 1.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.fft.irfft`.
    """
    return xp.fft.irfft(x, n, axis=axis, norm=norm)


def _multiplicity(g: Array, n: int, axis: int) -> Array:
    """Return how often each point of a half spectrum occurs in the full one: twice, or once if it is self-conjugate."""
    half = n // 2 + 1
    xp = backend_of(raw(g)).xp
    counts = xp.full(half, 2, raw(g).real.dtype)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    return along(counts, axis, g.ndim)


def _rdft_vjp(g: Array, x_shape: tuple[int, ...], axis: int, norm: Norm) -> Array:
    n = x_shape[axis]
    return irdft(g / _multiplicity(g, n, axis), n=n, axis=axis, norm=SWAPPED[norm])


def _irdft_vjp(g: Array, n: int, axis: int, norm: Norm) -> Array:
    spectrum = rdft(g, axis=axis, norm=SWAPPED[norm])
    return spectrum * _multiplicity(spectrum, n, axis)


rdft.vjp(x=_rdft_vjp)
rdft.jvp("linear")
rdft.vmap("axis")
irdft.vjp(x=_irdft_vjp)
irdft.jvp("linear")
irdft.vmap("axis")


def _to_half(name: str, x: Array, s: Any, axes: Any, norm: Norm) -> Any:
    """Return the transform of real numbers: the last axis to a half spectrum, then the other axes."""
    check_norm(name, norm)
    if is_complex(x):
        raise TypeError(f"`{name}` is not defined for complex numbers, whose half spectrum does not determine the rest")
    places, lengths = axes_and_lengths(name, x, s, axes)
    if not places:
        raise ValueError(f"`{name}` needs at least one axis, since it halves the spectrum of the last one")
    half = rdft(resized(name, x, places, lengths), axis=places[-1], norm=norm)
    return dft(half, axes=places[:-1], norm=norm) if places[:-1] else half


def _from_half(name: str, x: Array, s: Any, axes: Any, norm: Norm) -> Any:
    """Return the inverse: of all axes but the last, then of its half spectrum to `s[-1]`, or 2 (m - 1), points."""
    check_norm(name, norm)
    places, lengths = axes_and_lengths(name, x, s, axes)
    if not places:
        raise ValueError(f"`{name}` needs at least one axis, since it halves the spectrum of the last one")
    last = places[-1]
    n = 2 * (x.shape[last] - 1) if lengths[-1] == -1 else lengths[-1]
    if n < 1:
        raise ValueError(f"`{name}` needs at least one point along axis {last}, not {n}")
    x = resized(name, x, places, (*lengths[:-1], n // 2 + 1))
    if places[:-1]:
        x = dft(x, axes=places[:-1], norm=norm, inverse=True)
    return irdft(x, n=n, axis=last, norm=norm)


# One axis


def rfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the first n // 2 + 1 points of the `fft` of real x; the others are their conjugates.

    Args:
        x: Real values of any shape.
        n, axis, norm: As for `fft`.

    Returns:
        Complex; the shape of x with n // 2 + 1 points along the axis.

    Raises:
        TypeError: x is complex.
        ValueError: As for `fft`.

    Source: agrees with `numpy.fft.rfft`.
    """
    return _to_half("rfft", x, None if n is None else (n,), (axis,), norm)


def irfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the n real points whose `rfft` is x.

    The imaginary part of the first point, and for even n of the last, is not read and gets no gradient.

    Args:
        x: Real or complex values, m along the axis.
        n: The number of real points, by default 2 (m - 1); x is truncated, or padded with zeros, to n // 2 + 1.
        axis, norm: As for `fft`.

    Returns:
        Real; the shape of x with n points along the axis.

    Raises:
        ValueError: As for `fft`; without n also, x has one point only.

    Source: agrees with `numpy.fft.irfft`.
    """
    return _from_half("irfft", x, None if n is None else (n,), (axis,), norm)


def hfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the real `fft` of n points that have Hermitian symmetry and begin with x.

    Args:
        x: Real or complex values, m along the axis.
        n: The number of real points, by default 2 (m - 1).
        axis, norm: As for `fft`.

    Returns:
        Real; the shape of x with n points along the axis.

    Raises:
        ValueError: As for `irfft`.

    Source: agrees with `numpy.fft.hfft`.
    """
    check_norm("hfft", norm)
    return _from_half("hfft", conj(x), None if n is None else (n,), (axis,), SWAPPED[norm])


def ihfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the first half of the `ifft` of real x, which has Hermitian symmetry: the inverse of `hfft`.

    Args:
        x: Real values of any shape.
        n, axis, norm: As for `fft`.

    Returns:
        Complex; the shape of x with n // 2 + 1 points along the axis.

    Raises:
        TypeError: x is complex.
        ValueError: As for `fft`.

    Source: agrees with `numpy.fft.ihfft`.
    """
    check_norm("ihfft", norm)
    return conj(_to_half("ihfft", x, None if n is None else (n,), (axis,), SWAPPED[norm]))


# Several axes


def rfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the `fftn` of real x, with the first n // 2 + 1 points along the last of the axes.

    Args:
        x: Real values of any shape.
        s, axes, norm: As for `fftn`; there must be at least one axis.

    Returns:
        Complex; the shape of x with `s` points along the axes, but n // 2 + 1 along the last.

    Raises:
        TypeError: x is complex.
        ValueError: As for `fftn`, or there is no axis.

    Source: agrees with `numpy.fft.rfftn`.
    """
    return _to_half("rfftn", x, s, axes, norm)


def irfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the real points whose `rfftn` is x.

    Args:
        x: Real or complex values of any shape, m along the last of the axes.
        s: The number of real points along each axis, by default 2 (m - 1) along the last.
        axes, norm: As for `fftn`; there must be at least one axis.

    Returns:
        Real; the shape of x with `s` points along the axes.

    Raises:
        ValueError: As for `fftn`, or there is no axis.

    Source: agrees with `numpy.fft.irfftn`.
    """
    return _from_half("irfftn", x, s, axes, norm)


def hfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the real `fftn` of points that have Hermitian symmetry along the last of the axes and begin with x.

    Args:
        x: Real or complex values of any shape.
        s, axes, norm: As for `irfftn`.

    Returns:
        Real; the shape of x with `s` points along the axes.

    Raises:
        ValueError: As for `fftn`, or there is no axis.

    Source: agrees with `torch.fft.hfftn`.
    """
    check_norm("hfftn", norm)
    return _from_half("hfftn", conj(x), s, axes, SWAPPED[norm])


def ihfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the first half of the `ifftn` of real x along the last of the axes: the inverse of `hfftn`.

    Args:
        x: Real values of any shape.
        s, axes, norm: As for `fftn`; there must be at least one axis.

    Returns:
        Complex; the shape of x with `s` points along the axes, but n // 2 + 1 along the last.

    Raises:
        TypeError: x is complex.
        ValueError: As for `fftn`, or there is no axis.

    Source: agrees with `torch.fft.ihfftn`.
    """
    check_norm("ihfftn", norm)
    return conj(_to_half("ihfftn", x, s, axes, SWAPPED[norm]))


def hfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `hfftn` along two axes.

    Args:
        x, s, axes, norm: As for `hfftn`.

    Returns:
        Real; as for `hfftn`.

    Raises:
        ValueError: As for `hfftn`.

    Source: agrees with `torch.fft.hfft2`.
    """
    return hfftn(x, s, axes, norm)


def ihfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `ihfftn` along two axes.

    Args:
        x, s, axes, norm: As for `ihfftn`.

    Returns:
        Complex; as for `ihfftn`.

    Raises:
        TypeError: x is complex.
        ValueError: As for `ihfftn`.

    Source: agrees with `torch.fft.ihfft2`.
    """
    return ihfftn(x, s, axes, norm)


def rfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `rfftn` along two axes.

    Args:
        x, s, axes, norm: As for `rfftn`.

    Returns:
        Complex; as for `rfftn`.

    Raises:
        TypeError: x is complex.
        ValueError: As for `rfftn`.

    Source: agrees with `numpy.fft.rfft2`.
    """
    return _to_half("rfft2", x, s, axes, norm)


def irfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `irfftn` along two axes.

    Args:
        x, s, axes, norm: As for `irfftn`.

    Returns:
        Real; as for `irfftn`.

    Raises:
        ValueError: As for `irfftn`.

    Source: agrees with `numpy.fft.irfft2`.
    """
    return _from_half("irfft2", x, s, axes, norm)
