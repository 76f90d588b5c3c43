"""Discrete Fourier transforms, with NumPy's names and arguments; `half_spectra` has those of real numbers.

The primitive transforms axes at their full length; truncation and padding are separate operations. The matrix of a
transform is symmetric, so its adjoint is its conjugate: the inverse transform with the scale of the forward one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.declaration import integers, place
from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.arrange import pad_constant, roll
from autodrill.engine.ops.index import getitem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["dft", "fft", "fft2", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift"]

Norm = Literal["backward", "ortho", "forward"] | None
"""The direction that divides by the number of points: the inverse, both by its square root, or the forward one."""

SWAPPED: dict[Any, Norm] = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
"""The `norm` with which the other direction has the same scale."""

Axes = tuple[int, ...]


@primitive(on_complex="adjoint")
def dft(xp: Namespace, x: Array, *, axes: Axes, norm: Norm = None, inverse: bool = False) -> Array:
    """Return the discrete Fourier transform over each of `axes`, or its inverse, at the full lengths of the axes.

    Args:
        x: Real or complex values of any shape.
        axes: The axes transformed, all distinct.
        norm: As for `fft`.
        inverse: Whether to return the inverse, which also divides by the number of points unless `norm` says otherwise.

    Returns:
        Complex, the shape of x.

    Raises:
        ValueError: The norm does not exist.
        IndexError: x lacks one of the axes.

    Source: agrees with `numpy.fft.fftn` and `numpy.fft.ifftn`.
    """
    if not axes:
        return x.astype(xp.result_type(x, np.complex64))
    return (xp.fft.ifftn if inverse else xp.fft.fftn)(x, axes=axes, norm=norm)


dft.vjp(x=lambda g, axes, norm, inverse: dft(g, axes=axes, norm=SWAPPED[norm], inverse=not inverse))
dft.jvp("linear")
dft.vmap("axis")


# Arguments


def axes_and_lengths(
    name: str, x: Array, s: Sequence[int] | None, axes: Sequence[int] | None
) -> tuple[Axes, tuple[int, ...]]:
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


def resized(name: str, x: Array, axes: Axes, lengths: Sequence[int]) -> Array:
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


def check_norm(name: str, norm: Norm) -> None:
    if norm not in SWAPPED:
        raise ValueError(f"`{name}`: `norm` must be `backward`, `ortho` or `forward`, not `{norm}`")


def _full(name: str, x: Array, s: Any, axes: Any, norm: Norm, *, inverse: bool) -> Any:
    check_norm(name, norm)
    places, lengths = axes_and_lengths(name, x, s, axes)
    return dft(resized(name, x, places, lengths), axes=places, norm=norm, inverse=inverse)


# One axis


def fft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the discrete Fourier transform along `axis`, Σⱼ xⱼ exp(-2πi jk / n).

    Args:
        x: Real or complex values of any shape.
        n: The number of points; x is truncated, or padded with zeros, at its end. By default the length of the axis.
        axis: The axis transformed.
        norm: `"backward"`, the default: the inverse divides by n. `"forward"`: this direction divides by n. `"ortho"`:
            both divide by √n, which makes the transform unitary.

    Returns:
        Complex, in single precision if x is; the shape of x with n points along the axis.

    Raises:
        ValueError: n is less than 1, or the axis or the norm does not exist.

    Source: Cooley and Tukey (1965). Agrees with `numpy.fft.fft`.
    """
    return _full("fft", x, None if n is None else (n,), (axis,), norm, inverse=False)


def ifft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> Any:
    """Return the inverse of `fft`, by default (1/n) Σₖ xₖ exp(2πi jk / n).

    Args:
        x, n, axis, norm: As for `fft`.

    Returns:
        Complex; the shape of x with n points along the axis.

    Raises:
        ValueError: As for `fft`.

    Source: agrees with `numpy.fft.ifft`.
    """
    return _full("ifft", x, None if n is None else (n,), (axis,), norm, inverse=True)


# Several axes


def fftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the `fft` along several axes.

    Args:
        x: Real or complex values of any shape.
        s: The number of points along each axis; -1 for the length of the axis.
        axes: The axes transformed, all distinct; by default the last `len(s)` axes, or all axes without `s`.
        norm: As for `fft`, with n the total number of points.

    Returns:
        Complex; the shape of x with `s` points along the axes.

    Raises:
        ValueError: A length is less than 1, an axis or the norm does not exist, or lengths and axes differ in number.

    Source: agrees with `numpy.fft.fftn`.
    """
    return _full("fftn", x, s, axes, norm, inverse=False)


def ifftn(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = None) -> Any:
    """Return the inverse of `fftn`.

    Args:
        x, s, axes, norm: As for `fftn`.

    Returns:
        Complex; the shape of x with `s` points along the axes.

    Raises:
        ValueError: As for `fftn`.

    Source: agrees with `numpy.fft.ifftn`.
    """
    return _full("ifftn", x, s, axes, norm, inverse=True)


def fft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `fftn` along two axes.

    Args:
        x, s, axes, norm: As for `fftn`.

    Returns:
        Complex; as for `fftn`.

    Raises:
        ValueError: As for `fftn`.

    Source: agrees with `numpy.fft.fft2`.
    """
    return _full("fft2", x, s, axes, norm, inverse=False)


def ifft2(x: Array, s: Sequence[int] | None = None, axes: Sequence[int] = (-2, -1), norm: Norm = None) -> Any:
    """Return the `ifftn` along two axes.

    Args:
        x, s, axes, norm: As for `ifftn`.

    Returns:
        Complex; as for `ifftn`.

    Raises:
        ValueError: As for `ifftn`.

    Source: agrees with `numpy.fft.ifft2`.
    """
    return _full("ifft2", x, s, axes, norm, inverse=True)


# Order of frequencies


def fftshift(x: Array, axes: int | Sequence[int] | None = None) -> Any:
    """Return a spectrum with frequency 0 moved from the first place to the middle, n // 2.

    Args:
        x: Values of any shape.
        axes: The axes of frequencies; by default all.

    Returns:
        The shape of x.

    Raises:
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.fft.fftshift`.
    """
    return _shifted(x, axes, 1)


def ifftshift(x: Array, axes: int | Sequence[int] | None = None) -> Any:
    """Return a spectrum with frequency 0 moved back to the first place: the inverse of `fftshift`, for odd n too.

    Args:
        x: Values of any shape.
        axes: The axes of frequencies; by default all.

    Returns:
        The shape of x.

    Raises:
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.fft.ifftshift`.
    """
    return _shifted(x, axes, -1)


def _shifted(x: Array, axes: int | Sequence[int] | None, sign: int) -> Any:
    chosen = tuple(range(x.ndim)) if axes is None else tuple(place(k, x.ndim) for k in integers(axes))
    # The sign multiplies n // 2: -n // 2 would round to the other side.
    return roll(x, [sign * (x.shape[k] // 2) for k in chosen], chosen)
