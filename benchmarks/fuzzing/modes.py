"""What is computed of a program in each mode: by the engine's transforms, and by PyTorch example by example.

PyTorch's side knows values, gradients, forward-mode tangents and gradients of gradients, of one example at a time. The
engine's side is the transform, or the nesting of transforms, that the mode is named after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodrill import engine
from benchmarks.fuzzing.programs import OURS, THEIRS, function

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.fuzzing.programs import Program

EXAMPLES = 3

MODES = {
    "first": ("value", "gradient", "vmap", "vmap of the gradient", "gradient of vmap"),
    "forward": ("value", "gradient", "tangent", "vmap of the tangent", "tangent of vmap"),
    "second": (
        *("value", "gradient", "second order", "forward over reverse", "reverse over forward"),
        *("vmap of forward over reverse", "gradient of vmap of the gradient"),
    ),
}
"""The modes of programs by the kind of their operations, see `programs.usable`."""

ALL = tuple(dict.fromkeys(mode for modes in MODES.values() for mode in modes))


class PyTorchRefusesError(Exception):
    """PyTorch raises an error of its own."""


def drawn_like(rng: np.random.Generator, value: Any, count: int | None = None) -> Any:
    """Draw a direction, or several along a first axis: complex for a complex value."""
    shape = np.shape(value) if count is None else (count, *np.shape(value))
    direction = rng.normal(size=shape)
    return np.asarray(direction + 1j * rng.normal(size=shape) if value.dtype.kind == "c" else direction)


@dataclass(frozen=True)
class Point:
    """Where a program is evaluated: its leaves, a direction for each, a weight for each output."""

    leaves: list[Any]
    directions: list[Any]
    weights: list[Any]

    def moved(self, rng: np.random.Generator, by: float) -> Point:
        """Return a point nearby."""
        near = [x + by * (1 + np.abs(x)) * drawn_like(rng, x) for x in self.leaves]
        return Point(near, self.directions, self.weights)


def point_of(program: Program, rng: np.random.Generator) -> Point:
    """Return the point of a program's own leaves."""
    leaves = list(program.leaves.values())
    outputs = [np.asarray(v) for v in function(OURS, program)(*leaves)]
    return Point(leaves, [drawn_like(rng, x) for x in leaves], [drawn_like(rng, y) for y in outputs])


# PyTorch


def array(value: Any, like: Any) -> Any:
    """Return a tensor of either library as an array; None is 0 of the shape and dtype of `like`."""
    if value is None:
        return np.zeros(np.shape(like), like.dtype)
    if isinstance(value, engine.Tensor):
        return value.numpy()
    return (
        value.resolve_conj().resolve_neg().numpy(force=True) if isinstance(value, torch.Tensor) else np.asarray(value)
    )


def arrays(values: Any, likes: Sequence[Any]) -> list[Any]:
    return [array(v, like) for v, like in zip(values, likes, strict=True)]


def refusing(compute: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any) -> Any:
        try:
            return compute(*arguments)
        except Exception as error:
            raise PyTorchRefusesError(str(error)) from error

    return run


def _gradient(program: Program, point: Point, *, again: bool = False) -> tuple[list[Any], list[Any]]:
    leaves = [torch.tensor(x, requires_grad=True) for x in point.leaves]
    outputs = function(THEIRS, program)(*leaves)
    pairs = [(y, torch.tensor(w)) for y, w in zip(outputs, point.weights, strict=True) if y.requires_grad]
    found: Sequence[Any] = [None] * len(leaves)
    if pairs:
        values, weights = zip(*pairs, strict=True)
        found = torch.autograd.grad(values, leaves, weights, create_graph=again, allow_unused=True)
    return leaves, list(found)


@refusing
def their_value(program: Program, point: Point) -> list[Any]:
    return arrays(function(THEIRS, program)(*map(torch.tensor, point.leaves)), point.weights)


@refusing
def their_gradient(program: Program, point: Point) -> list[Any]:
    return arrays(_gradient(program, point)[1], point.leaves)


@refusing
def their_second(program: Program, point: Point) -> list[Any]:
    leaves, first = _gradient(program, point, again=True)
    pairs = [(g, torch.tensor(u)) for g, u in zip(first, point.directions, strict=True) if g is not None]
    pairs = [(g, u) for g, u in pairs if g.requires_grad]
    found: Sequence[Any] = [None] * len(leaves)
    if pairs:
        gradients, directions = zip(*pairs, strict=True)
        found = torch.autograd.grad(gradients, leaves, directions, allow_unused=True)
    return arrays(found, point.leaves)


@refusing
def their_tangent(program: Program, point: Point) -> list[Any]:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        duals = [
            forward.make_dual(torch.tensor(x), torch.tensor(u))
            for x, u in zip(point.leaves, point.directions, strict=True)
        ]
        outputs = [forward.unpack_dual(y).tangent for y in function(THEIRS, program)(*duals)]
        return arrays(outputs, point.weights)


# The engine


def our_value(program: Program, point: Point) -> list[Any]:
    return arrays(function(OURS, program)(*map(engine.Tensor, point.leaves)), point.weights)


def pulled(program: Program) -> Callable[..., list[Any]]:
    """Return the function (leaves, weights) -> gradients."""

    def gradients(leaves: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
        found = engine.vjp(function(OURS, program), *leaves)[1](list(weights))
        return [0 * x if g is None else g for g, x in zip(found, leaves, strict=True)]

    return gradients


def pushed(program: Program) -> Callable[..., list[Any]]:
    """Return the function (leaves, directions) -> tangents."""
    return lambda leaves, directions: engine.jvp(function(OURS, program), list(leaves), list(directions))[1]


def hessian_product(program: Program) -> Callable[..., list[Any]]:
    """Return the function (leaves, directions, weights) -> derivative of the gradients along the directions."""

    def product(leaves: Sequence[Any], directions: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
        gradients = pulled(program)
        return engine.jvp(lambda *xs: gradients(xs, weights), list(leaves), list(directions))[1]

    return product


def our_gradient(program: Program, point: Point) -> list[Any]:
    return arrays(pulled(program)(point.leaves, point.weights), point.leaves)


def our_tangent(program: Program, point: Point) -> list[Any]:
    return arrays(pushed(program)(point.leaves, point.directions), point.weights)


def our_second(program: Program, point: Point) -> list[Any]:
    leaves = [engine.Tensor(x, requires_grad=True) for x in point.leaves]
    outputs = function(OURS, program)(*leaves)
    pairs = [(y, w) for y, w in zip(outputs, point.weights, strict=True) if getattr(y, "requires_grad", False)]
    found: Sequence[Any] = [None] * len(leaves)
    if pairs:
        values, weights = zip(*pairs, strict=True)
        first = engine.grad(values, leaves, weights, create_graph=True, allow_unused=True)
        outer = [(g, u) for g, u in zip(first, point.directions, strict=True) if g is not None and g.requires_grad]
        if outer:
            gradients, directions = zip(*outer, strict=True)
            found = engine.grad(gradients, leaves, directions, allow_unused=True)
    return arrays(found, point.leaves)


def forward_over_reverse(program: Program, point: Point) -> list[Any]:
    return arrays(hessian_product(program)(point.leaves, point.directions, point.weights), point.leaves)


def reverse_over_forward(program: Program, point: Point) -> list[Any]:
    push = pushed(program)
    found = engine.vjp(lambda *xs: push(xs, point.directions), *point.leaves)[1](point.weights)
    return arrays(found, point.leaves)


# Examples


@dataclass(frozen=True)
class Batch:
    """The points of several examples; `axes` has the axis of the examples in each leaf, None if they share it."""

    points: list[Point]
    axes: tuple[int | None, ...]

    def leaves(self, name: str = "leaves") -> list[Any]:
        """Return the leaves, or the directions, stacked along their axes."""
        of = [getattr(p, name) for p in self.points]
        return [of[0][k] if a is None else np.stack([x[k] for x in of], a) for k, a in enumerate(self.axes)]

    def weights(self) -> list[Any]:
        """Return the weights of all examples, stacked along a first axis."""
        return [np.stack(parts) for parts in zip(*(p.weights for p in self.points), strict=True)]

    def back(self, parts: list[list[Any]]) -> list[Any]:
        """Return the gradients of the examples as those of the stacked leaves: shared ones get the sum."""
        return [
            sum(g[k] for g in parts) if a is None else np.stack([g[k] for g in parts], a)
            for k, a in enumerate(self.axes)
        ]


def batch_of(point: Point, rng: np.random.Generator) -> Batch:
    """Return examples near a point, of which some leaves are the same for all."""
    axes = tuple(None if rng.random() < 0.3 else int(rng.integers(x.ndim + 1)) for x in point.leaves)
    if all(a is None for a in axes):
        axes = (0, *axes[1:])
    points = []
    for _ in range(EXAMPLES):
        near = point.moved(rng, 0.01)
        keep = [x if a is None else y for x, y, a in zip(point.leaves, near.leaves, axes, strict=True)]
        aim = [x if a is None else drawn_like(rng, x) for x, a in zip(point.directions, axes, strict=True)]
        points.append(Point(keep, aim, [drawn_like(rng, w) for w in point.weights]))
    return Batch(points, axes)


def stacked(parts: list[list[Any]]) -> list[Any]:
    return [np.stack(of) for of in zip(*parts, strict=True)]


def in_batch(mode: str, program: Program, batch: Batch) -> tuple[list[Any], list[Any]]:
    """Return what the engine and what PyTorch computes of examples in a mode."""
    f, axes, xs, ws = function(OURS, program), list(batch.axes), batch.leaves(), batch.weights()
    mapped = engine.vmap(f, tuple(axes), randomness="same")
    pull = engine.vmap(pulled(program), (axes, 0), randomness="same")
    ones = batch.points
    if mode == "vmap":
        expected = stacked([their_value(program, p) for p in ones])
        return arrays(mapped(*xs), expected), expected
    if mode == "vmap of the gradient":
        expected = stacked([their_gradient(program, p) for p in ones])
        return arrays(pull(xs, ws), expected), expected
    if mode == "gradient of vmap":
        expected = batch.back([their_gradient(program, p) for p in ones])
        return arrays(engine.vjp(mapped, *xs)[1](ws), expected), expected
    us = batch.leaves("directions")
    if mode == "vmap of the tangent":
        expected = stacked([their_tangent(program, p) for p in ones])
        return arrays(engine.vmap(pushed(program), (axes, axes), randomness="same")(xs, us), expected), expected
    if mode == "tangent of vmap":
        expected = stacked([their_tangent(program, p) for p in ones])
        return arrays(engine.jvp(mapped, xs, us)[1], expected), expected
    if mode == "vmap of forward over reverse":
        expected = stacked([their_second(program, p) for p in ones])
        product = engine.vmap(hessian_product(program), (axes, axes, 0), randomness="same")
        return arrays(product(xs, us, ws), expected), expected
    expected = batch.back([their_second(program, p) for p in ones])
    seeds = [np.stack(parts) for parts in zip(*(p.directions for p in ones), strict=True)]
    return arrays(engine.vjp(lambda *leaves: pull(list(leaves), ws), *xs)[1](seeds), expected), expected


SINGLE = {
    "value": (our_value, their_value),
    "gradient": (our_gradient, their_gradient),
    "tangent": (our_tangent, their_tangent),
    "second order": (our_second, their_second),
    "forward over reverse": (forward_over_reverse, their_second),
    "reverse over forward": (reverse_over_forward, their_second),
}
"""The modes of one example; all others are of a batch."""

BASE = {
    "vmap": "value",
    **dict.fromkeys(("vmap of the gradient", "gradient of vmap"), "gradient"),
    **dict.fromkeys(("vmap of the tangent", "tangent of vmap"), "tangent"),
    **dict.fromkeys(("vmap of forward over reverse", "gradient of vmap of the gradient"), "forward over reverse"),
}
"""What each mode of a batch computes of each of its examples."""
