"""New tensors, and tests of elements, under the names of NumPy and PyTorch. None of them has a derivative.

`linspace` is in `interpolation`: it is differentiable with respect to its ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.behaviour import behaves

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

# fmt: off
__all__ = [
    "all", "any", "arange", "empty_like", "eye", "full", "full_like", "isfinite", "isinf", "isnan", "ones",
    "ones_like", "tensor", "zeros", "zeros_like",
]
# fmt: on

Shape = int | tuple[int, ...] | list[int]


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False, device: str | None = None) -> Tensor:
    """Return a Tensor with a copy of the data, as `Tensor(data, requires_grad, dtype=dtype)` does.

    Args:
        data: A number, nested lists of numbers, an array or a Tensor.
        dtype: The dtype, by default that of the data.
        requires_grad: Whether the Tensor is a leaf that collects a gradient.
        device: The device, such as `"cuda:0"`; by default the one that the data are on.

    Returns:
        A Tensor of the shape of the data.

    Raises:
        DeviceError: There is no such device.
        TypeError: The data are not numbers, or `requires_grad` is set for a dtype that is neither floating nor complex.
        ValueError: Nested lists have different lengths.

    Source: `torch.tensor`.
    """
    return Tensor(data, requires_grad, dtype=dtype, device=device)


def zeros(shape: Shape, dtype: Any = float, requires_grad: bool = False, device: str | None = None) -> Tensor:
    """Return a Tensor of zeros.

    Args:
        shape: The lengths of the axes, or one length.
        dtype: The dtype, by default float64.
        requires_grad: Whether the Tensor is a leaf that collects a gradient.
        device: The device, such as `"cuda:0"`; by default the CPU.

    Returns:
        A Tensor of the given shape.

    Raises:
        DeviceError: There is no such device.
        TypeError: `requires_grad` is set for a dtype that is neither floating nor complex.
        ValueError: A length is negative.

    Source: `numpy.zeros`.
    """
    return Tensor(np.zeros(shape, dtype), requires_grad, device=device)


def ones(shape: Shape, dtype: Any = float, requires_grad: bool = False, device: str | None = None) -> Tensor:
    """Return a Tensor of ones.

    Args:
        shape: The lengths of the axes, or one length.
        dtype: The dtype, by default float64.
        requires_grad: Whether the Tensor is a leaf that collects a gradient.
        device: The device, such as `"cuda:0"`; by default the CPU.

    Returns:
        A Tensor of the given shape.

    Raises:
        DeviceError: There is no such device.
        TypeError: `requires_grad` is set for a dtype that is neither floating nor complex.
        ValueError: A length is negative.

    Source: `numpy.ones`.
    """
    return Tensor(np.ones(shape, dtype), requires_grad, device=device)


def full(
    shape: Shape, fill_value: Any, dtype: Any = None, requires_grad: bool = False, device: str | None = None
) -> Tensor:
    """Return a Tensor whose elements are all `fill_value`.

    Args:
        shape: The lengths of the axes, or one length.
        fill_value: A number, or an array that broadcasts to the shape.
        dtype: The dtype, by default that of `fill_value`.
        requires_grad: Whether the Tensor is a leaf that collects a gradient.
        device: The device, such as `"cuda:0"`; by default the CPU.

    Returns:
        A Tensor of the given shape.

    Raises:
        DeviceError: There is no such device.
        TypeError: `requires_grad` is set for a dtype that is neither floating nor complex.
        ValueError: A length is negative, or `fill_value` does not broadcast to the shape.

    Source: `numpy.full`.
    """
    return Tensor(np.full(shape, raw(fill_value), dtype), requires_grad, device=device)


def eye(
    n: int, m: int | None = None, dtype: Any = float, requires_grad: bool = False, device: str | None = None
) -> Tensor:
    """Return a Tensor with ones on the main diagonal and zeros elsewhere, the identity matrix if it is square.

    Args:
        n: The number of rows.
        m: The number of columns, by default n.
        dtype: The dtype, by default float64.
        requires_grad: Whether the Tensor is a leaf that collects a gradient.
        device: The device, such as `"cuda:0"`; by default the CPU.

    Returns:
        A Tensor of shape (n, m).

    Raises:
        DeviceError: There is no such device.
        TypeError: `requires_grad` is set for a dtype that is neither floating nor complex.
        ValueError: A length is negative.

    Source: `numpy.eye`.
    """
    return Tensor(np.eye(n, m, dtype=dtype), requires_grad, device=device)


def arange(
    start: float, stop: float | None = None, step: float = 1, dtype: Any = None, device: str | None = None
) -> Tensor:
    """Return the numbers start, start + step, ..., up to but without `stop`, as a Tensor.

    Args:
        start: The first number; if it is the only argument, it is `stop`, and the first number is 0.
        stop: The end, which is not reached.
        step: The distance between the numbers, not 0.
        dtype: The dtype, by default that of the arguments.
        device: The device, such as `"cuda:0"`; by default the CPU.

    Returns:
        A Tensor of shape (N,), with N = ⌈(stop - start) / step⌉, or empty.

    Raises:
        DeviceError: There is no such device.
        ZeroDivisionError: The step is 0.

    Source: `numpy.arange`.
    """
    first, last = (0, start) if stop is None else (start, stop)
    return Tensor(np.arange(first, last, step, dtype=dtype), device=device)


def full_like(x: Array, fill_value: Any, dtype: Any = None) -> Any:
    """Return an array of x's shape whose elements are all `fill_value`.

    The result is a Tensor if x is one. It does not require grad. Under `vmap`, it differs by examples as x does.

    Args:
        x: An array or Tensor of any shape.
        fill_value: A number, or an array that broadcasts to the shape.
        dtype: The dtype, by default that of x.

    Returns:
        The shape of x.

    Raises:
        ValueError: `fill_value` does not broadcast to the shape.

    Source: `numpy.full_like`.
    """
    array = raw(x)
    xp = backend_of(array).xp
    # A new array of x's memory: under `vmap`, `xp.full` would lack the examples.
    filled = xp.asarray(xp.zeros_like(array), array.dtype if dtype is None else dtype)
    filled[...] = raw(fill_value)
    return wrap(filled) if type(x) is Tensor else filled


def zeros_like(x: Array, dtype: Any = None) -> Any:
    """Return zeros of x's shape, a Tensor if x is one; see `full_like`.

    Args:
        x: An array or Tensor of any shape.
        dtype: The dtype, by default that of x.

    Returns:
        The shape of x.

    Source: `numpy.zeros_like`.
    """
    return full_like(x, 0, dtype)


def ones_like(x: Array, dtype: Any = None) -> Any:
    """Return ones of x's shape, a Tensor if x is one; see `full_like`.

    Args:
        x: An array or Tensor of any shape.
        dtype: The dtype, by default that of x.

    Returns:
        The shape of x.

    Source: `numpy.ones_like`.
    """
    return full_like(x, 1, dtype)


def empty_like(x: Array, dtype: Any = None) -> Any:
    """Return zeros of x's shape, where PyTorch returns memory as it is; see `full_like`.

    Args:
        x: An array or Tensor of any shape.
        dtype: The dtype, by default that of x.

    Returns:
        The shape of x.

    Source: `torch.empty_like`, but filled.
    """
    return full_like(x, 0, dtype)


# Tests of elements: plain arrays, as those of comparisons are


@behaves("elementwise", complex="real")
def isnan(x: Array) -> Array:
    """Return whether each element is NaN, as a plain boolean array.

    Returns:
        Booleans of the shape of x.

    Source: `numpy.isnan`.
    """
    return backend_of(raw(x)).xp.isnan(raw(x))


@behaves("elementwise", complex="real")
def isinf(x: Array) -> Array:
    """Return whether each element is infinite, as a plain boolean array.

    Returns:
        Booleans of the shape of x.

    Source: `numpy.isinf`.
    """
    return backend_of(raw(x)).xp.isinf(raw(x))


@behaves("elementwise", complex="real")
def isfinite(x: Array) -> Array:
    """Return whether each element is neither infinite nor NaN, as a plain boolean array.

    Returns:
        Booleans of the shape of x.

    Source: `numpy.isfinite`.
    """
    return backend_of(raw(x)).xp.isfinite(raw(x))


@behaves("reduction", complex="real")
def any(x: Array, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return whether any element along `axis` is not 0, as a plain boolean array.

    Returns:
        Booleans.

    Source: `numpy.any`.
    """
    return backend_of(raw(x)).xp.any(raw(x) != 0, axis=axis, keepdims=keepdims)


@behaves("reduction", complex="real")
def all(x: Array, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return whether all elements along `axis` are not 0, as a plain boolean array.

    Returns:
        Booleans.

    Source: `numpy.all`.
    """
    return backend_of(raw(x)).xp.all(raw(x) != 0, axis=axis, keepdims=keepdims)
