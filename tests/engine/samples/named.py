"""Samples of the operations that have a name because PyTorch and NumPy users look for it."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from autodrill import engine
from tests.engine.samples.base import (
    Counterpart,
    Draw,
    Sample,
    between,
    exactly,
    fixed,
    integers,
    one,
    placed,
    real,
    spread,
)
from tests.engine.samples.linalg import adjoint, gram, regular

HOLES = np.array([[False, True, False], [False, False, True]])
MASK = np.array([[True, False, True], [False, True, True]])
PLACES = np.array([[0, 2, 1], [3, 0, 2], [0, 2, 2]])
AMONG = np.array([2, 0, 2])
REDUCTIONS = ("sum", "mean", "prod", "amax", "amin")
CHOSEN = np.array([[[[3, 6], [8, 13]]]])


def holed(name: str) -> Any:
    """Put NaN into the function, because finite differences cannot use an input that is NaN."""
    return lambda x, **how: getattr(engine, name)(engine.where(placed(HOLES, x), np.float32("nan"), x), **how)


def joined(parts: Any) -> Any:
    """Return several results as one, with the parts in reverse order."""
    return engine.concatenate([engine.reshape(p, -1) for p in parts][::-1])


def decomposed(x: Any) -> Any:
    return joined(engine.lu(x)[1:])


def packed(x: Any) -> Any:
    return engine.lu_factor(x)[0]


def unpacked(x: Any) -> Any:
    return joined(engine.lu_unpack(x, placed(np.broadcast_to(np.arange(x.shape[-2]), x.shape[:-1]), x))[1:])


def solved(a: Any, b: Any) -> Any:
    return engine.lu_solve(*engine.lu_factor(a), b)


def by_cholesky(b: Any, x: Any, upper: bool = False) -> Any:
    factor = engine.cholesky(gram(x))
    return engine.cholesky_solve(b, adjoint(factor) if upper else factor, upper)


def of_cholesky(x: Any) -> Any:
    return engine.cholesky_inverse(engine.cholesky(gram(x)))


def sampled_at(low: float, high: float) -> tuple[Draw, Draw]:
    return real, between(low, high)


def unpooled(dims: int) -> Any:
    def call(x: Any, **how: Any) -> Any:
        pool = getattr(engine, f"max_pool{dims}d")
        return getattr(engine, f"max_unpool{dims}d")(*pool(x, 2, return_indices=True), 2, **how)

    return call


def reduced(name: str) -> Any:
    return lambda x, s, axis, index, **how: getattr(engine, name)(x, axis, index, s, **how)


def scattered(x: Any, s: Any, mask: Any) -> Any:
    return engine.masked_scatter(x, mask, s)


def strided(x: Any, s: Any, **how: Any) -> Any:
    return engine.as_strided_scatter(x, s, **how)


def sampled(x: Any, seed: int, **how: Any) -> Any:
    return engine.gumbel_softmax(x, rng=np.random.default_rng(seed), **how)


def transposed_product(a: Any, tau: Any, c: Any, **how: Any) -> Any:
    return engine.ormqr(a, tau, c, **how)


SAMPLES: tuple[Sample, ...] = (
    # Elements
    one("clamp", (2, 3), (3,), (), draw=(real, between(-1, -0.5), between(0.5, 1))),
    one("clamp", (2, 3), min=-0.5, max=0.7),
    one("clamp", (2, 3), (2, 1), draw=(real, between(-1, 1))),
    one("clamp", (3,), (3,), draw=(real, between(-1, 1)), call=lambda x, m: engine.clamp(x, max=m)),
    one("clamp", (3,), min=0.7, max=-0.2),
    one("frac", ()),
    one("frac", (2, 3)),
    one("linspace", (), (), num=5),
    one("linspace", (2,), (3, 1), num=4, endpoint=False),
    one("interp", (5,), (4,), (4,), draw=(between(-1, 4), exactly(0.0, 0.7, 2.0, 3.0), real)),
    one("interp", (2, 3), (3,), (3,), draw=(between(-1, 4), exactly(0.0, 1.2, 3.0), real)),
    # Sums of products
    *(one(name, (2, 3), (3,), (2, 1), draw=(real, real, between(0.5, 2))) for name in ("addcmul", "addcdiv")),
    one("addcmul", (2,), (2,), (), value=-0.3),
    one("addmm", (2, 2), (2, 3), (3, 2)),
    one("addmm", (2,), (2, 3), (3, 2), beta=0.5, alpha=-2.0),
    one("addmv", (2,), (2, 3), (3,), beta=0.5),
    one("addr", (2, 3), (2,), (3,), alpha=0.3),
    one("baddbmm", (2, 2, 1), (2, 2, 3), (2, 3, 2), beta=0.5),
    one("addbmm", (2, 2), (3, 2, 3), (3, 3, 2), alpha=2.0),
    # All but NaN
    *(
        one(name, (2, 3), draw=spread, call=holed(name), axis=axis)
        for name in ("nanmax", "nanmin", "nanprod", "nancumsum", "nanvar", "nanstd", "nanmedian")
        for axis in (None, 1)
    ),
    one("nanvar", (2, 3), axis=0, ddof=1, keepdims=True),
    one("nanstd", (2, 3), axis=1, ddof=1),
    one("nanmax", (2, 3), draw=spread, axis=(0, 1), keepdims=True),
    one("nanquantile", (2, 3), draw=spread, call=holed("nanquantile"), q=(0.2, 0.7), axis=1),
    one("nanquantile", (2, 3), draw=spread, call=holed("nanquantile"), q=0.4, keepdims=True),
    # Shapes and pieces
    *(one(f"atleast_{n}d", shape) for n in (1, 2, 3) for shape in ((), (3,), (2, 3))),
    one("chunk", (5, 2), chunks=3, call=lambda x, **how: joined(engine.chunk(x, **how))),
    one("tensor_split", (2, 5), sections=3, axis=1, call=lambda x, **how: joined(engine.tensor_split(x, **how))),
    one("tensor_split", (5,), sections=(1, 3), call=lambda x, **how: joined(engine.tensor_split(x, **how))),
    one("expand", (2, 1), shape=(3, -1, 2)),
    one("narrow", (2, 4), axis=1, start=1, length=2),
    one("select", (2, 4), axis=-1, index=2),
    one("unflatten", (2, 6), axis=1, sizes=(2, -1)),
    # Writes and reductions by index
    one("as_strided", (2, 5), size=(2, 3), stride=(2, 1), storage_offset=1),
    one("as_strided_scatter", (2, 5), (2, 2), call=strided, size=(2, 2), stride=(4, 1), storage_offset=1),
    one("masked_scatter", (2, 3), (5,), call=scattered, mask=MASK),
    one("masked_scatter", (3,), (4,), call=scattered, mask=MASK),
    *(
        one("scatter_reduce", (4, 3), (3, 3), draw=spread, call=reduced("scatter_reduce"), axis=0, index=PLACES, **how)
        for how in [{"reduce": r} for r in REDUCTIONS] + [{"reduce": r, "include_self": False} for r in REDUCTIONS]
    ),
    one(
        "scatter_reduce",
        *((3, 4), (3, 3)),
        call=reduced("scatter_reduce"),
        axis=1,
        index=PLACES[:2] % 4,
        reduce="amax",
    ),
    *(
        one("index_reduce", (2, 4), (2, 3), draw=spread, call=reduced("index_reduce"), axis=1, index=AMONG, reduce=r)
        for r in REDUCTIONS
    ),
    # Factors
    one("logdet", (2, 2, 2), draw=regular),
    *(one("eliminate", shape, draw=regular) for shape in ((1, 1), (3, 3), (2, 2, 2))),
    *(one("lu", shape, draw=regular, call=decomposed) for shape in ((3, 3), (4, 2), (2, 3), (2, 2, 2))),
    *(one("lu_factor", shape, draw=regular, call=packed) for shape in ((3, 3), (3, 2))),
    one("lu_unpack", (3, 2), call=unpacked),
    one("lu_solve", (3, 3), (3, 2), draw=(regular, real), call=solved),
    *(one("cholesky_solve", (2, 3), (2, 2), draw=(real, regular), call=by_cholesky, upper=u) for u in (False, True)),
    one("cholesky_inverse", (3, 3), draw=regular, call=of_cholesky),
    one("householder_product", (3, 2), (2,)),
    one("householder_product", (2, 3, 2), (2, 1)),
    *(one("ormqr", (3, 2), (2,), (3, 2), call=transposed_product, transpose=t) for t in (False, True)),
    *(one("ormqr", (3, 2), (2,), (2, 3), call=transposed_product, left=False, transpose=t) for t in (False, True)),
    # Networks
    one("gumbel_softmax", (2, 3), seed=1, tau=0.7, call=sampled),
    *(
        one("grid_sample", (2, 2, 3, 4), (2, 2, 3, 2), draw=sampled_at(-0.62, 0.62), mode=mode)
        for mode in ("bilinear", "bicubic")
    ),
    *(
        one("grid_sample", (1, 1, 3, 3), (1, 4, 1, 2), draw=sampled_at(-1.3, 1.3), padding_mode=p, align_corners=c)
        for p in ("zeros", "border", "reflection")
        for c in (False, True)
    ),
    one("grid_sample", (1, 2, 3, 3), (1, 2, 2, 2), draw=sampled_at(-1.2, 1.2), mode="bicubic", padding_mode="border"),
    one("grid_sample", (1, 1, 2, 3, 2), (1, 2, 1, 2, 3), draw=sampled_at(-0.9, 0.9)),
    one("max_unpool1d", (1, 2, 4), draw=spread, call=unpooled(1)),
    one("max_unpool2d", (1, 2, 4, 4), draw=spread, call=unpooled(2)),
    one("max_unpool2d", (2, 1, 5, 4), draw=spread, call=unpooled(2), output_size=(5, 4)),
    one("max_unpool3d", (1, 1, 2, 4, 2), draw=spread, call=unpooled(3)),
    one("multi_margin_loss", (3, 4), (3,), draw=(real, integers(4))),
    one("multi_margin_loss", (3, 4), (3,), draw=(real, integers(4)), p=2, margin=0.5),
    one("multilabel_margin_loss", (2, 4), (2, 4), draw=(real, fixed([[3, 0, -1, 1], [1, 2, 0, -1]]))),
    *(one("triplet_margin_with_distance_loss", (3, 2), (3, 2), (3, 2), swap=swap) for swap in (False, True)),
    # Spectra
    *(one(name, (2, 3)) for name in ("hfft2", "ihfft2", "hfftn", "ihfftn")),
    one("hfftn", (2, 3), axes=(0,), norm="ortho"),
)


def masked(name: str) -> Counterpart:
    """Return the counterpart for samples with holes, in functions that PyTorch has."""

    def make(torch: Any) -> Any:
        nan = float("nan")
        holes = torch.tensor(HOLES)

        def call(x: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0, q: Any = None) -> Any:
            hit = holes if ddof == 0 and not isinstance(axis, tuple) else holes & False
            some: Any = {} if axis is None else {"dim": axis, "keepdim": keepdims}
            match name:
                case "nanmax" | "nanmin":
                    function = torch.amax if name == "nanmax" else torch.amin
                    return function(x.masked_fill(hit, -10 if name == "nanmax" else 10), **some)
                case "nanprod":
                    return torch.prod(x.masked_fill(hit, 1), **some)
                case "nancumsum":
                    x = x.masked_fill(hit, 0)
                    return torch.cumsum(x.reshape(-1) if axis is None else x, 0 if axis is None else axis)
                case "nanvar" | "nanstd":
                    kept: Any = {} if axis is None else {"dim": axis, "keepdim": True}
                    mean = x.masked_fill(hit, nan).nanmean(**kept)
                    squares = ((x - mean) ** 2).masked_fill(hit, 0)
                    total = squares.sum(**some) / ((~hit).sum(**some) - ddof)
                    return total if name == "nanvar" else total.sqrt()
                case _:
                    levels = torch.tensor(0.5 if q is None else q, dtype=x.dtype)
                    return torch.nanquantile(x.masked_fill(hit, nan), levels, axis, keepdims)

        return call

    return make


def clamped(torch: Any) -> Any:
    def call(x: Any, *bounds: Any, **static: Any) -> Any:
        if len(bounds) == 1:
            return torch.clamp(x, max=bounds[0]) if x.ndim == 1 else torch.clamp(x, bounds[0])
        return torch.clamp(x, *bounds, **static)

    return call


def interpolated(torch: Any) -> Any:
    def call(x: Any, points: Any, values: Any) -> Any:
        right = torch.searchsorted(points, x.contiguous(), right=True).clamp(1, len(points) - 1)
        low, high = points[right - 1], points[right]
        inside = values[right - 1] + (x - low) / (high - low) * (values[right] - values[right - 1])
        return torch.where(x < points[0], values[0], torch.where(x > points[-1], values[-1], inside))

    return call


def spaced(torch: Any) -> Any:
    def call(start: Any, stop: Any, num: int, endpoint: bool = True) -> Any:
        t = torch.arange(num, dtype=start.real.dtype) / (num - 1 if endpoint else num)
        t = t.reshape(-1, *(1,) * max(start.ndim, stop.ndim))
        return start * (1 - t) + stop * t

    return call


def in_torch(torch: Any, parts: Any) -> Any:
    return torch.cat([p.reshape(-1) for p in parts][::-1])


def of_torch(name: str) -> Counterpart:
    return attrgetter(name)


def spectrum(name: str) -> Counterpart:
    def make(torch: Any) -> Any:
        def call(x: Any, axes: Any = None, norm: Any = None) -> Any:
            return getattr(torch.fft, name)(x, norm=norm, **({} if axes is None else {"dim": axes}))

        return call

    return make


def reduced_in_torch(torch: Any) -> Any:
    """Reduce place by place: PyTorch has forward mode for some reductions only, and no complex numbers."""

    def call(x: Any, s: Any, axis: int, index: Any, reduce: str, include_self: bool = True) -> Any:
        if index.ndim == 1:
            index = np.broadcast_to(index[tuple(slice(None) if k == axis else None for k in range(x.ndim))], s.shape)
        rows = []
        for place in np.ndindex(*x.shape):
            leads = [at for at in np.ndindex(*index.shape) if (*at[:axis], index[at], *at[axis + 1 :]) == place]
            own = [x[place]] if include_self or not leads else []
            reduction = getattr(torch, {"amax": "max", "amin": "min"}.get(reduce, reduce))
            rows.append(reduction(torch.stack([*own, *(s[at] for at in leads)])))
        return torch.stack(rows).reshape(x.shape)

    return call


def written_at(torch: Any) -> Any:
    """PyTorch's gradient of x is that of the replaced elements (2.13), which should get none: written as an index."""

    def call(x: Any, s: Any, size: Any, stride: Any, storage_offset: int) -> Any:
        places = torch.as_strided(torch.arange(x.numel()), size, stride, storage_offset)
        return torch.index_put(x.reshape(-1), (places,), s).reshape(x.shape)

    return call


def gumbel(torch: Any) -> Any:
    def call(x: Any, seed: int, tau: float) -> Any:
        u = torch.tensor(np.random.default_rng(seed).random(tuple(x.shape)))
        return torch.softmax((x - torch.log(-torch.log(u))) / tau, -1)

    return call


def eliminated(torch: Any) -> Any:
    """Return the decomposition without pivots, which PyTorch has on the GPU alone, written out."""

    def call(x: Any) -> Any:
        rows = list(x.unbind(-2))
        for k in range(len(rows)):
            for i in range(k + 1, len(rows)):
                factor = rows[i][..., k : k + 1] / rows[k][..., k : k + 1]
                later = rows[i][..., k + 1 :] - factor * rows[k][..., k + 1 :]
                rows[i] = torch.cat([rows[i][..., :k], factor, later], -1)
        return torch.stack(rows, -2)

    return call


def householder(torch: Any) -> Any:
    """Return the product written out, which is also right for the reflections that are not unitary."""

    def call(a: Any, tau: Any, other: Any = None, left: bool = True, transpose: bool = False) -> Any:
        m, n = a.shape[-2:]
        q = torch.eye(m, dtype=a.dtype)
        for k in range(tau.shape[-1]):
            one = torch.nn.functional.one_hot(torch.tensor(k), m).to(a.dtype)
            v = torch.cat([torch.zeros_like(a[..., : k + 1, k]), a[..., k + 1 :, k]], -1) + one
            q = q @ (torch.eye(m, dtype=a.dtype) - tau[..., k, None, None] * v[..., :, None] * v[..., None, :].conj())
        if other is None:
            return q[..., :n]
        q = q.mH if transpose else q
        return q @ other if left else other @ q

    return call


def pooled(dims: int) -> Counterpart:
    def make(torch: Any) -> Any:
        f = torch.nn.functional

        def call(x: Any, output_size: Any = None) -> Any:
            maxima, indices = getattr(f, f"max_pool{dims}d")(x, 2, return_indices=True)
            return getattr(f, f"max_unpool{dims}d")(maxima, indices, 2, output_size=output_size)

        return call

    return make


def matrices(torch: Any, x: Any) -> Any:
    return torch.linalg.cholesky(x @ x.mH + torch.eye(x.shape[-1], dtype=x.dtype) / 2)


COUNTERPARTS: dict[str, Counterpart] = {
    "clamp": clamped,
    "frac": lambda t: t.frac,
    "linspace": spaced,
    "interp": interpolated,
    **{name: of_torch(name) for name in ("addcmul", "addcdiv", "addmm", "addmv", "addr", "baddbmm", "addbmm")},
    **{
        name: masked(name)
        for name in (*("nanmax", "nanmin", "nanprod", "nancumsum", "nanvar", "nanstd", "nanmedian", "nanquantile"),)
    },
    **{name: of_torch(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    "chunk": lambda t: lambda x, chunks: in_torch(t, t.chunk(x, chunks)),
    "tensor_split": lambda t: lambda x, sections, axis=0: in_torch(t, t.tensor_split(x, sections, axis)),
    "expand": lambda t: lambda x, shape: x.expand(shape),
    "narrow": lambda t: t.narrow,
    "select": lambda t: t.select,
    "unflatten": lambda t: t.unflatten,
    "as_strided": lambda t: t.as_strided,
    "as_strided_scatter": written_at,
    "masked_scatter": lambda t: lambda x, s, mask: x.expand(2, 3).masked_scatter(t.tensor(mask), s),
    "scatter_reduce": reduced_in_torch,
    "index_reduce": reduced_in_torch,
    "logdet": lambda t: t.logdet,
    "eliminate": eliminated,
    "lu": lambda t: lambda x: in_torch(t, t.linalg.lu(x)[1:]),
    "lu_factor": lambda t: lambda x: t.linalg.lu_factor(x)[0],
    "lu_unpack": lambda t: lambda x: in_torch(t, t.lu_unpack(x, t.arange(1, 3, dtype=t.int32))[1:]),
    "lu_solve": lambda t: lambda a, b: t.linalg.lu_solve(*t.linalg.lu_factor(a), b),
    "cholesky_solve": lambda t: (
        lambda b, x, upper: t.cholesky_solve(b, matrices(t, x).mH if upper else matrices(t, x), upper)
    ),
    "cholesky_inverse": lambda t: lambda x: t.linalg.inv(matrices(t, x) @ matrices(t, x).mH),
    "householder_product": householder,
    "ormqr": householder,
    "gumbel_softmax": gumbel,
    "grid_sample": lambda t: (
        lambda x, grid, mode="bilinear", padding_mode="zeros", align_corners=False: t.nn.functional.grid_sample(
            x, grid, mode, padding_mode, align_corners
        )
    ),
    **{f"max_unpool{dims}d": pooled(dims) for dims in (1, 2, 3)},
    **{
        name: of_torch(f"nn.functional.{name}")
        for name in ("multi_margin_loss", "multilabel_margin_loss", "triplet_margin_with_distance_loss")
    },
    **{name: spectrum(name) for name in ("hfft2", "ihfft2", "hfftn", "ihfftn")},
}
