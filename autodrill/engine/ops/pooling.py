"""Pooling and resizing over the spatial axes of (N, C, ...), under PyTorch's functional names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.backend import backend_of
from autodrill.engine.ops.arrange import pad_constant, take
from autodrill.engine.ops.elementwise import power
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import moveaxis, reshape
from autodrill.engine.ops.window import Lengths, lengths, windows
from autodrill.engine.tensor import raw
from autodrill.engine.wirtinger import check_real

if TYPE_CHECKING:
    from autodrill.engine.backend import Array


def _pooled(x: Array, kernel: Lengths, stride: int | Lengths | None, padding: Any, fill: float, dilation: Any) -> Any:
    """Return the windows of each place, flattened into a last axis."""
    dims = len(kernel)
    steps = kernel if stride is None else lengths(stride, dims)
    margins = lengths(padding, dims)
    padded = pad_constant(x, widths=((0, 0), (0, 0), *((p, p) for p in margins)), value=fill)
    axes = tuple(range(2, dims + 2))
    seen = windows(padded, axes=axes, size=kernel, stride=steps, dilation=lengths(dilation, dims))
    return reshape(seen, (*seen.shape[: dims + 2], math.prod(kernel)))


def _first_maximum(x: Array) -> Any:
    """Return the maximum over the last axis; of several, the first alone gets the gradient, as in PyTorch."""
    place = raw(x).argmax(axis=-1)[..., None]
    return take_along_axis(x, place, -1)[..., 0]


def _max_pool(x: Array, kernel_size: Any, stride: Any, padding: Any, dilation: Any, dims: int) -> Any:
    check_real(f"max_pool{dims}d", x)
    return _first_maximum(_pooled(x, lengths(kernel_size, dims), stride, padding, -math.inf, dilation))


def max_pool1d(
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    dilation: int | Lengths = 1,
) -> Any:
    """Return the maximum of each window of (N, C, L); see `max_pool2d`."""
    return _max_pool(x, kernel_size, stride, padding, dilation, 1)


def max_pool2d(
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    dilation: int | Lengths = 1,
) -> Any:
    """Return the maximum of each window of (N, C, H, W); of equal ones the first gets the gradient.

    Args:
        x: Shape (N, C, H, W).
        kernel_size: The window's size.
        stride: The distance between windows, by default their size.
        padding: How far windows reach beyond each side, where there is minus infinity.
        dilation: The distance between elements of a window.
    """
    return _max_pool(x, kernel_size, stride, padding, dilation, 2)


def max_pool3d(
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    dilation: int | Lengths = 1,
) -> Any:
    """Return the maximum of each window of (N, C, D, H, W); see `max_pool2d`."""
    return _max_pool(x, kernel_size, stride, padding, dilation, 3)


def _avg_pool(x: Array, kernel_size: Any, stride: Any, padding: Any, count_include_pad: bool, dims: int) -> Any:
    kernel = lengths(kernel_size, dims)
    total = sum(_pooled(x, kernel, stride, padding, 0, 1), axis=-1)
    if count_include_pad:
        return total / math.prod(kernel)
    ones = backend_of(raw(x)).xp.ones((1, 1, *x.shape[2:]), x.dtype)
    return total / sum(_pooled(ones, kernel, stride, padding, 0, 1), axis=-1)


def avg_pool1d(
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    count_include_pad: bool = True,
) -> Any:
    """Return the mean of each window of (N, C, L); see `avg_pool2d`."""
    return _avg_pool(x, kernel_size, stride, padding, count_include_pad, 1)


def avg_pool2d(
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    count_include_pad: bool = True,
) -> Any:
    """Return the mean of each window of (N, C, H, W).

    Args:
        x: Shape (N, C, H, W).
        kernel_size: The window's size.
        stride: The distance between windows, by default their size.
        padding: How far windows reach beyond each side, where there are zeros.
        count_include_pad: Whether those zeros count.
    """
    return _avg_pool(x, kernel_size, stride, padding, count_include_pad, 2)


def avg_pool3d(
    x: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    count_include_pad: bool = True,
) -> Any:
    """Return the mean of each window of (N, C, D, H, W); see `avg_pool2d`."""
    return _avg_pool(x, kernel_size, stride, padding, count_include_pad, 3)


def _lp_pool(x: Array, norm_type: float, kernel_size: Any, stride: Any, dims: int) -> Any:
    check_real(f"lp_pool{dims}d", x)
    seen = _pooled(x, lengths(kernel_size, dims), stride, 0, 0, 1)
    return power(sum(power(seen, norm_type), axis=-1), 1 / norm_type)


def lp_pool1d(x: Array, norm_type: float, kernel_size: int | Lengths, stride: int | Lengths | None = None) -> Any:
    """Return (Σ x^p)^(1/p) of each window of (N, C, L), p the `norm_type`; the sums must be positive."""
    return _lp_pool(x, norm_type, kernel_size, stride, 1)


def lp_pool2d(x: Array, norm_type: float, kernel_size: int | Lengths, stride: int | Lengths | None = None) -> Any:
    """Return (Σ x^p)^(1/p) of each window of (N, C, H, W), p the `norm_type`; the sums must be positive."""
    return _lp_pool(x, norm_type, kernel_size, stride, 2)


# Adaptive: as many windows as asked for, of sizes that differ by at most one


def _bins(length: int, count: int) -> list[range]:
    return [range(k * length // count, -(-(k + 1) * length // count)) for k in range(count)]


def _along_spatial(x: Array, matrices: list[np.ndarray[Any, Any] | None]) -> Any:
    """Multiply each spatial axis by a matrix, (new length, old length); None leaves one as it is."""
    xp = backend_of(raw(x)).xp
    for axis, matrix in enumerate(matrices, start=2):
        if matrix is not None:
            moved = matmul(moveaxis(x, axis, -1), xp.asarray(matrix.T.astype(x.dtype)))
            x = moveaxis(moved, -1, axis)
    return x


def _adaptive_avg(x: Array, output_size: Any, dims: int) -> Any:
    matrices: list[Any] = []
    for length, count in zip(x.shape[2:], lengths(output_size, dims), strict=True):
        matrix = np.zeros((count, length))
        for row, bin_ in zip(matrix, _bins(length, count), strict=True):
            row[bin_.start : bin_.stop] = 1 / len(bin_)
        matrices.append(matrix)
    return _along_spatial(x, matrices)


def _adaptive_max(x: Array, output_size: Any, dims: int) -> Any:
    check_real(f"adaptive_max_pool{dims}d", x)
    for axis, count in enumerate(lengths(output_size, dims), start=2):
        bins = _bins(x.shape[axis], count)
        widest = max(map(len, bins))
        # A shorter bin names its last element again: the first of equal ones is what counts.
        index = np.array([[bin_[min(k, len(bin_) - 1)] for k in range(widest)] for bin_ in bins])
        x = moveaxis(_first_maximum(take(moveaxis(x, axis, -1), index, -1)), -1, axis)
    return x


def adaptive_avg_pool1d(x: Array, output_size: int | Lengths) -> Any:
    """Return the means of `output_size` bins of (N, C, L)."""
    return _adaptive_avg(x, output_size, 1)


def adaptive_avg_pool2d(x: Array, output_size: int | Lengths) -> Any:
    """Return the means of `output_size` bins of (N, C, H, W)."""
    return _adaptive_avg(x, output_size, 2)


def adaptive_max_pool1d(x: Array, output_size: int | Lengths) -> Any:
    """Return the maxima of `output_size` bins of (N, C, L)."""
    return _adaptive_max(x, output_size, 1)


def adaptive_max_pool2d(x: Array, output_size: int | Lengths) -> Any:
    """Return the maxima of `output_size` bins of (N, C, H, W)."""
    return _adaptive_max(x, output_size, 2)


# Resizing

_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}


def _resampling(length: int, count: int, align_corners: bool) -> np.ndarray[Any, Any]:
    """Return the matrix of linear interpolation from `length` to `count` points."""
    if align_corners:
        places = np.arange(count) * ((length - 1) / (count - 1) if count > 1 else 0)
    else:
        places = np.clip((np.arange(count) + 0.5) * length / count - 0.5, 0, None)
    low = np.minimum(places.astype(int), length - 1)
    high = np.minimum(low + 1, length - 1)
    matrix = np.zeros((count, length))
    np.add.at(matrix, (np.arange(count), low), 1 - (places - low))
    np.add.at(matrix, (np.arange(count), high), places - low)
    return matrix


def interpolate(
    x: Array,
    size: int | Lengths,
    mode: Literal["nearest", "linear", "bilinear", "trilinear", "area"] = "nearest",
    align_corners: bool = False,
) -> Any:
    """Resize the spatial axes of (N, C, ...).

    Args:
        x: One, two or three spatial axes.
        size: Their new lengths.
        mode: `"nearest"`; `"linear"`, `"bilinear"` and `"trilinear"` for one, two and three spatial axes; `"area"`
            for the means of bins.
        align_corners: For the linear modes: the outermost samples' centres, not their edges, coincide.

    Raises:
        ValueError: The mode is unknown or does not fit the number of axes.
    """
    dims = x.ndim - 2
    target = lengths(size, dims)
    if mode == "nearest":
        for axis, count in enumerate(target, start=2):
            x = take(x, np.arange(count) * x.shape[axis] // count, axis)
        return x
    if mode == "area":
        return _adaptive_avg(x, target, dims)
    if _LINEAR.get(mode) != dims:
        raise ValueError(f"mode `{mode}` does not fit an input of {dims} spatial axes")
    old = x.shape[2:]
    return _along_spatial(x, [_resampling(n, m, align_corners) for n, m in zip(old, target, strict=True)])
