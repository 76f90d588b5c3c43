"""Sample inputs of every primitive, in one table: what the registry walk runs over."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodrill.engine import registry

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]


def between(low: float, high: float) -> Draw:
    return lambda rng, shape: rng.uniform(low, high, shape)


def integers(high: int) -> Draw:
    return lambda rng, shape: rng.integers(0, high, shape)


def booleans(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.random(shape) < 0.5)


def spread(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draw distinct values at least 0.05 apart, so that no extreme is nearly tied: a kink is not differentiable."""
    size = int(np.prod(shape))
    values = (rng.permutation(size) - size / 2 + rng.uniform(0.1, 0.4)) * 0.1
    return np.asarray(values.reshape(shape))


def exactly(*values: float) -> Draw:
    return lambda rng, shape: np.array(values).reshape(shape)


def small_integer(value: int) -> Draw:
    """Draw one integer, of a dtype so small that it leaves float32 beside it what it is."""
    return lambda rng, shape: np.full(shape, value, dtype=np.int8)


real = between(-2, 2)
positive_only = between(0.3, 2)


@dataclass(frozen=True)
class Sample:
    """One call of a primitive: its inputs, drawn afresh from a generator, and its static values."""

    name: str
    shapes: tuple[tuple[int, ...], ...]
    draws: tuple[Draw, ...]
    static: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        static = ",".join(f"{k}={v}" for k, v in self.static.items())
        return f"{self.name}-{'x'.join(map(str, self.shapes))}{'-' if static else ''}{static}".replace(" ", "")

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(str(self).encode()))

    def inputs(self) -> list[Any]:
        rng = self.rng()
        return [np.asarray(draw(rng, shape)) for draw, shape in zip(self.draws, self.shapes, strict=True)]


UNARY = ((), (1,), (0,), (2, 3))
BINARY = (((), ()), ((1,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3), ()), ((0, 3), (3,)), ((1, 0), (2, 1)))
REDUCED: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((), {}),
    ((1,), {}),
    ((4,), {"axis": 0}),
    ((2, 3), {}),
    ((2, 3), {"axis": 1}),
    ((2, 3), {"axis": -2, "keepdims": True}),
    ((2, 3, 2), {"axis": (0, 2)}),
    ((2, 3, 2), {"axis": (-1, 0), "keepdims": True}),
)
EMPTY_REDUCED: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (((0,), {}), ((0, 3), {"axis": 0}))


def unary(draw: Draw, *names: str) -> Iterator[Sample]:
    for name in names:
        for shape in UNARY:
            yield Sample(name, (shape,), (draw,))


def binary(x: Draw, y: Draw, *names: str) -> Iterator[Sample]:
    for name in names:
        for shapes in BINARY:
            yield Sample(name, shapes, (x, y))


def reductions(draw: Draw, cases: Any, *names: str, **more: Any) -> Iterator[Sample]:
    for name in names:
        for shape, static in cases:
            yield Sample(name, (shape,), (draw,), {**static, **more})


def one(name: str, *shapes: tuple[int, ...], draw: Draw | tuple[Draw, ...] = real, **static: Any) -> Sample:
    draws = draw if isinstance(draw, tuple) else (draw,) * len(shapes)
    return Sample(name, shapes, draws, static)


SAMPLES: tuple[Sample, ...] = (
    *unary(real, "negative", "positive", "square", "exp", "expm1", "erf", "sin", "cos", "arctan", "sinh", "cosh"),
    *unary(real, "tanh", "absolute", "sign", "relu", "sigmoid", "softplus", "silu", "gelu"),
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
    one("cross_entropy", (3,), (), draw=(real, integers(3)), axis=0),
    one("cross_entropy", (4, 3), (4,), draw=(real, integers(3)), axis=1),
    one("cross_entropy", (2, 3, 2), (2, 2), draw=(real, integers(3)), axis=1),
    one("cross_entropy", (0, 3), (0,), draw=(real, integers(3)), axis=1),
)
