"""Nestings of up to three transforms around random programs, against derivatives of a number by PyTorch.

A program becomes a function of one number: it moves the leaves along a line, and the outputs are weighted and summed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodrill import engine
from benchmarks.fuzzing.modes import point_of
from benchmarks.fuzzing.programs import OURS, THEIRS, draw_program, function

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.fuzzing.modes import Point
    from benchmarks.fuzzing.programs import Program

RTOL = 1e-8

ONE = np.array(1.0)

AT = 0.05
"""Where the derivatives are taken: not at 0, where all of the mapped numbers would be the same."""


def recorded(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the derivative by a graph: what `create_graph` is for."""

    def derivative(x: Any) -> Any:
        x = x * 1.0 if isinstance(x, engine.Tensor) and x.requires_grad else engine.Tensor(x, requires_grad=True)
        (found,) = engine.grad(f(x), x, create_graph=True, allow_unused=True)
        return 0.0 * x if found is None else found

    return derivative


RULES = {
    "ill-conditioned": "a nudge of 1e-11 changes PyTorch's result by at least a hundredth of the difference",
    "differences": "finite differences of PyTorch's derivative one order lower agree with the engine; from the third"
    " order on PyTorch's layer norms lose terms, and `logcumsumexp` is NaN",
}
"""The only explanations of a difference."""

ORDERS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "grad_of": (1, engine.grad_of),
    "value_and_grad": (1, lambda f: lambda x: engine.value_and_grad(f)(x)[1]),
    "jvp": (1, lambda f: lambda x: engine.jvp(f, [x], [ONE])[1]),
    "linearize": (1, lambda f: lambda x: engine.linearize(f, x)[1](ONE)),
    "vjp": (1, lambda f: lambda x: engine.vjp(f, x)[1](ONE)[0]),
    "gradient of linearize": (1, lambda f: lambda x: engine.grad_of(engine.linearize(f, x)[1])(ONE)),
    "jacobian": (1, lambda f: lambda x: engine.jacobian(f, x)),
    "hvp": (2, lambda f: lambda x: engine.hvp(f, (x,), (ONE,))),
    "vhp": (2, lambda f: lambda x: engine.vhp(f, (x,), (ONE,))),
    "hessian": (2, lambda f: lambda x: engine.hessian(f, x)),
    "checkpoint": (0, lambda f: lambda x: engine.checkpoint(f, x)),
    "vmap": (0, lambda f: lambda x: engine.vmap(f, randomness="same")(engine.stack([x, 2 * x, -x]))[0]),
    "vmap along a column": (
        0,
        lambda f: lambda x: engine.vmap(lambda y: f(y[0]), 1, randomness="same")(engine.stack([x, 0.5 * x])[None])[0],
    ),
    "vmap of a shared number": (
        0,
        lambda f: lambda x: engine.vmap(lambda y, _: f(y), (None, 0), randomness="same")(x, np.zeros(2))[1],
    ),
    "vmap in chunks": (
        0,
        lambda f: lambda x: engine.vmap(f, randomness="same", chunk_size=1)(engine.stack([x, x + 0.01]))[0],
    ),
}
"""The transforms of a function of a number, and how many derivatives each takes."""


def ours(program: Program, point: Point) -> Callable[[Any], Any]:
    def f(t: Any) -> Any:
        outputs = function(OURS, program)(*(x + t * u for x, u in zip(point.leaves, point.directions, strict=True)))
        return sum(engine.sum(OURS.real(w.conj() * y)) for w, y in zip(point.weights, outputs, strict=True))

    return f


def theirs(program: Program, point: Point, at: float = AT) -> list[float]:
    """Return the value and the first three derivatives, as far as PyTorch has them."""
    t = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    lines = [torch.tensor(x) + t * torch.tensor(u) for x, u in zip(point.leaves, point.directions, strict=True)]
    outputs = function(THEIRS, program)(*lines)
    parts = [torch.tensor(w).conj() * y for w, y in zip(point.weights, outputs, strict=True)]
    value = sum((p.real if p.is_complex() else p).sum() for p in parts)
    found = [float(value)]
    for _ in range(3):
        if not value.requires_grad:
            found.append(0.0)
            continue
        try:
            (value,) = torch.autograd.grad(value, t, create_graph=True, allow_unused=True)
        except RuntimeError:
            break
        value = torch.tensor(0.0) if value is None else value
        found.append(float(value))
    return found


def by_differences(program: Program, point: Point, order: int) -> float:
    """Return a derivative by differences of PyTorch's derivative one order lower, or two if that is NaN."""

    def central(h: float) -> float:
        low, here, high = (theirs(program, point, AT + s * h) for s in (-1, 0, 1))
        if order > 1 and np.isnan(here[order - 1]):
            return (low[order - 2] - 2 * here[order - 2] + high[order - 2]) / h**2
        return (high[order - 1] - low[order - 1]) / (2 * h)

    lower = theirs(program, point)[order - 1]
    h = 1e-2 if np.isnan(lower) else 1e-3
    return (4 * central(h / 2) - central(h)) / 3


def chosen(rng: np.random.Generator) -> list[str]:
    """Return the names of up to three transforms, the innermost first, of at most three derivatives."""
    while True:
        names = [str(name) for name in rng.choice(list(ORDERS), size=int(rng.choice([1, 2, 3, 3, 3])))]
        if sum(ORDERS[name][0] for name in names) <= 3:
            return names


def compare(seed: int, each: int = 10) -> list[tuple[str, list[str], Program, str]]:
    """Return the outcome of several nestings of a program: a word, the names, the program and a note."""
    program = draw_program(seed, "second", (3, 10))
    rng = np.random.default_rng([seed, 9])
    point = point_of(program, rng)
    small = type(point)(point.leaves, [0.1 * u for u in point.directions], point.weights)
    try:
        expected = theirs(program, small)
        change = [0.0] * len(expected)
        for _ in range(3):
            THEIRS.noise = rng
            try:
                near = theirs(program, small.moved(rng, 1e-11))
            finally:
                THEIRS.noise = None
            change = [max(c, abs(a - b)) for c, a, b in zip(change, near, expected, strict=False)]
    except RuntimeError as error:
        return [("refused", [], program, str(error))]
    f, found = ours(program, small), []
    for names in (chosen(rng) for _ in range(each)):
        order = sum(ORDERS[name][0] for name in names)
        if order >= len(expected):
            found.append(("refused", names, program, ""))
            continue
        nested = f
        for name in names:
            nested = ORDERS[name][1](nested)
        try:
            result = nested(engine.Tensor(AT))
            got = float(np.asarray(result.numpy() if isinstance(result, engine.Tensor) else result))
        except Exception as error:  # noqa: BLE001 - an error of the engine is a difference
            found.append(("unexplained", names, program, f"{type(error).__name__}: {error}".splitlines()[0][:200]))
            continue
        off, right = abs(got - expected[order]), expected[order]
        if off <= RTOL * max(1e-3, *map(abs, expected[: order + 1])) or (np.isnan(got) and np.isnan(right)):
            found.append(("agrees", names, program, ""))
        elif off <= 100 * change[order]:
            found.append(("ill-conditioned", names, program, ""))
        elif order and abs(got - by_differences(program, small, order)) <= (
            1e-4 * (abs(got) + 1e-3) if np.isnan(right) else 0.1 * off
        ):
            found.append(("differences", names, program, ""))
        else:
            found.append(("unexplained", names, program, f"order {order}: {got!r}, PyTorch {right!r}"))
    return found
