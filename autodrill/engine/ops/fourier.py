"""Discrete Fourier transforms, with NumPy's names, arguments and half spectra.

There are three primitives, which transform axes at their full length; truncation and padding are separate operations.
The matrix of a transform is symmetric, so its adjoint is its conjugate: the inverse transform with the scale of the
forward one. The two transforms of half spectra are adjoint to each other up to weights for the omitted half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import check_real, is_complex
from autodrill.engine.core.declaration import integers
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import pad_constant, roll
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.parts import conj
from autodrill.engine.ops.shape import along

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "dft", "fft", "fft2", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irdft", "irfft", "irfft2", "irfftn", "rdft", "rfft", "rfft2", "rfftn",
]
# fmt: on

Norm = Literal["backward", "ortho", "forward"] | None
"""The direction that divides by the number of points: the inverse, both by its square root, or the forward one."""

_SWAPPED: dict[Any, Norm] = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
"""The `norm` with which the other direction has the same scale."""

Axes = tuple[int, ...]


@primitive(on_complex="adjoint")
def dft(xp: Namespace, x: Array, *, axes: Axes, norm: Norm = None, inverse: bool = False) -> Array:
    """Return the discrete Fourier transform over each of `axes`, or its inverse; `norm` sets the scale as in NumPy."""
    if not axes:
        return x.astype(xp.result_type(x, np.complex64))
    return (xp.fft.ifftn if inverse else xp.fft.fftn)(x, axes=axes, norm=norm)


dft.vjp(x=lambda g, axes, norm, inverse: dft(g, axes=axes, norm=_SWAPPED[norm], inverse=not inverse))
dft.jvp("linear")
dft.vmap("axis")


@primitive(on_complex="adjoint")
def rdft(xp: Namespace, x: Array, *, axis: int, norm: Norm = None) -> Array:
    """Return the first n // 2 + 1 points of the transform of real x along `axis`; the others are their conjugates."""
    check_real("rdft", x)
    return xp.fft.rfft(x, axis=axis, norm=norm)


@primitive(on_complex="adjoint")
def irdft(xp: Namespace, x: Array, *, n: int, axis: int, norm: Norm = None) -> Array:
    """Return the n real points whose half spectrum is x; `norm` is the norm of the inverse transform."""
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
    return irdft(g / _multiplicity(g, n, axis), n=n, axis=axis, norm=_SWAPPED[norm])


def _irdft_vjp(g: Array, n: int, axis: int, norm: Norm) -> Array:
    spectrum = rdft(g, axis=axis, norm=_SWAPPED[norm])
    return spectrum * _multiplicity(spectrum, n, axis)


rdft.vjp(x=_rdft_vjp)
rdft.jvp("linear")
rdft.vmap("axis")
irdft.vjp(x=_irdft_vjp)
irdft.jvp("linear")
irdft.vmap("axis")


# Arguments


def _along(name: str, x: Array, s: Sequence[int] | None, axes: Sequence[int] | None) -> tuple[Axes, tuple[int, ...]]:
    """Return the axes of a transform and the number of points along each; -1 for the length of the axis."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    chosen = tuple(axes)
    if any(not -x.ndim <= k < x.ndim for k in chosen):
        raise ValueError(f"`{name}` along the axes {chosen}, but the array has {x.ndim} axes")
    places = tuple(k % x.ndim for k in chosen)
    if len(set(places)) != len(places):
        raise ValueError(f"`{name}` needs distinct axes, not {chosen}")
    lengths = tuple(-1 if s is None else n for n in (places if s is None else s))
    if len(lengths) != len(places):
        raise ValueError(f"`{name}` needs one length for each axis, not {len(lengths)} for {len(places)}")
    return places, lengths


def _resized(name: str, x: Array, axes: Axes, lengths: Sequence[int]) -> Array:
    """Return x truncated, or padded with zeros, at the end of each axis."""
    sizes = dict(zip(axes, lengths, strict=True))
    target = [x.shape[k] if sizes.get(k, -1) == -1 else sizes[k] for k in range(x.ndim)]
    for k in axes:
        if target[k] < 1:
            raise ValueError(f"`{name}` needs at least one point along axis {k}, not {target[k]}")
    if any(n < m for n, m in zip(target, x.shape, strict=True)):
        x = getitem(x, tuple(slice(n) for n in target))
    if any(n > m for n, m in zip(target, x.shape, strict=True)):
        x = pad_constant(x, widths=tuple((0, n - m) for n, m in zip(target, x.shape, strict=True)))
    return x


def _check_norm(name: str, norm: Norm) -> None:
    if norm not in _SWAPPED:
        raise ValueError(f"`{name}`: `norm` must be `backward`, `ortho` or `forward`, not `{norm}`")


def _full(name: str, x: Array, s: Any, axes: Any, norm: Norm, *, inverse: bool) -> Any:
    _check_norm(name, norm)
    places, lengths = _along(name, x, s, axes)
    return dft(_resized(name, x, places, lengths), axes=places, norm=norm, inverse=inverse)


def _to_half(name: str, x: Array, s: Any, axes: Any, norm: Norm) -> Any:
    """Return the transform of real numbers: the last axis to a half spectrum, then the other axes."""
    _check_norm(name, norm)
    if is_complex(x):
        raise TypeError(f"`{name}` is not defined for complex numbers, whose half spectrum does not determine the rest")
    places, lengths = _along(name, x, s, axes)
    if not places:
        raise ValueError(f"`{name}` needs at least one axis, since it halves the spectrum of the last one")
    half = rdft(_resized(name, x, places, lengths), axis=places[-1], norm=norm)
    return dft(half, axes=places[:-1], norm=norm) if places[:-1] else half


def _from_half(name: str, x: Array, s: Any, axes: Any, norm: Norm) -> Any:
    """Return the inverse: of all axes but the last, then of its half spectrum to `s[-1]`, or 2 (m - 1), points."""
    _check_norm(name, norm)
    places, lengths = _along(name, x, s, axes)
    if not places:
        raise ValueError(f"`{name}` needs at least one axis, since it halves the spectrum of the last one")
    last = places[-1]
    n = 2 * (x.shape[last] - 1) if lengths[-1] == -1 else lengths[-1]
    if n < 1:
        raise ValueError(f"`{name}` needs at least one point along axis {last}, not {n}")
    x = _resized(name, x, places, (*lengths[:-1], n // 2 + 1))
    if places[:-1]:
        x = dft(x, axes=places[:-1], norm=norm, inverse=True)
    return irdft(x, n=n, axis=last, norm=norm)


# One axis


def fft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the discrete Fourier transform along `axis`, Σⱼ xⱼ exp(-2πi jk / n).

    Args:
        x: Real or complex values of any shape.
        n: The number of points; x is truncated, or padded with zeros, at its end. By default the length of the axis.
        axis: The axis transformed.
        norm: `"backward"`, the default: the inverse divides by n. `"forward"`: this direction divides by n.
            `"ortho"`: both divide by √n, which makes the transform unitary.

    Returns:
        A complex array, in single precision if x is.

    Raises:
        ValueError: n is less than 1, or the axis or the norm does not exist.
    """
    return _full("fft", x, None if n is None else (n,), (axis,), norm, inverse=False)


def ifft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the inverse of `fft`, with its arguments: by default (1/n) Σₖ xₖ exp(2πi jk / n)."""
    return _full("ifft", x, None if n is None else (n,), (axis,), norm, inverse=True)


def rfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the first n // 2 + 1 points of the `fft` of real x; the others are their conjugates.

    Raises:
        TypeError: x is complex.
    """
    return _to_half("rfft", x, None if n is None else (n,), (axis,), norm)


def irfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the n real points whose `rfft` is x; by default n is 2 (m - 1), for m points of x.

    The imaginary part of the first point, and for even n of the last, is not read and gets no gradient.
    """
    return _from_half("irfft", x, None if n is None else (n,), (axis,), norm)


def hfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the real `fft` of n points that have Hermitian symmetry and begin with x."""
    _check_norm("hfft", norm)
    return _from_half("hfft", conj(x), None if n is None else (n,), (axis,), _SWAPPED[norm])


def ihfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the first half of the `ifft` of real x, which has Hermitian symmetry: the inverse of `hfft`."""
    _check_norm("ihfft", norm)
    return conj(_to_half("ihfft", x, None if n is None else (n,), (axis,), _SWAPPED[norm]))


# Several axes


def fftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the `fft` along several axes.

    Args:
        x: Real or complex values of any shape.
        s: The number of points along each axis; -1 for the length of the axis.
        axes: The axes transformed, all distinct; by default the last `len(s)` axes, or all axes without `s`.
        norm: As for `fft`, with n the total number of points.

    Raises:
        ValueError: A length is less than 1, an axis or the norm does not exist, or lengths and axes differ in number.
    """
    return _full("fftn", x, s, axes, norm, inverse=False)


def ifftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the inverse of `fftn`, with its arguments."""
    return _full("ifftn", x, s, axes, norm, inverse=True)


def rfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the `fftn` of real x, with the first n // 2 + 1 points along the last of the axes.

    Raises:
        TypeError: x is complex.
    """
    return _to_half("rfftn", x, s, axes, norm)


def irfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the real points whose `rfftn` is x: `s[-1]` along the last of the axes, by default 2 (m - 1)."""
    return _from_half("irfftn", x, s, axes, norm)


def hfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the real `fftn` of points that have Hermitian symmetry along the last of the axes and begin with x."""
    _check_norm("hfftn", norm)
    return _from_half("hfftn", conj(x), s, axes, _SWAPPED[norm])


def ihfftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the first half of the `ifftn` of real x along the last of the axes: the inverse of `hfftn`."""
    _check_norm("ihfftn", norm)
    return conj(_to_half("ihfftn", x, s, axes, _SWAPPED[norm]))


def hfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `hfftn` along two axes."""
    return hfftn(x, s, axes, norm)


def ihfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `ihfftn` along two axes."""
    return ihfftn(x, s, axes, norm)


def fft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `fftn` along two axes."""
    return _full("fft2", x, s, axes, norm, inverse=False)


def ifft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `ifftn` along two axes."""
    return _full("ifft2", x, s, axes, norm, inverse=True)


def rfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `rfftn` along two axes."""
    return _to_half("rfft2", x, s, axes, norm)


def irfft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `irfftn` along two axes."""
    return _from_half("irfft2", x, s, axes, norm)


# Order of frequencies


def fftshift(x: Array, axes: int | Sequence[int] | None = None) -> Any:
    """Return a spectrum with frequency 0 moved from the first place to the middle, n // 2, along `axes` or all axes."""
    return _shifted(x, axes, 1)


def ifftshift(x: Array, axes: int | Sequence[int] | None = None) -> Any:
    """Return a spectrum with frequency 0 moved back to the first place: the inverse of `fftshift`, for odd n too."""
    return _shifted(x, axes, -1)


def _shifted(x: Array, axes: int | Sequence[int] | None, sign: int) -> Any:
    chosen = tuple(range(x.ndim)) if axes is None else integers(axes)
    # The sign multiplies n // 2: -n // 2 would round to the other side.
    return roll(x, [sign * (x.shape[k] // 2) for k in chosen], chosen)
