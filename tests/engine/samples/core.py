"""Samples of the operations everything else is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine
from autodrill.engine import registry
from tests.engine.samples.base import (
    EMPTY_REDUCED,
    REDUCED,
    Counterpart,
    Sample,
    between,
    binary,
    booleans,
    exactly,
    integers,
    one,
    positive_only,
    real,
    reductions,
    small_integer,
    spread,
    unary,
)


def stacked(*arrays: Any, axis: int = 0) -> Any:
    return engine.stack(arrays, axis)


def added_at(x: Any, values: Any, index: Any) -> Any:
    return engine.index_add(x, index, values)


SAMPLES: tuple[Sample, ...] = (
    *unary(real, "negative", "positive", "square", "exp", "expm1", "erf", "sin", "cos", "arctan", "sinh", "cosh"),
    *unary(real, "tanh", "sign", "relu", "sigmoid", "softplus", "silu", "gelu"),
    *unary(positive_only, "sqrt", "log", "reciprocal"),
    *unary(between(-0.7, 2), "log1p"),
    *unary(between(-1.2, 1.2), "tan"),
    *unary(between(-0.9, 0.9), "arcsin", "arccos"),
    *binary(real, real, "add", "subtract", "multiply", "maximum", "minimum"),
    *binary(real, positive_only, "divide"),
    *binary(positive_only, real, "power"),
    one("power", (2, 3), (), draw=(real, small_integer(3))),
    one("power", (2, 3), (3,), draw=(real, small_integer(0))),
    one("clip", (), min=-0.5),
    one("clip", (2, 3), min=-0.5, max=0.7),
    one("clip", (0,), max=0.7),
    one("where", (), (), (), draw=(booleans, real, real)),
    one("where", (2, 3), (3,), (2, 1), draw=(booleans, real, real)),
    one("where", (3,), (2, 1), (), draw=(booleans, real, real)),
    one("where", (0, 3), (3,), (1,), draw=(booleans, real, real)),
    one("astype", (), dtype=np.float64),
    one("astype", (2, 3), dtype=np.float64),
    one("reshape", (), shape=(1, 1)),
    one("reshape", (2, 3), shape=(3, -1)),
    one("reshape", (0, 3), shape=(3, 0)),
    one("transpose", ()),
    one("transpose", (2, 3)),
    one("transpose", (2, 3, 4), axes=(1, -1, 0)),
    one("transpose", (0, 3)),
    one("swapaxes", (2, 3, 4), axis1=0, axis2=-1),
    one("swapaxes", (1, 0), axis1=0, axis2=1),
    one("moveaxis", (1, 1), source=0, destination=1),
    one("moveaxis", (2, 3, 4), source=0, destination=-1),
    one("moveaxis", (2, 3, 4), source=(0, 1), destination=(2, 0)),
    one("expand_dims", (), axis=0),
    one("expand_dims", (2, 3), axis=(0, -1)),
    one("squeeze", (1, 1)),
    one("squeeze", (2, 1, 3), axis=1),
    one("broadcast_to", (), shape=(2, 3)),
    one("broadcast_to", (2, 1), shape=(4, 2, 3)),
    one("broadcast_to", (1, 3), shape=(0, 3)),
    one("flip", (2, 3)),
    one("flip", (2, 3), axis=1),
    one("flip", (0,), axis=0),
    one("concatenate", (2, 3), (1, 3), (0, 3), axis=0),
    one("concatenate", (2, 1), (2, 3), axis=-1),
    one("concatenate", (1,), axis=0),
    *reductions(real, REDUCED + EMPTY_REDUCED, "sum"),
    *reductions(real, REDUCED + EMPTY_REDUCED, "prod"),
    *reductions(real, REDUCED, "mean", "logsumexp"),
    *reductions(spread, REDUCED, "max", "min"),
    *reductions(real, REDUCED, "var"),
    *reductions(real, REDUCED[3:], "var", ddof=1),
    *reductions(real, REDUCED[2:], "std"),
    one("prod", (4,), draw=exactly(1.5, 0.0, -2.0, 0.5)),
    one("prod", (2, 3), draw=exactly(1.5, 0.0, -2.0, 0.5, 0.0, 0.0), axis=1),
    one("cumsum", ()),
    one("cumsum", (2, 3)),
    one("cumsum", (2, 3), axis=-1),
    one("cumsum", (2, 0), axis=1),
    one("getitem", (4,), index=2),
    one("getitem", (4, 3), index=(slice(None, None, -2), None, 1)),
    one("getitem", (4, 3), index=np.array([[0, 1], [1, 1]])),
    one("getitem", (4, 3), index=(np.array([0, 2, 2]), np.array([1, 0, 0]))),
    one("getitem", (2, 3), index=np.array([[True, False, True], [False, False, True]])),
    one("getitem", (2, 3), index=(..., np.array([], dtype=int))),
    one("getitem", (), index=()),
    one("index_scatter", (3,), index=slice(1, 4), shape=(5,)),
    one("index_scatter", (3, 2), index=np.array([1, 1, 0]), shape=(4, 2)),
    one("index_scatter", (), index=(1, 2), shape=(2, 3)),
    one("index_scatter", (0,), index=np.array([], dtype=int), shape=(3,)),
    one("copy_slices", (2, 3), (3, 2), steps=((registry["transpose"], {}),)),
    one("copy_slices", (4,), (), steps=((registry["getitem"], {"index": slice(1, 3)}),)),
    one("copy_slices", (), (), steps=()),
    one("take_along_axis", (4, 3), (2, 3), draw=(real, integers(4)), axis=0),
    one("take_along_axis", (2, 3), (2, 5), draw=(real, integers(3)), axis=1),
    one("take_along_axis", (3, 1), (2, 4), draw=(real, integers(3)), axis=0, call=engine.take_along_axis),
    one("take_along_axis", (3, 4), (2, 1), draw=(real, integers(3)), axis=0, call=engine.take_along_axis),
    one("take_along_axis", (3,), (0,), draw=(real, integers(3)), axis=0),
    one("scatter_along_axis", (2, 3), (2, 3), draw=(real, integers(4)), axis=0, shape=(4, 3)),
    one("scatter_along_axis", (2, 5), (2, 5), draw=(real, integers(3)), axis=1, shape=(2, 3)),
    one("scatter_along_axis", (1, 1), (1, 1), draw=(real, integers(2)), axis=1, shape=(1, 2)),
    one("matmul", (3,), (3,)),
    one("matmul", (2, 3), (3,)),
    one("matmul", (3,), (3, 2)),
    one("matmul", (2, 3), (3, 4)),
    one("matmul", (1, 1), (1, 1)),
    one("matmul", (2, 0), (0, 3)),
    one("matmul", (5, 2, 3), (3, 4)),
    one("matmul", (2, 3), (5, 3, 4)),
    one("matmul", (5, 2, 3), (3,)),
    one("matmul", (3,), (5, 3, 2)),
    one("matmul", (5, 1, 2, 3), (4, 3, 2)),
    one("softmax", (3,)),
    one("softmax", (1,)),
    one("softmax", (2, 3), axis=0),
    one("softmax", (0, 3)),
    one("log_softmax", (3,)),
    one("log_softmax", (1,)),
    one("log_softmax", (2, 3), axis=0),
    one("log_softmax", (0, 3)),
    one("stack", (2, 3), (2, 3), axis=1, call=stacked),
    one("stack", (), (), call=stacked),
    one("index_add", (4, 2), (3, 2), index=np.array([0, 2, 0]), call=added_at),
)


def reduction(function: Any) -> Any:
    """Call PyTorch's reduction, which wants every axis named where NumPy means all by None."""

    def call(x: Any, axis: Any = None, keepdims: Any = False, **more: Any) -> Any:
        axes = tuple(range(x.ndim)) if axis is None else axis
        return function(x, axes, keepdims, **more)

    return call


def prod(torch: Any) -> Any:
    def call(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
        for k in sorted((a % x.ndim for a in axes), reverse=True):
            x = torch.prod(x, k, keepdim=keepdims)
        return x

    return call


def index_of(torch: Any, index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(index_of(torch, part) for part in index)
    return torch.from_numpy(index) if isinstance(index, np.ndarray) else index


def squeezed(x: Any, axis: Any = None) -> Any:
    return x.squeeze() if axis is None else x.squeeze(axis)


def index_scatter(torch: Any) -> Any:
    def call(values: Any, index: Any, shape: Any) -> Any:
        out = torch.zeros(shape, dtype=values.dtype)
        if isinstance(index, slice) or values.ndim == 0:
            places = torch.arange(out.numel()).reshape(shape)[index]
            return out.reshape(-1).index_put((places.reshape(-1),), values.reshape(-1)).reshape(shape)
        return out.index_put((torch.from_numpy(index),), values, accumulate=True)

    return call


def scatter_along_axis(torch: Any) -> Any:
    def call(values: Any, indices: Any, shape: Any, axis: int) -> Any:
        return torch.zeros(shape, dtype=values.dtype).scatter_add(axis, indices, values)

    return call


def expanded(x: Any, axis: Any) -> Any:
    axes = (axis,) if isinstance(axis, int) else axis
    ndim = x.ndim + len(axes)
    for k in sorted(a % ndim for a in axes):
        x = x.unsqueeze(k)
    return x


NAMED_ALIKE = (
    *("add", "arccos", "arcsin", "arctan", "cos", "cosh", "divide", "erf", "exp", "expm1", "log", "log1p"),
    *("matmul", "maximum", "minimum", "moveaxis", "multiply", "negative", "positive", "reciprocal", "reshape", "sign"),
    *("sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "where", "sigmoid"),
)


def alike(name: str) -> Counterpart:
    return lambda torch: getattr(torch, name)


def functional(name: str) -> Counterpart:
    return lambda torch: getattr(torch.nn.functional, name)


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: alike(name) for name in NAMED_ALIKE},
    **{name: functional(name) for name in ("relu", "silu", "gelu")},
    "power": lambda t: t.pow,
    "clip": lambda t: t.clamp,
    "astype": lambda t: lambda x, dtype: x.to(getattr(t, np.dtype(dtype).name)),
    "transpose": lambda t: lambda x, axes=None: x.permute(tuple(axes or range(x.ndim - 1, -1, -1))),
    "swapaxes": lambda t: lambda x, axis1, axis2: t.swapaxes(x, axis0=axis1, axis1=axis2),
    "broadcast_to": lambda t: lambda x, shape: t.broadcast_to(x, size=shape),
    "expand_dims": lambda t: expanded,
    "squeeze": lambda t: squeezed,
    "flip": lambda t: lambda x, axis=None: t.flip(x, list(range(x.ndim)) if axis is None else [axis]),
    "concatenate": lambda t: lambda *xs, axis: t.cat(xs, axis),
    "stack": lambda t: lambda *xs, axis=0: t.stack(xs, axis),
    "sum": lambda t: reduction(t.sum),
    "mean": lambda t: reduction(t.mean),
    "max": lambda t: reduction(t.amax),
    "min": lambda t: reduction(t.amin),
    "prod": prod,
    "var": lambda t: reduction(lambda x, a, k, ddof=0: t.var(x, a, correction=ddof, keepdim=k)),
    "std": lambda t: reduction(lambda x, a, k, ddof=0: t.std(x, a, correction=ddof, keepdim=k)),
    "logsumexp": lambda t: reduction(t.logsumexp),
    "cumsum": lambda t: lambda x, axis=None: t.cumsum(x.reshape(-1) if axis is None else x, axis or 0),
    "getitem": lambda t: lambda x, index: x[index_of(t, index)],
    "index_add": lambda t: lambda x, v, index: x.index_add(0, t.from_numpy(index), v),
    "index_scatter": index_scatter,
    "take_along_axis": lambda t: lambda x, i, axis: t.take_along_dim(x, i, dim=axis),
    "scatter_along_axis": scatter_along_axis,
    "softmax": lambda t: lambda x, axis=-1: t.nn.functional.softmax(x, dim=axis),
    "log_softmax": lambda t: lambda x, axis=-1: t.nn.functional.log_softmax(x, dim=axis),
}
