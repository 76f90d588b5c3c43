"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of, memory
from autodrill.engine.core.declaration import behind, place
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.index import index_scatter
from autodrill.engine.ops.shape import moveaxis

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["diag", "diag_embed", "diagonal", "trace", "tril", "triu"]


@primitive(view=True)
def diagonal(xp: Namespace, x: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonal of two axes as the last axis.

    Args:
        x: Values with at least two axes.
        offset: The diagonal: 0 for the main one, positive above it, negative below.
        axis1: The axis of the rows.
        axis2: The axis of the columns.

    Returns:
        The shape of x without the two axes, with the length of the diagonal at the end; the memory is that of x.

    Raises:
        ValueError: x has fewer than two axes, or the two axes are equal.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.diagonal`, whose result is read-only, and with `torch.diagonal`.
    """
    found = xp.diagonal(x, offset, axis1, axis2)
    if type(found) is np.ndarray:  # NumPy makes it read-only
        found.flags.writeable = x.flags.writeable
    return found


def _undiagonal(g: Array, x_shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Array:
    """Return zeros of x's shape with a cotangent on the diagonal."""
    axes = (axis1 % len(x_shape), axis2 % len(x_shape))
    others = tuple(n for k, n in enumerate(x_shape) if k not in axes)
    steps = backend_of(memory(raw(g))).xp.arange(g.shape[-1])
    index = (..., steps + max(0, -offset), steps + max(0, offset))
    matrices = index_scatter(g, index=index, shape=(*others, x_shape[axis1], x_shape[axis2]))
    return moveaxis(matrices, (-2, -1), axes)


diagonal.vjp(x=_undiagonal)
diagonal.jvp("linear")
diagonal.vmap(
    lambda x, x_shape, offset, axis1, axis2: diagonal(
        x, offset, behind(axis1, len(x_shape)), behind(axis2, len(x_shape))
    )
)


def diag(x: Array, k: int = 0) -> Any:
    """Return the k-th diagonal of a matrix, or for a vector the matrix that has it as the k-th diagonal.

    Args:
        x: A matrix (M, N), or a vector (N,).
        k: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        A vector for a matrix; a square matrix with N + |k| rows for a vector.

    Raises:
        ValueError: x is neither a vector nor a matrix.

    Source: agrees with `numpy.diag`.
    """
    if x.ndim not in {1, 2}:
        raise ValueError(f"`diag` needs a vector or a matrix, not {x.ndim} axes; see `diagonal` and `diag_embed`")
    return diagonal(x, k) if x.ndim == 2 else diag_embed(x, k)


def diag_embed(x: Array, offset: int = 0) -> Any:
    """Return matrices with the last axis of x on the diagonal and zeros elsewhere.

    Args:
        x: Shape (..., N).
        offset: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        Shape (..., M, M), with M = N + |offset|.

    Raises:
        numpy.exceptions.AxisError: x has no axis.

    Source: agrees with `torch.diag_embed`.
    """
    n = x.shape[place(-1, x.ndim)]
    size = n + abs(offset)
    steps = backend_of(memory(raw(x))).xp.arange(n)
    index = (..., steps + max(0, -offset), steps + max(0, offset))
    return index_scatter(x, index=index, shape=(*x.shape[:-1], size, size))


def trace(x: Array, offset: int = 0) -> Any:
    """Return the sum of the diagonal of the first two axes.

    Args:
        x: Shape (M, N, ...).
        offset: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        The shape of x without the first two axes.

    Raises:
        ValueError: x has fewer than two axes.

    Source: agrees with `numpy.trace`.
    """
    from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name

    return sum(diagonal(x, offset), axis=-1)


@primitive
def tril(xp: Namespace, x: Array, *, k: int = 0) -> Array:
    """Return matrices with zeros above the k-th diagonal.

    Args:
        x: Shape (..., M, N).
        k: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        The shape of x.

    Source: agrees with `numpy.tril`.
    """
    return xp.tril(x, k)


@primitive
def triu(xp: Namespace, x: Array, *, k: int = 0) -> Array:
    """Return matrices with zeros below the k-th diagonal.

    Args:
        x: Shape (..., M, N).
        k: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        The shape of x.

    Source: agrees with `numpy.triu`.
    """
    return xp.triu(x, k)


tril.vjp(x=lambda g, k: tril(g, k=k))
tril.jvp("linear")
tril.vmap("leading")
triu.vjp(x=lambda g, k: triu(g, k=k))
triu.jvp("linear")
triu.vmap("leading")
