"""Pooling over the spatial axes of (N, C, ...), under PyTorch's functional names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import pad_constant, take
from autodrill.engine.ops.elementwise import power
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import broadcast_to, moveaxis, reshape
from autodrill.engine.ops.window import Lengths, lengths, over_axes, windows

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

# fmt: off
__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d",
    "lp_pool2d", "max_pool1d", "max_pool2d", "max_pool3d",
]
# fmt: on


class _Places(NamedTuple):
    """The geometry of windows: their size, the distances between them and between their elements, and the padding."""

    kernel: Lengths
    steps: Lengths
    gaps: Lengths
    margins: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, x: Array, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> _Places:
        dims = x.ndim - 2
        kernel, gaps, padded = (lengths(v, dims) for v in (kernel_size, dilation, padding))
        steps = kernel if stride is None else lengths(stride, dims)
        margins = []
        for length, k, step, gap, p in zip(x.shape[2:], kernel, steps, gaps, padded, strict=True):
            span, whole = gap * (k - 1) + 1, length + 2 * p
            last = (whole - span) // step
            # One more window if it reaches a new element and begins inside x or its left padding.
            if ceil_mode and last * step + span < whole and (last + 1) * step < length + p:
                last += 1
            margins.append((p, max(p, last * step + span - length - p)))
        return cls(kernel, steps, gaps, tuple(margins))

    def windows(self, x: Array, fill: float) -> Any:
        """Return the window at each place, flattened into the last axis."""
        padded = pad_constant(x, widths=((0, 0), (0, 0), *self.margins), value=fill)
        axes = tuple(range(2, x.ndim))
        seen = windows(padded, axes=axes, size=self.kernel, stride=self.steps, dilation=self.gaps)
        return reshape(seen, (*seen.shape[: x.ndim], math.prod(self.kernel)))


def _first_maximum(x: Array, *also: Array) -> list[Any]:
    """Return the maximum over the last axis, and the elements of the other arrays at its place.

    As in PyTorch, only the first of equal elements gets the gradient.
    """
    shape = (math.prod(x.shape[:-1]), x.shape[-1])  # two axes, because an index is built for each axis
    place = raw(reshape(x, shape)).argmax(axis=-1)[:, None]
    return [reshape(take_along_axis(reshape(v, shape), place, -1), x.shape[:-1]) for v in (x, *also)]


def _check_axes(x: Array, dims: int) -> None:
    if x.ndim != dims + 2:
        raise ValueError(f"pooling over {dims} axes needs an input of {dims + 2} axes, got shape {x.shape}")


def _max_pool(
    dims: int,
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    dilation: int | Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window; the first of equal elements gets the gradient.

    Args:
        x: Real, shape (N, C, {axes}).
        kernel_size: The window's size: one number, or one for each spatial axis, like the next three.
        stride: The distance between windows, by default their size.
        padding: The number of elements by which windows reach beyond each side, with value minus infinity.
        dilation: The distance between elements of a window.
        ceil_mode: Whether a last window may reach beyond the padding if it begins before it.
        return_indices: Whether to return the places of the maxima too, in the flattened spatial axes of x, as a plain
            array of integers: `max_unpool{dims}d` takes them.

    Returns:
        Shape (N, C, ...). An axis of length n gets (n + 2 padding - dilation (k - 1) - 1) // stride + 1 windows. With
        `return_indices`, a pair of two such arrays.

    Raises:
        ValueError: x has another number of axes, or the window is longer than the padded x.
        TypeError: x is complex.

    Source: agrees with `torch.nn.functional.max_pool{dims}d`.
    """
    check_real(f"max_pool{dims}d", x)
    _check_axes(x, dims)
    places = _Places.of(x, kernel_size, stride, padding, dilation, ceil_mode)
    seen = places.windows(x, -math.inf)
    if not return_indices:
        return _first_maximum(seen)[0]
    numbers = backend_of(raw(x)).xp.arange(math.prod(x.shape[2:])).reshape((1, 1, *x.shape[2:]))
    return tuple(_first_maximum(seen, broadcast_to(places.windows(numbers, 0), seen.shape)))


def _avg_pool(
    dims: int,
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    count_include_pad: bool = True,
    *,
    ceil_mode: bool = False,
    divisor_override: int | None = None,
) -> Any:
    """Return the mean of each window.

    Args:
        x: Shape (N, C, {axes}).
        kernel_size: The window's size: one number, or one for each spatial axis, like the next two.
        stride: The distance between windows, by default their size.
        padding: The number of zeros by which windows reach beyond each side.
        count_include_pad: Whether those zeros count as elements.
        ceil_mode: Whether a last window may reach beyond the padding if it begins before it; no elements count there.
        divisor_override: The divisor of each sum, by default the number of elements that count.

    Returns:
        Shape (N, C, ...). An axis of length n gets (n + 2 padding - k) // stride + 1 windows.

    Raises:
        ValueError: x has another number of axes, or the window is longer than the padded x.

    Source: agrees with `torch.nn.functional.avg_pool{dims}d`.
    """
    _check_axes(x, dims)
    places = _Places.of(x, kernel_size, stride, padding, 1, ceil_mode)
    total = sum(places.windows(x, 0), axis=-1)
    if divisor_override is not None:
        return total / divisor_override
    if count_include_pad and not ceil_mode:
        return total / math.prod(places.kernel)
    xp = backend_of(raw(x)).xp
    counted = xp.ones((1, 1, *x.shape[2:]), x.dtype)
    if count_include_pad:
        padded = tuple((p, p) for p in lengths(padding, dims))
        counted = xp.pad(counted, ((0, 0), (0, 0), *padded), constant_values=1)
        beyond = tuple((0, high - p) for (_, high), (p, _) in zip(places.margins, padded, strict=True))
        places = places._replace(margins=beyond)
    return total / sum(places.windows(counted, 0), axis=-1)


def _lp_pool(
    dims: int, x: Array, norm_type: float, kernel_size: int | Lengths, stride: int | Lengths | None = None
) -> Any:
    """Return (Σ x^p)^(1/p) of each window; the sums must be positive.

    Args:
        x: Real, shape (N, C, {axes}).
        norm_type: The power p.
        kernel_size: The window's size: one number, or one for each spatial axis.
        stride: The distance between windows, by default their size.

    Returns:
        Shape (N, C, ...). An axis of length n gets (n - k) // stride + 1 windows.

    Raises:
        ValueError: x has another number of axes, or the window is longer than x.
        TypeError: x is complex.

    Source: agrees with `torch.nn.functional.lp_pool{dims}d`.
    """
    check_real(f"lp_pool{dims}d", x)
    _check_axes(x, dims)
    seen = _Places.of(x, kernel_size, stride, 0, 1, ceil_mode=False).windows(x, 0)
    return power(sum(power(seen, norm_type), axis=-1), 1 / norm_type)


max_pool1d, max_pool2d, max_pool3d = (over_axes(_max_pool, dims) for dims in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (over_axes(_avg_pool, dims) for dims in (1, 2, 3))
lp_pool1d, lp_pool2d = (over_axes(_lp_pool, dims) for dims in (1, 2))


# Adaptive pooling: a given number of windows, with sizes that differ by at most one


def _bins(length: int, count: int) -> list[range]:
    return [range(k * length // count, -(-(k + 1) * length // count)) for k in range(count)]


def along_spatial(x: Array, matrices: list[np.ndarray[Any, Any] | None]) -> Any:
    """Multiply each spatial axis by a matrix of shape (new length, old length); None leaves an axis unchanged."""
    xp = backend_of(raw(x)).xp
    for axis, matrix in enumerate(matrices, start=2):
        if matrix is not None:
            moved = matmul(moveaxis(x, axis, -1), xp.asarray(matrix.T.astype(x.dtype)))
            x = moveaxis(moved, -1, axis)
    return x


def adaptive_avg_pool(dims: int, x: Array, output_size: int | Lengths) -> Any:
    """Return the means of `output_size` bins along each spatial axis.

    Args:
        x: Shape (N, C, {axes}).
        output_size: The number of bins: one number, or one for each spatial axis. Bin k of m along an axis of length n
            has the elements from floor(k n / m) up to ceil((k + 1) n / m).

    Returns:
        Shape (N, C, *output_size).

    Raises:
        ValueError: x has another number of axes, or `output_size` has another number of lengths.

    Source: agrees with `torch.nn.functional.adaptive_avg_pool{dims}d`.
    """
    _check_axes(x, dims)
    matrices: list[Any] = []
    for length, count in zip(x.shape[2:], lengths(output_size, dims), strict=True):
        matrix = np.zeros((count, length))
        for row, bin_ in zip(matrix, _bins(length, count), strict=True):
            row[bin_.start : bin_.stop] = 1 / len(bin_)
        matrices.append(matrix)
    return along_spatial(x, matrices)


def _adaptive_max_pool(dims: int, x: Array, output_size: int | Lengths) -> Any:
    """Return the maxima of `output_size` bins along each spatial axis; the first of equal elements gets the gradient.

    Args:
        x: Real, shape (N, C, {axes}).
        output_size: The number of bins, at least 1, as for `adaptive_avg_pool{dims}d`.

    Returns:
        Shape (N, C, *output_size).

    Raises:
        ValueError: x has another number of axes, or `output_size` does not fit.
        TypeError: x is complex.

    Source: agrees with `torch.nn.functional.adaptive_max_pool{dims}d`.
    """
    check_real(f"adaptive_max_pool{dims}d", x)
    _check_axes(x, dims)
    for axis, count in enumerate(lengths(output_size, dims), start=2):
        bins = _bins(x.shape[axis], count)
        widest = max(map(len, bins))
        # A shorter bin repeats its last element, which does not change the first maximum.
        index = np.array([[bin_[min(k, len(bin_) - 1)] for k in range(widest)] for bin_ in bins])
        x = moveaxis(_first_maximum(take(moveaxis(x, axis, -1), index, -1))[0], -1, axis)
    return x


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = (over_axes(adaptive_avg_pool, n) for n in (1, 2, 3))
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = (over_axes(_adaptive_max_pool, n) for n in (1, 2, 3))
