"""Special functions: the families of the error function and of the gamma function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from autodrill.engine import special_values
from autodrill.engine.core.backend import floating, special_function
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import exp, log, log1p, where

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "betaln", "digamma", "entr", "erfc", "erfcx", "erfinv", "gammaln", "log_ndtr", "multigammaln", "ndtr", "ndtri",
    "polygamma",
]
# fmt: on

_TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


# Error function


@primitive
def erfc(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - NumPy has none
    """Return 1 - erf(x), to full relative precision for small results.

    Source: DLMF 7.2.2; `scipy.special.erfc`.
    """
    return special_function("erfc", x)


erfc.vjp(x=lambda g, x: g * (-_TWO_OVER_SQRT_PI * exp(-x * x)))
erfc.jvp("elementwise")


@primitive
def erfcx(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - NumPy has none
    """Return exp(x²) erfc(x), without underflow or cancellation for large x.

    Source: `scipy.special.erfcx`.
    """
    return special_function("erfcx", x)


erfcx.vjp(x=lambda g, x, out: g * (2 * x * out - _TWO_OVER_SQRT_PI))
erfcx.jvp("elementwise")


@primitive
def erfinv(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - NumPy has none
    """Return the inverse of erf, for x between -1 and 1; ±∞ at ±1 and NaN outside.

    Source: `scipy.special.erfinv`.
    """
    return special_function("erfinv", x)


erfinv.vjp(x=lambda g, out: g * (exp(out * out) / _TWO_OVER_SQRT_PI))
erfinv.jvp("elementwise")


@primitive
def ndtri(xp: Namespace, p: Array) -> Array:  # noqa: ARG001 - NumPy has none
    """Return the inverse of `ndtr`, the quantiles of the normal distribution, for p between 0 and 1; NaN outside.

    Source: `scipy.special.ndtri`.
    """
    return special_function("ndtri", p)


ndtri.vjp(p=lambda g, out: g * (math.sqrt(2 * math.pi) * exp(0.5 * out * out)))
ndtri.jvp("elementwise")


@behaves("elementwise")
def ndtr(x: Array) -> Any:
    """Return Φ(x), the normal distribution function, to full relative precision in the lower tail.

    Source: `scipy.special.ndtr`.
    """
    return 0.5 * erfc(-math.sqrt(0.5) * x)


@behaves("elementwise")
def log_ndtr(x: Array) -> Any:
    """Return log Φ(x), of the normal distribution function Φ, to full relative precision in both tails.

    Source: `scipy.special.log_ndtr`.
    """
    low = raw(x) < -1
    tail = where(low, x, -1)
    rest = where(low, 0, x)
    # In the upper tail 1 - ndtr is the small number, from which log1p loses no digits.
    return where(low, log(0.5 * erfcx(-math.sqrt(0.5) * tail)) - 0.5 * tail * tail, log1p(-ndtr(-rest)))


# Gamma function


@primitive
def polygamma(xp: Namespace, x: Array, *, n: int = 0) -> Array:
    """Return the (n + 1)-th derivative of log Γ; for n = 0 it is digamma. See `digamma` for the poles.

    Args:
        x: Real numbers of any shape.
        n: The order, a non-negative integer.

    Returns:
        The shape and dtype of x; for integers, float64.

    Raises:
        TypeError: x is complex, or n is not an integer.
        ValueError: n is negative.

    Source: DLMF 5.15; `scipy.special.polygamma`.
    """
    n = special_values.non_negative("n", n)
    return special_values.polygamma(n, floating(x), xp) if n else special_function("digamma", x)


polygamma.vjp(x=lambda g, x, n: g * polygamma(x, n=n + 1))
polygamma.jvp("elementwise")


@primitive
def gammaln(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - NumPy has none
    """Return log |Γ(x)|, which is infinite at the poles 0, -1, -2, ...

    Source: `scipy.special.gammaln`.
    """
    return special_function("gammaln", x)


gammaln.vjp(x=lambda g, x: g * polygamma(x, n=0))
gammaln.jvp("elementwise")


@behaves("elementwise")
def digamma(x: Array) -> Any:
    """Return the derivative of log Γ, also called psi; -∞ at 0 (∞ at -0) and NaN at the other poles -1, -2, ...

    Source: DLMF 5.2.2; `scipy.special.digamma`.
    """
    return polygamma(x, n=0)


@behaves("elementwise")
def betaln(x: Array, y: Array) -> Any:
    """Return log(Γ(x) Γ(y) / Γ(x + y)), the logarithm of the beta function.

    Source: DLMF 5.12.1; `scipy.special.betaln`.
    """
    return gammaln(x) + gammaln(y) - gammaln(x + y)


@behaves("elementwise")
def multigammaln(x: Array, p: int) -> Any:
    """Return log(π^(p (p - 1) / 4) Π Γ(x - k/2)) over k < p, the multivariate gamma function, for x > (p - 1) / 2.

    Args:
        p: The dimension, a positive integer.

    Raises:
        TypeError: p is not an integer.
        ValueError: p is not positive.

    Source: `scipy.special.multigammaln`.
    """
    if special_values.non_negative("p", p) == 0:
        raise ValueError("`p`, the dimension of the multivariate gamma function, must be positive")
    total = p * (p - 1) / 4 * math.log(math.pi)
    for k in range(p):
        total = total + gammaln(x - k / 2)
    return total


@primitive
def entr(xp: Namespace, x: Array) -> Array:
    """Return -x log x, 0 at 0 and -∞ below: the contribution of a probability to the entropy.

    Source: `scipy.special.entr`.
    """
    inside = x > 0
    outside = xp.where(x == 0, 0, xp.where(x < 0, -math.inf, x))  # NaN stays NaN
    return xp.where(inside, -x * xp.log(xp.where(inside, x, 1)), outside)


entr.vjp(x=lambda g, x: -g * (1 + log(x)))
entr.jvp("elementwise")
