"""What the walk over every operation leaves out, each with its reason: nothing is left out that does not stand here.

A table maps an operation to why one check is not made of it. `test_exclusions.py` holds every line to that check: one
that is no longer needed fails, as does one without a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.engine.samples import fourier

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.samples import Sample

WITHOUT_DERIVATIVE: dict[str, str] = {
    "heaviside": "a step, which refuses to be differentiated: its gradient would be 0 wherever there is one",
    "one_hot": "a function of integers",
    **dict.fromkeys(("argsort", "argmax", "argmin"), "the result is integers"),
    **dict.fromkeys(("all", "any", "isfinite", "isinf", "isnan"), "the result is booleans"),
    **dict.fromkeys(
        ("arange", "empty_like", "eye", "full", "full_like", "ones", "ones_like", "tensor", "zeros", "zeros_like"),
        "makes new constants, whatever the input",
    ),
}
"""Not sampled at all."""

WITHOUT_EDGE_OF_SHAPE: dict[str, str] = {
    "std": "of one element it is 0, the one place where it has no derivative",
}
"""Sampled with no input of one element or none."""

NOT_IN_SINGLE: dict[str, str] = {
    "astype": "its samples ask for double precision",
    "float_power": "computes in double precision, as its name says in NumPy and PyTorch",
}
"""Results are not of single precision where inputs are."""

ONE_BY_ONE: dict[str, str] = {}
"""Primitives without a batching rule, which `vmap` calls one example at a time."""

ELSE_AT_SINGLE_POINTS: dict[str, str] = {
    **dict.fromkeys(("absolute", "sign"), "at NaN PyTorch's derivative or value is 0, and ours is NaN as in NumPy"),
    **dict.fromkeys(("celu", "elu"), "at NaN PyTorch's derivative is 1, and ours is NaN"),
    **dict.fromkeys(
        ("gammaln", "polygamma"), "PyTorch's derivatives at poles are huge numbers or NaN, ours the limits"
    ),
    "arccosh": "at -1, outside its domain, the derivative is infinite with another sign",
    "arctan2": "the squares of 1e-300 underflow in PyTorch, and the derivative is 0",
    "bessel_i": "PyTorch's derivative at NaN is a number",
    "cbrt": "its counterpart is a power with NaN for a derivative at 0",
    "complex": "its result has no default gradient",
    "copysign": "PyTorch divides the result by x, which is NaN for an infinite x",
    "floor_divide": "its counterpart has NaN for a derivative at NaN, and a step has 0",
    "huber": "its counterpart subtracts infinities",
    "hypot": "PyTorch's derivative at the origin is NaN, and ours is 0",
    "imag": "its counterpart multiplies by 0, which is NaN for NaN",
    "power": "of the square root of minus infinity NumPy says NaN and PyTorch infinity",
    "spherical_bessel": "its counterpart loses all digits of the sine of a large number",
}
"""Elementwise primitives whose value or derivative at NaN, an infinity, a pole or a kink differs from PyTorch's."""

# PyTorch

WITHOUT_COUNTERPART: dict[str, str] = {
    "copy_slices": "what an in-place write amounts to; compared as such in test_inplace.py",
    **dict.fromkeys(
        ("bessel_j", "bessel_y", "bessel_ke", "j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e"),
        "PyTorch does not differentiate it; values of the orders 0 and 1 are compared in test_special.py",
    ),
}
_MARGINS = ("multi_margin_loss", "multilabel_margin_loss")
WITHOUT_FORWARD_MODE: dict[str, str] = dict.fromkeys(
    ("ctc_loss", "embedding_bag", "grid_sample", *_MARGINS), "PyTorch has no forward mode of it"
)
WITHOUT_SECOND_ORDER: dict[str, str] = dict.fromkeys(
    ("ctc_loss", "embedding_bag", "hardsigmoid", *_MARGINS), "PyTorch cannot differentiate its backward"
)
_POOLS = (f"{kind}avg_pool{d}d" for kind in ("", "adaptive_") for d in (1, 2, 3))
WITHOUT_COMPLEX_NUMBERS: dict[str, str] = {
    **dict.fromkeys(
        (*_POOLS, "interpolate", "glu", "nansum", "nanmean", "nanvar", "nanstd"), "PyTorch refuses complex numbers"
    ),
    **dict.fromkeys(
        ("silu", "embedding_bag", "bilinear"),
        "PyTorch cannot differentiate it in complex numbers",
    ),
    "embedding": "PyTorch's gradient of complex rows is not implemented",
    "rotary_embedding": "the counterpart is itself made of complex numbers",
}


@dataclass(frozen=True)
class Refusal:
    """Samples that PyTorch refuses, of operations it has.

    Attributes:
        reason: Why.
        holds: Whether a sample is one of them.
    """

    reason: str
    holds: Callable[[Sample], bool]


def _backwards(sample: Sample) -> bool:
    index = sample.static.get("index")
    return isinstance(index, tuple) and any(isinstance(k, slice) and (k.step or 1) < 0 for k in index)


REFUSED_BY_PYTORCH: tuple[Refusal, ...] = (
    Refusal(
        "complex numbers, where PyTorch has none: see `WITHOUT_COMPLEX_NUMBERS`",
        lambda s: bool(s.of_complex) and s.name in WITHOUT_COMPLEX_NUMBERS,
    ),
    Refusal(
        "the sign of a real determinant, which PyTorch does not differentiate",
        lambda s: s.name == "det_phase" and not s.of_complex,
    ),
    Refusal(
        "transforms of nothing, and views of it as another dtype",
        lambda s: s.name in {*fourier.COUNTERPARTS, "view_as_real", "view_as_complex"} and 0 in s.shapes[0],
    ),
    Refusal("indexing with a negative step, which PyTorch's slices do not have", _backwards),
    Refusal(
        "the derivative of a determinant that is 0, for which PyTorch solves a linear system",
        lambda s: s.name == "det" and bool((np.linalg.det(s.inputs()[0]) == 0).any()),
    ),
    Refusal("the derivative of a count of elements that are not 0", lambda s: s.static.get("ord", 2) == 0),
)


def is_refused_by_pytorch(sample: Sample) -> bool:
    """Return whether PyTorch refuses this very sample."""
    return any(refusal.holds(sample) for refusal in REFUSED_BY_PYTORCH)


@dataclass(frozen=True)
class Rounded:
    """How closely an operation agrees where PyTorch's digits are fewer than double precision has.

    Attributes:
        rtol: The relative tolerance.
        reason: What loses them.
    """

    rtol: float
    reason: str


_TRIGAMMA = Rounded(
    1e-8, "PyTorch's trigamma is good to ten digits, ours to fifteen (test_special.py): it is the slope"
)
ROUNDED_IN_PYTORCH: dict[str, Rounded] = {
    "hardsigmoid": Rounded(1e-6, "the backward's 1/6 is rounded to float32"),
    "celu": Rounded(1e-6, "the backward's 1/alpha is rounded to float32"),
    "binary_cross_entropy": Rounded(1e-10, "the second backward adds 1e-12 to what it divides by"),
    "logcumsumexp": Rounded(1e-10, "forward mode divides sums that were scaled by the largest element of all"),
    "log_ndtr": Rounded(1e-9, "in the tail the second derivative is a difference of almost equal numbers, for both"),
    **dict.fromkeys(("digamma", "polygamma", "gammaln", "betaln", "multigammaln"), _TRIGAMMA),
}
