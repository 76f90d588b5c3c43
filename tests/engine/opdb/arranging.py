"""PyTorch's signatures of joining, splitting, shapes, and reading and writing by index."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine as e
from tests.engine.opdb.agreement import NotOfferedError
from tests.engine.opdb.common import Call, vector

if TYPE_CHECKING:
    from collections.abc import Sequence


def joined(arrays: Sequence[Any], dim: int = 0) -> Any:
    """PyTorch lets an empty vector stand for an empty array of any shape."""
    ndim = max(a.ndim for a in arrays)
    return e.concatenate([a for a in arrays if a.ndim == ndim], axis=dim)


def cut(x: Any, size: Any, dim: int = 0) -> Any:
    """`torch.split`: pieces of one size, or of the sizes given."""
    sizes = size if isinstance(size, (list, tuple)) else [size] * (x.shape[dim] // size)
    return e.split(x, [int(n) for n in np.cumsum(sizes)][: len(sizes) - (sum(sizes) == x.shape[dim])], dim)


def grid(arrays: Sequence[Any]) -> Any:
    vectors = [e.reshape(a, -1) for a in arrays]
    places = np.array(list(product(*(range(v.shape[0]) for v in vectors))))
    return e.stack([e.take(v, places[:, k], 0) for k, v in enumerate(vectors)], -1)


def chosen(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    pick = combinations_with_replacement if with_replacement else combinations
    places = np.array(list(pick(range(x.shape[0]), r)), dtype=int).reshape(-1, r)
    return e.take(x, places, 0)


def squeezed(x: Any, dim: Any = None) -> Any:
    """PyTorch leaves an axis that is longer than 1."""
    if dim is None:
        return e.squeeze(x)
    dims = {d % max(x.ndim, 1) for d in (dim if isinstance(dim, (list, tuple)) else (dim,))}
    return e.reshape(x, tuple(n for k, n in enumerate(x.shape) if k not in dims or n != 1))


def rows_and_columns(x: Any, dim0: int, dim1: int) -> Any:
    return e.swapaxes(x, dim0, dim1) if x.ndim else e.reshape(x, ())


def expanded(x: Any, *sizes: Any) -> Any:
    shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
    own = (1,) * (len(shape) - x.ndim) + tuple(x.shape)
    return e.broadcast_to(x, tuple(m if n == -1 else n for n, m in zip(shape, own, strict=True)))


def tiled(x: Any, *reps: Any) -> Any:
    counts = reps[0] if len(reps) == 1 and isinstance(reps[0], (list, tuple)) else reps
    return e.tile(x, tuple(counts))


def split_at(x: Any, sections: Any, dim: int = 0) -> Any:
    return e.tensor_split(x, sections.tolist() if hasattr(sections, "tolist") else sections, dim)


def each(ours: Call) -> Call:
    def call(*arrays: Any) -> Any:
        return [ours(x) for x in (arrays[0] if isinstance(arrays[0], (list, tuple)) else arrays)]

    return call


def repeated(x: Any, repeats: Any, dim: Any = None, *, output_size: Any = None) -> Any:
    del output_size
    return e.repeat(x, repeats if isinstance(repeats, int) else tuple(repeats.tolist()), dim)


def padded(x: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """PyTorch names the last axis first, and cuts where the width is negative."""
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    if mode == "circular":  # the one that cuts first
        x = x[tuple(slice(max(0, -low), n - max(0, -high)) for (low, high), n in zip(pairs, x.shape, strict=True))]
        pairs = [(max(0, low), max(0, high)) for low, high in pairs]
    widths = [(max(0, a), max(0, b)) for a, b in pairs]
    if mode == "constant":
        wide = e.pad(x, widths, constant_values=value or 0)
    else:
        named: Any = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
        wide = e.pad(x, widths, mode=named[mode])
    return wide[tuple(slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(pairs, wide.shape, strict=True))]


def slid(x: Any, dimension: int, size: int, step: int) -> Any:
    if x.ndim == 0:
        return e.reshape(x, 1)[:size]
    return e.windows(x, axes=(dimension % x.ndim,), size=(size,), stride=(step,), dilation=(1,))


def diagonal_places(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    places = np.moveaxis(np.arange(x.size).reshape(x.shape), (dim1, dim2), (-2, -1))
    return np.unravel_index(np.diagonal(places, offset, -2, -1), x.shape)


def at(x: Any, dim: int, place: Any) -> Any:
    """Return the index of a place, or of several, along one axis."""
    return (*(slice(None),) * (dim % max(x.ndim, 1)), place)


def put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    flat, places = e.reshape(x, -1), index.reshape(-1)
    source = e.reshape(source, -1)
    return e.reshape((e.index_add if accumulate else e.index_put)(flat, places, source), x.shape)


def index_dim(ours: Any) -> Call:
    """An operation along one axis of a number, which PyTorch takes for a vector of one element."""

    def call(x: Any, dim: int, index: Any, *source: Any, **more: Any) -> Any:
        if np.ndim(index) > max(x.ndim, 1):
            raise NotOfferedError("an empty index of more axes")
        if x.ndim:
            return ours(x, dim, index, *source, **more)
        wide = [vector(s) if hasattr(s, "ndim") else s for s in source]
        found = ours(vector(x), 0, np.reshape(index, -1), *wide, **more)
        return e.reshape(found, np.shape(index) if ours is e.gather else ())

    return call


def added_at(x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    return e.index_add(x, (*(slice(None),) * (dim % x.ndim), index), alpha * source)


def scattered(x: Any, axis: int, index: Any, source: Any) -> Any:
    if not hasattr(source, "ndim"):
        source = np.full(np.shape(index), source)
    return e.scatter(x, axis, index, source[tuple(slice(n) for n in index.shape)])


def scatter_added(x: Any, axis: int, index: Any, source: Any) -> Any:
    return e.scatter_add(x, axis, index, source[tuple(slice(n) for n in index.shape)])


def by_places(x: Any, index: Any, values: Any, accumulate: bool = False) -> Any:
    return (e.index_add if accumulate else e.index_put)(x, tuple(index), values)
