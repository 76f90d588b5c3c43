"""What is a fault in one course and custom in another: the author of an exercise says which earn a remark only."""

from __future__ import annotations

import re

__all__ = ["CUSTOMS", "OLD_NUMPY", "old_names"]

CUSTOMS = {
    "writes-cotangent": "it writes into the upstream gradient: whoever holds that array as well is in for a surprise",
    "aliases": "a result shares memory with an argument or another result: accumulating in place would change both",
    "extra-axes": "a result has axes of size 1 that its input has not: adding it in place would broadcast, or fail",
    "dtype": "a result has another dtype than its input: in a float32 model it would spread",
    "old-numpy": "it uses names that NumPy 2 has removed",
}
"""The customs that `REMARKS` may name, with what is said of them."""

_OLD = {
    "float": "float",
    "int": "int",
    "bool": "bool",
    "object": "object",
    "str": "str",
    "complex": "complex",
    "float_": "np.float64",
    "product": "np.prod",
    "cumproduct": "np.cumprod",
    "sometrue": "np.any",
    "alltrue": "np.all",
    "in1d": "np.isin",
    "row_stack": "np.vstack",
    "Inf": "np.inf",
    "infty": "np.inf",
    "NaN": "np.nan",
    "NAN": "np.nan",
    "trapz": "np.trapezoid",
    "asfarray": "np.asarray",
}

OLD_NUMPY = "\n".join(
    [
        "for _name, _value in {",
        *(f"    {name!r}: lambda: {value}," for name, value in _OLD.items()),
        "}.items():",
        "    if _name not in np.__dict__:",
        "        setattr(np, _name, _value())",
        "",
    ]
)
"""Gives a candidate's process the names that NumPy 1 had; part of a scenario's source."""


def old_names(source: str) -> list[str]:
    """Return the names of NumPy 1 alone that a file speaks of as `np.name` or `numpy.name`, sorted."""
    return sorted(set(re.findall(rf"\b(?:np|numpy)\.({'|'.join(_OLD)})\b", source)) - {"bool"})
