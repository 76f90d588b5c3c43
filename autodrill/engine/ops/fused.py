"""Sums of products under PyTorch's names: beta x + alpha (a product)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.ops.contraction import matvec, outer
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "baddbmm"]


def addcmul(x: Array, a: Array, b: Array, value: float = 1) -> Any:
    """Return x + value · a · b, elementwise.

    Args:
        x: Values of any shape; the first three broadcast against each other.
        a, b: The factors.
        value: A further factor, a number.

    Returns:
        The common shape.

    Raises:
        ValueError: The shapes do not broadcast.

    Source: agrees with `torch.addcmul`.
    """
    return x + value * (a * b)


def addcdiv(x: Array, a: Array, b: Array, value: float = 1) -> Any:
    """Return x + value · a / b, elementwise.

    Args:
        x: Values of any shape; the first three broadcast against each other.
        a: The numerator.
        b: The denominator.
        value: A factor, a number.

    Returns:
        The common shape.

    Raises:
        ValueError: The shapes do not broadcast.

    Source: agrees with `torch.addcdiv`.
    """
    return x + value * (a / b)


def addmm(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (a b), for matrices a and b.

    Args:
        x: Values that broadcast to (N, M).
        a: Shape (N, K).
        b: Shape (K, M).
        beta, alpha: Numbers.

    Returns:
        Shape (N, M).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.addmm`.
    """
    return beta * x + alpha * matmul(a, b)


def addmv(x: Array, a: Array, v: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (a v), for a matrix a and a vector v.

    Args:
        x: Values that broadcast to (N,).
        a: Shape (N, K).
        v: Shape (K,).
        beta, alpha: Numbers.

    Returns:
        Shape (N,).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.addmv`.
    """
    return beta * x + alpha * matvec(a, v)


def addr(x: Array, u: Array, v: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (u vᵀ), for vectors u and v.

    Args:
        x: Values that broadcast to (N, M).
        u: Shape (N,).
        v: Shape (M,).
        beta, alpha: Numbers.

    Returns:
        Shape (N, M).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.addr`.
    """
    return beta * x + alpha * outer(u, v)


def baddbmm(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (a b) for each matrix of a batch.

    Args:
        x: Values that broadcast to (B, N, M).
        a: Shape (B, N, K).
        b: Shape (B, K, M).
        beta, alpha: Numbers.

    Returns:
        Shape (B, N, M).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.baddbmm`.
    """
    return beta * x + alpha * matmul(a, b)


def addbmm(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha Σ (a b), summed over a batch of matrices.

    Args:
        x: Values that broadcast to (N, M).
        a: Shape (B, N, K).
        b: Shape (B, K, M).
        beta, alpha: Numbers.

    Returns:
        Shape (N, M).

    Raises:
        ValueError: The shapes do not fit.

    Source: agrees with `torch.addbmm`.
    """
    return beta * x + alpha * sum(matmul(a, b), axis=0)
