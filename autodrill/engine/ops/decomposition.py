"""Decompositions of batches of matrices, and the matrix norms that need one.

A primitive returns all factors in one array, which the public functions split. The sign or phase of a singular vector
and the basis of a repeated singular value are arbitrary and have no derivative; see `eigen`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.complex_convention import inner, is_complex, real_part
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.diagonals import diag_embed, diagonal, tril, triu
from autodrill.engine.ops.eigen import demand_distinct, demand_free_of_phase, reciprocal_gaps
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.linalg import _mH, _mT, matmul
from autodrill.engine.ops.norms import vector_norm
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.reduce import max, min, sum  # noqa: A004 - NumPy's names
from autodrill.engine.ops.shape import concatenate, expand_dims, moveaxis, reshape
from autodrill.engine.ops.solving import solve

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["cholesky", "cond", "norm", "qr", "svd", "svdvals"]


def _half_lower(x: Array) -> Array:
    """Return the lower triangle with the diagonal halved."""
    return tril(x, k=-1) + diag_embed(diagonal(x, 0, -2, -1)) * 0.5


def _hermitian(x: Array) -> Array:
    return (x + _mH(x)) / 2


# Cholesky (Murray, 2016)


@primitive(on_complex="adjoint")
def cholesky(xp: Namespace, x: Array) -> Array:
    """Return the lower triangular L with L Lᴴ = x, for Hermitian positive definite x; its gradient is Hermitian.

    Args:
        x: Shape (..., N, N); only the lower triangle is read.

    Returns:
        The shape of x.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square or not positive definite.

    Source: LAPACK's `potrf`, the derivative of Murray (2016). Agrees with `numpy.linalg.cholesky`.
    """
    return xp.linalg.cholesky(x)


def _cholesky_vjp(g: Array, out: Array) -> Array:
    inner = _half_lower(_mH(out) @ g)
    # L⁻ᴴ (...) L⁻¹, by two solves
    return _hermitian(_mH(solve(_mH(out), _mH(solve(_mH(out), inner)))))


def _cholesky_jvp(dx: Array, out: Array) -> Array:
    return out @ _half_lower(solve(out, _mH(solve(out, _hermitian(dx)))))


cholesky.vjp(x=_cholesky_vjp)
cholesky.jvp(_cholesky_jvp)
cholesky.vmap("leading")


# QR (Walter and Lehmann, 2018)


@primitive(on_complex="adjoint")
def _qr(xp: Namespace, x: Array) -> Array:
    """Return Q above R, for matrices with at least as many rows as columns."""
    q, r = xp.linalg.qr(x)
    return xp.concatenate([q, r], axis=-2)


def _right_divided(x: Array, r: Array) -> Array:
    """Return x r⁻¹."""
    return _mT(solve(_mT(r), _mT(x)))


def _qr_vjp(g: Array, out: Array, x_shape: tuple[int, ...]) -> Array:
    rows = x_shape[-2]
    q, r, gq, gr = out[..., :rows, :], out[..., rows:, :], g[..., :rows, :], triu(g[..., rows:, :])
    lower = _half_lower(r @ _mH(gr) - _mH(gq) @ q)
    return _mH(solve(r, _mH(gq + q @ (lower + _mH(lower)))))  # (...) r⁻ᴴ


def _qr_jvp(dx: Array, out: Array, x_shape: tuple[int, ...]) -> Array:
    rows = x_shape[-2]
    q, r = out[..., :rows, :], out[..., rows:, :]
    scaled = _right_divided(dx, r)
    inside = _mH(q) @ scaled
    below = tril(inside, k=-1)
    turning = below - _mH(below)
    if is_complex(out):
        turning = turning + diag_embed(1j * diagonal(inside, 0, -2, -1).imag)  # the diagonal of R stays real
    dq = q @ turning + scaled - q @ inside
    return concatenate([dq, (inside - turning) @ r], axis=-2)


_qr.vjp(x=_qr_vjp)
_qr.jvp(_qr_jvp)
_qr.vmap("leading")


def qr(x: Array) -> tuple[Any, Any]:
    """Return Q with orthonormal columns and upper triangular R, with x = Q R.

    The result is differentiable if the first K columns of x are linearly independent, with K = min(M, N).

    Args:
        x: Shape (..., M, N).

    Returns:
        Q of shape (..., M, K), and R of shape (..., K, N).

    Raises:
        numpy.linalg.LinAlgError: x has fewer than two axes.

    Source: LAPACK's `geqrf`, the derivative of Walter and Lehmann (2018). Agrees with `numpy.linalg.qr`.
    """
    if x.ndim < 2:
        raise np.linalg.LinAlgError(f"`qr` needs matrices, in the last two axes, and got shape {x.shape}")
    rows, columns = x.shape[-2:]
    if rows >= columns:
        both = _qr(x)
        return both[..., :rows, :], both[..., rows:, :]
    both = _qr(x[..., :rows])
    q = both[..., :rows, :]
    return q, concatenate([both[..., rows:, :], matmul(_mH(q), x[..., rows:])], axis=-1)


# Singular values (Townsend, 2016)


@primitive(on_complex="adjoint")
def _svd(xp: Namespace, x: Array) -> Array:
    """Return U, the singular values as a row, and V, stacked."""
    u, s, vt = xp.linalg.svd(x, full_matrices=False)
    return xp.concatenate([u, s[..., None, :], xp.swapaxes(vt, -1, -2).conj()], axis=-2)


def _cut(packed: Array, rows: int) -> tuple[Array, Array, Array]:
    return packed[..., :rows, :], real_part(packed[..., rows, :]), packed[..., rows + 1 :, :]


def _without(basis: Array, x: Array) -> Array:
    """Return the component of x's columns that is orthogonal to the columns of `basis`."""
    return x - basis @ (_mH(basis) @ x)


def _reciprocal_gaps_of_squares(s: Array, equal: float = 0.0) -> Array:
    total = expand_dims(s, -2) + expand_dims(s, -1)
    return reciprocal_gaps(s, equal) / where(raw(total) == 0, 1, total)


def _svd_vjp(g: Array, out: Array, x_shape: tuple[int, ...]) -> Array:
    (u, s, v), (gu, gs, gv) = _cut(out, x_shape[-2]), _cut(g, x_shape[-2])
    row, column = expand_dims(s, -2), expand_dims(s, -1)
    gaps = _reciprocal_gaps_of_squares(s)
    left, right = _mH(u) @ gu, _mH(v) @ gv
    demand_free_of_phase("svd", left + right)
    demand_distinct("svd", "singular values", s, absolute(raw(left)) + absolute(raw(right)))
    inner = (gaps * (left - _mH(left))) * row + column * (gaps * (right - _mH(right))) + diag_embed(gs)
    if is_complex(out):
        inner = inner + diag_embed(0.5j * diagonal(left - right, 0, -2, -1).imag / s)
    return u @ inner @ _mH(v) + (_without(u, gu) / row) @ _mH(v) + u @ _mH(_without(v, gv) / row)


def _svd_jvp(dx: Array, out: Array, x_shape: tuple[int, ...]) -> Array:
    u, s, v = _cut(out, x_shape[-2])
    row, column = expand_dims(s, -2), expand_dims(s, -1)
    gaps = _reciprocal_gaps_of_squares(s, math.nan)
    right, left = dx @ v, _mH(dx) @ u
    inner = _mH(u) @ right
    du = u @ (gaps * (inner * row + column * _mH(inner))) + _without(u, right) / row
    dv = v @ (gaps * (column * inner + _mH(inner) * row)) + _without(v, left) / row
    ds = diagonal(inner, 0, -2, -1)
    if is_complex(out):  # the relative phase of u and v is split between them
        turn = diag_embed(0.5j * ds.imag / s)
        du, dv, ds = du + u @ turn, dv - v @ turn, ds.real
    return concatenate([du, expand_dims(ds, -2), dv], axis=-2)


_svd.vjp(x=_svd_vjp)
_svd.jvp(_svd_jvp)
_svd.vmap("leading")


def svd(x: Array) -> tuple[Any, Any, Any]:
    """Return U, s and Vᴴ of the thin singular value decomposition, x = U diag(s) Vᴴ, s in descending order.

    Args:
        x: Shape (..., M, N), with K = min(M, N).

    Returns:
        U of shape (..., M, K); s, real, of shape (..., K); and Vᴴ of shape (..., K, N).

    Raises:
        numpy.linalg.LinAlgError: x has fewer than two axes, or a NaN. Backward also raises it for a function of the
            vectors if two singular values are equal (forward mode returns NaN).
        RuntimeError: Backward of a function of the phases of complex vectors.

    Source: LAPACK's `gesdd`, the derivative of Townsend (2016). Agrees with `numpy.linalg.svd` of
    `full_matrices=False`.
    """
    u, s, v = _cut(_svd(x), x.shape[-2])
    return u, s, _mH(v)


@primitive(on_complex="adjoint")
def svdvals(xp: Namespace, x: Array) -> Array:
    """Return the singular values, in descending order; equal or zero values have one of several subgradients.

    Args:
        x: Shape (..., M, N).

    Returns:
        Real, shape (..., K), with K = min(M, N).

    Raises:
        numpy.linalg.LinAlgError: x has fewer than two axes, or a NaN.

    Source: LAPACK's `gesdd`. Agrees with `numpy.linalg.svdvals`.
    """
    return xp.linalg.svd(x, compute_uv=False)


def _svdvals_vjp(g: Array, x: Array) -> Array:
    u, _, vh = svd(x)
    return (u * expand_dims(g, -2)) @ vh


def _svdvals_jvp(dx: Array, x: Array) -> Array:
    u, _, vh = svd(x)
    return sum(inner(_mH(u) @ dx, vh), axis=-1)


svdvals.vjp(x=_svdvals_vjp)
svdvals.jvp(_svdvals_jvp)
svdvals.vmap("leading")


# Norms

Order = float | Literal["fro", "nuc"] | None


def norm(x: Array, ord: Order = None, axis: int | tuple[int, int] | None = None, keepdims: bool = False) -> Any:
    """Return a norm of vectors or, for two axes, of matrices, with NumPy's meaning of `ord`.

    Args:
        x: Values of any shape.
        ord: For vectors see `vector_norm`. For matrices: `"fro"`, the default; `"nuc"`, the sum of the singular values;
            2 and -2, the largest and the smallest singular value; 1 and -1, the largest and the smallest absolute sum
            of a column; `inf` and `-inf`, of a row. None without an axis is the Euclidean norm of all elements.
        axis: One axis for vectors, two for matrices; by default all.
        keepdims: Whether the reduced axes are kept, with length 1.

    Returns:
        Real, the shape of x without the reduced axes.

    Raises:
        ValueError: There is no such matrix norm, or it would reduce another number of axes than two.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.linalg.norm`.
    """
    if ord is None and not isinstance(axis, tuple):
        return vector_norm(x, 2, axis, keepdims)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1 and not isinstance(ord, str):
        return vector_norm(x, 2 if ord is None else ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError(f"a matrix norm needs two axes, not {len(axes)}; pass them as `axis`")
    if ord in {None, "fro"}:
        return vector_norm(x, 2, axes, keepdims)
    matrices = moveaxis(x, axes, (-2, -1))
    if ord in ("nuc", 2, -2):
        values = svdvals(matrices)
        result = {"nuc": sum, 2: max, -2: min}[ord](values, axis=-1)
    elif ord in {1, -1, math.inf, -math.inf}:
        sums = sum(absolute(matrices), axis=-2 if ord in {1, -1} else -1)
        result = max(sums, axis=-1) if ord in {1, math.inf} else min(sums, axis=-1)
    else:
        raise ValueError(f"there is no matrix norm `{ord}`")
    if not keepdims:
        return result
    places = {a % x.ndim for a in axes}
    return reshape(result, tuple(1 if k in places else n for k, n in enumerate(x.shape)))


def cond(x: Array) -> Any:
    """Return the condition number, the ratio of the largest to the smallest singular value.

    Args:
        x: Shape (..., M, N).

    Returns:
        Real, shape (...); infinite for a singular matrix.

    Raises:
        numpy.linalg.LinAlgError: x has fewer than two axes, or a NaN.

    Source: agrees with `numpy.linalg.cond`.
    """
    values = svdvals(x)
    return values[..., 0] / values[..., -1]
