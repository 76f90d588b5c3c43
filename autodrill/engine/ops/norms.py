"""Vector norms, distances, cosines and normalised vectors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.complex_convention import check_real, inner, is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import divide, power, where
from autodrill.engine.ops.parts import absolute, sgn, sign
from autodrill.engine.ops.reduce import Axis, _kept, max, min, sum  # noqa: A004 - NumPy's names
from autodrill.engine.ops.shape import broadcast_to, reshape

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["cdist", "cosine_similarity", "normalize", "p_norm", "pairwise_distance", "pdist", "vector_norm"]


def _norm_slope(x: Array, out: Array, ord: float, axis: Axis) -> Array:
    """Return the gradient of the norm, sgn(x) (|x| / norm)^(ord - 1); if the norm is 0, 0 with all its derivatives."""
    out = reshape(out, _kept(x.shape, axis))
    zero = raw(out) == 0
    ratio = where(zero, 0, x / where(zero, 1, out))
    if ord == 2:
        return ratio
    size = absolute(ratio)
    direction = sgn(x) if is_complex(x) else sign(raw(x))
    return direction * power(where(raw(size) == 0, 1, size), ord - 1) * (raw(size) != 0)


@behaves("reduction", complex="real")
@primitive(on_complex="adjoint")
def p_norm(xp: Namespace, x: Array, *, ord: float = 2, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return (Σ |x|^ord)^(1/ord) over `axis`; its subgradient at 0 is 0.

    Args:
        ord: The power, a finite number other than 0.

    Raises:
        ZeroDivisionError: `ord` is 0.

    Source: `numpy.linalg.vector_norm`.
    """
    if ord == 2:
        return xp.sqrt(xp.sum((x * x.conj()).real if is_complex(x) else x * x, axis=axis, keepdims=keepdims))
    return xp.sum(xp.absolute(x) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)


def _norm_vjp(g: Array, x: Array, out: Array, ord: float, axis: Axis) -> Array:
    return reshape(g, _kept(x.shape, axis)) * _norm_slope(x, out, ord, axis)


def _norm_jvp(dx: Array, x: Array, out: Array, ord: float, axis: Axis, keepdims: bool) -> Array:
    return sum(inner(dx, _norm_slope(x, out, ord, axis)), axis=axis, keepdims=keepdims)


p_norm.vjp(x=_norm_vjp)
p_norm.jvp(_norm_jvp)
p_norm.vmap("axis")


def vector_norm(x: Array, ord: float = 2, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return (Σ |x|^ord)^(1/ord), the norm of the vectors along `axis`; its subgradient at 0 is 0.

    Args:
        x: Real or complex numbers of any shape.
        ord: 2 for the Euclidean norm; any other power; `inf` and `-inf` for the largest and the smallest absolute
            value; 0 for the number of non-zero elements, with derivative 0.
        axis: The axis or axes reduced, by default all.
        keepdims: Whether the reduced axes are kept, with length 1.

    Returns:
        The shape of x without the reduced axes, real.

    Raises:
        AxisError: x lacks an axis.
        ValueError: `ord` is infinite, and there is no element.

    Source: `numpy.linalg.vector_norm`.
    """
    if ord == math.inf:
        return max(absolute(x), axis=axis, keepdims=keepdims)
    if ord == -math.inf:
        return min(absolute(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return sum(absolute(sgn(x)), axis=axis, keepdims=keepdims)
    if ord == 1:
        return sum(absolute(x), axis=axis, keepdims=keepdims)
    return p_norm(x, ord=ord, axis=axis, keepdims=keepdims)


def normalize(x: Array, p: float = 2.0, axis: int = 1, eps: float = 1e-12) -> Any:
    """Return x divided by its norm along `axis`, or by `eps` if the norm is smaller.

    Args:
        x: Real or complex numbers of any shape.
        p: The power of the norm, as `ord` in `vector_norm`.
        axis: The axis or axes of the vectors; the default is 1, as in PyTorch.
        eps: The smallest divisor.

    Returns:
        The shape and dtype of x; for integers, floating-point numbers.

    Raises:
        AxisError: x lacks an axis.

    Source: `torch.nn.functional.normalize`.
    """
    norm = vector_norm(x, p, axis, keepdims=True)
    return divide(x, where(raw(norm) > eps, norm, eps))


def pairwise_distance(x: Array, y: Array, p: float = 2.0, eps: float = 1e-6, keepdims: bool = False) -> Any:
    """Return the norm of x - y + eps along the last axis; `eps` keeps it differentiable for equal vectors.

    Args:
        x: Vectors, shape (..., D).
        y: Vectors, shape (..., D), which broadcast against those of x.
        p: The power of the norm, as `ord` in `vector_norm`.
        eps: A small number added to each difference.
        keepdims: Whether the last axis is kept, with length 1.

    Returns:
        The common shape without its last axis, real.

    Raises:
        ValueError: The shapes do not broadcast.

    Source: `torch.nn.functional.pairwise_distance`.
    """
    return vector_norm(x - y + eps, p, -1, keepdims)


def cosine_similarity(x: Array, y: Array, axis: int = 1, eps: float = 1e-8) -> Any:
    """Return x · y / (|x| |y|) along `axis`, the cosine of the angle, with each norm raised to at least `eps`.

    Args:
        x: Real numbers of any shape.
        y: Real numbers, which broadcast against x, also along `axis`.
        axis: The axis of the vectors in the common shape; the default is 1, as in PyTorch.
        eps: The smallest norm.

    Returns:
        The common shape without `axis`.

    Raises:
        TypeError: An input is complex.
        ValueError: The shapes do not broadcast.
        AxisError: The common shape lacks the axis.

    Source: `torch.nn.functional.cosine_similarity`.
    """
    check_real("cosine_similarity", x, y)
    shape = np.broadcast_shapes(x.shape, y.shape)
    x, y = (v if v.shape == shape else broadcast_to(v, shape) for v in (x, y))
    norms = [vector_norm(v, 2, axis, keepdims=True) for v in (x, y)]
    unit_x, unit_y = (divide(v, where(raw(n) > eps, n, eps)) for v, n in zip((x, y), norms, strict=True))
    return sum(unit_x * unit_y, axis=axis)


def cdist(x: Array, y: Array, p: float = 2.0) -> Any:
    """Return the distances between each row of x and each row of y, the norms of their differences.

    Args:
        x: Matrices of P rows, shape (..., P, M).
        y: Matrices of R rows, shape (..., R, M); leading axes broadcast.
        p: The power of the norm, as `ord` in `vector_norm`.

    Returns:
        Shape (..., P, R), real.

    Raises:
        ValueError: An input has fewer than two axes, or the shapes do not fit.

    Source: `torch.cdist`.
    """
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError(f"`cdist` needs matrices, not shapes {x.shape} and {y.shape}")
    return vector_norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


def pdist(x: Array, p: float = 2.0) -> Any:
    """Return the distances between the rows of x, for each pair once: rows 0 and 1, 0 and 2, ..., 1 and 2, ...

    Args:
        x: A matrix of N rows, shape (N, M).
        p: The power of the norm, as `ord` in `vector_norm`.

    Returns:
        Shape (N (N - 1) / 2,), real.

    Raises:
        ValueError: x is not a matrix.

    Source: `torch.nn.functional.pdist`.
    """
    if x.ndim != 2:
        raise ValueError(f"`pdist` needs a matrix, not shape {x.shape}")
    rows, columns = np.triu_indices(x.shape[0], 1)
    return vector_norm(x[rows] - x[columns], p, -1)
