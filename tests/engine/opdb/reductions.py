"""PyTorch's signatures of reductions, norms, order statistics, running operations and differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine as e
from tests.engine.opdb.common import Call, axes, raw


def reduction(ours: Any) -> Call:
    return lambda x, dim=None, keepdim=False, *, dtype=None: ours(x, axis=axes(x, dim), keepdims=keepdim)


def along(ours: Any, default: Any = None) -> Call:
    """An operation along one axis, of which a number has none."""

    def call(x: Any, dim: Any = default, **more: Any) -> Any:
        more.pop("dtype", None)
        if x.ndim == 0:
            return e.reshape(ours(e.reshape(x, 1), axis=0, **more), ())
        return ours(x, axis=dim, **more)

    return call


def spread(ours: Any) -> Call:
    """A variance or standard deviation: `correction`, or whether it is 1, which comes as `dim` as well."""

    def call(x: Any, dim: Any = None, *, unbiased: bool = True, correction: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        ddof = int(unbiased) if correction is None else correction
        return ours(x, axis=axes(x, dim), ddof=ddof, keepdims=keepdim)

    return call


def quantile(ours: Any) -> Call:
    def call(x: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
        return ours(x, q, axes(x, dim), keepdim, method=interpolation)

    return call


def extreme_with_index(largest: bool) -> Call:
    """`torch.max(x, dim)`: of equal ones the first alone gets the gradient, not each its share."""

    def call(x: Any, dim: int, keepdim: bool = False) -> Any:
        if x.ndim == 0:
            return e.reshape(x, ())
        place = np.expand_dims((e.argmax if largest else e.argmin)(x, dim), dim)
        found = e.take_along_axis(x, place, dim)
        return found if keepdim else e.squeeze(found, axis=dim)

    return call


def middle(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """`torch.median`: the lower of two in the middle."""
    if dim is None:
        return e.kthvalue(e.reshape(x, -1), (x.size + 1) // 2)
    return kth(x, 1 if x.ndim == 0 else (x.shape[dim] + 1) // 2, dim, keepdim)


def kth(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if x.ndim == 0:
        return e.reshape(x, ())
    found = e.kthvalue(x, k, dim)
    return e.expand_dims(found, dim) if keepdim else found


def top(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    del sorted
    return e.reshape(x, ()) if x.ndim == 0 else e.topk(x, k, dim, largest)[0]


def ordered(x: Any, dim: int = -1, descending: bool = False, stable: Any = None) -> Any:
    """Return the sorted values, without their indices: they are integers."""
    del stable
    if x.ndim == 0:
        return e.reshape(x, ())
    return -e.sort(-x, dim) if descending else e.sort(x, dim)


def normed(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """`torch.norm`: of all elements as of one vector, unless it is the nuclear norm."""
    del dtype
    if p == "nuc":
        return e.norm(x, "nuc", tuple(dim) if dim else (0, 1), keepdim)
    return e.vector_norm(x, 2 if p in ("fro", None) else p, axes(x, dim), keepdim)


def linalg_norm(x: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    del dtype
    return e.norm(x, ord, axes(x, dim), keepdim)


def vector_normed(x: Any, ord: float = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    del dtype
    return e.vector_norm(x, ord, axes(x, dim), keepdim)


def renormed(x: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Scale down the slices along `dim` whose norm is above `maxnorm`."""
    others = tuple(k for k in range(x.ndim) if k != dim % x.ndim)
    norm = e.vector_norm(x, p, others, keepdims=True)
    return x * e.where(raw(norm) > maxnorm, maxnorm / (norm + 1e-7), 1)


def mean_beside(x: Any, dim: Any = None, *, keepdim: bool = False, **rest: Any) -> Any:
    """Return the mean that comes with a variance."""
    del rest
    return e.mean(x, axis=None if isinstance(dim, bool) else axes(x, dim), keepdims=keepdim)


def masked(ours: Any, identity: float) -> Call:
    """A reduction over the elements at which a mask holds, the others replaced by its identity."""

    def call(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
        del dtype
        x = x if mask is None else e.where(mask, x, identity)
        return ours(x, axis=axes(x, dim), keepdims=keepdim)

    return call


def masked_mean(x: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    del dtype
    held: Any = np.ones(x.shape) if mask is None else np.broadcast_to(mask, x.shape) * 1.0
    total = e.sum(x if mask is None else e.where(mask, x, 0), axis=axes(x, dim), keepdims=keepdim)
    return total / held.sum(axis=axes(x, dim), keepdims=keepdim)


def masked_along(ours: Any, identity: float) -> Call:
    def call(x: Any, dim: int, dtype: Any = None, mask: Any = None) -> Any:
        del dtype
        x = x if mask is None else e.where(mask, x, identity)
        return along(ours)(x, dim)

    return call


def differences(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [v for v in (prepend, x, append) if v is not None] if n else [x]
    return e.diff(e.concatenate(parts, dim) if len(parts) > 1 else x, n, dim)


def slopes(x: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """`torch.gradient` has a spacing, or coordinates, for each axis."""
    chosen = range(x.ndim) if dim is None else dim if isinstance(dim, (list, tuple)) else [dim]
    steps = spacing if isinstance(spacing, (list, tuple)) else [1 if spacing is None else spacing] * len(list(chosen))
    return [e.gradient(x, h, axis, edge_order) for axis, h in zip(chosen, steps, strict=True)]


def integral(ours: Any) -> Call:
    def call(y: Any, x: Any = None, *, dim: int = -1, dx: float = 1.0) -> Any:
        return ours(y, x, dx, dim)

    return call
