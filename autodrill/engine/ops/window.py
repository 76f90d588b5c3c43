"""Sliding windows and their adjoint, on which convolution and pooling are built."""

from __future__ import annotations

import inspect
from itertools import product
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from autodrill.engine.core.declaration import integers
from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.index import getitem

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["overlap_add", "windows"]

P = ParamSpec("P")

Lengths = tuple[int, ...]

_AXES = {1: "L", 2: "H, W", 3: "D, H, W"}


@primitive(view=True)
def windows(xp: Namespace, x: Array, *, axes: Lengths, size: Lengths, stride: Lengths, dilation: Lengths) -> Array:
    """Return every sliding window over `axes`.

    Args:
        x: Values of any shape.
        axes: The axes along which windows slide.
        size: The number of elements of a window along each of these axes.
        stride: The distance from one window to the next.
        dilation: The distance from one element of a window to the next.

    Returns:
        A view in which each of `axes` enumerates windows, (n - dilation (size - 1) - 1) // stride + 1 for length n; the
        axes of a window are last.

    Raises:
        ValueError: A window is longer than its axis, a stride is 0, or the arguments differ in number.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `torch.Tensor.unfold` along one axis, without dilation.
    """
    spans = tuple((n - 1) * d + 1 for n, d in zip(size, dilation, strict=True))
    view = xp.lib.stride_tricks.sliding_window_view(x, spans, axes)
    steps = [slice(None)] * x.ndim
    for axis, step in zip(axes, stride, strict=True):
        steps[axis] = slice(None, None, step)
    return view[(*steps, *(slice(None, None, d) for d in dilation))]


def _shifted(axes: Lengths, shape: Lengths, batch: Lengths) -> Lengths:
    return tuple(axis % len(shape) + len(batch) for axis in axes)


@primitive
def overlap_add(
    xp: Namespace, x: Array, *, shape: Lengths, axes: Lengths, size: Lengths, stride: Lengths, dilation: Lengths
) -> Array:
    """Return zeros of `shape` with the windows added at their places: the adjoint of `windows`.

    Args:
        x: The windows, in the shape in which `windows` returns them.
        shape: The shape of the result.
        axes, size, stride, dilation: As for `windows`.

    Returns:
        Shape `shape`.

    Raises:
        ValueError: The windows reach beyond the shape.
        IndexError: x has smaller windows than `size`.

    Source: the transpose of `windows`; `torch.nn.functional.fold` is the case of images.
    """
    out = xp.zeros(shape, x.dtype)
    for offset in product(*map(range, size)):
        place = [slice(None)] * len(shape)
        for axis, k, step, d in zip(axes, offset, stride, dilation, strict=True):
            place[axis] = slice(k * d, k * d + (x.shape[axis] - 1) * step + 1, step)
        out[tuple(place)] += x[(..., *offset)]
    return out


windows.vjp(
    x=lambda g, x_shape, axes, size, stride, dilation: overlap_add(
        g, shape=x_shape, axes=axes, size=size, stride=stride, dilation=dilation
    )
)
windows.jvp("linear")
windows.vmap(
    lambda x, x_shape, axes, size, stride, dilation, batch: windows(
        x, axes=_shifted(axes, x_shape, batch), size=size, stride=stride, dilation=dilation
    )
)


def _overlap_add_vjp(
    g: Array, x_shape: Lengths, axes: Lengths, size: Lengths, stride: Lengths, dilation: Lengths
) -> Array:
    seen = windows(g, axes=axes, size=size, stride=stride, dilation=dilation)
    # `shape` may have room for more windows than x had.
    return seen if seen.shape == x_shape else getitem(seen, tuple(slice(n) for n in x_shape))


overlap_add.vjp(x=_overlap_add_vjp)
overlap_add.jvp("linear")
overlap_add.vmap(
    lambda x, shape, axes, size, stride, dilation, batch: overlap_add(
        x, shape=(*batch, *shape), axes=_shifted(axes, shape, batch), size=size, stride=stride, dilation=dilation
    )
)


def lengths(value: int | Lengths, count: int) -> Lengths:
    """Return one length for each of `count` spatial axes."""
    given = integers(value)
    if len(given) == 1:
        return given * count
    if len(given) != count:
        raise ValueError(f"expected one length for each of {count} spatial axes, got {len(given)}")
    return given


def over_axes(function: Callable[Concatenate[int, P], Any], dims: int) -> Callable[P, Any]:
    """Return `function(dims, ...)` as a function for `dims` spatial axes; for `_conv` and 2 it is `conv2d`.

    In the docstring `{axes}` is replaced by the names of the spatial axes, and `{dims}` by their number.
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        return function(dims, *args, **kwargs)

    signature = inspect.signature(function)
    call.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined] # functions may have it
    call.__name__ = call.__qualname__ = f"{function.__name__.strip('_')}{dims}d"
    call.__module__ = function.__module__
    call.__doc__ = (function.__doc__ or "").replace("{axes}", _AXES[dims]).replace("{dims}", str(dims))
    return call
