"""The array type of a function under `vmap`, which stands for one example of many.

A `Batched` has the shape of one example. Its memory has additional leading axes, one for each `vmap` under which it
varies, the outermost first. To the engine it is an array like NumPy's and CuPy's, so tensors, graphs and derivative
rules need no special cases. An operation on it is one call on the whole memory, by the batching rule of the primitive
(`Declaration.vmap`). This module adds NumPy's own functions and operators, which rules use on raw arrays.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import BatchError, backend_of
from autodrill.engine.core.tensor import BY_OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.backend import Array

__all__ = [
    "ALONG_LAST",
    "LEADING",
    "REDUCTIONS",
    "Batched",
    "Level",
    "aligned",
    "in_front",
    "lead",
    "levels_of",
    "refusal",
    "refuse_unbatched",
]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One use of `vmap`.

    Attributes:
        number: A serial number, in the order of opening.
        size: The number of examples.
        randomness: The behaviour of random operations; see `vmap`.
    """

    number: int
    size: int
    randomness: str


def levels_of(*values: Any) -> tuple[Level, ...]:
    """Return the levels under which any of the raw values varies, the outermost first."""
    found = {level for value in values if type(value) is Batched for level in value.levels}
    return tuple(sorted(found, key=operator.attrgetter("number")))


def in_front(value: Any, levels: Sequence[Level]) -> Array:
    """Return the memory with one leading axis for each of `levels`, of length 1 if the value does not vary there."""
    if type(value) is not Batched:
        return value.reshape((1,) * len(levels) + value.shape)
    if value.levels == tuple(levels):
        return value.data
    lengths = tuple(level.size if level in value.levels else 1 for level in levels)
    return value.data.reshape(lengths + value.shape)


def aligned(values: Sequence[Any], levels: Sequence[Level]) -> list[Any]:
    """Return arrays that broadcast as the examples do: the axes of the levels, axes of length 1, the example's axes.

    Python numbers and NumPy's scalars are returned unchanged, so that they do not determine a dtype.
    """
    ndim = max((len(v.shape) for v in values if hasattr(v, "shape")), default=0)
    found = []
    for value in values:
        if not hasattr(value, "shape") or isinstance(value, np.generic):
            found.append(value)
            continue
        array, missing = in_front(value, levels), ndim - len(value.shape)
        k = len(levels)
        found.append(array.reshape(array.shape[:k] + (1,) * missing + value.shape) if missing else array)
    return found


def refuse_unbatched(target: Any, values: Sequence[Any], name: str) -> None:
    """Refuse a write of values that differ by example to memory that all examples share.

    Raises:
        BatchError: Some of `values` vary under a `vmap` that `target` does not vary under.
    """
    there = levels_of(target)
    if any(level not in there for level in levels_of(*values)):
        raise BatchError(
            f"`{name}` would write values that differ by example to a tensor of shape {target.shape} that all "
            "examples share under `vmap`; compute out of place, or make the tensor differ by example too: pass it as "
            "an argument that `in_axes` maps, or add zeros made from such an argument"
        )


def refusal(what: str) -> str:
    """Return the message about something that is impossible under `vmap`, with the alternatives."""
    return (
        f"{what} under `vmap`, where a tensor stands for many examples at once; choose between values with `where`, "
        "and leave conversions to NumPy and to Python numbers until after `vmap`"
    )


class Batched:
    """An array of one example's shape, with the memory of all examples.

    Attributes:
        data: The memory, with the axes of the levels in front.
        levels: The levels of these axes, the outermost first.
    """

    __slots__ = ("__weakref__", "data", "levels")
    __hash__ = object.__hash__

    def __init__(self, data: Array, levels: tuple[Level, ...]) -> None:
        self.data = data
        self.levels = levels

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example."""
        shape: tuple[int, ...] = self.data.shape[len(self.levels) :]
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes of one example."""
        return len(self.data.shape) - len(self.levels)

    @property
    def size(self) -> int:
        """The number of elements of one example."""
        return prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The elements' dtype."""
        return self.data.dtype

    @property
    def base(self) -> Array:
        """The memory, as the array that owns the elements."""
        return self.data

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self) -> str:
        sizes = " x ".join(str(level.size) for level in self.levels)
        return f"<one of {sizes} examples of shape {self.shape} under vmap>"

    def _refused(self, what: str) -> Any:
        raise BatchError(refusal(what))

    def __bool__(self) -> bool:
        return bool(self._refused("a value cannot decide a Python condition"))

    def __float__(self) -> float:
        return float(self._refused("a value cannot become a Python number"))

    def __int__(self) -> int:
        return int(self._refused("a value cannot become a Python number"))

    __index__ = __int__

    def item(self) -> Any:
        """Raise BatchError: many examples have no single number."""
        return self._refused("a value cannot become a Python number")

    def get(self) -> Any:
        """Raise BatchError: many examples have no single array."""
        return self._refused("a tensor cannot become a NumPy array")

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self._refused("a tensor cannot become a NumPy array")

    def copy(self) -> Batched:
        """Return a copy that shares no memory."""
        return Batched(self.data.copy(), self.levels)

    def view(self) -> Batched:
        """Return an array on the same memory."""
        return Batched(self.data.view(), self.levels)

    def astype(self, dtype: Any) -> Batched:
        """Return the elements converted to `dtype`."""
        return Batched(self.data.astype(dtype), self.levels)

    @property
    def real(self) -> Batched:
        """The real parts; for real numbers the array itself, as in NumPy."""
        return self._with(self.data.real)

    @property
    def imag(self) -> Batched:
        """The imaginary parts."""
        return Batched(self.data.imag, self.levels)

    def conj(self) -> Batched:
        """Return the complex conjugates; for real numbers the array itself, as in NumPy."""
        return self._with(self.data.conj())

    def _with(self, data: Array) -> Batched:
        return self if data is self.data else Batched(data, self.levels)

    if TYPE_CHECKING:  # `batched_namespace` adds these at run time

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any: ...
        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any: ...
        def reshape(self, *shape: Any) -> Any: ...  # noqa: D102 - documented there
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, values: Any) -> None: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __rmatmul__(self, other: Any) -> Any: ...

    def __getattr__(self, name: str) -> Any:
        """Return a reduction as a method, as in `x.sum(axis=0)`."""
        if name not in REDUCTIONS:
            raise AttributeError(f"an array under `vmap` has no attribute `{name}`")
        function = getattr(backend_of(self).xp, name)
        return lambda *args, **kwargs: function(self, *args, **kwargs)


BY_OPERATIONS.add(Batched)


def lead(function: Callable[..., Any], *values: Any, **keywords: Any) -> Any:
    """Call a function that treats leading axes as a batch: an elementwise function, or one of matrices."""
    levels = levels_of(*values)
    return _wrapped(function(*aligned(values, levels), **keywords), levels)


def _wrapped(result: Any, levels: tuple[Level, ...]) -> Any:
    if isinstance(result, tuple):
        return tuple(_wrapped(part, levels) for part in result)
    return Batched(result, levels) if levels else result


def _operator(name: str, *, reflected: bool = False) -> Any:
    def apply(self: Batched, *others: Any) -> Any:
        if others and hasattr(others[0], "node"):
            return NotImplemented  # so that the Tensor's own operator records
        function = getattr(backend_of(self.data).xp, name)
        return lead(function, *others, self) if reflected else lead(function, self, *others)

    return apply


_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "neg": "negative",
    "pos": "positive",
    "abs": "absolute",
    "invert": "invert",
}
for _method, _name in _OPERATORS.items():
    setattr(Batched, f"__{_method}__", _operator(_name))
    setattr(Batched, f"__r{_method}__", _operator(_name, reflected=True))
for _method, _name in _COMPARISONS.items():
    setattr(Batched, f"__{_method}__", _operator(_name))


# NumPy's functions by the way they are called on arrays under `vmap`; see `batched_namespace`.

REDUCTIONS = frozenset({"sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin"})
ALONG_LAST = frozenset({"argsort", "sort", "argpartition", "partition"})
LEADING = frozenset({"where", "zeros_like", "ones_like", "clip", "nan_to_num"})
