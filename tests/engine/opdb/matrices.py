"""PyTorch's signatures of products, linear systems, decompositions and Fourier transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill import engine as e
from tests.engine.opdb import common
from tests.engine.opdb.agreement import NotOfferedError

if TYPE_CHECKING:
    from tests.engine.opdb.common import Call


def contracted(x: Any, y: Any, *, dims: Any = 2) -> Any:
    if not isinstance(dims, int) and any(x.shape[j] != y.shape[k] for j, k in zip(*dims, strict=True)):
        raise NotOfferedError("an axis of length 1 that stands for a longer one")
    return e.tensordot(x, y, dims if isinstance(dims, int) else tuple(dims))


def crossed(x: Any, y: Any, dim: Any = None) -> Any:
    return e.cross(x, y, next(k for k, n in enumerate(x.shape) if n == 3) if dim is None else dim)


def triangle(x: Any, upper: bool) -> Any:
    return e.swapaxes(x, -1, -2) if upper else x


def from_cholesky(factor: Any, upper: bool) -> Any:
    """Return the matrix that a Cholesky factor is of."""
    lower = triangle(factor, upper)
    return e.matmul(lower, e.swapaxes(lower, -1, -2))


def solved(a: Any, b: Any, *, left: bool = True) -> Any:
    """PyTorch takes b for a batch of vectors where it has one axis less than a and its shape otherwise."""
    if not left:
        raise NotOfferedError("from the right")
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and tuple(b.shape) == tuple(a.shape[:-1])):
        return e.solve(a, e.expand_dims(b, -1))[..., 0]
    return e.solve(a, b)


def solved_by_triangle(a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    if left:
        return e.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular)
    found = e.solve_triangular(e.swapaxes(a, -1, -2), e.swapaxes(b, -1, -2), lower=upper, unit_diagonal=unitriangular)
    return e.swapaxes(found, -1, -2)


def pseudo_inverse(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    del hermitian
    if atol is not None or rtol is not None:
        raise NotOfferedError("a tolerance")
    return e.pinv(x)


def without_signs(values: Any, vectors: Any) -> Any:
    """Return what of eigenvectors does not depend on their signs or phases, as PyTorch's samples do."""
    return values, e.absolute(vectors)


def singular(x: Any, some: bool = True, full_matrices: bool = False) -> Any:
    """Return the thin decomposition, without signs; of full matrices, only these columns are compared."""
    del some, full_matrices
    u, s, vt = e.svd(x)
    return e.absolute(u), s, e.absolute(vt)


def transform(function: Call) -> Call:
    """Return a Fourier transform along one axis with PyTorch's signature."""
    return lambda x, n=None, dim=-1, norm=None: function(x, n, dim, norm)


def transform_nd(function: Call, axes: Any = None) -> Call:
    """Return a Fourier transform along several axes with PyTorch's signature, by default along `axes`."""

    def call(x: Any, s: Any = None, dim: Any = axes, norm: Any = None) -> Any:
        return function(x, common.lengths(s), (dim,) if isinstance(dim, int) else common.lengths(dim), norm)

    return call


def shifted(function: Call) -> Call:
    """Return a shift of the zero frequency with PyTorch's signature."""
    return lambda x, dim=None: function(x, common.lengths(dim))
