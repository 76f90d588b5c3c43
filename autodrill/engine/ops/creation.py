"""New tensors, and tests of elements, under the names of NumPy and PyTorch. None of them has a derivative.

`linspace` is in `interpolation`: it is differentiable with respect to its ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.tensor import Tensor, raw, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array

# fmt: off
__all__ = [
    "all", "any", "arange", "empty_like", "eye", "full", "full_like", "isfinite", "isinf", "isnan", "ones",
    "ones_like", "tensor", "zeros", "zeros_like",
]
# fmt: on

Shape = int | tuple[int, ...] | list[int]


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a Tensor with a copy of the data, as `Tensor(data, requires_grad, dtype=dtype)` does.

    Raises:
        TypeError: `requires_grad` is set for a dtype that is neither floating nor complex.
    """
    return Tensor(data, requires_grad, dtype=dtype)


def zeros(shape: Shape, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Return a Tensor of zeros."""
    return Tensor(np.zeros(shape, dtype), requires_grad)


def ones(shape: Shape, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Return a Tensor of ones."""
    return Tensor(np.ones(shape, dtype), requires_grad)


def full(shape: Shape, fill_value: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a Tensor whose elements are all `fill_value`."""
    return Tensor(np.full(shape, raw(fill_value), dtype), requires_grad)


def eye(n: int, m: int | None = None, dtype: Any = float, requires_grad: bool = False) -> Tensor:
    """Return a Tensor of shape (n, m) with ones on the main diagonal and zeros elsewhere; by default m is n."""
    return Tensor(np.eye(n, m, dtype=dtype), requires_grad)


def arange(start: float, stop: float | None = None, step: float = 1, dtype: Any = None) -> Tensor:
    """Return the numbers from `start` up to, but without, `stop`; a single number is the `stop` of a range from 0."""
    first, last = (0, start) if stop is None else (start, stop)
    return Tensor(np.arange(first, last, step, dtype=dtype))


def full_like(x: Array, fill_value: Any, dtype: Any = None) -> Any:
    """Return an array of x's shape, and by default of its dtype, whose elements are all `fill_value`.

    The result is a Tensor if x is one. It does not require grad. Under `vmap`, it differs by examples as x does.
    """
    array = raw(x)
    xp = backend_of(array).xp
    # A new array of x's memory: under `vmap`, `xp.full` would lack the examples.
    filled = xp.asarray(xp.zeros_like(array), array.dtype if dtype is None else dtype)
    filled[...] = raw(fill_value)
    return wrap(filled) if type(x) is Tensor else filled


def zeros_like(x: Array, dtype: Any = None) -> Any:
    """Return zeros of x's shape, and by default of its dtype; see `full_like`."""
    return full_like(x, 0, dtype)


def ones_like(x: Array, dtype: Any = None) -> Any:
    """Return ones of x's shape, and by default of its dtype; see `full_like`."""
    return full_like(x, 1, dtype)


def empty_like(x: Array, dtype: Any = None) -> Any:
    """Return zeros of x's shape, where PyTorch returns memory as it is; see `full_like`."""
    return full_like(x, 0, dtype)


# Tests of elements: plain arrays, as those of comparisons are


def isnan(x: Array) -> Array:
    """Return whether each element is NaN, as a plain boolean array."""
    return backend_of(raw(x)).xp.isnan(raw(x))


def isinf(x: Array) -> Array:
    """Return whether each element is infinite, as a plain boolean array."""
    return backend_of(raw(x)).xp.isinf(raw(x))


def isfinite(x: Array) -> Array:
    """Return whether each element is neither infinite nor NaN, as a plain boolean array."""
    return backend_of(raw(x)).xp.isfinite(raw(x))


def any(x: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Return whether any element along `axis` is not 0, as a plain boolean array."""
    return backend_of(raw(x)).xp.any(raw(x) != 0, axis=axis, keepdims=keepdims)


def all(x: Array, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Array:
    """Return whether all elements along `axis` are not 0, as a plain boolean array."""
    return backend_of(raw(x)).xp.all(raw(x) != 0, axis=axis, keepdims=keepdims)
