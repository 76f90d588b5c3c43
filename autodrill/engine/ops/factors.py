"""The LU decomposition, products of Householder reflections, and solutions from the factors of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.diagonals import tril, triu
from autodrill.engine.ops.elementwise import log, where
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.linalg import _mH, _mT, matmul
from autodrill.engine.ops.shape import broadcast_to, concatenate, expand_dims
from autodrill.engine.ops.solving import _eye, check_square, det, logabsdet, solve_triangular
from autodrill.engine.transforms.batched_array import lead

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "cholesky_inverse", "cholesky_solve", "eliminate", "householder_product", "logdet", "lu", "lu_factor", "lu_solve",
    "lu_unpack", "ormqr",
]
# fmt: on


def logdet(x: Array) -> Any:
    """Return the logarithm of the determinant of square matrices; NaN if a real determinant is negative.

    Args:
        x: Shape (..., N, N).

    Returns:
        Shape (...); -inf for a singular real matrix.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square.

    Source: agrees with `torch.logdet`.
    """
    if raw(x).dtype.kind == "c":
        return log(det(x))
    return where(raw(det(raw(x))) < 0, float("nan"), logabsdet(x))


# LU (de Hoog, Anderssen and Lukas, 2011)


def _eliminated(xp: Namespace, x: Array, *, pivoting: bool) -> tuple[Array, Array]:
    """Run Gaussian elimination; with `pivoting`, each step first exchanges the pivot for the largest element below it.

    Returns:
        The multipliers below the diagonal and U on and above it, and the order of the rows.
    """
    places, columns = xp.arange(x.shape[-2]), xp.arange(x.shape[-1])
    out, rows = xp.array(x), xp.broadcast_to(places, x.shape[:-1])
    for k in range(min(x.shape[-2:])):
        if pivoting:
            pivot = k + xp.argmax(xp.abs(out[..., k:, k]), axis=-1)[..., None]
            exchanged = xp.where(places == k, pivot, xp.where(places == pivot, k, places))
            out = xp.take_along_axis(out, exchanged[..., None], -2)
            rows = xp.take_along_axis(rows, exchanged, -1)
        divisor = out[..., k : k + 1, k]
        # A column of zeros needs no elimination.
        out[..., k + 1 :, k] /= xp.where(divisor == 0, 1, divisor)
        out[..., k + 1 :, :] -= xp.where(columns > k, out[..., k + 1 :, k : k + 1] * out[..., k : k + 1, :], 0)
    return out, rows


def _pivoted(x: Array) -> Array:
    """Return the order of the rows in which partial pivoting eliminates them, shape (..., M)."""
    return _eliminated(backend_of(x).xp, x, pivoting=True)[1]


@primitive(on_complex="holomorphic")
def eliminate(xp: Namespace, x: Array) -> Array:
    """Return L U = x of square matrices without pivoting: L, without its diagonal of ones, below U in one matrix.

    A pivot that is 0 above elements that are not has no such L and U: `lu` exchanges rows first.

    Args:
        x: Shape (..., N, N).

    Returns:
        The shape of x.

    Raises:
        numpy.linalg.LinAlgError: x does not hold matrices, or they are not square.

    Source: Gaussian elimination; the derivative of de Hoog, Anderssen and Lukas (2011).
    """
    check_square("eliminate", x)
    return _eliminated(xp, x, pivoting=False)[0]


def _unit_lower(packed: Array) -> Array:
    return tril(packed, k=-1) + _eye(packed)


def _by_upper(x: Array, u: Array) -> Array:
    """Return x U⁻¹."""
    return _mT(solve_triangular(_mT(u), _mT(x), lower=True))


def _eliminate_vjp(g: Array, out: Array) -> Array:
    lower, upper = _unit_lower(out), triu(out)
    inner = tril(matmul(_mT(lower), tril(g, k=-1)), k=-1) + triu(matmul(triu(g), _mT(upper)))
    left = solve_triangular(_mT(lower), inner, unit_diagonal=True)  # L⁻ᵀ (...) U⁻ᵀ
    return _mT(solve_triangular(upper, _mT(left)))


def _eliminate_jvp(dx: Array, out: Array) -> Array:
    lower, upper = _unit_lower(out), triu(out)
    inner = _by_upper(solve_triangular(lower, dx, lower=True, unit_diagonal=True), upper)
    return matmul(lower, tril(inner, k=-1)) + matmul(triu(inner), upper)


eliminate.vjp(x=_eliminate_vjp)
eliminate.jvp(_eliminate_jvp)
eliminate.vmap("leading")


def _reordered(x: Array, rows: Array) -> Any:
    """Return x with its rows in another order."""
    shape = (*x.shape[:-2], rows.shape[-1], x.shape[-1])
    return take_along_axis(x, broadcast_to(expand_dims(rows, -1), shape), -2)


def lu_factor(x: Array) -> tuple[Any, Array]:
    """Return the LU decomposition of matrices, with partial pivoting, packed into one matrix.

    Args:
        x: Shape (..., M, N).

    Returns:
        A matrix of x's shape, with U on and above the diagonal and L, without its ones, below; and `rows`, integers of
        shape (..., M), with x[rows] = L U. (PyTorch and SciPy return the exchanges that lead to this order.) The order
        of the rows has no derivative. For M > N, the first N rows of the reordered x must be regular.

    Raises:
        numpy.linalg.LinAlgError: x has fewer than two axes; or M > N, and the first N rows are singular.

    Source: LAPACK's `getrf`; the derivative of de Hoog, Anderssen and Lukas (2011).
    """
    if x.ndim < 2:
        raise np.linalg.LinAlgError(f"`lu_factor` got shape {x.shape}: it needs matrices, in the last two axes")
    m, n = x.shape[-2:]
    rows = lead(_pivoted, raw(x))
    ordered = _reordered(x, rows)
    k = min(m, n)
    square = eliminate(ordered[..., :k, :k])
    if m > k:
        return concatenate([square, _by_upper(ordered[..., k:, :], triu(square))], axis=-2), rows
    if n > k:
        right = solve_triangular(_unit_lower(square), ordered[..., k:], lower=True, unit_diagonal=True)
        return concatenate([square, right], axis=-1), rows
    return square, rows


def lu_unpack(packed: Array, rows: Array) -> tuple[Array, Any, Any]:
    """Return P, L and U from the result of `lu_factor`.

    Args:
        packed: Shape (..., M, N), the first result of `lu_factor`, with K = min(M, N).
        rows: Integers, shape (..., M), its second result.

    Returns:
        P of shape (..., M, M), a plain array; L of shape (..., M, K); U of shape (..., K, N).

    Raises:
        ValueError: There are not M rows.

    Source: agrees with `torch.lu_unpack`, which takes exchanges of rows.
    """
    m, n = packed.shape[-2:]
    k = min(m, n)
    if raw(rows).shape[-1] != m:
        raise ValueError(f"`lu_unpack` got {m} rows and an order of {raw(rows).shape[-1]}")
    xp = backend_of(raw(packed)).xp
    lower = tril(packed[..., :k], k=-1) + xp.eye(m, k, dtype=packed.dtype)
    # Column j of P has its one in row rows[j].
    places = raw(rows)[..., None, :] == xp.arange(m)[:, None]
    return places.astype(packed.dtype), lower, triu(packed[..., :k, :])


def lu(x: Array) -> tuple[Array, Any, Any]:
    """Return P, L and U with x = P L U: a permutation, a unit lower and an upper triangular matrix.

    Args:
        x: Shape (..., M, N), with K = min(M, N).

    Returns:
        P of shape (..., M, M), a plain array; L of shape (..., M, K); U of shape (..., K, N).

    Raises:
        numpy.linalg.LinAlgError: As for `lu_factor`.

    Source: LAPACK's `getrf`. Agrees with `scipy.linalg.lu` and `torch.linalg.lu`.
    """
    return lu_unpack(*lu_factor(x))


def lu_solve(packed: Array, rows: Array, b: Array) -> Any:
    """Return the solution x of a x = b, from `packed, rows = lu_factor(a)` of square a.

    Args:
        packed: Shape (..., N, N), the first result of `lu_factor`.
        rows: Integers, shape (..., N), its second result.
        b: A vector (N,), or matrices (..., N, K).

    Returns:
        The shape of b, with the common leading axes.

    Raises:
        numpy.linalg.LinAlgError: The matrix is singular or not square.
        ValueError: The shapes do not fit.

    Source: LAPACK's `getrs`. Agrees with `scipy.linalg.lu_solve`, which takes exchanges of rows.
    """
    check_square("lu_solve", packed)
    if b.ndim == 1:
        return lu_solve(packed, rows, expand_dims(b, -1))[..., 0]
    if b.shape[-2] != packed.shape[-1]:
        raise ValueError(f"`lu_solve` got factors of shape {packed.shape}, which do not fit b of shape {b.shape}")
    half = solve_triangular(_unit_lower(packed), _reordered(b, raw(rows)), lower=True, unit_diagonal=True)
    return solve_triangular(triu(packed), half)


# Solutions from a Cholesky factor


def cholesky_solve(b: Array, factor: Array, upper: bool = False) -> Any:
    """Return the solution x of a x = b, from the Cholesky factor of a: a = L Lᴴ, or a = Uᴴ U with `upper`.

    Args:
        b: A vector (N,), or matrices (..., N, K).
        factor: Shape (..., N, N); its other triangle is not read.
        upper: Whether the factor is upper triangular.

    Returns:
        The shape of b, with the common leading axes.

    Raises:
        numpy.linalg.LinAlgError: The factor has a zero on its diagonal.
        ValueError: The shapes do not fit.

    Source: LAPACK's `potrs`. Agrees with `torch.cholesky_solve`.
    """
    lower = _mH(triu(factor)) if upper else factor
    return solve_triangular(_mH(lower), solve_triangular(lower, b, lower=True))


def cholesky_inverse(factor: Array, upper: bool = False) -> Any:
    """Return the inverse of a from its Cholesky factor: a = L Lᴴ, or a = Uᴴ U with `upper`.

    Args:
        factor: Shape (..., N, N); its other triangle is not read.
        upper: Whether the factor is upper triangular.

    Returns:
        The shape of the factor.

    Raises:
        numpy.linalg.LinAlgError: The factor has a zero on its diagonal, or is not square.

    Source: LAPACK's `potri`. Agrees with `torch.cholesky_inverse`.
    """
    return cholesky_solve(_eye(factor), factor, upper)


# Householder reflections (Householder, 1958; Schreiber and Van Loan, 1989)


def _reflected(x: Array, v: Array, tau: Array) -> Any:
    """Return H x, with H = 1 - tau v vᴴ."""
    return x - expand_dims(tau, -1) * matmul(v, matmul(_mH(v), x))


def _reflections(a: Array, tau: Array) -> list[tuple[Any, Any]]:
    """Return the vector, as a column, and the factor of each reflection: 1 at place k of column k, a below."""
    if tau.ndim < 1 or tau.shape[-1] > a.shape[-1]:
        raise ValueError(f"vectors of shape {a.shape} have no reflections for factors of shape {tau.shape}")
    xp = backend_of(raw(a)).xp
    unit = xp.eye(a.shape[-2], a.shape[-1], dtype=a.dtype)
    vectors = tril(a, k=-1) + unit
    return [(vectors[..., k : k + 1], tau[..., k : k + 1]) for k in range(tau.shape[-1])]


def householder_product(a: Array, tau: Array) -> Any:
    """Return the first N columns of H₁ H₂ ... H_K, with Hₖ = 1 - tauₖ vₖ vₖᴴ.

    Args:
        a: Shape (..., M, N), M >= N; vₖ is 0 above place k, 1 there, and column k of a below.
        tau: Shape (..., K), K <= N.

    Returns:
        Shape (..., M, N).

    Raises:
        numpy.linalg.LinAlgError: a has fewer rows than columns.
        ValueError: There are more factors than columns.

    Source: LAPACK's `orgqr`; Householder (1958). Agrees with `torch.linalg.householder_product`.
    """
    if a.ndim < 2 or a.shape[-2] < a.shape[-1]:
        raise np.linalg.LinAlgError(
            f"`householder_product` got shape {a.shape}: it needs at least as many rows as columns"
        )
    xp = backend_of(raw(a)).xp
    found: Any = xp.eye(a.shape[-2], a.shape[-1], dtype=a.dtype)
    for v, factor in reversed(_reflections(a, tau)):
        found = _reflected(found, v, factor)
    # Without reflections, the result still has the examples and the graph of a.
    return found if tau.shape[-1] else found + a * 0


def ormqr(a: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Any:
    """Return Q · other, with the square Q = H₁ H₂ ... H_K of `householder_product`.

    Args:
        a: As for `householder_product`, shape (..., M, K).
        tau: As there.
        other: Shape (..., M, P) if `left`, otherwise (..., P, M).
        left: Whether Q stands on the left; otherwise the result is other · Q.
        transpose: Whether to use Qᴴ in place of Q.

    Returns:
        The shape of `other`.

    Raises:
        ValueError: There are more factors than columns, or `other` does not fit.

    Source: LAPACK's `ormqr`. Agrees with `torch.ormqr`.
    """
    if not left:  # other Q is the adjoint of Qᴴ otherᴴ
        return _mH(ormqr(a, tau, _mH(other), transpose=not transpose))
    reflections = _reflections(a, tau)
    for v, factor in reflections if transpose else reversed(reflections):
        other = _reflected(other, v, factor.conj() if transpose else factor)
    return other
