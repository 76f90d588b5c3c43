"""Hooks: what they see, what they may change, and the order PyTorch calls them in."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, saved_tensors_hooks
from tests.engine.build import gradient_of, leaf


class Calls(list[Any]):
    """A record of calls."""

    def note(self, value: Any, answer: Any = None) -> Any:
        self.append(value)
        return answer


def test_tensor_hook_replaces_the_gradient() -> None:
    x = leaf(2.0)
    y = x * 1
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g * 2)
    y.sum().backward()
    assert gradient_of(y) == 10
    assert gradient_of(x) == 20


def test_tensor_hook_gets_the_sum_once() -> None:
    x, seen = leaf(2.0), []
    x.register_hook(lambda g: seen.append(g.item()))
    (x * x + x).backward()
    assert seen == [5]


def test_removed_hook_is_not_called() -> None:
    x, seen = leaf(2.0), []
    handle = x.register_hook(lambda g: seen.append(1))
    handle.remove()
    handle.remove()
    with x.register_hook(lambda g: seen.append(2)):
        (x * 1).backward()
    (x * 1).backward()
    assert seen == [2]


def test_tensor_hook_runs_before_capture() -> None:
    x = leaf(2.0)
    y = x * 1
    y.register_hook(lambda g: g * 10)
    (g,) = engine.grad(y, y, retain_graph=True)
    assert g is not None
    assert g.item() == 10


def test_hook_gradient_is_read_only_and_stable() -> None:
    kept: list[Tensor] = []
    x = leaf(2.0)
    x.register_hook(kept.append)
    for _ in range(2):
        (x * 3).backward()
    assert [g.item() for g in kept] == [3, 3]
    with pytest.raises(RuntimeError, match="cannot write"):
        kept[0].mul_(2)


def test_hook_result_of_wrong_shape_or_type_is_refused() -> None:
    x = leaf(1.0, 2.0)
    with x.register_hook(lambda g: g.sum()), pytest.raises(ValueError, match=r"shape \(\).*shape \(2,\)"):
        (x * 1).sum().backward()
    with x.register_hook(lambda g: 1.0), pytest.raises(TypeError, match="`float`"):
        (x * 1).sum().backward()
    with pytest.raises(RuntimeError, match="does not require grad"):
        Tensor(1.0).register_hook(print)


@pytest.mark.filterwarnings("ignore:backward.create_graph=True. makes a cycle:UserWarning")
def test_hooks_are_recorded_under_create_graph() -> None:
    x = leaf(3.0)
    x.register_hook(lambda g: g * g)
    (x * x).backward(create_graph=True)  # (2x)²
    assert x.grad is not None
    (g,) = engine.grad(x.grad.sum(), [x])
    assert g is not None
    assert g.item() == (8 * 3) ** 2  # the hook of x squares this gradient too, as in PyTorch


def test_node_hook_replaces_gradients() -> None:
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    assert y.grad_fn is not None
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 0, gi[1] + 1))
    y.backward(np.ones(1))
    assert (gradient_of(x), gradient_of(w)) == (0, 3)


def test_post_accumulate_hook_can_step_and_clear() -> None:
    """What it is for: an optimiser that needs no memory for gradients."""
    x = leaf(2.0)

    def step(t: Any) -> None:
        with engine.no_grad():
            t.sub_(t.grad * 0.5)
        t.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).backward()
    assert x.item() == 0
    assert x.grad is None
    with pytest.raises(RuntimeError, match="needs a leaf"):
        (x * 1).register_post_accumulate_grad_hook(step)


class TestSavedTensorsHooks:
    def test_pack_and_unpack_replace_saved_values(self) -> None:
        packed = Calls()
        x = leaf(1.0, 2.0)
        with saved_tensors_hooks(lambda t: packed.note(t.numpy(), len(packed)), lambda k: Tensor(packed[k]) * 2):
            y = engine.exp(x)
        assert len(packed) == 1
        y.sum().backward()
        assert np.allclose(gradient_of(x), 2 * np.exp([1, 2]))

    def test_innermost_hooks_apply(self) -> None:
        names = Calls()
        x = leaf(2.0)
        with saved_tensors_hooks(lambda t: names.note("outer", t), lambda t: t):
            with saved_tensors_hooks(lambda t: names.note("inner", t), lambda t: t):
                y = engine.square(x)
            engine.square(y).backward()
        assert names == ["inner", "outer"]
        assert gradient_of(x) == 32

    def test_double_backward_through_packed_values(self) -> None:
        x = leaf(2.0)
        with saved_tensors_hooks(lambda t: t.numpy().copy(), Tensor):
            y = x**3
        (g,) = engine.grad(y, x, create_graph=True)
        assert g is not None
        (h,) = engine.grad(g, x)
        assert h is not None
        assert (g.item(), h.item()) == (12, 12)

    def test_pack_hook_operations_are_not_packed(self) -> None:
        x, scale = leaf(1.0), leaf(2.0)
        with saved_tensors_hooks(lambda t: engine.multiply(t, scale), lambda t: t / 2):
            y = engine.exp(x)
        y.backward()
        assert np.allclose(gradient_of(x), np.e)

    def test_unpack_hook_must_return_a_tensor(self) -> None:
        with saved_tensors_hooks(lambda t: t, lambda t: None):
            y = engine.exp(leaf(1.0))
        with pytest.raises(TypeError, match="unpack hook returned a `NoneType`"):
            y.backward()


def test_hooks_views_and_writes_leave_no_cycle() -> None:
    """With the collector off, letting go of the last tensor frees the graph."""
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        x.register_post_accumulate_grad_hook(lambda t: None)
        y = x * 1
        view = y[0]
        view.mul_(y.clone()[1])
        y.register_hook(lambda g: g)
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            z = engine.exp(y).sum()
        alive = [weakref.ref(t) for t in (x, y, view, z)] + [weakref.ref(t.node) for t in (y, view, z)]
        z.backward()
        del x, y, view, z
        assert [r() for r in alive] == [None] * len(alive)
    finally:
        gc.enable()


def test_node_hook_with_too_few_gradients_is_refused() -> None:
    x = Tensor(np.array([1.0]), requires_grad=True)
    y = x * x
    assert y.grad_fn is not None
    y.grad_fn.register_hook(lambda found, given: found[:1])
    with pytest.raises(ValueError, match="returned 1 gradients for 2"):
        y.backward()


def test_hook_result_is_converted_to_the_dtype() -> None:
    x = Tensor(np.array([1.0]), requires_grad=True)
    x.register_hook(lambda g: Tensor(g.numpy().astype(np.float32) * 2))
    (x * 3).backward()
    assert x.grad is not None
    assert x.grad.dtype == np.float64
    assert x.grad.numpy() == 6
