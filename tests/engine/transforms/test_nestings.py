"""Every nesting of up to three transforms, checkpointing and linearisation included, against closed forms."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import checkpoint, grad_of, jvp, linearize, vjp, vmap

if TYPE_CHECKING:
    from collections.abc import Callable

ONE = np.array(1.0)

DERIVATIVES: dict[str, Callable[[Any], Any]] = {
    "reverse": grad_of,
    "forward": lambda f: lambda x: jvp(f, [x], [ONE])[1],
    "linearised": lambda f: lambda x: linearize(f, x)[1](ONE),
    "pulled back": lambda f: lambda x: vjp(f, x)[1](ONE)[0],
    "of the tangent": lambda f: lambda x: grad_of(linearize(f, x)[1])(ONE),
}
NEUTRAL: dict[str, Callable[[Any], Any]] = {
    "checkpointed": lambda f: lambda x: checkpoint(f, x),
    "mapped": lambda f: lambda x: vmap(f)(engine.stack([x, 2 * x]))[0],
    "mapped over a shared one": lambda f: lambda x: vmap(lambda y, _: f(y), (None, 0))(x, np.zeros(2))[1],
}
TRANSFORMS = {**DERIVATIVES, **NEUTRAL}

X = 0.7


def written(x: Any) -> Any:
    """Return sin(2x) x³, by a write in place."""
    y = engine.sin(2 * x) * 1
    y.mul_(x**3)
    return y


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "x^4": (lambda x: x**4, [X**4, 4 * X**3, 12 * X**2, 24 * X]),
    "exp(-3x) by parts": (
        lambda x: engine.exp(-x) * engine.concatenate([engine.reshape(engine.exp(-2 * x), 1), [5.0]])[0],
        [(-3) ** k * np.exp(-3 * X) for k in range(4)],
    ),
    "sin(2x) x^3 in place": (
        written,
        [
            np.sin(2 * X) * X**3,
            2 * np.cos(2 * X) * X**3 + 3 * np.sin(2 * X) * X**2,
            -4 * np.sin(2 * X) * X**3 + 12 * np.cos(2 * X) * X**2 + 6 * np.sin(2 * X) * X,
            -8 * np.cos(2 * X) * X**3 - 36 * np.sin(2 * X) * X**2 + 36 * np.cos(2 * X) * X + 6 * np.sin(2 * X),
        ],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("outermost", TRANSFORMS)
def test_nestings_of_three_transforms_agree(outermost: str, name: str) -> None:
    for depth in range(3):
        for inner in product(TRANSFORMS, repeat=depth):
            f, expected = FUNCTIONS[name]
            names = [*inner, outermost]
            for transform in names:
                f = TRANSFORMS[transform](f)
            order = sum(transform in DERIVATIVES for transform in names)
            assert f(engine.Tensor(X)).item() == pytest.approx(expected[order], rel=1e-12), names


def test_linearize_is_differentiable_in_leaf_and_tangent() -> None:
    x, t = engine.Tensor(2.0, requires_grad=True), engine.Tensor(3.0, requires_grad=True)
    pushed = linearize(lambda x: x**3, x)[1](t)
    assert pushed.requires_grad
    pushed.backward()
    assert x.grad is not None
    assert t.grad is not None
    assert (x.grad.item(), t.grad.item()) == (36, 12)  # of 3 x² t


def test_linearize_of_constants_stays_outside_the_graph() -> None:
    assert not linearize(lambda x: x**3, np.array(2.0))[1](ONE).requires_grad
    with engine.no_grad():
        assert not linearize(lambda x: x**3, engine.Tensor(2.0, requires_grad=True))[1](ONE).requires_grad


def test_checkpoint_under_forward_mode_keeps_tangents() -> None:
    """Reverse over forward, with a tangent that itself requires grad: d/dt of (sin x + x cos x) t."""
    x, t = engine.Tensor(1.5, requires_grad=True), engine.Tensor(2.0, requires_grad=True)
    jvp(lambda x: checkpoint(lambda v: engine.sin(v) * v, x), [x], [t])[1].backward()
    assert x.grad is not None
    assert t.grad is not None
    assert x.grad.item() == pytest.approx(2 * (2 * np.cos(1.5) - 1.5 * np.sin(1.5)), rel=1e-14)
    assert t.grad.item() == pytest.approx(np.sin(1.5) + 1.5 * np.cos(1.5), rel=1e-14)
