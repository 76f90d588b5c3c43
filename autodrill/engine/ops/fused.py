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
    """Return x + value · a · b, elementwise."""
    return x + value * (a * b)


def addcdiv(x: Array, a: Array, b: Array, value: float = 1) -> Any:
    """Return x + value · a / b, elementwise."""
    return x + value * (a / b)


def addmm(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (a b), for matrices a, (N, K), and b, (K, M); x broadcasts to (N, M)."""
    return beta * x + alpha * matmul(a, b)


def addmv(x: Array, a: Array, v: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (a v), for a matrix a, (N, K), and a vector v, (K,); x broadcasts to (N,)."""
    return beta * x + alpha * matvec(a, v)


def addr(x: Array, u: Array, v: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (u vᵀ), for vectors u, (N,), and v, (M,); x broadcasts to (N, M)."""
    return beta * x + alpha * outer(u, v)


def baddbmm(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha (a b) for each matrix of a batch: a is (B, N, K), b is (B, K, M)."""
    return beta * x + alpha * matmul(a, b)


def addbmm(x: Array, a: Array, b: Array, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta x + alpha Σ (a b), summed over the batch: a is (B, N, K), b is (B, K, M), x broadcasts to (N, M)."""
    return beta * x + alpha * sum(matmul(a, b), axis=0)
