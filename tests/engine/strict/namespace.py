"""The namespace of the strict device: NumPy's functions under CuPy's names, with CuPy's parameters only.

What CuPy lacks is missing here too. A function refuses NumPy's arrays and keyword arguments that CuPy's does not take,
and holds its result on the device. A few functions have checks of their own, where CuPy's refuses what NumPy's takes.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.engine.strict import cuda
from tests.engine.strict.array import call_on_host, elementwise, hold, unwrap
from tests.engine.strict.indexing import scatter
from tests.engine.strict.ledger import ledger
from tests.engine.strict.methods import StrictArray
from tests.engine.strict.surface import Entry, recorded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["STRICT", "Namespace"]

# fmt: off
WAITING = frozenset({
    "argwhere", "bincount", "compress", "extract", "flatnonzero", "histogram", "histogramdd", "intersect1d", "isin",
    "nonzero", "place", "setdiff1d", "setxor1d", "trim_zeros", "union1d", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values",
})
# fmt: on
"""Functions whose result has a shape that depends on values, so that the host waits for it."""

WAITING_IN_LINALG = frozenset(["lstsq", "matrix_rank"])

# fmt: off
ON_HOST = frozenset({
    "broadcast_shapes", "can_cast", "common_type", "dtype", "finfo", "iinfo", "issubdtype", "isscalar",
    "min_scalar_type", "ndim", "promote_types", "result_type", "shape", "size", "iscomplexobj", "isrealobj",
})
# fmt: on
"""Functions of shapes and dtypes, whose results are Python's."""

FROM_HOST = frozenset(["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"])
"""Functions that copy NumPy's arrays to the device, on request."""


_ARRAY = frozenset({"a", "x", "ar", "arr", "m", "f"})
"""The names of first parameters of which CuPy's functions call methods, so that numbers and lists fail."""

_TAKES_NUMBERS = frozenset({"nan_to_num"})


def _check_keywords(name: str, entry: Entry, keywords: dict[str, Any]) -> None:
    known = {p.rstrip("=") for p in entry.parameters}
    if "**kwargs" in known or "**kwarg" in known:
        return
    if unknown := sorted(set(keywords) - known):
        raise TypeError(f"{name}() got an unexpected keyword argument '{unknown[0]}'")


def _check_count(name: str, entry: Entry, args: tuple[Any, ...]) -> None:
    parameters = entry.parameters
    if any(p.startswith("*") and len(p) > 1 for p in parameters):
        return
    most = parameters.index("*") if "*" in parameters else len(parameters)
    if len(args) > most:
        raise TypeError(f"{name}() takes {most} positional arguments but {len(args)} were given")


class Ufunc:
    """An elementwise function and those of its methods that CuPy implements."""

    def __init__(self, name: str, entry: Entry) -> None:
        self.__name__ = name
        self.types = list(entry.loops)
        self.nin = entry.loops[0].index("->") if entry.loops else 1

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if len(args) > self.nin and "out" not in keywords:
            args, keywords = args[: self.nin], {**keywords, "out": args[self.nin]}
        if len(args) != self.nin:
            raise TypeError(f"Wrong number of arguments for cupy_{self.__name__}")
        return elementwise(self.__name__, *args, **keywords)

    def at(self, array: Any, indices: Any, values: Any = None) -> None:
        scatter(self.__name__, array, indices, values)

    def outer(self, a: Any, b: Any) -> Any:
        return self(a.reshape(a.shape + (1,) * b.ndim), b)

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return self._folded({"add": "sum", "multiply": "prod"}, array, axis=axis, dtype=dtype, keepdims=keepdims)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        return self._folded({"add": "cumsum", "multiply": "cumprod"}, array, axis=axis, dtype=dtype)

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        if self.__name__ != "add":
            raise NotImplementedError(f"`cupy_{self.__name__}.reduceat` is not supported yet")
        return call_on_host(np.add.reduceat, array, indices, axis=axis, dtype=dtype)

    def _folded(self, names: dict[str, str], array: Any, **keywords: Any) -> Any:
        if self.__name__ not in names:
            raise NotImplementedError(f"that method of `cupy_{self.__name__}` is not supported yet")
        return getattr(STRICT, names[self.__name__])(array, **keywords)


def _function(name: str, entry: Entry, implementation: Callable[..., Any], *, waits: bool) -> Callable[..., Any]:
    @wraps(implementation)
    def call(*args: Any, **keywords: Any) -> Any:
        _check_keywords(name, entry, keywords)
        _check_count(name, entry, args)
        if name in ON_HOST:
            shown = [x.host if type(x) is StrictArray else x for x in args]
            return implementation(*shown, **keywords)
        if args and entry.parameters[0] in _ARRAY and name not in _TAKES_NUMBERS and type(args[0]) is not StrictArray:
            raise TypeError(f"{name}() needs an array of the device, not `{type(args[0]).__name__}`")
        if waits:
            ledger.wait(name)
        return call_on_host(implementation, *args, **keywords)

    return call


class Namespace:
    """The names of one part of CuPy, made on first use."""

    def __init__(self, part: str, library: Any, path: str, special: dict[str, Callable[..., Any]], **more: Any) -> None:
        self._part, self._library, self._special = part, library, special
        self.__name__ = path
        self.__dict__.update(more)

    def __getattr__(self, name: str) -> Any:
        entry = recorded().get((self._part, name))
        if entry is None:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        made = self._made(name, entry)
        setattr(self, name, made)
        return made

    def _made(self, name: str, entry: Entry) -> Any:
        if name in self._special:
            return _checked(name, entry, self._special[name])
        found = getattr(self._library, name, None)
        if found is None:
            raise NotImplementedError(f"the strict device has no `{self.__name__}.{name}`")
        if entry.kind == "ufunc" and isinstance(found, np.ufunc):
            return Ufunc(name, entry)
        if entry.kind in {"type", "value"} or not callable(found):
            return found
        if self._part == "numpy" and name in FROM_HOST:
            return _uploading(name, entry, found)
        waits = name in WAITING or (self._part == "linalg" and name in WAITING_IN_LINALG)
        return _function(name, entry, found, waits=waits)


def _checked(name: str, entry: Entry, implementation: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **keywords: Any) -> Any:
        _check_keywords(name, entry, keywords)
        _check_count(name, entry, args)
        return implementation(*args, **keywords)

    return call


def _uploading(name: str, entry: Entry, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(value: Any, *args: Any, **keywords: Any) -> Any:
        _check_keywords(name, entry, keywords)
        if type(value) is StrictArray:
            dtype = args[0] if args else keywords.get("dtype")
            if name != "array" and (dtype is None or value.dtype == np.dtype(dtype)) and not keywords.get("copy"):
                return value
        elif isinstance(value, (np.ndarray, list, tuple)):
            ledger.uploads += 1
        ledger.launch()
        found = function(unwrap(value, host=True), *args, **keywords)
        if type(value) is not StrictArray and np.shares_memory(found, value if isinstance(value, np.ndarray) else 0):
            found = found.copy()  # the device has its own memory
        return hold(found, value)

    return call


def _solve(a: Any, b: Any) -> Any:
    if b.ndim > 1 and a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b")
    if b.ndim == 1 and a.ndim > 2:
        b = STRICT.broadcast_to(b, a.shape[:-1])[..., None]
        return call_on_host(_quiet(np.linalg.solve), a, b)[..., 0]
    return call_on_host(_quiet(np.linalg.solve), a, b)


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of matrices that gives NaN where NumPy's finds that there is no result, as cuSOLVER may."""

    def call(a: Any, *args: Any, **keywords: Any) -> Any:
        try:
            return function(a, *args, **keywords)
        except np.linalg.LinAlgError:
            if a.ndim < 2 or (a.shape[-1] != a.shape[-2] and function in {np.linalg.solve, np.linalg.inv}):
                raise
            return np.full_like(args[0] if function is np.linalg.solve else a, np.nan)

    return call


def _repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    if type(repeats) is StrictArray:
        ledger.wait("repeat")
    return call_on_host(np.repeat, a, repeats, axis)


def _take(a: Any, indices: Any, axis: int | None = None, out: Any = None) -> Any:
    host = unwrap(indices, host=True)
    return hold(np.take(unwrap(a), host, axis, mode="wrap"))


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: int) -> None:
    shape = [1] * arr.ndim
    grid: list[Any] = []
    for k, n in enumerate(indices.shape):
        shape[k] = n
        grid.append(indices if k == axis % arr.ndim else STRICT.arange(n).reshape(shape))
        shape[k] = 1
    arr[tuple(grid)] = values


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None:
        ledger.wait("where")
        return call_on_host(np.nonzero, condition)
    if not isinstance(condition, (StrictArray, np.bool_)):
        raise TypeError(f"the condition is a `{type(condition).__name__}`, without the method `astype`")
    for value in (x, y):
        if not isinstance(value, (StrictArray, bool, int, float, complex, np.generic)):
            raise TypeError(f"Unsupported type {type(value)}")
    return call_on_host(np.where, condition, x, y)


def _einsum(*operands: Any, **keywords: Any) -> Any:
    if unknown := set(keywords) - {"dtype", "optimize", "out", "order", "casting"}:
        raise TypeError(f"Did not understand the following kwargs: {sorted(unknown)}")
    return call_on_host(np.einsum, *operands, **keywords)


class _Grid:
    """`ogrid` and `mgrid`, whose parts are arrays of the device."""

    def __init__(self, grid: Any) -> None:
        self._grid = grid

    def __getitem__(self, key: Any) -> Any:
        return hold(self._grid[key])


_SPECIAL: dict[str, Callable[..., Any]] = {
    "einsum": _einsum,
    "nonzero": lambda a: a.nonzero(),
    "put_along_axis": _put_along_axis,
    "repeat": _repeat,
    "take": _take,
    "where": _where,
}


def _random() -> Namespace:
    from tests.engine.strict.random import default_rng

    return Namespace("random", np.random, "cupy.random", {"default_rng": default_rng})


def _made() -> Namespace:
    linalg = Namespace(
        "linalg",
        np.linalg,
        "cupy.linalg",
        {
            "cholesky": partial(call_on_host, _quiet(np.linalg.cholesky)),
            "inv": partial(call_on_host, _quiet(np.linalg.inv)),
            "solve": _solve,
        },
        LinAlgError=np.linalg.LinAlgError,
    )
    tricks = Namespace("stride_tricks", np.lib.stride_tricks, "cupy.lib.stride_tricks", {})
    return Namespace(
        "numpy",
        np,
        "strict",
        _SPECIAL,
        ndarray=StrictArray,
        ufunc=Ufunc,
        linalg=linalg,
        fft=Namespace("fft", np.fft, "cupy.fft", {}),
        lib=Namespace("lib", None, "cupy.lib", {}, stride_tricks=tricks),
        random=_random(),
        cuda=cuda,
        ogrid=_Grid(np.ogrid),
        mgrid=_Grid(np.mgrid),
        is_available=lambda: True,
        asnumpy=lambda value: value.get(),
        get_default_memory_pool=cuda.MemoryPool,
    )


STRICT = _made()
