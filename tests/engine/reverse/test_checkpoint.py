"""Checkpointing: the same gradients from less memory."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, checkpoint, no_grad

if TYPE_CHECKING:
    from collections.abc import Callable


def block(x: Tensor, w: Tensor) -> Tensor:
    return engine.tanh(x * w) * x


def nested(x: Tensor, w: Tensor) -> Tensor:
    return block(checkpoint(block, checkpoint(block, x, w), w), w)


def gradients(f: Callable[..., Any]) -> list[Any]:
    """Return the gradients of f, and of the sum of its first, with respect to both inputs."""
    x, w = Tensor([0.3, -1.2], requires_grad=True), Tensor([0.8, 0.5], requires_grad=True)
    gx, gw = engine.grad(f(x, w).sum(), [x, w], create_graph=True)
    assert gx is not None
    assert gw is not None
    second = engine.grad(gx.sum(), [x, w])
    return [g.numpy() for g in (gx, gw, *second) if g is not None]


@pytest.mark.parametrize("f", [block, nested], ids=["flat", "nested"])
def test_checkpoint_gradients_equal_those_without(f: Callable[..., Any]) -> None:
    plain = gradients(lambda x, w: block(block(block(x, w), w), w) if f is nested else block(x, w))
    assert all(np.array_equal(a, b) for a, b in zip(gradients(lambda x, w: checkpoint(f, x, w)), plain, strict=True))


def test_checkpoint_differentiates_closed_over_tensors() -> None:
    x, w = Tensor([2.0], requires_grad=True), Tensor([3.0], requires_grad=True)
    checkpoint(lambda t: t * w * w, x).backward()
    assert w.grad is not None
    assert w.grad.item() == 12


def test_checkpoint_reruns_forward_once() -> None:
    runs: list[int] = []

    def f(x: Tensor) -> Tensor:
        runs.append(1)
        return engine.exp(engine.sin(x))

    x = Tensor([1.0], requires_grad=True)
    y = checkpoint(f, x)
    assert len(runs) == 1
    y.backward()
    assert len(runs) == 2
    with no_grad():
        checkpoint(f, x)
    assert len(runs) == 3


def test_checkpoint_resets_and_restores_the_generator() -> None:
    rng, twin = np.random.default_rng(0), np.random.default_rng(0)

    def dropout(x: Tensor) -> Tensor:
        return engine.square(x * (rng.random(x.shape) < 0.5))

    x = Tensor(np.ones(64), requires_grad=True)
    y = checkpoint(dropout, x, rng=rng)
    rng.random(5)
    y.sum().backward()
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), 2 * y.numpy())
    twin.random(64 + 5)
    assert rng.random() == twin.random()


def test_checkpoint_refuses_a_different_second_run() -> None:
    runs: list[int] = []

    def f(x: Tensor) -> Tensor:
        runs.append(1)
        return engine.exp(x) if len(runs) == 1 else engine.exp(engine.exp(x))

    y = checkpoint(f, Tensor([1.0], requires_grad=True))
    with pytest.raises(RuntimeError, match="saved 1 values in its first run and 2 in its second"):
        y.backward()


def test_checkpoint_names_the_line_of_an_overwrite() -> None:
    h = Tensor([1.0], requires_grad=True) * 1
    y = checkpoint(engine.exp, h)
    h.add_(1)
    with pytest.raises(RuntimeError, match=r"argument 0 .*`add_` at .*test_checkpoint.py:\d+"):
        y.backward()


def test_checkpoint_leaves_no_reference_cycle() -> None:
    gc.disable()
    try:
        x = Tensor([1.0, 2.0], requires_grad=True)
        y = checkpoint(nested, x, x)
        y.sum().backward(retain_graph=True)
        alive = [weakref.ref(y), weakref.ref(y.node)]
        del y
        assert [r() for r in alive] == [None, None]
    finally:
        gc.enable()


def test_checkpoint_of_a_gradient() -> None:
    """Its backward needs values of the run that is under way. With f = exp(x²), f' = 2x f and f'' = (2 + 4x²) f."""
    x = Tensor(0.5, requires_grad=True)
    slope = checkpoint(engine.grad_of(lambda v: engine.exp(v * v)), x)
    slope.backward()
    assert x.grad is not None
    assert slope.item() == pytest.approx(np.exp(0.25), rel=1e-15)
    assert x.grad.item() == pytest.approx(3 * np.exp(0.25), rel=1e-15)


def test_checkpoint_refuses_a_saved_value_overwritten_inside() -> None:
    def f(x: Tensor) -> Tensor:
        y = engine.exp(x)
        z = y * 1
        y.mul_(2)
        return z

    assert f(Tensor([1.0], requires_grad=True)).requires_grad
    out = checkpoint(f, Tensor([1.0], requires_grad=True))
    with pytest.raises(RuntimeError, match=r"shape \(1,\) for backward, but `mul_` has written .*test_checkpoint.py"):
        out.backward()
