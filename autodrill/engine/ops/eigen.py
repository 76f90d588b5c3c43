"""Eigenvalues and eigenvectors of batches of matrices.

The sign or phase of an eigenvector and the basis of a repeated eigenvalue are arbitrary, so they have no derivative. A
function of eigenvectors that depends on such a choice is refused if the dependence is detected.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.backend import backend_of, everywhere
from autodrill.engine.core.complex_convention import inner, is_complex, real_part
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.diagonals import diag_embed, diagonal
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.linalg import _mH, matmul
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import concatenate, expand_dims
from autodrill.engine.ops.solving import solve

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]


# Refusal of functions that depend on the choice of vectors


def _roundings(array: Array) -> float:
    return float(1e3 * np.finfo(array.dtype).eps)


def _equal_pairs(values: Array) -> Array:
    """Return a matrix of booleans: whether two values are equal up to the rounding of a decomposition."""
    values = raw(values)
    xp, count = backend_of(values).xp, values.shape[-1]
    if not count:
        return xp.zeros((0, 0), dtype=bool)
    size = xp.absolute(values)
    gap = xp.absolute(expand_dims(values, -2) - expand_dims(values, -1))
    near = gap <= 4 * count * np.finfo(values.dtype).eps * expand_dims(size.max(axis=-1, keepdims=True), -1)
    return xp.logical_and(near, ~xp.eye(count, dtype=bool))


def reciprocal_gaps(values: Array, equal: float = 0.0) -> Array:
    """Return 1 / (valueⱼ - valueᵢ), 0 on the diagonal, and `equal` where two values are equal."""
    gap = expand_dims(values, -2) - expand_dims(values, -1)
    pairs = _equal_pairs(values)
    xp = backend_of(pairs).xp
    none = xp.logical_or(pairs, xp.eye(values.shape[-1], dtype=bool))
    return where(none, where(pairs, equal, 0.0), 1 / where(none, 1, gap))


def demand_distinct(name: str, what: str, values: Array, turning: Array) -> None:
    """Refuse a cotangent that rotates the vectors of two equal values into each other.

    Args:
        name: The operation.
        what: The name of the values in the message.
        values: The values, as rows.
        turning: The rotation of the vectors of each pair.

    Raises:
        numpy.linalg.LinAlgError: The cotangent rotates such vectors.
    """
    turning = raw(turning)
    xp = backend_of(turning).xp
    size = xp.absolute(turning)
    if not turning.shape[-1]:
        return
    moved = size > _roundings(turning) * size.max(axis=(-2, -1), keepdims=True)
    if not everywhere(xp.logical_not(xp.logical_and(moved, _equal_pairs(values)))):
        raise np.linalg.LinAlgError(
            f"`{name}` has two equal {what} here, and a function of its vectors is differentiated. The vectors of "
            f"equal {what} are arbitrary up to a rotation, so they have no derivative. Use the {what} alone, or a "
            "function of the matrix without the vectors (`matrix_exp`, `inv`, `matrix_power`)"
        )


def demand_free_of_phase(name: str, turning: Array) -> None:
    """Refuse a cotangent that depends on the phases of complex vectors, as PyTorch does.

    Args:
        name: The operation.
        turning: The inner products of the vectors with the cotangents. Its diagonal is real if the loss does not
            depend on the phases.

    Raises:
        RuntimeError: The cotangent depends on the phases.
    """
    turning = raw(turning)
    if not is_complex(turning) or not turning.shape[-1]:
        return
    xp = backend_of(turning).xp
    size = xp.absolute(turning).max(axis=(-2, -1), keepdims=True)[..., 0]
    phase = xp.absolute(diagonal(turning, 0, -2, -1).imag)
    if not everywhere(phase <= 1e-3 * size + _roundings(turning)):
        raise RuntimeError(
            f"the loss depends on the phases of the complex vectors of `{name}`, which are arbitrary: a vector times "
            "exp(iφ) is a valid result too. Use an expression without the phase, such as `absolute(v)` or a product "
            "of v with its conjugate"
        )


# Hermitian matrices (Giles, 2008)


@primitive(on_complex="adjoint")
def _eigh(xp: Namespace, x: Array) -> Array:
    """Return the eigenvalues as a row above the eigenvectors."""
    values, vectors = xp.linalg.eigh(x)
    return xp.concatenate([values[..., None, :], vectors], axis=-2)


def _hermitian(x: Array) -> Array:
    return (x + _mH(x)) / 2


def _eigh_vjp(g: Array, out: Array) -> Array:
    values, vectors, gw, gv = real_part(out[..., 0, :]), out[..., 1:, :], real_part(g[..., 0, :]), g[..., 1:, :]
    turning = _mH(vectors) @ gv
    demand_free_of_phase("eigh", turning)
    demand_distinct("eigh", "eigenvalues", values, turning)
    return _hermitian(vectors @ (diag_embed(gw) + reciprocal_gaps(values) * turning) @ _mH(vectors))


def _eigh_jvp(dx: Array, out: Array) -> Array:
    values, vectors = real_part(out[..., 0, :]), out[..., 1:, :]
    turned = _mH(vectors) @ _hermitian(dx) @ vectors
    dw = diagonal(turned, 0, -2, -1)
    return concatenate([expand_dims(dw, -2), vectors @ (reciprocal_gaps(values, math.nan) * turned)], axis=-2)


_eigh.vjp(x=_eigh_vjp)
_eigh.jvp(_eigh_jvp)
_eigh.vmap("leading")


def _lower(x: Array, uplo: Literal["L", "U"]) -> Array:
    """Return a matrix whose lower triangle, which LAPACK reads, is that of x or the adjoint of the upper one."""
    if uplo not in {"L", "U"}:
        raise ValueError(f"`UPLO` must be `L` or `U`, not `{uplo}`")
    return x if uplo == "L" else _mH(x)


def eigh(x: Array, UPLO: Literal["L", "U"] = "L") -> tuple[Any, Any]:
    """Return the real eigenvalues of Hermitian matrices, in ascending order, and the eigenvectors as columns.

    Args:
        x: Shape (..., N, N).
        UPLO: The triangle of x that is read, the lower or the upper one. The gradient is Hermitian nevertheless.

    Returns:
        The eigenvalues, shape (..., N), and the eigenvectors, shape (..., N, N).

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square. Backward also raises it for a function of the eigenvectors if
            two eigenvalues are equal (forward mode returns NaN).
        RuntimeError: Backward of a function of the phases of complex eigenvectors.
        ValueError: `UPLO` is neither `"L"` nor `"U"`.

    Source: LAPACK's `syevd` and `heevd`, the derivative of Giles (2008). Agrees with `numpy.linalg.eigh`.
    """
    both = _eigh(_lower(x, UPLO))
    return real_part(both[..., 0, :]), both[..., 1:, :]


def eigvalsh(x: Array, UPLO: Literal["L", "U"] = "L") -> Any:
    """Return the real eigenvalues of Hermitian matrices, in ascending order.

    Args:
        x: Shape (..., N, N).
        UPLO: As for `eigh`.

    Returns:
        Shape (..., N).

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square.
        ValueError: `UPLO` is neither `"L"` nor `"U"`.

    Source: the derivative of a simple eigenvalue is vᴴ dx v (Giles, 2008). Agrees with `numpy.linalg.eigvalsh`.
    """
    return eigh(x, UPLO)[0]


# General matrices (Boeddeker, Hanebrink, Drude, Heymann and Haeb-Umbach, 2017)


@primitive(on_complex="adjoint")
def _eig(xp: Namespace, x: Array) -> Array:
    """Return the eigenvalues as a row above the eigenvectors; complex even if all of them are real."""
    values, vectors = xp.linalg.eig(x)
    return xp.concatenate([values[..., None, :], vectors], axis=-2).astype(np.result_type(x.dtype, np.complex64))


def _demand_basis(values: Array, vectors: Array) -> None:
    if everywhere(backend_of(raw(values)).xp.logical_not(_equal_pairs(values))):
        return  # the eigenvectors of distinct eigenvalues are independent
    lengths = backend_of(raw(vectors)).xp.linalg.svd(raw(vectors), compute_uv=False)
    if not everywhere(lengths[..., -1] > math.sqrt(np.finfo(vectors.dtype).eps) * lengths[..., 0]):
        raise np.linalg.LinAlgError(
            "`eig` is differentiated at a defective matrix: a repeated eigenvalue has fewer independent eigenvectors "
            "than its multiplicity, so its derivative is infinite"
        )


def _eig_vjp(g: Array, out: Array) -> Array:
    values, vectors, gw, gv = out[..., 0, :], out[..., 1:, :], g[..., 0, :], g[..., 1:, :]
    _demand_basis(values, vectors)
    turning = _mH(vectors) @ gv
    demand_free_of_phase("eig", turning)
    # Without the component that would change the norm of an eigenvector, which is always 1.
    turning = turning - _mH(vectors) @ (vectors * expand_dims(diagonal(turning, 0, -2, -1).real, -2))
    demand_distinct("eig", "eigenvalues", values, turning)
    spread = diag_embed(gw) + reciprocal_gaps(values).conj() * turning
    return solve(_mH(vectors), matmul(spread, _mH(vectors)))


def _eig_jvp(dx: Array, out: Array) -> Array:
    values, vectors = out[..., 0, :], out[..., 1:, :]
    _demand_basis(values, vectors)
    turned = solve(vectors, matmul(dx, vectors))
    dv = vectors @ (reciprocal_gaps(values, math.nan) * turned)
    dv = dv - vectors * sum(inner(dv, vectors), axis=-2, keepdims=True)
    return concatenate([expand_dims(diagonal(turned, 0, -2, -1), -2), dv], axis=-2)


_eig.vjp(x=_eig_vjp)
_eig.jvp(_eig_jvp)
_eig.vmap("leading")


def eig(x: Array) -> tuple[Any, Any]:
    """Return the eigenvalues of square matrices, and the eigenvectors as columns of norm 1: complex, in LAPACK's order.

    Args:
        x: Shape (..., N, N).

    Returns:
        The eigenvalues, shape (..., N), and the eigenvectors, shape (..., N, N).

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square, or has a NaN. Both modes also raise it at a defective matrix,
            and backward for a function of the eigenvectors if two eigenvalues are equal (forward mode returns NaN).
        RuntimeError: Backward of a function of the eigenvectors' phases.

    Source: LAPACK's `geev`, the derivative of Boeddeker et al. (2017). Agrees with `numpy.linalg.eig`.
    """
    both = _eig(x)
    return both[..., 0, :], both[..., 1:, :]


def eigvals(x: Array) -> Any:
    """Return the eigenvalues of square matrices: complex, in LAPACK's order.

    Args:
        x: Shape (..., N, N).

    Returns:
        Shape (..., N).

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square, or has a NaN; for the gradient also, a matrix is defective.

    Source: LAPACK's `geev`. Agrees with `numpy.linalg.eigvals`, whose result may be real.
    """
    return eig(x)[0]
