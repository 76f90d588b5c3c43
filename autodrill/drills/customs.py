"""Customs: habits that one course counts as a fault and another accepts.

The author of an exercise lists in `REMARKS` the customs that only earn a remark.
"""

from __future__ import annotations

import re

__all__ = ["CUSTOMS", "OLD_NUMPY", "old_names"]

CUSTOMS = {
    "writes-cotangent": "your code writes into the upstream gradient, so other code that uses the gradient is affected",
    "aliases": "a result shares memory with an argument or another result, so accumulating in place would change both",
    "extra-axes": "a result has axes of size 1 that its input lacks, so adding in place would broadcast or fail",
    "dtype": "a result does not have the dtype of its input, so in a float32 model the wrong dtype would spread",
    "old-numpy": "your code uses names that NumPy 2 removed",
}
"""The customs that `REMARKS` may list, with the text of the remark."""

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
"""Source that restores the names of NumPy 1 in the candidate's process; it precedes the source of a scenario."""


def old_names(source: str) -> list[str]:
    """Return the names that only NumPy 1 has and a file uses as `np.name` or `numpy.name`, sorted."""
    return sorted(set(re.findall(rf"\b(?:np|numpy)\.({'|'.join(_OLD)})\b", source)) - {"bool"})
