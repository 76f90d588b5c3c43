"""The operations: each module is a family, a table of formulas with forward and derivatives next to each other.

A family is imported on the first use of one of its operations, so a product does not import the Fourier transforms.
The `__all__` of a family is the only list of its operations. `aliases` has PyTorch's names of operations with another
name here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.primitive import check_registry, with_spellings

if TYPE_CHECKING:
    from autodrill.engine.ops.activation import *
    from autodrill.engine.ops.aliases import *
    from autodrill.engine.ops.arrange import *
    from autodrill.engine.ops.bessel import *
    from autodrill.engine.ops.contraction import *
    from autodrill.engine.ops.convolution import *
    from autodrill.engine.ops.creation import *
    from autodrill.engine.ops.cumulative import *
    from autodrill.engine.ops.decomposition import *
    from autodrill.engine.ops.diagonals import *
    from autodrill.engine.ops.eigen import *
    from autodrill.engine.ops.elementary import *
    from autodrill.engine.ops.elementwise import *
    from autodrill.engine.ops.factors import *
    from autodrill.engine.ops.fourier import *
    from autodrill.engine.ops.fused import *
    from autodrill.engine.ops.gathering import *
    from autodrill.engine.ops.half_spectra import *
    from autodrill.engine.ops.index import *
    from autodrill.engine.ops.interpolation import *
    from autodrill.engine.ops.joining import *
    from autodrill.engine.ops.layer import *
    from autodrill.engine.ops.linalg import *
    from autodrill.engine.ops.loss import *
    from autodrill.engine.ops.margins import *
    from autodrill.engine.ops.nan_statistics import *
    from autodrill.engine.ops.normalisation import *
    from autodrill.engine.ops.norms import *
    from autodrill.engine.ops.ordering import *
    from autodrill.engine.ops.parting import *
    from autodrill.engine.ops.parts import *
    from autodrill.engine.ops.pooling import *
    from autodrill.engine.ops.probabilities import *
    from autodrill.engine.ops.reduce import *
    from autodrill.engine.ops.regression import *
    from autodrill.engine.ops.resizing import *
    from autodrill.engine.ops.rounding import *
    from autodrill.engine.ops.sampling import *
    from autodrill.engine.ops.shape import *
    from autodrill.engine.ops.solving import *
    from autodrill.engine.ops.special import *
    from autodrill.engine.ops.statistics import *
    from autodrill.engine.ops.trigonometric import *
    from autodrill.engine.ops.unpooling import *
    from autodrill.engine.ops.window import *
    from autodrill.engine.ops.write import *

# fmt: off
FAMILIES = (  # in order of use: a name is looked up in one family after the other
    "elementwise", "trigonometric", "reduce", "shape", "contraction", "index", "activation", "probabilities",
    "arrange", "bessel", "convolution", "creation", "cumulative", "decomposition", "diagonals", "eigen", "elementary",
    "factors", "fourier", "fused", "gathering", "half_spectra", "interpolation", "joining", "layer", "linalg", "loss",
    "margins", "nan_statistics", "normalisation", "norms", "ordering", "parting", "parts", "pooling", "regression",
    "resizing", "rounding", "sampling", "solving", "special", "statistics", "unpooling", "window", "write",
)
# fmt: on


def names() -> list[str]:
    """Return the names of all operations, in alphabetical order; this imports them all."""
    return sorted(name for family in FAMILIES for name in _family(family).__all__)


def further_names() -> list[str]:
    """Return the further names of operations, which are PyTorch's; this imports them all."""
    names()  # an alias is the very operation that its family exports
    return sorted(_family("aliases").__all__)


if not TYPE_CHECKING:  # with it a type checker would accept any name

    def __getattr__(name: str) -> Any:
        for family in (*FAMILIES, "aliases") if not name.startswith("_") else ():
            module = _family(family)
            if name in module.__all__:
                return globals().setdefault(name, getattr(module, name))
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


def _family(name: str) -> Any:
    module = import_module(f"{__name__}.{name}")
    if name not in _checked:
        from autodrill.engine.ops.behaviour import show

        check_registry()
        for operation in module.__all__ if name != "aliases" else ():
            show(getattr(module, operation), operation)
            setattr(module, operation, with_spellings(getattr(module, operation)))
        _checked.add(name)
    return module


_checked: set[str] = set()
