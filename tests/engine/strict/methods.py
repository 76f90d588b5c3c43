"""The operators and methods of the strict device's arrays, added to the class from CuPy's list."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.strict.array import COMPARISONS, OPERATORS, SINGLE, StrictArray, applied, call_on_host, elementwise
from tests.engine.strict.ledger import ledger
from tests.engine.strict.surface import recorded

__all__ = ["StrictArray"]


def _install_operators() -> None:
    def binary(name: str, *, reflected: bool = False) -> Any:
        function = getattr(np, name)

        def apply(self: StrictArray, other: Any) -> Any:
            if type(other) is StrictArray or reflected:
                return applied(name, other, self) if reflected else applied(name, self, other)
            if getattr(other, "__array_ufunc__", self) is None:
                return NotImplemented
            return function(self, other)  # as CuPy does: NumPy asks the other operand's class what to do

        return apply

    def inplace(name: str) -> Any:
        return lambda self, other: elementwise(name, self, other, out=self)

    for method, name in {**OPERATORS, "matmul": "matmul"}.items():
        setattr(StrictArray, f"__{method}__", binary(name))
        setattr(StrictArray, f"__r{method}__", binary(name, reflected=True))
        if ("ndarray", f"__i{method}__") in recorded():
            setattr(StrictArray, f"__i{method}__", inplace(name))
    for method, name in COMPARISONS.items():
        setattr(StrictArray, f"__{method}__", binary(name))
    for method, name in SINGLE.items():
        setattr(StrictArray, f"__{method}__", lambda self, name=name: elementwise(name, self))


# fmt: off
_METHODS = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "clip", "copy", "cumprod", "cumsum", "diagonal",
    "dot", "flatten", "max", "mean", "min", "partition", "prod", "ptp", "put", "ravel", "repeat", "reshape",
    "round", "searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var",
    "view",
)
# fmt: on
_WAITING = {"nonzero": "nonzero", "compress": "compress"}


def _method(name: str) -> Any:
    parameters = recorded()["ndarray", name].parameters
    known = {p.rstrip("=") for p in parameters}

    def apply(self: StrictArray, *args: Any, **keywords: Any) -> Any:
        if unknown := set(keywords) - known:
            raise TypeError(f"{name}() got an unexpected keyword argument {sorted(unknown)}")
        if name in _WAITING or (name == "repeat" and type(args[0]) is StrictArray):
            ledger.wait(name)
        if name in {"take", "put"}:
            keywords.setdefault("mode", "wrap")
        if name == "ptp":
            return call_on_host(np.ptp, self, *args, **keywords)
        if name == "nonzero" and not self.shape:
            raise ValueError("Calling nonzero on 0d arrays is not allowed.")
        return call_on_host(lambda array, *rest, **more: getattr(array, name)(*rest, **more), self, *args, **keywords)

    apply.__name__ = name
    return apply


_install_operators()
for _name in (*_METHODS, *_WAITING):
    if ("ndarray", _name) in recorded() and not hasattr(StrictArray, _name):
        setattr(StrictArray, _name, _method(_name))
