"""Inverses, determinants and solutions of linear systems, for batches of matrices.

The rules follow Giles (2008), "Collected matrix derivative results for forward and reverse mode".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of, everywhere, memory
from autodrill.engine.core.complex_convention import inner, is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import take, tril, triu
from autodrill.engine.ops.elementwise import power
from autodrill.engine.ops.linalg import _mH, _mT, matmul
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims, reshape, swapaxes, transpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "det", "det_phase", "inv", "logabsdet", "lstsq", "matrix_exp", "matrix_power", "pinv", "slogdet", "solve",
    "solve_triangular", "tensorinv", "tensorsolve", "vander",
]
# fmt: on


def _eye(x: Array) -> Array:
    return backend_of(raw(x)).xp.eye(x.shape[-1], dtype=x.dtype)


@primitive(on_complex="holomorphic")
def inv(xp: Namespace, x: Array) -> Array:
    """Return the inverse of square matrices.

    Raises:
        numpy.linalg.LinAlgError: A matrix is singular.
    """
    return xp.linalg.inv(x)


inv.vjp(x=lambda g, out: -(_mT(out) @ g @ _mT(out)))
inv.jvp(lambda dx, out: -(out @ dx @ out))
inv.vmap("leading")


@primitive(broadcasts=True, on_complex="holomorphic")
def _solve(xp: Namespace, a: Array, b: Array) -> Array:
    """Return x with a x = b, for matrices b."""
    return xp.linalg.solve(a, b)


_solve.vjp(a=lambda g, a, out: -(_solve(_mT(a), g) @ _mT(out)), b=lambda g, a: _solve(_mT(a), g))
_solve.jvp(lambda da, db, a, out: _solve(a, db - da @ out))


def solve(a: Array, b: Array) -> Any:
    """Return the solution x of a x = b.

    Args:
        a: Square matrices, shape (..., N, N).
        b: A vector, shape (N,), or matrices, shape (..., N, K); leading axes broadcast.

    Raises:
        numpy.linalg.LinAlgError: A matrix is singular.
    """
    return _solve(a, expand_dims(b, -1))[..., 0] if b.ndim == 1 else _solve(a, b)


def solve_triangular(a: Array, b: Array, *, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """Return the solution x of a x = b for triangular a; the other triangle is not read and gets no gradient.

    Args:
        a: Shape (..., N, N).
        b: As for `solve`.
        lower: Whether a is lower triangular.
        unit_diagonal: Whether the diagonal counts as 1, regardless of its values.
    """
    inner = 1 if unit_diagonal else 0
    triangle = tril(a, k=-inner) if lower else triu(a, k=inner)
    return solve(triangle + _eye(a) if unit_diagonal else triangle, b)


def _matrices(g: Array) -> Array:
    return expand_dims(expand_dims(g, -1), -1)


def _cofactors(x: Array, out: Array) -> Array:
    """Return the gradient of the determinant: det(x) x⁻ᵀ or, if a matrix is singular, the minors one by one."""
    n = x.shape[-1]
    if everywhere(raw(out) != 0):
        return _matrices(out) * _mT(inv(x))
    if n == 1:
        return x * 0 + 1
    others = np.array([[k for k in range(n) if k != i] for i in range(n)])
    rows = take(x, others, -2)  # (..., n, n - 1, n): without row i
    minors = take(rows, others, -1)  # (..., n, n - 1, n, n - 1): nor column j
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return det(swapaxes(minors, -3, -2)) * backend_of(raw(x)).xp.asarray(signs.astype(x.dtype))


@primitive(on_complex="holomorphic")
def det(xp: Namespace, x: Array) -> Array:
    """Return the determinants of square matrices; the gradient is correct for a singular matrix too."""
    return xp.linalg.det(x)


det.vjp(x=lambda g, x, out: _matrices(g) * _cofactors(x, out))
det.jvp(lambda dx, x, out: sum(dx * _cofactors(x, out), axis=(-2, -1)))
det.vmap("leading")


@primitive(on_complex="adjoint")
def logabsdet(xp: Namespace, x: Array) -> Array:
    """Return log |det x| of square matrices, even if the determinant itself would overflow or underflow."""
    return xp.linalg.slogdet(x)[1]


logabsdet.vjp(x=lambda g, x: _matrices(g) * _mH(inv(x)))
logabsdet.jvp(lambda dx, x: sum(inner(dx, _mH(inv(x))), axis=(-2, -1)))
logabsdet.vmap("leading")


@primitive(on_complex="adjoint")
def det_phase(xp: Namespace, x: Array) -> Array:
    """Return det x / |det x| of square matrices, the sign of the determinant; for real x its derivative is 0."""
    return xp.linalg.slogdet(x)[0]


def _det_phase_vjp(g: Array, x: Array, out: Array) -> Array:
    if not is_complex(x):
        return x * 0
    return _matrices(1j * (g * out.conj()).imag) * _mH(inv(x))


def _det_phase_jvp(dx: Array, x: Array, out: Array) -> Array:
    if not is_complex(x):
        return out * 0
    # d log det x = tr(x⁻¹ dx), and its imaginary part is the differential of the angle.
    return 1j * out * sum(dx * _mT(inv(x)), axis=(-2, -1)).imag


det_phase.vjp(x=_det_phase_vjp)
det_phase.jvp(_det_phase_jvp)
det_phase.vmap("leading")


def slogdet(x: Array) -> tuple[Any, Any]:
    """Return the sign of the determinant and the logarithm of its absolute value.

    The sign of real matrices is a plain array; for complex matrices it is det x / |det x|, which is differentiable.
    """
    return det_phase(x if is_complex(x) else raw(x)), logabsdet(x)


def _left_null(x: Array, out: Array) -> Array:
    return backend_of(raw(x)).xp.eye(x.shape[-2], dtype=x.dtype) - x @ out


def _right_null(x: Array, out: Array) -> Array:
    return _eye(x) - out @ x


@primitive(on_complex="adjoint")
def pinv(xp: Namespace, x: Array) -> Array:
    """Return the Moore-Penrose inverse; differentiable if the rank is locally constant (Golub and Pereyra, 1973)."""
    return xp.linalg.pinv(x)


def _pinv_vjp(g: Array, x: Array, out: Array) -> Array:
    p, pt, gt = out, _mH(out), _mH(g)
    return _left_null(x, out) @ gt @ (p @ pt) + (pt @ p) @ gt @ _right_null(x, out) - pt @ g @ pt


def _pinv_jvp(dx: Array, x: Array, out: Array) -> Array:
    p, pt, dt = out, _mH(out), _mH(dx)
    return (p @ pt) @ dt @ _left_null(x, out) + _right_null(x, out) @ dt @ (pt @ p) - p @ dx @ p


pinv.vjp(x=_pinv_vjp)
pinv.jvp(_pinv_jvp)
pinv.vmap("leading")


def tensorinv(a: Array, ind: int = 2) -> Any:
    """Return the inverse of a as a matrix whose rows are its first `ind` axes: it undoes `tensordot` with a."""
    rows, columns = a.shape[:ind], a.shape[ind:]
    return reshape(inv(reshape(a, (math.prod(rows), -1))), (*columns, *rows))


def tensorsolve(a: Array, b: Array, axes: Sequence[int] | None = None) -> Any:
    """Return the solution x of `tensordot(a, x, x.ndim) == b`; `axes` of a are first moved to the end."""
    if axes is not None:
        last = [k % a.ndim for k in axes]
        a = transpose(a, (*(k for k in range(a.ndim) if k not in last), *last))
    found = solve(reshape(a, (b.size, -1)), reshape(b, -1))
    return reshape(found, a.shape[b.ndim :])


def vander(x: Array, N: int | None = None, increasing: bool = False) -> Any:
    """Return N powers of each element along a new last axis; by default N is the number of elements."""
    powers = np.arange(x.shape[-1] if N is None else N)
    return power(expand_dims(x, -1), (powers if increasing else powers[::-1]).astype(x.dtype))


def lstsq(a: Array, b: Array) -> Any:
    """Return the x of least norm that minimises |a x - b|; b is a vector, or one or more matrices."""
    return matmul(pinv(a), b)


def matrix_power(x: Array, n: int) -> Any:
    """Return an integer power of square matrices, by repeated squaring; a negative power uses the inverse."""
    if n < 0:
        return matrix_power(inv(x), -n)
    result: Any = None
    while n:
        if n & 1:
            result = x if result is None else matmul(result, x)
        n >>= 1
        if n:
            x = matmul(x, x)
    return x * 0 + _eye(x) if result is None else result * 1


_PADE = 7
_PADE_RADIUS = 0.95
"""The 1-norm up to which the approximant of degree 7 is exact to double precision (Higham, 2005)."""


def matrix_exp(x: Array) -> Any:
    """Return the exponential of square matrices: a Padé approximant of x / 2ˢ, squared s times (Higham, 2005)."""
    norm = float(np.max(np.sum(np.abs(memory(raw(x))), axis=-2), initial=0))
    squarings = max(0, math.ceil(math.log2(norm / _PADE_RADIUS))) if norm > 0 else 0
    scaled = x * 0.5**squarings
    even, odd = _eye(x) * 1.0, None
    raised = None
    for k in range(1, _PADE + 1):
        raised = scaled if raised is None else matmul(raised, scaled)
        ways = math.comb(_PADE, k) * math.factorial(2 * _PADE - k)
        term = raised * (ways / math.factorial(2 * _PADE))
        if k % 2:
            odd = term if odd is None else odd + term
        else:
            even = even + term
    result = solve(even - odd, even + odd)
    for _ in range(squarings):
        result = matmul(result, result)
    return result
