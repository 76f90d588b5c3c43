"""Sparse gradients: the few rows of a large table that one batch looked up.

The gradient of a lookup stays a list of rows, also over several backwards, until somebody needs it dense.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.node import CustomNode, Leaf
from autodrill.engine.transforms.batched_array import levels_of

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.tensor import Tensor

__all__ = ["IndexedSlices", "lookup_rows"]


class IndexedSlices:
    """An array of which only some rows are not zero; a row listed twice is the sum of both.

    Attributes:
        indices: Which rows, integers of shape (n,).
        values: Their values, shape (n, *shape[1:]).
        shape: The shape of the whole.
        dtype: The dtype of the values.
    """

    __slots__ = ("dtype", "indices", "shape", "values")
    __array_ufunc__ = None  # `ndarray + IndexedSlices` is ours to answer

    def __init__(self, indices: Array, values: Array, shape: tuple[int, ...]) -> None:
        self.indices = indices
        self.values = values
        self.shape = shape
        self.dtype = values.dtype

    def __repr__(self) -> str:
        return f"<{len(self.indices)} rows of shape {self.shape}>"

    def __add__(self, other: Any) -> Any:
        if type(other) is not IndexedSlices:
            return self.__radd__(other)
        xp = backend_of(self.values).xp
        parts = [xp.concatenate(pair) for pair in ((self.indices, other.indices), (self.values, other.values))]
        return IndexedSlices(parts[0], parts[1], self.shape)

    def __radd__(self, other: Any) -> Any:
        return other + self.dense()

    def copy(self) -> IndexedSlices:
        """Return the same rows in memory of their own."""
        return IndexedSlices(self.indices.copy(), self.values.copy(), self.shape)

    def coalesced(self) -> IndexedSlices:
        """Return the same with each row listed once, in order: what an optimiser steps by."""
        xp = backend_of(self.values).xp
        indices, places = xp.unique(self.indices, return_inverse=True)
        values = xp.zeros((len(indices), *self.values.shape[1:]), self.dtype)
        backend_of(values).scatter_add(values, places.reshape(-1), self.values)
        return IndexedSlices(indices, values, self.shape)

    def dense(self) -> Array:
        """Return the whole array."""
        out = backend_of(self.values).xp.zeros(self.shape, self.dtype)
        backend_of(out).scatter_add(out, self.indices, self.values)
        return out


def lookup_rows(weight: Tensor, indices: Array) -> Tensor:
    """Return the rows of a table, its gradient kept sparse if the table is a leaf: what `embedding` is made of.

    Args:
        weight: The table, a leaf that requires grad; for anything else the gradient is dense.
        indices: Integers of any shape, in [0, len(weight)).

    Returns:
        The rows, shape `indices.shape + weight.shape[1:]`.
    """
    from autodrill.engine import ops
    from autodrill.engine.core.mode import mode
    from autodrill.engine.core.tensor import raw, wrap

    table = weight.node
    if type(table) is not Leaf or not mode.grad_enabled or weight.tangents or levels_of(weight.data, raw(indices)):
        rows: Tensor = ops.getitem(weight, indices)
        return rows
    places, shape = weight.backend.xp.array(indices), weight.data.shape

    def pull(node: CustomNode, g: Any, create_graph: bool) -> list[Any]:
        if create_graph or hasattr(g, "node") or node.watch is not None:
            return [ops.index_scatter(g, index=places, shape=shape)]
        return [IndexedSlices(places.reshape(-1), g.reshape(-1, *shape[1:]).copy(), shape)]

    data = weight.data[places]
    return wrap(data, CustomNode("embedding", (table,), (), data.shape, data.dtype, pull))
