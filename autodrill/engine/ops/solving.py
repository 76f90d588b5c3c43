"""Inverses, determinants and solutions of linear systems, for batches of matrices.

The rules follow Giles (2008), "Collected matrix derivative results for forward and reverse mode".
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of, everywhere, memory
from autodrill.engine.core.complex_convention import inner, is_complex
from autodrill.engine.core.declaration import place
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.diagonals import tril, triu
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


def check_square(name: str, x: Array) -> None:
    """Refuse an array whose last two axes are not those of a square matrix.

    Raises:
        numpy.linalg.LinAlgError: They are not.
    """
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"`{name}` got shape {x.shape}: it needs square matrices, in the last two axes")


@primitive(on_complex="holomorphic")
def inv(xp: Namespace, x: Array) -> Array:
    """Return the inverse of square matrices.

    Args:
        x: Shape (..., N, N).

    Returns:
        The shape of x.

    Raises:
        numpy.linalg.LinAlgError: A matrix is singular or not square.

    Source: LAPACK's `gesv`; the derivative -x⁻¹ dx x⁻¹ is that of Giles (2008). Agrees with `numpy.linalg.inv`.
    """
    return xp.linalg.inv(x)


inv.vjp(x=lambda g, out: -(_mT(out) @ g @ _mT(out)))
inv.jvp(lambda dx, out: -(out @ dx @ out))
inv.vmap("leading")


@primitive(broadcasts=True, on_complex="holomorphic")
def _solve(xp: Namespace, a: Array, b: Array) -> Array:
    """Return x with a x = b, for matrices b."""
    if a.shape[:-2] != b.shape[:-2]:  # CuPy's `solve` does not broadcast
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = xp.broadcast_to(a, batch + a.shape[-2:]), xp.broadcast_to(b, batch + b.shape[-2:])
    return xp.linalg.solve(a, b)


_solve.vjp(a=lambda g, a, out: -(_solve(_mT(a), g) @ _mT(out)), b=lambda g, a: _solve(_mT(a), g))
_solve.jvp(lambda da, db, a, out: _solve(a, db - da @ out))


def solve(a: Array, b: Array) -> Any:
    """Return the solution x of a x = b.

    Args:
        a: Square matrices, shape (..., N, N).
        b: A vector, shape (N,), or matrices, shape (..., N, K); leading axes broadcast.

    Returns:
        The shape of b, with the common leading axes.

    Raises:
        numpy.linalg.LinAlgError: A matrix is singular or not square.
        ValueError: The shapes do not fit.

    Source: LAPACK's `gesv`, the derivative of Giles (2008). Agrees with `numpy.linalg.solve`.
    """
    return _solve(a, expand_dims(b, -1))[..., 0] if b.ndim == 1 else _solve(a, b)


def solve_triangular(a: Array, b: Array, *, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """Return the solution x of a x = b for triangular a; the other triangle is not read and gets no gradient.

    Args:
        a: Shape (..., N, N).
        b: A vector, shape (N,), or matrices, shape (..., N, K).
        lower: Whether a is lower triangular.
        unit_diagonal: Whether the diagonal counts as 1, regardless of its values.

    Returns:
        The shape of b, with the common leading axes.

    Raises:
        numpy.linalg.LinAlgError: The diagonal has a zero, or a matrix is not square.
        ValueError: The shapes do not fit.

    Source: agrees with `scipy.linalg.solve_triangular` and `torch.linalg.solve_triangular`.
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
    """Return the determinants of square matrices; the gradient is correct for a singular matrix too.

    Args:
        x: Shape (..., N, N).

    Returns:
        Shape (...).

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square.

    Source: the derivative is tr(adj(x) dx), with the adjugate (Jacobi's formula). Agrees with `numpy.linalg.det`.
    """
    return xp.linalg.det(x)


det.vjp(x=lambda g, x, out: _matrices(g) * _cofactors(x, out))
det.jvp(lambda dx, x, out: sum(dx * _cofactors(x, out), axis=(-2, -1)))
det.vmap("leading")


@primitive(on_complex="adjoint")
def logabsdet(xp: Namespace, x: Array) -> Array:
    """Return log |det x| of square matrices, even if the determinant itself would overflow or underflow.

    Args:
        x: Shape (..., N, N).

    Returns:
        Real, shape (...); -inf for a singular matrix.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square; for the gradient also, a matrix is singular.

    Source: agrees with the second result of `numpy.linalg.slogdet`.
    """
    return xp.linalg.slogdet(x)[1]


logabsdet.vjp(x=lambda g, x: _matrices(g) * _mH(inv(x)))
logabsdet.jvp(lambda dx, x: sum(inner(dx, _mH(inv(x))), axis=(-2, -1)))
logabsdet.vmap("leading")


@primitive(on_complex="adjoint")
def det_phase(xp: Namespace, x: Array) -> Array:
    """Return det x / |det x| of square matrices, the sign of the determinant; for real x its derivative is 0.

    Args:
        x: Shape (..., N, N).

    Returns:
        Shape (...); 0 for a singular matrix.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square.

    Source: agrees with the first result of `numpy.linalg.slogdet`.
    """
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

    Args:
        x: Shape (..., N, N).

    Returns:
        Two arrays of shape (...). The sign of real matrices is a plain array; for complex matrices it is det x / |det
        x|, which is differentiable. A singular matrix gives 0 and -inf.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square.

    Source: agrees with `numpy.linalg.slogdet`.
    """
    return det_phase(x if is_complex(x) else raw(x)), logabsdet(x)


def _left_null(x: Array, out: Array) -> Array:
    return backend_of(raw(x)).xp.eye(x.shape[-2], dtype=x.dtype) - x @ out


def _right_null(x: Array, out: Array) -> Array:
    return _eye(x) - out @ x


@primitive(on_complex="adjoint")
def pinv(xp: Namespace, x: Array) -> Array:
    """Return the Moore-Penrose inverse; differentiable if the rank is locally constant.

    Args:
        x: Shape (..., M, N).

    Returns:
        Shape (..., N, M).

    Raises:
        numpy.linalg.LinAlgError: x has fewer than two axes, or a NaN.

    Source: the derivative of Golub and Pereyra (1973). Agrees with `numpy.linalg.pinv`, with its default cut-off.
    """
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
    """Return the inverse of a as a matrix whose rows are its first `ind` axes: it undoes `tensordot` with a.

    Args:
        a: The first `ind` axes have as many elements as the others.
        ind: The number of axes that are rows.

    Returns:
        The last axes of a, followed by its first `ind` axes.

    Raises:
        numpy.linalg.LinAlgError: The matrix is singular or not square.

    Source: agrees with `numpy.linalg.tensorinv`.
    """
    rows, columns = a.shape[:ind], a.shape[ind:]
    return reshape(inv(reshape(a, (math.prod(rows), -1))), (*columns, *rows))


def tensorsolve(a: Array, b: Array, axes: Sequence[int] | None = None) -> Any:
    """Return the solution x of `tensordot(a, x, x.ndim) == b`.

    Args:
        a: The shape of b, followed by that of x, with as many elements.
        b: Values of any shape.
        axes: Axes of a that are first moved to its end.

    Returns:
        The shape of the last axes of a.

    Raises:
        numpy.linalg.LinAlgError: The matrix is singular or not square.
        ValueError: The shapes do not fit.
        numpy.exceptions.AxisError: a lacks one of the axes.

    Source: agrees with `numpy.linalg.tensorsolve`.
    """
    if axes is not None:
        last = [place(k, a.ndim) for k in axes]
        a = transpose(a, (*(k for k in range(a.ndim) if k not in last), *last))
    found = solve(reshape(a, (b.size, -1)), reshape(b, -1))
    return reshape(found, a.shape[b.ndim :])


def vander(x: Array, N: int | None = None, increasing: bool = False) -> Any:
    """Return N powers of each element along a new last axis, xᵢ^(N - 1 - j).

    Args:
        x: Shape (..., M).
        N: The number of powers, by default M.
        increasing: Whether the powers rise from 0 instead of falling to it.

    Returns:
        Shape (..., M, N).

    Raises:
        numpy.exceptions.AxisError: x has no axis.

    Source: agrees with `numpy.vander`, which takes one vector.
    """
    powers = backend_of(memory(raw(x))).xp.arange(x.shape[place(-1, x.ndim)] if N is None else N)
    return power(expand_dims(x, -1), (powers if increasing else powers[::-1]).astype(x.dtype))


def lstsq(a: Array, b: Array) -> Any:
    """Return the x of least norm that minimises |a x - b|.

    Args:
        a: Shape (..., M, N).
        b: A vector (M,), or matrices (..., M, K).

    Returns:
        Shape (N,) or (..., N, K).

    Raises:
        numpy.linalg.LinAlgError: a has fewer than two axes.
        ValueError: The shapes do not fit.

    Source: the pseudoinverse times b. Agrees with the solution of `numpy.linalg.lstsq`.
    """
    return matmul(pinv(a), b)


def matrix_power(x: Array, n: int) -> Any:
    """Return an integer power of square matrices, by repeated squaring; a negative power uses the inverse.

    Args:
        x: Shape (..., N, N).
        n: The power.

    Returns:
        The shape of x.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square, or singular for a negative power.
        TypeError: n is not an integer.

    Source: agrees with `numpy.linalg.matrix_power`.
    """
    check_square("matrix_power", x)
    n = operator.index(n)
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
    """Return the exponential Σ xᵏ / k! of square matrices: a Padé approximant of x / 2ˢ, squared s times.

    Args:
        x: Shape (..., N, N).

    Returns:
        The shape of x.

    Raises:
        numpy.linalg.LinAlgError: A matrix is not square.

    Source: Higham (2005), with the approximant of degree 7. Agrees with `scipy.linalg.expm` and
    `torch.linalg.matrix_exp`.
    """
    check_square("matrix_exp", x)
    norms = abs(memory(raw(x))).sum(axis=-2)
    norm = float(norms.max()) if norms.size else 0.0
    squarings = max(0, math.ceil(math.log2(norm / _PADE_RADIUS))) if 0 < norm < math.inf else 0
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
