"""Images (N, C, ...) of another size: interpolation by a matrix for each axis, and shuffled pixels and channels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.pooling import adaptive_avg_pool, along_spatial
from autodrill.engine.ops.shape import reshape, swapaxes, transpose
from autodrill.engine.ops.window import lengths

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array
    from autodrill.engine.ops.window import Lengths

__all__ = ["channel_shuffle", "interpolate", "pixel_shuffle", "pixel_unshuffle"]

Matrix = np.ndarray[Any, np.dtype[np.float64]]
Mode = Literal["nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"]

_SPATIAL = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
_CUBIC = -0.75  # the slope of Keys's kernel (1981) at 1, as in image libraries


def _linear(distance: Matrix) -> Matrix:
    return np.maximum(1 - distance, 0.0)


def _cubic(distance: Matrix) -> Matrix:
    d, a = distance, _CUBIC
    inner = (a + 2) * d**3 - (a + 3) * d**2 + 1
    outer = a * (d**3 - 5 * d**2 + 8 * d - 4)
    return np.where(d <= 1, inner, np.where(d < 2, outer, 0))


def _resampling(mode: str, length: int, count: int, step: float, align_corners: bool) -> Matrix:
    """Return the interpolation matrix from `length` to `count` points; beyond the ends the end points are used."""
    if align_corners:
        places = np.arange(count) * ((length - 1) / (count - 1) if count > 1 else 0)
    else:
        places = (np.arange(count) + 0.5) * step - 0.5
    cubic = mode == "bicubic"
    if not cubic:
        places = np.maximum(places, 0)
    matrix = np.zeros((count, length))
    first = np.floor(places).astype(int)
    for near in (first - 1, first, first + 1, first + 2) if cubic else (first, first + 1):
        weight = (_cubic if cubic else _linear)(np.abs(places - near))
        np.add.at(matrix, (np.arange(count), np.clip(near, 0, length - 1)), weight)
    return matrix


def interpolate(
    x: Array,
    size: int | Lengths | None = None,
    mode: Mode = "nearest",
    align_corners: bool = False,
    *,
    scale_factor: float | tuple[float, ...] | None = None,
) -> Any:
    """Return x with its spatial axes resized.

    Args:
        x: Shape (N, C, ...), with one, two or three spatial axes.
        size: The new lengths of the spatial axes.
        mode: `"nearest"`, which rounds down, or `"nearest-exact"`, which compares centres; `"linear"`, `"bilinear"` and
            `"trilinear"` for one, two and three spatial axes; `"bicubic"` for two; `"area"` for the means of bins.
        align_corners: Whether the centres of the outermost samples coincide instead of their edges; for the linear
            modes and `"bicubic"`.
        scale_factor: The ratio of the new lengths, rounded down, to the old ones, in place of `size`. The distance
            between points is then 1 / `scale_factor`, not the ratio of the lengths.

    Returns:
        Shape (N, C, *size).

    Raises:
        ValueError: The mode is unknown or does not fit the number of axes, not exactly one of `size` and `scale_factor`
            is given, or a new length is less than 1.

    Source: agrees with `torch.nn.functional.interpolate`; the cubic kernel is that of Keys (1981) with slope -0.75.
    """
    dims = x.ndim - 2
    old = x.shape[2:]
    if (size is None) == (scale_factor is None):
        raise ValueError("`interpolate` needs either `size` or `scale_factor`")
    if size is not None:
        target = lengths(size, dims)
        steps = tuple(n / m if m else 0.0 for n, m in zip(old, target, strict=True))
    else:
        factors = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * dims
        if len(factors) != dims:
            raise ValueError(f"expected one factor for each of {dims} spatial axes, got {len(factors)}")
        target = tuple(math.floor(n * f) for n, f in zip(old, factors, strict=True))
        steps = tuple(1 / f if f else 0.0 for f in factors)
    if dims < 1 or min(target) < 1:
        raise ValueError(f"`interpolate` cannot resize shape {x.shape} to spatial lengths {target}")
    if mode in {"nearest", "nearest-exact"}:
        offset = 0.5 if mode == "nearest-exact" else 0.0
        for axis, (length, count, step) in enumerate(zip(old, target, steps, strict=True), start=2):
            places = np.floor((np.arange(count) + offset) * step).astype(int)
            x = take(x, np.minimum(places, length - 1), axis)
        return x
    if mode == "area":
        return adaptive_avg_pool(dims, x, target)
    if _SPATIAL.get(mode) != dims:
        raise ValueError(f"mode `{mode}` does not fit an input of {dims} spatial axes")
    return along_spatial(
        x, [_resampling(mode, *sizes, align_corners) for sizes in zip(old, target, steps, strict=True)]
    )


def pixel_shuffle(x: Array, upscale_factor: int) -> Any:
    """Return images in which r² channels become a square of r x r pixels.

    Args:
        x: Shape (N, C r², H, W).
        upscale_factor: The factor r.

    Returns:
        Shape (N, C, H r, W r).

    Raises:
        ValueError: x does not have four axes, or the number of channels is not a multiple of r².

    Source: Shi et al. (2016); agrees with `torch.nn.functional.pixel_shuffle`.
    """
    r = upscale_factor
    n, channels, height, width = x.shape
    parts = reshape(x, (n, channels // r**2, r, r, height, width))
    return reshape(transpose(parts, (0, 1, 4, 2, 5, 3)), (n, channels // r**2, height * r, width * r))


def pixel_unshuffle(x: Array, downscale_factor: int) -> Any:
    """Return images in which each square of r x r pixels becomes r² channels: the inverse of `pixel_shuffle`.

    Args:
        x: Shape (N, C, H r, W r).
        downscale_factor: The factor r.

    Returns:
        Shape (N, C r², H, W).

    Raises:
        ValueError: x does not have four axes, or a length is not a multiple of r.

    Source: agrees with `torch.nn.functional.pixel_unshuffle`.
    """
    r = downscale_factor
    n, channels, height, width = x.shape
    parts = reshape(x, (n, channels, height // r, r, width // r, r))
    return reshape(transpose(parts, (0, 1, 3, 5, 2, 4)), (n, channels * r**2, height // r, width // r))


def channel_shuffle(x: Array, groups: int) -> Any:
    """Return x with the channels of its groups interleaved: channel k of group g moves to place k · groups + g.

    Args:
        x: Shape (N, C, ...).
        groups: The number of groups of consecutive channels.

    Returns:
        The shape of x.

    Raises:
        ValueError: The number of channels is not a multiple of `groups`.

    Source: Zhang et al. (2018); agrees with `torch.nn.functional.channel_shuffle`.
    """
    n, channels, *rest = x.shape
    return reshape(swapaxes(reshape(x, (n, groups, channels // groups, *rest)), 1, 2), x.shape)
