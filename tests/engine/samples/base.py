"""What a sample is: one call of an operation, its inputs drawn afresh, and the shapes that are tried."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autodrill import engine
from autodrill.engine import registry
from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.tensor import raw

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]

Counterpart = Callable[[Any], Callable[..., Any]]
"""Given PyTorch, the same operation there, called with the same inputs and static values."""


@dataclass(frozen=True)
class Interval:
    """Uniform draws; the fuzzer reads the bounds to fit a value of its own between them."""

    low: float
    high: float

    def __call__(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
        return rng.uniform(self.low, self.high, shape)


def between(low: float, high: float) -> Draw:
    return Interval(low, high)


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


def fixed(values: Any) -> Draw:
    """Give these very integers."""
    return lambda rng, shape: np.array(values, dtype=np.int64).reshape(shape)


def signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Draw labels -1 and 1, of a dtype so small that it leaves float32 beside it what it is."""
    return rng.choice(np.array([-1, 1], dtype=np.int8), shape)


def small_integer(value: int) -> Draw:
    """Draw one integer, of a dtype so small that it leaves float32 beside it what it is."""
    return lambda rng, shape: np.full(shape, value, dtype=np.int8)


real = between(-2, 2)
positive_only = between(0.3, 2)


@dataclass(frozen=True)
class Sample:
    """One call of an operation: its inputs, drawn afresh from a generator, and its static values.

    `call` says how, where that is not `operation(*inputs, **static)`: a sequence of inputs, or several results. The
    inputs at the positions `of_complex` get an imaginary part, but for elements that are exactly 0.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    draws: tuple[Draw, ...]
    static: dict[str, Any] = field(default_factory=dict)
    call: Callable[..., Any] | None = None
    of_complex: tuple[int, ...] = ()

    def function(self) -> Callable[..., Any]:
        """Return the sampled function of raw arrays or Tensors."""
        operation = self.call or registry.get(self.name) or getattr(engine, self.name)
        return lambda *inputs: operation(*inputs, **self.static)

    def __str__(self) -> str:
        static = ",".join(f"{k}={v}" for k, v in self.static.items())
        parts = "-complex" + ",".join(map(str, self.of_complex)) if self.of_complex else ""
        return f"{self.name}-{'x'.join(map(str, self.shapes))}{'-' if static else ''}{static}{parts}".replace(" ", "")

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(str(self).encode()))

    def inputs(self, rng: np.random.Generator | None = None) -> list[Any]:
        """Draw the inputs, by default always the same."""
        rng = rng or self.rng()
        inputs = [np.asarray(draw(rng, shape)) for draw, shape in zip(self.draws, self.shapes, strict=True)]
        for k in self.of_complex:
            x = inputs[k]
            inputs[k] = np.asarray(x + 1j * np.where(x == 0, 0, rng.uniform(-0.8, 0.8, x.shape)))
        return inputs

    def in_complex(self, *positions: int) -> Sample:
        """Return the same call with complex numbers at some positions, by default at all that are floating."""
        floating = tuple(k for k, x in enumerate(self.inputs()) if x.dtype.kind == "f")
        return replace(self, of_complex=positions or floating)


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


def placed(constant: Any, x: Any) -> Any:
    """Return a constant array on the device of an input, for a call that has one besides its inputs."""
    return backend_of(raw(x)).xp.asarray(constant)


def one(
    name: str,
    *shapes: tuple[int, ...],
    draw: Draw | tuple[Draw, ...] = real,
    call: Callable[..., Any] | None = None,
    **static: Any,
) -> Sample:
    draws = draw if isinstance(draw, tuple) else (draw,) * len(shapes)
    return Sample(name, shapes, draws, static, call)
