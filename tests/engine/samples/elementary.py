"""Samples of elementary functions, of rounding and of norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.engine.samples.base import (
    REDUCED,
    Counterpart,
    Sample,
    between,
    binary,
    exactly,
    one,
    positive_only,
    real,
    reductions,
    spread,
    unary,
)


def off_integers(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.integers(-3, 3, shape) + rng.uniform(0.2, 0.8, shape))


SAMPLES: tuple[Sample, ...] = (
    *unary(real, "exp2", "arcsinh", "deg2rad", "rad2deg", "sinc"),
    one("sinc", (3,), draw=exactly(0.0, 1e-5, 2.5)),
    *unary(positive_only, "log2", "log10", "rsqrt", "cbrt"),
    one("cbrt", (2,), draw=exactly(-0.7, 1.3)),
    *unary(between(0.1, 0.9), "logit"),
    *unary(between(1.2, 3), "arccosh"),
    *unary(between(-0.8, 0.8), "arctanh"),
    *(one("spherical_bessel", shape, draw=between(-9, 9), order=n) for shape in ((), (0,), (2, 3)) for n in (0, 2)),
    one("spherical_bessel", (4,), draw=exactly(0.0, 3.9, 4.1, -12.0), order=1),
    *binary(real, real, "hypot", "logaddexp", "logaddexp2", "arctan2"),
    *binary(spread, real, "fmax", "fmin", "copysign"),
    *binary(real, positive_only, "xlogy", "xlog1py"),
    one("xlogy", (3,), (3,), draw=(exactly(0.0, 1.5, -1.0), positive_only)),
    one("float_power", (2, 3), (3,), draw=(positive_only, real)),
    *unary(off_integers, "floor", "ceil", "trunc", "round"),
    one("round", (2, 3), draw=between(0.01, 0.09), decimals=1),
    *unary(real, "nan_to_num"),
    *(
        one(name, *shapes, draw=(off_integers, between(0.97, 1.03)))
        for name in ("remainder", "fmod", "floor_divide")
        for shapes in (((), ()), ((2, 3), (3,)), ((0, 3), (3,)), ((2, 1), (1, 3)))
    ),
    one("lerp", (2, 3), (3,), ()),
    *reductions(real, REDUCED[1:], "p_norm"),
    *reductions(real, REDUCED[2:], "p_norm", ord=3),
    *reductions(positive_only, REDUCED[3:5], "p_norm", ord=1.5),
    *reductions(spread, REDUCED[2:5], "vector_norm"),
    *reductions(spread, REDUCED[2:5], "vector_norm", ord=1),
    *reductions(spread, REDUCED[2:5], "vector_norm", ord=math.inf),
    *reductions(spread, REDUCED[2:5], "vector_norm", ord=-math.inf),
    *reductions(spread, REDUCED[2:5], "vector_norm", ord=0),
    *reductions(positive_only, REDUCED[2:5], "vector_norm", ord=-2.0),
)


def norm(torch: Any) -> Any:
    def call(x: Any, axis: Any = None, keepdims: bool = False, **order: Any) -> Any:
        return torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims, **order)

    return call


ALIKE = (
    *("exp2", "log2", "log10", "rsqrt", "logit", "arccosh", "arctanh", "arcsinh", "deg2rad", "rad2deg", "hypot"),
    *("logaddexp", "logaddexp2", "arctan2", "fmax", "fmin", "copysign", "xlogy", "float_power", "floor", "ceil"),
    *("trunc", "nan_to_num", "remainder", "fmod", "lerp"),
)


def alike(name: str) -> Counterpart:
    return lambda torch: getattr(torch, name)


def spherical(torch: Any) -> Any:
    """Integrate (1 - t²)ⁿ cos(z t) over [-1, 1] by Gauss's rule: 2ⁿ⁺¹ n! times the function (DLMF 10.54.1)."""
    nodes, weights = map(torch.tensor, np.polynomial.legendre.leggauss(48))

    def call(z: Any, order: int = 0) -> Any:
        scale = 2 ** (order + 1) * math.factorial(order)
        return ((1 - nodes**2) ** order * torch.cos(z[..., None] * nodes) * weights).sum(-1) / scale

    return call


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: alike(name) for name in ALIKE},
    "floor_divide": lambda t: lambda x, y: t.floor(x / y),  # its own has no derivative
    "sinc": lambda t: lambda x: spherical(t)(math.pi * x),  # its own loses digits near 0
    "xlog1py": lambda t: t.special.xlog1py,
    "cbrt": lambda t: lambda x: t.sign(x) * t.abs(x) ** (1 / 3),
    "spherical_bessel": spherical,
    "round": lambda t: lambda x, decimals=0: t.round(x, decimals=decimals),
    "p_norm": norm,
    "vector_norm": norm,
}
