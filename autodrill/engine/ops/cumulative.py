"""Running operations along an axis, and differences, which undo them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.backend import backend_of
from autodrill.engine.ops.elementary import logaddexp
from autodrill.engine.ops.elementwise import multiply
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import concatenate, reshape
from autodrill.engine.tensor import raw
from autodrill.engine.wirtinger import check_real

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.backend import Array


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, part)


def _scan(combine: Callable[[Array, Array], Array], x: Array, axis: int | None) -> Any:
    """Return the running combination by an associative operation, in log₂ n steps (Hillis and Steele, 1986).

    Made of the operation alone, so right wherever it is: a product with zeros needs no case of its own.
    """
    if axis is None or x.ndim == 0:
        x, axis = reshape(x, -1), 0
    axis %= x.ndim
    step = 1
    while step < x.shape[axis]:
        head = x[_along(axis, slice(step))]
        rest = combine(x[_along(axis, slice(step, None))], x[_along(axis, slice(-step))])
        x = concatenate([head, rest], axis=axis)
        step *= 2
    return x if step > 1 else reshape(x, x.shape)


def cumprod(x: Array, axis: int | None = None) -> Any:
    """Return the running product along `axis`, by default of the flattened elements; zeros have the right gradient."""
    return _scan(multiply, x, axis)


def logcumsumexp(x: Array, axis: int | None = None) -> Any:
    """Return the logarithm of the running sum of exp(x), without overflow."""
    return _scan(logaddexp, x, axis)


def _running_extreme(x: Array, axis: int, larger: bool) -> Any:
    axis %= x.ndim
    array = raw(x)
    xp = backend_of(array).xp
    running = (xp.maximum if larger else xp.minimum).accumulate(array, axis=axis)
    places = xp.arange(array.shape[axis]).reshape([-1 if k == axis else 1 for k in range(array.ndim)])
    latest = xp.maximum.accumulate(xp.where(array == running, places, 0), axis=axis)
    return take_along_axis(x, latest, axis)


def cummax(x: Array, axis: int = -1) -> Any:
    """Return the running maximum along `axis`; of equal ones the latest gets the gradient, as in PyTorch."""
    check_real("cummax", x)
    return _running_extreme(x, axis, larger=True)


def cummin(x: Array, axis: int = -1) -> Any:
    """Return the running minimum along `axis`; of equal ones the latest gets the gradient, as in PyTorch."""
    check_real("cummin", x)
    return _running_extreme(x, axis, larger=False)


def diff(x: Array, n: int = 1, axis: int = -1) -> Any:
    """Return the n-th differences of neighbours along `axis`."""
    axis %= x.ndim
    for _ in range(n):
        x = x[_along(axis, slice(1, None))] - x[_along(axis, slice(-1))]
    return x


def trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the integral of y along `axis` by the trapezoidal rule, at points x (a vector) or `dx` apart."""
    axis %= y.ndim
    middle = (y[_along(axis, slice(1, None))] + y[_along(axis, slice(-1))]) / 2
    if x is None:
        return sum(middle, axis=axis) * dx
    widths = reshape(diff(x), tuple(-1 if k == axis else 1 for k in range(y.ndim)))
    return sum(middle * widths, axis=axis)
