"""NumPy's functions on Tensors: operators of an array with a Tensor are recorded, everything else names our function.

NumPy's own functions cannot record, so the gradient would silently be lost. A test of values, such as `np.isnan`,
has no derivative and gets the array, as do functions of constants for which the engine has none of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine import ops
from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor, raw

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["__array_function__", "__array_ufunc__"]

_OPERATORS: dict[str, tuple[str, str]] = {  # of a ufunc: the method of a Tensor on the left, and on the right
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "remainder": ("__mod__", "__rmod__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
}


def __array_ufunc__(  # noqa: N807 - a method of Tensor
    self: Tensor,  # noqa: ARG001 - one of the inputs
    ufunc: np.ufunc,
    method: str,
    *inputs: Any,
    **keywords: Any,
) -> Any:
    """Apply one of NumPy's elementwise functions to inputs of which some are Tensors.

    Raises:
        TypeError: The function is not an operator and has a derivative, or it would write to an array.
    """
    name = ufunc.__name__
    if any(type(out) is not Tensor for out in keywords.get("out", ())):
        raise TypeError(
            f"`np.{name}` cannot write a Tensor into an array, which has no place for its gradient; compute out of "
            "place, for example `a = a + x` for `a += x`"
        )
    if method == "__call__" and not keywords:
        if name in _OPERATORS and len(inputs) == 2:
            left, right = inputs
            place = 0 if type(left) is Tensor else 1
            operator: Callable[[Any], Any] | None = getattr(inputs[place], _OPERATORS[name][place], None)
            if operator is not None:
                return operator(right if place == 0 else left)
        if any(types in {"d->?", "dd->?"} for types in ufunc.types):
            return ufunc(*map(raw, inputs))
    raise _refusal(name, method)


def __array_function__(  # noqa: N807 - a method of Tensor
    self: Tensor,  # noqa: ARG001 - one of the arguments
    function: Callable[..., Any],
    types: Any,  # noqa: ARG001 - NumPy's protocol
    args: Any,
    keywords: Any,
) -> Any:
    """Apply another function of NumPy's to arguments of which some are Tensors, all of them constants.

    Raises:
        TypeError: The engine has a function of this name, or a Tensor requires grad.
    """
    name = function.__name__
    if name in ops.names():
        raise _refusal(name)
    leaves, structure = flatten((list(args), keywords))
    args, keywords = structure.unflatten([np.asarray(leaf) if type(leaf) is Tensor else leaf for leaf in leaves])
    return function(*args, **keywords)


def _refusal(name: str, method: str = "__call__") -> TypeError:
    ours = f"use `engine.{name}`" if name in ops.names() and method == "__call__" else "use the engine's operations"
    call = f"np.{name}" if method == "__call__" else f"np.{name}.{method}"
    return TypeError(
        f"`{call}` cannot record what it does to a Tensor, so the gradient would be lost; {ours}, or pass `x.numpy()` "
        "for a result outside the graph"
    )
