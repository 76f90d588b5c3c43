"""Convolutions in one, two or three dimensions, as matrix products of windows, under PyTorch's functional names.

As usual for neural networks, the kernel is not flipped: mathematically this is a cross-correlation.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Literal

from autodrill.engine.ops.arrange import pad_constant
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.shape import along, moveaxis, reshape, transpose
from autodrill.engine.ops.window import Lengths, lengths, over_axes, overlap_add, windows

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold", "unfold"]

Padding = int | Lengths | Literal["valid", "same"]


def _widths(padding: Any, kernel: Lengths, stride: Lengths, dilation: Lengths) -> tuple[tuple[int, int], ...]:
    if isinstance(padding, str) and padding not in {"valid", "same"}:
        raise ValueError(f"`padding` must be `valid`, `same` or numbers, not `{padding}`")
    if padding == "same":
        if any(step != 1 for step in stride):
            raise ValueError("padding `same` needs stride 1")
        totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
        return tuple((total // 2, total - total // 2) for total in totals)
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    return tuple((p, p) for p in lengths(padding, len(kernel)))


def _check_bias(bias: Array | None, outputs: int) -> None:
    if bias is not None and bias.shape != (outputs,):
        raise ValueError(f"{outputs} output channels need a bias of shape ({outputs},), got {bias.shape}")


def _conv(
    dims: int,
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Lengths = 1,
    padding: Padding = 0,
    dilation: int | Lengths = 1,
    groups: int = 1,
) -> Any:
    """Return the convolution of x with kernels, without flipping them.

    Args:
        x: Shape (N, C, {axes}).
        weight: Shape (O, C / groups, ...), with the size of a kernel along each of {axes}.
        bias: Shape (O,), added to the channels; by default nothing.
        stride: The distance between windows: one number, or one for each spatial axis, like the next two.
        padding: The number of zeros on each side; `"valid"` for none, `"same"` for as many as keep the size.
        dilation: The distance between elements of a window.
        groups: The number of independent groups of channels.

    Returns:
        Shape (N, O, ...). An axis of length n gets (n + 2 padding - dilation (k - 1) - 1) // stride + 1 places.

    Raises:
        ValueError: The shapes do not fit, the kernel is longer than the padded x, or `"same"` has another stride than
            1.

    Source: agrees with `torch.nn.functional.conv{dims}d`.
    """
    if x.ndim != dims + 2 or weight.ndim != dims + 2:
        raise ValueError(
            f"conv{dims}d needs an input and a weight of {dims + 2} axes, got shapes {x.shape} and {weight.shape}"
        )
    n, channels = x.shape[:2]
    outputs, per_group, *_ = weight.shape
    if channels != per_group * groups or outputs % groups:
        raise ValueError(
            f"a weight of shape {weight.shape} in {groups} groups needs {per_group * groups} channels, got {channels}"
        )
    _check_bias(bias, outputs)
    kernel = tuple(weight.shape[2:])
    steps, gaps = lengths(stride, dims), lengths(dilation, dims)
    padded = pad_constant(x, widths=((0, 0), (0, 0), *_widths(padding, kernel, steps, gaps)))
    seen = windows(padded, axes=tuple(range(2, dims + 2)), size=kernel, stride=steps, dilation=gaps)
    places = tuple(seen.shape[2 : dims + 2])
    # (N, G, C/G, places, kernel) to (G, C/G · kernel, N · places), times (G, O/G, C/G · kernel). The places are
    # contiguous in memory and stay so in every copy.
    seen = reshape(seen, (n, groups, per_group, *places, *kernel))
    axes = (1, 2, *range(dims + 3, 2 * dims + 3), 0, *range(3, dims + 3))
    columns = reshape(transpose(seen, axes), (groups, per_group * prod(kernel), n * prod(places)))
    rows = reshape(weight, (groups, outputs // groups, per_group * prod(kernel)))
    out = moveaxis(reshape(matmul(rows, columns), (outputs, n, *places)), 0, 1)
    return out if bias is None else out + along(bias, 1, out.ndim)


conv1d, conv2d, conv3d = (over_axes(_conv, dims) for dims in (1, 2, 3))


def _conv_transpose(
    dims: int,
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Lengths = 1,
    padding: int | Lengths = 0,
    output_padding: int | Lengths = 0,
    groups: int = 1,
    dilation: int | Lengths = 1,
) -> Any:
    """Return the adjoint of the convolution with respect to its input: each element adds a scaled kernel.

    Args:
        x: Shape (N, C, {axes}).
        weight: Shape (C, O / groups, ...), with the size of a kernel along each of {axes}.
        bias: Shape (O,), added to the channels; by default nothing.
        stride: The distance between the added kernels.
        padding: The number of elements removed from each side of the result.
        output_padding: The number of elements added at the end of each axis. Several input sizes of a convolution may
            have the same output size; this selects one of them.
        groups: The number of independent groups of channels.
        dilation: The distance between elements of a kernel.

    Returns:
        Shape (N, O, ...). An axis of length n gets (n - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1
        elements.

    Raises:
        ValueError: The shapes do not fit, or the padding removes the whole result.

    Source: agrees with `torch.nn.functional.conv_transpose{dims}d`.
    """
    if x.ndim != dims + 2 or weight.ndim != dims + 2 or x.shape[1] != weight.shape[0] or x.shape[1] % groups:
        raise ValueError(
            f"conv_transpose{dims}d needs (N, C, ...) and (C, O / groups, ...), got {x.shape} and {weight.shape}"
        )
    n, channels, *places = x.shape
    per_group = weight.shape[1]
    _check_bias(bias, groups * per_group)
    kernel = tuple(weight.shape[2:])
    steps, gaps = lengths(stride, dims), lengths(dilation, dims)
    margins, more = lengths(padding, dims), lengths(output_padding, dims)
    # (G, N · places, C/G) times (G, C/G, O/G · kernel) gives the windows that overlap in the result.
    rows = moveaxis(reshape(x, (n, groups, channels // groups, prod(places))), (1, 0, 3, 2), (0, 1, 2, 3))
    rows = reshape(rows, (groups, n * prod(places), channels // groups))
    columns = reshape(weight, (groups, channels // groups, per_group * prod(kernel)))
    seen = reshape(matmul(rows, columns), (groups, n, *places, per_group, *kernel))
    seen = transpose(seen, (1, 0, dims + 2, *range(2, dims + 2), *range(dims + 3, 2 * dims + 3)))
    seen = reshape(seen, (n, groups * per_group, *places, *kernel))
    full = tuple(
        (length - 1) * s + d * (k - 1) + 1 + extra
        for length, s, d, k, extra in zip(places, steps, gaps, kernel, more, strict=True)
    )
    if any(2 * p >= length for p, length in zip(margins, full, strict=True)):
        raise ValueError(f"a padding of {margins} removes the whole result, which has lengths {full}")
    axes = tuple(range(2, dims + 2))
    shape = (n, groups * per_group, *full)
    out = overlap_add(seen, shape=shape, axes=axes, size=kernel, stride=steps, dilation=gaps)
    inside = tuple(slice(p, length - p) for p, length in zip(margins, full, strict=True))
    out = getitem(out, (slice(None), slice(None), *inside))
    return out if bias is None else out + along(bias, 1, out.ndim)


conv_transpose1d, conv_transpose2d, conv_transpose3d = (over_axes(_conv_transpose, dims) for dims in (1, 2, 3))


def unfold(
    x: Array,
    kernel_size: int | Lengths,
    dilation: int | Lengths = 1,
    padding: int | Lengths = 0,
    stride: int | Lengths = 1,
) -> Any:
    """Return the windows of images as columns, also called im2col.

    Args:
        x: Shape (N, C, H, W).
        kernel_size: The size of a window, (K, K'); one number for both, as for the other arguments.
        dilation: The distance between elements of a window.
        padding: The number of zeros on each side.
        stride: The distance between windows.

    Returns:
        Shape (N, C K K', places).

    Raises:
        ValueError: x does not have four axes, or a window is longer than the padded image.

    Source: agrees with `torch.nn.functional.unfold`.
    """
    if x.ndim != 4:
        raise ValueError(f"`unfold` needs images (N, C, H, W), got shape {x.shape}")
    kernel, steps, gaps = lengths(kernel_size, 2), lengths(stride, 2), lengths(dilation, 2)
    padded = pad_constant(x, widths=((0, 0), (0, 0), *((p, p) for p in lengths(padding, 2))))
    seen = windows(padded, axes=(2, 3), size=kernel, stride=steps, dilation=gaps)
    n, channels, height, width = seen.shape[:4]
    return reshape(transpose(seen, (0, 1, 4, 5, 2, 3)), (n, channels * prod(kernel), height * width))


def fold(
    x: Array,
    output_size: int | Lengths,
    kernel_size: int | Lengths,
    dilation: int | Lengths = 1,
    padding: int | Lengths = 0,
    stride: int | Lengths = 1,
) -> Any:
    """Return images, the sums of columns at the places of their windows: the adjoint of `unfold`.

    Args:
        x: Shape (N, C K K', places).
        output_size: The height and width of the images.
        kernel_size, dilation, padding, stride: As for `unfold`.

    Returns:
        Shape (N, C, *output_size).

    Raises:
        ValueError: x does not have three axes, or as many rows and places as the windows.

    Source: agrees with `torch.nn.functional.fold`.
    """
    kernel, steps, gaps, margins = (lengths(v, 2) for v in (kernel_size, stride, dilation, padding))
    full = tuple(length + 2 * p for length, p in zip(lengths(output_size, 2), margins, strict=True))
    places = tuple((f - d * (k - 1) - 1) // s + 1 for f, d, k, s in zip(full, gaps, kernel, steps, strict=True))
    if x.ndim != 3 or x.shape[1] % prod(kernel) or x.shape[2] != prod(places):
        raise ValueError(f"`fold` needs columns (N, C · {prod(kernel)}, {prod(places)}), got shape {x.shape}")
    n, channels = x.shape[0], x.shape[1] // prod(kernel)
    seen = transpose(reshape(x, (n, channels, *kernel, *places)), (0, 1, 4, 5, 2, 3))
    out = overlap_add(seen, shape=(n, channels, *full), axes=(2, 3), size=kernel, stride=steps, dilation=gaps)
    inside = tuple(slice(p, length - p) for p, length in zip(margins, full, strict=True))
    return getitem(out, (slice(None), slice(None), *inside))
