"""NumPy's functions for arrays under `vmap`, and the operators and methods of `Batched` that are operations.

Functions without an array argument (arange, zeros ...) are the library's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine import ops
from autodrill.engine.core.backend import BatchError, backend_of
from autodrill.engine.core.declaration import behind
from autodrill.engine.ops.index import getitem, write_examples
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.shape import reshape
from autodrill.engine.transforms.batched_array import ALONG_LAST, LEADING, REDUCTIONS, Batched, lead, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.backend import Backend, Namespace

__all__ = ["backend_of_batched"]


class _Namespace:
    """A namespace like the array library's, with functions that also accept arrays under `vmap`."""

    def __init__(self, xp: Namespace, *, leading: bool = False) -> None:
        self._xp = xp
        self._leading = leading

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._xp, name)
        if name == "linalg":
            made: Any = _Namespace(function, leading=True)
        elif name in {"array", "asarray"}:
            made = _converting(function)
        elif name in REDUCTIONS or name in ALONG_LAST:
            made = _along(function, default=None if name in REDUCTIONS else -1, after=name.endswith("partition"))
        elif isinstance(function, np.ufunc) or hasattr(function, "accumulate") or self._leading or name in LEADING:
            made = _Leading(function)
        else:
            made = function
        setattr(self, name, made)
        return made


class _Leading:
    """A function that treats leading axes as a batch."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        return lead(self._function, *values, **keywords)

    def accumulate(self, x: Any, axis: int = 0) -> Any:
        """Return the running result along an axis, as the method of a ufunc."""
        function: Any = self._function
        return _along(function.accumulate, default=0)(x, axis=axis)


def _converting(function: Callable[..., Any]) -> Callable[..., Any]:
    def convert(value: Any, dtype: Any = None) -> Any:
        if type(value) is Batched:
            data = function(value.data, dtype=dtype)
            return value if data is value.data else Batched(data, value.levels)
        return function(value, dtype=dtype)

    return convert


def _along(function: Callable[..., Any], default: int | None, *, after: bool = False) -> Callable[..., Any]:
    """Return a function of an array and an axis; with `after`, another argument comes between the two."""

    def call(x: Any, *args: Any, **keywords: Any) -> Any:
        if type(x) is not Batched:
            return function(x, *args, **keywords)
        first, rest = (args[:1], args[1:]) if after else ((), args)
        axis = rest[0] if rest else keywords.pop("axis", default)
        data, ndim = x.data, x.ndim
        if axis is None or ndim == 0:  # flattened, because not every function accepts several axes
            data = data.reshape((*data.shape[: len(x.levels)], -1))
            kept = keywords.pop("keepdims", False)
            result = function(data, *first, axis=-1, **keywords)
            if kept:
                result = result.reshape(result.shape + (1,) * ndim)
            return Batched(result, x.levels)
        return Batched(function(data, *first, axis=behind(axis, ndim), **keywords), x.levels)

    return call


_wrappers: dict[Backend, Backend] = {}


def backend_of_batched(array: Batched) -> Backend:
    """Return the backend of an array under `vmap`: that of its memory, with the namespace of this module."""
    inner = backend_of(array.data)
    found = _wrappers.get(inner)
    if found is None:
        found = replace(inner, xp=_Namespace(inner.xp), array_type=Batched, erf=_Leading(inner.erf))
        _wrappers[inner] = found
    return found


# Operators and methods of Batched


def _array_ufunc(self: Batched, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """Apply NumPy's elementwise functions, so that `vmap` can map a function written in NumPy."""
    if any(hasattr(x, "node") for x in inputs):
        return NotImplemented  # so that the Tensor's own operator records
    if ufunc is np.matmul:
        return matmul(*inputs)
    if method != "__call__" or keywords.get("out") is not None or ufunc.signature is not None:
        raise BatchError(refusal(f"NumPy's `{ufunc.__name__}` cannot write to an array or reduce one"))
    return lead(getattr(backend_of(self.data).xp, ufunc.__name__), *inputs, **keywords)


def _array_function(self: Batched, function: Any, types: Any, args: Any, kwargs: Any) -> Any:  # noqa: ARG001 - NumPy's protocol
    """Apply those other functions of NumPy that this module or the engine implements."""
    name = function.__name__
    if function.__module__ == "numpy.linalg":
        return getattr(backend_of(self).xp.linalg, name)(*args, **kwargs)
    if name in REDUCTIONS | ALONG_LAST | LEADING:
        return getattr(backend_of(self).xp, name)(*args, **kwargs)
    if name in ops.names() and name != "select":  # PyTorch's `select`, of one slice, is not NumPy's
        return getattr(ops, name)(*args, **kwargs)
    raise BatchError(refusal(f"NumPy's `{name}` is not supported"))


def _reshape(self: Batched, *shape: Any) -> Any:
    """Return the same elements in another shape."""
    return reshape(self, shape[0] if len(shape) == 1 else shape)


for _name, _method in {
    "__array_function__": _array_function,
    "__array_ufunc__": _array_ufunc,
    "__getitem__": getitem,
    "__matmul__": lambda self, other: matmul(self, other),  # noqa: PLW0108 - a Primitive is not bound as a function is
    "__rmatmul__": lambda self, other: matmul(other, self),
    "__setitem__": write_examples,
    "reshape": _reshape,
}.items():
    setattr(Batched, _name, _method)
