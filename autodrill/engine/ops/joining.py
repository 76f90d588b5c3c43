"""Arrays joined along the axes of rows, columns and depth, as blocks of a matrix, and as coordinates of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.ops.arrange import pad_constant
from autodrill.engine.ops.shape import broadcast_to, concatenate, expand_dims, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array

__all__ = ["block_diag", "column_stack", "dstack", "hstack", "meshgrid", "vstack"]


def vstack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the first axis; a vector is a row.

    Args:
        arrays: At least one array; all have one shape, except for the length of the first axis.

    Returns:
        The common shape with the sum of the first lengths; N vectors of length M give (N, M).

    Raises:
        ValueError: There are no arrays, or their other axes differ.

    Source: agrees with `numpy.vstack`.
    """
    return concatenate([reshape(a, (1, -1)) if a.ndim < 2 else a for a in arrays], axis=0)


def hstack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the second axis; vectors are joined along their only axis.

    Args:
        arrays: At least one array; all have one shape, except for the length of the joined axis.

    Returns:
        The common shape with the sum of the joined lengths.

    Raises:
        ValueError: There are no arrays, or their other axes differ.

    Source: agrees with `numpy.hstack`.
    """
    whole = [reshape(a, 1) if a.ndim == 0 else a for a in arrays]
    return concatenate(whole, axis=1 if whole and whole[0].ndim > 1 else 0)


def dstack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the third axis; a vector is (1, N, 1), and a matrix (M, N, 1).

    Args:
        arrays: At least one array; all have one shape, except for the length of the third axis.

    Returns:
        The common shape with the sum of the third lengths.

    Raises:
        ValueError: There are no arrays, or their other axes differ.

    Source: agrees with `numpy.dstack`.
    """
    whole = [reshape(a, (1, -1, 1)) if a.ndim < 2 else expand_dims(a, 2) if a.ndim == 2 else a for a in arrays]
    return concatenate(whole, axis=2)


def column_stack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the second axis; a vector is a column.

    Args:
        arrays: At least one array; all have one shape, except for the length of the second axis.

    Returns:
        The common shape with the sum of the second lengths; N vectors of length M give (M, N).

    Raises:
        ValueError: There are no arrays, or their other axes differ.

    Source: agrees with `numpy.column_stack`.
    """
    return concatenate([reshape(a, (-1, 1)) if a.ndim < 2 else a for a in arrays], axis=1)


def block_diag(*arrays: Array) -> Any:
    """Return a matrix with the given matrices along its diagonal and zeros elsewhere.

    Args:
        arrays: At least one matrix, of any shapes; a vector is a row, and a number a matrix of one element.

    Returns:
        As many rows and columns as all matrices together.

    Raises:
        ValueError: There are no arrays, or one has more than two axes.

    Source: agrees with `torch.block_diag`.
    """
    blocks = [reshape(a, (1, -1)) if a.ndim < 2 else a for a in arrays]
    width = sum(b.shape[1] for b in blocks)
    starts = np.cumsum([0, *(b.shape[1] for b in blocks)])
    return concatenate(
        [
            pad_constant(b, widths=((0, 0), (int(start), int(width - start - b.shape[1]))))
            for b, start in zip(blocks, starts, strict=False)
        ]
    )


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> list[Any]:
    """Return the coordinates of a grid: each vector repeated along the axes of all others.

    Args:
        arrays: Vectors; a number counts as a vector of one element, and a matrix is flattened.
        indexing: `"ij"` for the axes in the order of the vectors, `"xy"` with the first two exchanged.

    Returns:
        A list with an array for each vector. The length of an axis is that of its vector.

    Raises:
        ValueError: `indexing` is neither of the two.

    Source: agrees with `numpy.meshgrid`.
    """
    if indexing not in {"xy", "ij"}:
        raise ValueError(f"`indexing` must be `xy` or `ij`, not `{indexing}`")
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = tuple(arrays[k].size for k in order)
    return [
        broadcast_to(reshape(x, tuple(-1 if order[axis] == k else 1 for axis in range(len(arrays)))), shape)
        for k, x in enumerate(arrays)
    ]
