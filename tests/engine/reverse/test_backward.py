"""The graph, leaves and `.grad`: PyTorch's semantics, with the message each refusal gives."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, enable_grad, is_grad_enabled, no_grad
from tests.engine.build import gradient_of, leaf


def test_backward_sums_over_all_uses() -> None:
    x = leaf(3.0)
    (x * x + x).backward()
    assert gradient_of(x) == 7


def test_backward_follows_topological_order() -> None:
    """b = a + a, c = b + b: visited in a wrong order, b is propagated before both of its uses have arrived."""
    a = leaf(1.0)
    b = a + a
    (b + b).backward()
    assert gradient_of(a) == 4


def test_backward_accumulates_into_leaves() -> None:
    x = leaf(2.0)
    for _ in range(3):
        (x * x).backward()
    assert gradient_of(x) == 12


def test_grad_set_to_none_restarts_accumulation() -> None:
    x = leaf(2.0)
    (x * x).backward()
    x.grad = None
    (x * 3).backward()
    assert gradient_of(x) == 3


def test_grad_of_interior_tensor_warns_with_advice() -> None:
    x = leaf(2.0)
    y = x * x
    y.backward()
    assert x.is_leaf
    assert not y.is_leaf
    with pytest.warns(UserWarning, match=r"made by `multiply`.*retain_grad"):
        assert y.grad is None


def test_retain_grad_keeps_an_interior_gradient() -> None:
    x = leaf(2.0)
    y = x * x
    y.retain_grad()
    (3 * y).backward()
    assert gradient_of(y) == 3
    assert gradient_of(x) == 12


def test_retain_grad_refuses_a_constant() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        Tensor(1.0).retain_grad()


def test_detach_stops_gradients_and_shares_data() -> None:
    x = leaf(2.0)
    d = (x * x).detach()
    assert not d.requires_grad
    (x * d).backward()
    assert gradient_of(x) == 4


def test_no_grad_and_enable_grad_nest() -> None:
    x = leaf(2.0)
    recorded = []
    with no_grad():
        recorded.append((x * x).requires_grad)
        with enable_grad():
            recorded.append((x * x).requires_grad)
        recorded.append((x * x).requires_grad)
    recorded.append((x * x).requires_grad)
    assert recorded == [False, True, False, True]


def test_no_grad_decorates_and_ends_with_an_exception() -> None:
    @no_grad()
    def fail() -> None:
        assert not is_grad_enabled()
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert is_grad_enabled()


def test_backward_of_several_elements_needs_a_gradient() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"one element.*shape \(2,\).*\.sum\(\)"):
        (x * x).backward()
    (x * x).backward([1.0, 10.0])
    assert np.array_equal(gradient_of(x), [2, 40])


def test_backward_refuses_a_broadcastable_gradient() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"gradient has shape \(1,\).*output has shape \(2,\)"):
        (x * x).backward(np.ones(1))


def test_second_backward_names_freed_values_and_usual_cause() -> None:
    x = leaf(2.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match=r"`multiply` a second time.*retain_graph=True.*outside the training loop"):
        y.backward()


def test_retain_graph_allows_a_second_backward() -> None:
    x = leaf(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert gradient_of(x) == 8


def test_backward_twice_without_saved_values() -> None:
    """As in PyTorch: there is nothing to have been freed."""
    x = leaf(2.0, 3.0)
    y = (x + x).sum()
    y.backward()
    y.backward()
    assert np.array_equal(gradient_of(x), [4, 4])


def test_backward_from_a_constant_names_the_cause() -> None:
    with pytest.raises(RuntimeError, match="output 0 does not require grad"):
        Tensor(1.0).backward()


@pytest.mark.parametrize("data", [[1, 2], [True]])
def test_requires_grad_refuses_integers(data: Any) -> None:
    with pytest.raises(TypeError, match="only floating and complex"):
        Tensor(data, requires_grad=True)


def test_requires_grad_false_refuses_interior_tensors() -> None:
    x = leaf(1.0)
    assert not x.requires_grad_(False).requires_grad
    y = leaf(1.0) * 2
    with pytest.raises(RuntimeError, match=r"made by `multiply`.*detach"):
        y.requires_grad_(False)


def test_grad_leaves_grad_attributes_unchanged() -> None:
    x, y = leaf(2.0), leaf(3.0)
    gx, gy = engine.grad(x * x * y, [x, y])
    assert gx is not None
    assert gy is not None
    assert (gx.item(), gy.item()) == (12, 4)
    assert x.grad is None


def test_grad_of_an_unused_input_names_allow_unused() -> None:
    x, y = leaf(2.0), leaf(3.0)
    with pytest.raises(RuntimeError, match=r"input 1 was not used.*allow_unused=True"):
        engine.grad(x * x, [x, y])
    assert engine.grad(x * x, [x, y], allow_unused=True)[1] is None


def test_grad_of_interior_tensor_and_its_input() -> None:
    x = leaf(2.0)
    y = x * x
    gx, gy = engine.grad(y * y, [x, y])
    assert gx is not None
    assert gy is not None
    assert (gx.item(), gy.item()) == (32, 8)


def test_grad_runs_only_needed_rules() -> None:
    ran = []

    def noisy_rule(g: Any) -> Any:
        ran.append("noisy")
        return g

    noisy = engine.Primitive(lambda xp, x: xp.positive(x))
    noisy.vjp(x=noisy_rule)
    x, y = leaf(2.0), leaf(3.0)
    out = engine.sin(x) * noisy(y)
    engine.grad(out, x, retain_graph=True)
    assert not ran
    engine.grad(out, y)
    assert ran == ["noisy"]


def test_grad_sums_over_weighted_outputs() -> None:
    x = leaf(2.0)
    (g,) = engine.grad([x * x, x * 3], x, [[1.0], [10.0]])
    assert g is not None
    assert g.item() == 34


def test_grad_of_a_function_points_to_grad_of() -> None:
    with pytest.raises(TypeError, match="grad_of"):
        engine.grad(lambda x: x, leaf(1.0))


def test_backward_into_chosen_inputs_skips_others() -> None:
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=[x])
    assert gradient_of(x) == 3
    assert y.grad is None


def test_create_graph_allows_any_order() -> None:
    x = leaf(2.0)
    g: Tensor | None = x**4
    for expected in (32, 48, 48, 24):  # 4x³, 12x², 24x, 24
        assert g is not None
        (g,) = engine.grad(g, x, create_graph=True)
        assert g is not None
        assert g.item() == pytest.approx(expected, rel=1e-15)


def test_backward_with_create_graph_records_grad() -> None:
    x = leaf(3.0)
    with pytest.warns(UserWarning, match="cycle of each leaf.*`grad") as caught:
        (x * x * x).backward(create_graph=True)
    assert caught[0].filename == __file__
    assert x.grad is not None
    (g,) = engine.grad(x.grad, x)
    assert g is not None
    assert g.item() == 18


def test_grad_without_create_graph_is_outside_the_graph() -> None:
    x = leaf(3.0)
    (g,) = engine.grad(x * x, x)
    assert g is not None
    assert not g.requires_grad


@pytest.mark.parametrize("length", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_backward_through_a_million_operations(length: int) -> None:
    x = leaf(1.0)
    y = x
    for _ in range(length):
        y = -y
    y.backward()
    assert gradient_of(x) == 1
    del y  # freeing the chain must not recurse either


def test_backward_visits_each_node_once() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert gradient_of(x) == 2.0**60


def test_backward_returns_each_inputs_dtype() -> None:
    x = Tensor(np.ones(3), requires_grad=True, dtype=np.float32)
    y = Tensor(np.ones(3), requires_grad=True)
    (x * y).sum().backward()
    assert gradient_of(x).dtype == np.float32
    assert gradient_of(y).dtype == np.float64


def test_backward_restores_the_mode_after_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    x = leaf(1.0)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError):
        y.backward()
    assert is_grad_enabled()


def test_no_grad_affects_one_thread_only() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with no_grad(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(is_grad_enabled).result()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: engine.grad(x * 2, [cast("Tensor", 1.0)]), TypeError, "input 0 is a `float`"),
        (lambda x: engine.grad(x * 2, [x, Tensor(1.0)]), RuntimeError, "input 1 does not require grad"),
        (lambda x: engine.grad(x * 2, []), ValueError, "`inputs` is empty"),
        (
            lambda x: engine.grad([x * 2, x], x, [1.0]),
            ValueError,
            "`gradients` is a list of 1, but a list of 2 is expected",
        ),
        (lambda x: engine.grad([x * 2, cast("Tensor", 3.0)], x), TypeError, "output 1 is a `float`"),
        (lambda x: (x * 2).backward(np.ones((2, 1))), RuntimeError, r"has shape \(2, 1\) but the output has"),
    ],
)
def test_backward_names_what_it_cannot_differentiate(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call(leaf(2.0))


def test_grad_setter_on_interior_tensor() -> None:
    x = leaf(2.0)
    y = x * 3
    y.grad = Tensor(np.array([10.0]))
    (y * y).backward()
    assert gradient_of(y) == 10 + 2 * 6


def test_backward_into_interior_tensor_keeps_gradient() -> None:
    x = leaf(2.0)
    y = x * 3
    (y * y).backward(inputs=[y])
    assert gradient_of(y) == 12
    assert x.grad is None


@pytest.mark.filterwarnings("ignore:backward.create_graph=True. makes a cycle:UserWarning")
def test_recorded_gradients_accumulate_in_the_graph() -> None:
    x = leaf(2.0)
    for _ in range(2):
        (x * x * x).backward(create_graph=True)
    assert gradient_of(x) == 2 * 12
    assert x.grad is not None
    (second,) = engine.grad(x.grad, x)
    assert second is not None
    assert second.numpy() == 2 * 12  # 6 x, twice
