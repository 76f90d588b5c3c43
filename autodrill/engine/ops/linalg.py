"""Products of matrices, with NumPy's rules for vectors and batches."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.shape import expand_dims, reshape, swapaxes

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["matmul"]


def _mT(x: Array) -> Array:  # noqa: N802 - NumPy's name for the matrix transpose
    return swapaxes(x, -1, -2)


def _mH(x: Array) -> Array:  # noqa: N802 - the conjugate transpose
    return swapaxes(x, -1, -2).conj()


def _wrt_left(g: Array, x_shape: tuple[int, ...], y: Array) -> Array:
    if y.ndim == 1:
        return expand_dims(g, -1) * y
    if len(x_shape) == 1:
        return matmul(y, expand_dims(g, -1))[..., 0]
    return matmul(g, _mT(y))


def _wrt_right(g: Array, x: Array, y_shape: tuple[int, ...]) -> Array:
    if x.ndim == 1:
        return g * x if len(y_shape) == 1 else expand_dims(x, -1) * expand_dims(g, -2)
    if len(y_shape) == 1:
        return matmul(_mT(x), expand_dims(g, -1))[..., 0]
    if len(y_shape) == 2 and x.ndim > 2:
        # One matrix for the whole batch: a single product sums over the batch.
        rows = prod(x.shape[:-1])  # not -1, which is ambiguous for an empty array
        return matmul(_mT(reshape(x, (rows, x.shape[-1]))), reshape(g, (rows, g.shape[-1])))
    return matmul(_mT(x), g)


def _matmul_examples(
    x: Array, y: Array, x_shape: tuple[int, ...], y_shape: tuple[int, ...], batch: tuple[int, ...]
) -> Array:
    count = len(batch)
    if len(y_shape) <= 2 and len(x_shape) <= 2 and y.shape[:count] == (1,) * count:
        # One matrix for all examples: a single product instead of one for each example.
        rows = matmul(reshape(x, (prod(x.shape[:-1]), x_shape[-1])), reshape(y, y_shape))
        return reshape(rows, (*x.shape[:-1], *y_shape[1:]))
    left = expand_dims(x, -2) if len(x_shape) == 1 else x
    right = expand_dims(y, -1) if len(y_shape) == 1 else y
    ndim = max(left.ndim, right.ndim)
    left, right = (
        reshape(v, (*v.shape[:count], *(1,) * (ndim - v.ndim), *v.shape[count:])) if v.ndim < ndim else v
        for v in (left, right)
    )
    out = matmul(left, right)
    if len(y_shape) == 1:
        out = out[..., 0]
    if len(x_shape) == 1:
        out = out[..., 0, :] if len(y_shape) > 1 else out[..., 0]
    return out


@primitive(broadcasts=True)
def matmul(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the matrix product over the last two axes, Σⱼ xᵢⱼ yⱼₖ.

    Args:
        x: Shape (..., M, N), or a vector (N,).
        y: Shape (..., N, K), or a vector (N,); the leading axes broadcast.

    Returns:
        Shape (..., M, K), without the axis M or K of a vector.

    Raises:
        ValueError: The lengths differ, the leading axes do not broadcast, or an input has no axis.

    Source: agrees with `numpy.matmul`.
    """
    return xp.matmul(x, y)


matmul.vjp(x=_wrt_left, y=_wrt_right)
matmul.jvp("linear in each argument")
matmul.vmap(_matmul_examples)
