"""The convention for gradients of complex numbers, and the use of real rules for them.

The gradient of a real L at z = x + iy is dL/dx + i dL/dy. This is PyTorch's convention: twice the Wirtinger derivative
(1927) of L with respect to conj(z). The gradient is the direction of steepest ascent, so a step against it decreases L.
A pullback is the adjoint of the differential J in the inner product Re Σ conj(a) b, which treats complex numbers as the
real plane: Re <g, J t> = Re <J* g, t> for every tangent t and cotangent g.

For a holomorphic f the differential multiplies by f'(z), and its adjoint by conj(f'(z)). VJP rules are written as the
transpose, which multiplies by f'(z). For real numbers transpose and adjoint are equal. For complex numbers the engine
turns the transpose into the adjoint by conjugating its cotangent and its result. So the rule of a holomorphic operation
never mentions conjugation and cannot forget it. An operation that is linear with real coefficients has equal transpose
and adjoint. The remaining operations (the absolute value, a decomposition) declare adjoints as their rules.
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
    """Return the adjoint of a rule: the rule applies the transpose of a matrix, its adjoint the conjugate transpose."""
    return lambda g, *saved: rule(g.conj(), *saved).conj()


def cast(g: Any, dtype: Any) -> Any:
    """Convert a cotangent to the dtype of its variable.

    The cotangent of a real variable is the real part: a real variable cannot move in the imaginary direction.
    """
    if g.dtype.kind == "c" and dtype.kind != "c":
        g = g.real
    return g.astype(dtype)


def real_part(x: Any) -> Any:
    """Return the real part of complex numbers; return real numbers unchanged."""
    return x.real if is_complex(x) else x


def inner(x: Any, y: Any) -> Any:
    """Return Re x conj(y), elementwise: the inner product of the plane; for real numbers, the product."""
    return real_part(x * y.conj())


def refusal(name: str) -> TypeError:
    """Return the error for an operation that is undefined for complex numbers."""
    return TypeError(
        f"`{name}` is not defined for complex numbers; apply it to their real and imaginary parts, or to their "
        "absolute value"
    )


def check_real(name: str, *values: Any) -> None:
    """Refuse complex values, in an operation whose forward would accept them.

    Raises:
        TypeError: A value is complex; the message names the operation.
    """
    if any(map(is_complex, values)):
        raise refusal(name)
