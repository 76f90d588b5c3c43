"""Complex numbers: the convention of their gradients, and how rules written for real numbers serve them.

The gradient of a real L at z = x + iy is dL/dx + i dL/dy: twice the derivative of L with respect to conj(z), in
Wirtinger's sense (1927), and PyTorch's convention. It is the direction of steepest ascent, so a step against it goes
downhill. A pullback is then the adjoint of the differential J in the inner product Re Σ conj(a) b, under which the
complex numbers are the real plane: Re <g, J t> = Re <J* g, t> for every tangent t and cotangent g.

For a holomorphic f the differential multiplies by f'(z) and its adjoint by conj(f'(z)). VJP rules are written as the
transpose, which multiplies by f'(z): for real numbers it is the same, and for complex ones the engine makes the
adjoint of it by conjugating around it. So no rule of a holomorphic operation mentions conjugation, and none can forget
it. Of an operation that is linear with real coefficients transpose and adjoint are the same already. Only operations
that are neither (the absolute value, a decomposition) have rules that are adjoints as they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["adjoint_of", "cast", "check_real", "inner", "is_complex", "real_part", "refusal"]


def is_complex(value: Any) -> bool:
    """Whether an array, a Tensor or a number is of a complex type."""
    dtype = getattr(value, "dtype", None)
    return isinstance(value, complex) if dtype is None else bool(dtype.kind == "c")


def adjoint_of(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Make of a rule that applies the transpose of a matrix one that applies the conjugate transpose."""
    return lambda g, *saved: rule(g.conj(), *saved).conj()


def cast(g: Any, dtype: Any) -> Any:
    """Convert a cotangent to the dtype of what it is for.

    That of a real variable is the real part: the imaginary one is about a direction in which it cannot move.
    """
    if g.dtype.kind == "c" and dtype.kind != "c":
        g = g.real
    return g.astype(dtype)


def real_part(x: Any) -> Any:
    """Return the real part of complex numbers, and real ones as they are."""
    return x.real if is_complex(x) else x


def inner(x: Any, y: Any) -> Any:
    """Return Re x conj(y), elementwise: the inner product of the plane, and the product of real numbers."""
    return real_part(x * y.conj())


def refusal(name: str) -> TypeError:
    """Return the error of an operation that has no meaning for complex numbers."""
    return TypeError(
        f"`{name}` is not defined for complex numbers; apply it to their real and imaginary parts, or to their "
        "absolute value"
    )


def check_real(name: str, *values: Any) -> None:
    """Refuse complex values, for an operation that would otherwise compute something of them.

    Raises:
        TypeError: A value is complex; the message names the operation.
    """
    if any(map(is_complex, values)):
        raise refusal(name)
