"""Samples of padding, repeating, splitting and diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine
from tests.engine.samples.base import Counterpart, Sample, one


def joined(name: str) -> Any:
    """Return a call of an operation that takes a sequence of arrays."""
    return lambda *arrays: getattr(engine, name)(arrays)


def weighted_parts(parts: Any) -> Any:
    """Join the parts of a list again, each scaled by its number, so that none can stand for another."""
    total = 0
    for k, part in enumerate(parts, start=1):
        total = total + k * part.sum()
    return total


def weighted_grid(coordinates: Any) -> Any:
    """Join the coordinates of a grid, each scaled by its number, so that none can stand for another."""
    total = 0
    for k, coordinate in enumerate(coordinates, start=1):
        total = total + k * coordinate
    return total


MASK = np.array([[True, False, True], [False, False, True]])

SAMPLES: tuple[Sample, ...] = (
    one("take", (4, 3), indices=[0, 2, 2], axis=0),
    one("take", (4, 3), indices=[[0, 2], [1, 1]], axis=-1),
    one("take", (4, 3), indices=[0, 11]),
    one("pad_constant", (), widths=()),
    one("pad_constant", (2, 3), widths=((1, 0), (2, 1)), value=1.5),
    one("pad", (2, 3), pad_width=1),
    one("pad", (2, 3), pad_width=((1, 0), (2, 1)), constant_values=0.5),
    one("pad", (3, 4), pad_width=((1, 2), (0, 3)), mode="reflect"),
    one("pad", (3, 4), pad_width=(2, 1), mode="edge"),
    one("pad", (3, 4), pad_width=(2, 1), mode="symmetric"),
    one("pad", (3, 4), pad_width=(2, 1), mode="wrap"),
    one("tile", (2, 3), reps=2),
    one("tile", (3,), reps=(2, 1, 2)),
    one("tile", (2, 1, 2), reps=(2, 3)),
    one("repeat", (2, 3), repeats=2),
    one("repeat", (2, 3), repeats=(2, 0, 1), axis=1),
    one("roll", (2, 3), shift=2),
    one("roll", (2, 3), shift=(1, -1), axis=(0, 1)),
    one("roll", (2, 3), shift=-4, axis=1),
    *(one("rot90", (2, 3), k=k) for k in (0, 1, 2, 3)),
    one("rot90", (2, 2, 3), axes=(2, 0)),
    one("fliplr", (2, 3)),
    one("flipud", (2, 3)),
    one("ravel", (2, 3)),
    one("ravel", ()),
    one("flatten", (2, 3, 2), start_axis=1),
    one("flatten", ()),
    one("vstack", (3,), (2, 3), call=joined("vstack")),
    one("hstack", (2, 1), (2, 3), call=joined("hstack")),
    one("hstack", (2,), (3,), call=joined("hstack")),
    one("column_stack", (2,), (2, 3), call=joined("column_stack")),
    one("block_diag", (2, 3), (2,), (1, 1)),
    one("block_diag", ()),
    one("meshgrid", (2,), (3,), call=lambda *xs: weighted_grid(engine.meshgrid(*xs))),
    one("meshgrid", (2,), (3,), (), indexing="ij", call=lambda *xs, **how: weighted_grid(engine.meshgrid(*xs, **how))),
    one("dstack", (2, 3), (2, 3, 2), call=joined("dstack")),
    one("dstack", (3,), (3,), call=joined("dstack")),
    one("split", (6,), sections=3, call=lambda x, sections: weighted_parts(engine.split(x, sections))),
    one("split", (2, 5), sections=(1, 3), call=lambda x, sections: weighted_parts(engine.split(x, sections, 1))),
    one("unstack", (3, 2), call=lambda x: weighted_parts(engine.unstack(x))),
    one("unstack", (3, 2), axis=1, call=lambda x, axis: weighted_parts(engine.unstack(x, axis))),
    one("diagonal", (3, 4)),
    one("diagonal", (1, 1)),
    one("diagonal", (2, 0)),
    one("diagonal", (3, 4), offset=-1),
    one("diagonal", (2, 3, 4), offset=2, axis1=2, axis2=0),
    one("diag", (3,)),
    one("diag", (2,), k=-1),
    one("diag", (3, 4), k=1),
    one("diag_embed", (2, 3)),
    one("diag_embed", (2, 3), offset=-2),
    one("trace", (3, 4)),
    one("trace", (3, 4, 2), offset=1),
    *(one(name, (3, 4), k=k) for name in ("tril", "triu") for k in (0, 1, -1)),
    *(one(name, (2, 2, 3)) for name in ("tril", "triu")),
    *(one(name, (1, 1)) for name in ("tril", "triu")),
    one("masked_fill", (2, 3), mask=MASK, value=0.7),
    one("masked_select", (2, 3), mask=MASK),
    one("masked_select", (3,), mask=MASK),
    one("pixel_shuffle", (1, 8, 2, 1), upscale_factor=2),
    one("pixel_unshuffle", (1, 2, 4, 2), downscale_factor=2),
    one("channel_shuffle", (2, 6, 2), groups=3),
)


def padded(torch: Any) -> Any:
    """Pad as PyTorch does, the last axis first; what it does not have, by indices from NumPy."""

    def call(x: Any, pad_width: Any, mode: Any = "constant", constant_values: float = 0) -> Any:
        widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2))
        if mode == "constant":
            return torch.nn.functional.pad(x, [int(n) for pair in widths[::-1] for n in pair], value=constant_values)
        for axis, pair in enumerate(widths):
            places = np.pad(np.arange(x.shape[axis]), pair, mode=mode)
            x = x.index_select(axis, torch.tensor(places))
        return x

    return call


def repeated(torch: Any) -> Any:
    def call(x: Any, repeats: Any, axis: Any = None) -> Any:
        return torch.repeat_interleave(x, repeats if isinstance(repeats, int) else torch.tensor(repeats), axis)

    return call


def in_torch(name: str) -> Counterpart:
    return lambda torch: lambda *arrays: getattr(torch, name)(arrays)


def gridded(torch: Any) -> Any:
    def call(*xs: Any, indexing: str = "xy") -> Any:
        return weighted_grid(torch.meshgrid(*map(torch.atleast_1d, xs), indexing=indexing))

    return call


def alike(name: str) -> Counterpart:
    return lambda torch: getattr(torch, name)


def taken(torch: Any) -> Any:
    def call(x: Any, indices: Any, axis: Any = None) -> Any:
        index = torch.tensor(indices)
        return torch.take(x, index) if axis is None else x[(slice(None),) * (axis % x.ndim) + (index,)]

    return call


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: alike(name) for name in ("fliplr", "flipud", "ravel", "channel_shuffle")},
    **{name: in_torch(name) for name in ("vstack", "hstack", "dstack")},
    "column_stack": in_torch("column_stack"),
    "block_diag": alike("block_diag"),
    "meshgrid": gridded,
    "take": taken,
    "pad_constant": lambda t: lambda x, widths, value=0: padded(t)(x, widths or 0, constant_values=value),
    "pad": padded,
    "tile": lambda t: lambda x, reps: t.tile(x, (reps,) if isinstance(reps, int) else reps),
    "repeat": repeated,
    "roll": lambda t: lambda x, shift, axis=None: t.roll(x, shift, axis),
    "rot90": lambda t: lambda x, k=1, axes=(0, 1): t.rot90(x, k, axes),
    "flatten": lambda t: lambda x, start_axis=0: t.flatten(x, start_axis),
    "split": lambda t: lambda x, sections: weighted_parts(t.tensor_split(x, sections, x.ndim - 1)),
    "unstack": lambda t: lambda x, axis=0: weighted_parts(t.unbind(x, axis)),
    "diagonal": lambda t: lambda x, offset=0, axis1=0, axis2=1: t.diagonal(x, offset, axis1, axis2),
    "diag": lambda t: lambda x, k=0: t.diag(x, k),
    "diag_embed": lambda t: lambda x, offset=0: t.diag_embed(x, offset),
    "trace": lambda t: lambda x, offset=0: t.diagonal(x, offset).sum(-1),
    "tril": lambda t: lambda x, k=0: t.tril(x, k),
    "triu": lambda t: lambda x, k=0: t.triu(x, k),
    "masked_fill": lambda t: lambda x, mask, value: x.masked_fill(t.tensor(mask), value),
    "masked_select": lambda t: lambda x, mask: t.masked_select(x, t.tensor(mask)),
    "pixel_shuffle": lambda t: t.nn.functional.pixel_shuffle,
    "pixel_unshuffle": lambda t: t.nn.functional.pixel_unshuffle,
}
