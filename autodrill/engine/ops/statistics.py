"""Sums and means without NaN, and covariances of several variables, under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of, floating
from autodrill.engine.core.complex_convention import real_part
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.diagonals import diagonal
from autodrill.engine.ops.elementwise import sqrt, where
from autodrill.engine.ops.linalg import _mH, matmul
from autodrill.engine.ops.reduce import Axis, sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims, reshape

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["corrcoef", "cov", "nanmean", "nansum"]


@behaves("reduction", complex="complex", integers=True)
def nansum(x: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the sum over `axis` of all elements except NaN, which get no gradient.

    Source: `numpy.nansum`.
    """
    return sum(where(raw(x) == raw(x), x, 0), axis=axis, keepdims=keepdims)


@behaves("reduction", complex="complex")
def nanmean(x: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the mean over `axis` of all elements except NaN, and NaN if all are NaN.

    Source: `numpy.nanmean`.
    """
    counted = (raw(x) == raw(x)).sum(axis=axis, keepdims=keepdims)
    return nansum(x, axis, keepdims) / backend_of(raw(x)).xp.asarray(counted, floating(raw(x)).dtype)


def cov(x: Array, *, ddof: float = 1, fweights: Array | None = None, aweights: Array | None = None) -> Any:
    """Return the covariance matrix of variables, the rows of x, over observations, the columns of x.

    Args:
        x: Real or complex numbers, shape (variables, observations), or (observations,) for one variable.
        ddof: Subtracted from the number of observations in the divisor.
        fweights: The number of times that each observation occurred, integers of shape (observations,).
        aweights: The weights of the observations, of the same shape; the divisor is then NumPy's.

    Returns:
        Shape (variables, variables), or () for one variable.

    Raises:
        ValueError: x has more than two axes, or the shape of the weights does not fit.

    Source: `numpy.cov`.
    """
    if x.ndim > 2:
        raise ValueError(f"`cov` needs a vector or a matrix, not shape {x.shape}")
    rows = reshape(x, (1, -1)) if x.ndim < 2 else x
    xp = backend_of(raw(x)).xp
    weights: Any = xp.ones(rows.shape[1], x.dtype) if fweights is None else xp.asarray(raw(fweights), x.dtype)
    if aweights is not None:
        weights = aweights * weights
    total = sum(weights)
    centred = rows - expand_dims(sum(rows * weights, axis=1) / total, 1)
    lost = ddof if aweights is None else ddof * sum(weights * aweights) / total
    found = matmul(centred, _mH(centred * weights)) / (total - lost)
    return reshape(found, ()) if rows.shape[0] == 1 else found


def corrcoef(x: Array) -> Any:
    """Return the correlation matrix of variables, the rows of x: their covariances divided by both standard deviations.

    Unlike in NumPy, rounding beyond 1 stays.

    Args:
        x: Real or complex numbers, shape (variables, observations), or (observations,) for one variable.

    Returns:
        Shape (variables, variables), or () for one variable.

    Raises:
        ValueError: x has more than two axes.

    Source: `numpy.corrcoef`.
    """
    found = cov(x)
    if found.ndim == 0:
        return found / found
    deviations = sqrt(real_part(diagonal(found)))
    return found / expand_dims(deviations, 1) / deviations
