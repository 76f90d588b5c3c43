"""Samples of sorting, running operations, and reading and writing by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine
from tests.engine.samples.base import Counterpart, Sample, exactly, one, positive_only, real, spread

ZEROS = exactly(1.5, 0.0, -2.0, 0.5, 0.0, 0.7)
PLACES = np.array([[0, 2, 1], [3, 0, 2]])  # along the first axis of (4, 3), none twice in a column
REPEATED = np.array([[0, 0, 2, 1], [1, 1, 1, 0]])


def parts(x: Any, kth: int) -> Any:
    """Return what a partition promises: the sums before and after the kth element, in whatever order, and itself."""
    return 3 * x[:kth].sum() + x[kth] - x[kth + 1 :].sum()


def written(name: str) -> Any:
    """Call an operation that takes what is written after where it is written."""
    if name == "put_along_axis":
        return lambda x, v, axis, index: engine.put_along_axis(x, index, v, axis)
    return lambda x, v, axis, index: getattr(engine, name)(x, axis, index, v)


def put(x: Any, values: Any, index: Any) -> Any:
    return engine.index_put(x, index, values)


SAMPLES: tuple[Sample, ...] = (
    one("sort", (4,), draw=spread),
    one("sort", (2, 3), draw=spread, axis=0),
    one("sort", (2, 3), draw=spread, axis=None),
    one("partition", (6,), draw=spread, kth=2, call=lambda x, kth: parts(engine.partition(x, kth), kth)),
    one("topk", (2, 5), draw=spread, k=2, call=lambda x, **how: engine.topk(x, **how)[0]),
    one("topk", (4, 3), draw=spread, k=2, axis=0, largest=False, call=lambda x, **how: engine.topk(x, **how)[0]),
    one("kthvalue", (2, 5), draw=spread, k=2),
    one("median", (5,), draw=spread),
    one("median", (4, 3), draw=spread, axis=0),
    one("median", (4, 3), draw=spread, keepdims=True),
    one("quantile", (5,), draw=spread, q=0.3),
    one("quantile", (2, 5), draw=spread, q=(0.1, 0.5, 1.0), axis=1),
    one("quantile", (2, 5), draw=spread, q=0.62, axis=0, keepdims=True),
    *(
        one("quantile", (2, 5), draw=spread, q=(0.1, 0.4, 0.5), axis=1, method=method)
        for method in ("lower", "higher", "midpoint", "nearest")
    ),
    one("quantile", (2, 5), (2,), draw=(spread, exactly(0.3, 0.61)), axis=1, call=engine.quantile),
    one("cumprod", ()),
    one("cumprod", (2, 3)),
    one("cumprod", (2, 5), axis=-1),
    one("cumprod", (6,), draw=ZEROS, axis=0),
    one("cumprod", (2, 0), axis=1),
    one("logcumsumexp", (5,)),
    one("logcumsumexp", (2, 3), axis=0),
    one("cummax", (5,), draw=spread),
    one("cummax", (3, 4), draw=spread, axis=0),
    one("cummin", (5,), draw=spread),
    one("cummin", (3, 4), draw=spread, axis=1),
    one("diff", (5,)),
    one("diff", (4, 3), n=2, axis=0),
    one("trapezoid", (5,), dx=0.3),
    one("trapezoid", (4, 3), (4,), draw=(real, positive_only), call=lambda y, x: engine.trapezoid(y, x, axis=0)),
    one("trapezoid", (2, 4), (2, 4)),
    one("cumulative_trapezoid", (5,), dx=0.3),
    one("cumulative_trapezoid", (4, 3), (4,), call=lambda y, x: engine.cumulative_trapezoid(y, x, axis=0)),
    one("gradient", (5,), spacing=0.3),
    one("gradient", (2, 5), edge_order=2),
    one("gradient", (4, 3), (4,), draw=(real, spread), call=lambda f, x: engine.gradient(f, x, 0, 2)),
    one("gradient", (2,)),
    one("index_select", (4, 3), axis=0, index=np.array([0, 2, 2])),
    one("gather", (4, 3), axis=0, index=np.array([[0, 2], [2, 3]])),
    one("gather", (2, 3), axis=1, index=np.array([[0, 0, 2, 2]])),
    *(
        one(name, (4, 3), (2, 3), axis=0, index=PLACES, call=written(name))
        for name in ("scatter_add", "scatter", "put_along_axis")
    ),
    one("scatter_add", (2, 3), (2, 4), axis=1, index=REPEATED, call=written("scatter_add")),
    one("index_copy", (4, 3), (2, 3), axis=0, index=np.array([2, 0]), call=written("index_copy")),
    one("index_fill", (4, 3), axis=1, index=np.array([2, 0]), value=0.5),
    one("index_put", (4, 3), (3,), index=(1, slice(None)), call=put),
    one("index_put", (4, 3), (2,), index=(np.array([0, 2]), np.array([1, 1])), call=put),
    one("index_put", (4, 3), (), index=slice(1, 3), call=put),
)


def along(name: str, default: int = -1) -> Counterpart:
    """Return the values of PyTorch's function, which calls the axis `dim`."""

    def make(torch: Any) -> Any:
        def call(x: Any, axis: Any = default, **how: Any) -> Any:
            result = getattr(torch, name)(x, dim=axis, **how)
            return result if isinstance(result, torch.Tensor) else result.values

        return call

    return make


def flat_by_default(name: str) -> Counterpart:
    return lambda torch: (
        lambda x, axis=None: getattr(torch, name)(x.reshape(-1) if axis is None else x, 0 if axis is None else axis)
    )


def sorted_(torch: Any) -> Any:
    return lambda x, axis=-1: torch.sort(x.reshape(-1) if axis is None else x, 0 if axis is None else axis).values


def quantile(torch: Any) -> Any:
    def call(x: Any, q: Any = 0.5, axis: Any = None, keepdims: bool = False, method: str = "linear") -> Any:
        levels = q if isinstance(q, torch.Tensor) else torch.tensor(q, dtype=x.dtype)
        return torch.quantile(x, levels, axis, keepdims, interpolation=method)

    return call


def in_place(name: str) -> Counterpart:
    return lambda torch: lambda x, v, axis, index: getattr(torch, name)(x, axis, torch.tensor(index), v)


def put_in_torch(torch: Any) -> Any:
    def call(x: Any, values: Any, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        x = x.clone()
        x[tuple(torch.tensor(k) if isinstance(k, np.ndarray) else k for k in parts)] = values
        return x

    return call


def integrated(name: str) -> Counterpart:
    """Integrate along the first axis at the points of a vector, otherwise along the last."""

    def make(torch: Any) -> Any:
        def call(y: Any, x: Any = None, dx: float = 1.0) -> Any:
            if x is None:
                return getattr(torch, name)(y, dx=dx)
            return getattr(torch, name)(y, x, dim=-1) if x.ndim > 1 else getattr(torch, name)(y, x[:, None], dim=0)

        return call

    return make


def sloped(torch: Any) -> Any:
    """PyTorch's does not differentiate the points: one written out for them."""

    def call(f: Any, x: Any = None, spacing: float = 1.0, edge_order: int = 1) -> Any:
        if x is None:
            return torch.gradient(f, spacing=spacing, dim=-1, edge_order=edge_order)[0]
        steps = torch.diff(x)[:, None]
        slopes = torch.diff(f, dim=0) / steps
        inside = (slopes[:-1] * steps[1:] + slopes[1:] * steps[:-1]) / (steps[1:] + steps[:-1])
        return torch.cat([2 * slopes[:1] - inside[:1], inside, 2 * slopes[-1:] - inside[-1:]])

    return call


COUNTERPARTS: dict[str, Counterpart] = {
    "sort": sorted_,
    "partition": lambda t: lambda x, kth: parts(t.sort(x).values, kth),
    "topk": along("topk"),
    "kthvalue": along("kthvalue"),
    "median": quantile,
    "quantile": quantile,
    "cumprod": flat_by_default("cumprod"),
    "logcumsumexp": flat_by_default("logcumsumexp"),
    "cummax": along("cummax"),
    "cummin": along("cummin"),
    "diff": along("diff"),
    "trapezoid": integrated("trapezoid"),
    "cumulative_trapezoid": integrated("cumulative_trapezoid"),
    "gradient": sloped,
    "index_select": lambda t: lambda x, axis, index: t.index_select(x, axis, t.tensor(index)),
    "gather": lambda t: lambda x, axis, index: t.gather(x, axis, t.tensor(index)),
    "index_fill": lambda t: lambda x, axis, index, value: t.index_fill(x, axis, t.tensor(index), value),
    "put_along_axis": in_place("scatter"),
    "index_put": put_in_torch,
    **{name: in_place(name) for name in ("scatter_add", "scatter", "index_copy")},
}
