"""Sparse gradients: the few rows of a large table that one batch looked up.

The gradient of a lookup stays a list of rows, over several backward passes too, until a dense gradient is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.tensor import wrap

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.tensor import Tensor

__all__ = ["IndexedSlices"]


class IndexedSlices:
    """An array with few non-zero rows, stored as a list of rows; rows listed twice are added.

    Attributes:
        indices: The rows' indices, integers of shape (n,).
        values: Their values, shape (n, *shape[1:]).
        shape: The shape of the whole array.
        dtype: The dtype of the values.

    Example:
        >>> slices = engine.IndexedSlices(np.array([1, 1]), np.array([[2.0], [3.0]]), (3, 1))
        >>> slices.shape
        (3, 1)
    """

    __slots__ = ("dtype", "indices", "shape", "values")
    __array_ufunc__ = None  # so that `ndarray + IndexedSlices` calls `__radd__`

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
        """Return a copy that shares no memory."""
        return IndexedSlices(self.indices.copy(), self.values.copy(), self.shape)

    def coalesced(self) -> IndexedSlices:
        """Return an equal list with each row once, in order, as an optimiser needs it."""
        xp = backend_of(self.values).xp
        indices, places = xp.unique(self.indices, return_inverse=True)
        values = xp.zeros((len(indices), *self.values.shape[1:]), self.dtype)
        backend_of(values).scatter_add(values, places.reshape(-1), self.values)
        return IndexedSlices(indices, values, self.shape)

    def dense(self) -> Array:
        """Return the dense array."""
        out = backend_of(self.values).xp.zeros(self.shape, self.dtype)
        backend_of(out).scatter_add(out, self.indices, self.values)
        return out

    def as_tensor(self) -> Tensor:
        """Return the dense array as a Tensor."""
        return wrap(self.dense())
