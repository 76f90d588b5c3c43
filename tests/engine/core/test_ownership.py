"""No gradient buffer may share memory with the caller's arrays, or with another gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor
from tests.engine.build import gradient_of, leaf


def test_backward_copies_the_given_gradient() -> None:
    x = leaf(1.0, 2.0)
    g = np.ones(2)
    x.backward(g)
    assert not np.shares_memory(gradient_of(x), g)
    x.backward(g)
    assert np.array_equal(g, [1, 1])


@pytest.mark.filterwarnings("ignore:backward.create_graph=True. makes a cycle:UserWarning")
@pytest.mark.parametrize("create_graph", [False, True])
def test_backward_copies_a_gradient_given_as_tensor(create_graph: bool) -> None:
    x = leaf(1.0, 2.0)
    g = Tensor([1.0, 1.0])
    (x + 0).backward(g, create_graph=create_graph)
    (x * 1).backward(g)
    (y,) = engine.grad(x + 0, x, g, create_graph=create_graph)
    assert y is not None
    assert not np.shares_memory(gradient_of(x), g.data)
    assert not np.shares_memory(y.data, g.data)
    assert np.array_equal(g.numpy(), [1, 1])


def test_addition_gives_two_leaves_separate_gradients() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (x + y).backward([1.0, 1.0])
    assert not np.shares_memory(gradient_of(x), gradient_of(y))
    (x * 1).backward([5.0, 5.0])
    assert np.array_equal(gradient_of(y), [1, 1])


@pytest.mark.filterwarnings("ignore:backward.create_graph=True. makes a cycle:UserWarning")
def test_create_graph_gives_two_leaves_separate_gradients() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (x + y).sum().backward(create_graph=True)
    assert not np.shares_memory(gradient_of(x), gradient_of(y))


def test_broadcast_gradient_owns_writable_memory() -> None:
    x = leaf(1.0, 2.0, 3.0)
    x.sum().backward()
    assert x.grad is not None
    x.sum().backward()
    assert np.array_equal(gradient_of(x), [2, 2, 2])


def test_parts_of_one_cotangent_are_separate() -> None:
    x, y = leaf(1.0), leaf(2.0)
    g = np.array([3.0, 4.0])
    engine.concatenate([x, y]).backward(g)
    g[:] = 0
    assert (gradient_of(x).item(), gradient_of(y).item()) == (3, 4)


def test_retained_gradient_is_separate_from_the_leafs() -> None:
    x = leaf(1.0, 2.0)
    y = x.reshape(2, 1)
    y.retain_grad()
    y.backward(np.ones((2, 1)))
    assert not np.shares_memory(gradient_of(x), gradient_of(y))


def test_grad_returns_separate_arrays() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    gx, gy = engine.grad(x + y, [x, y], np.ones(2))
    assert gx is not None
    assert gy is not None
    assert not np.shares_memory(gx.data, gy.data)


def test_third_contribution_leaves_the_first_unchanged() -> None:
    x = leaf(1.0, 2.0)
    g = np.ones(2)
    (x + x + x + x).backward(g)
    assert np.array_equal(gradient_of(x), [4, 4])
    assert np.array_equal(g, [1, 1])


def test_tensor_copies_its_data() -> None:
    data = np.ones(2)
    x = Tensor(data, requires_grad=True)
    y = (x * x).sum()
    data[:] = 100
    y.backward()
    assert np.array_equal(gradient_of(x), [2, 2])


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x + y,
        lambda x, y: engine.real(x) + engine.conj(y),
        lambda x, y: x * 2 + y + x * y,
        lambda x, y: engine.stack([x, y]),
        lambda x, y: x.reshape(2, 1) * 1 + y.reshape(2, 1),
    ],
)
def test_gradients_of_examples_own_their_memory(f: Any) -> None:
    data = np.arange(6.0).reshape(3, 2)
    cotangent = np.ones((3, *f(data[0], data[0]).shape))

    def pulled(g: Any, x: Any, y: Any) -> Any:
        return engine.vjp(f, x, y)[1](g)

    gx, gy = engine.vmap(pulled)(cotangent, data, data)
    for a, b in [(gx.data, gy.data), *((g.data, given) for g in (gx, gy) for given in (cotangent, data))]:
        assert not np.shares_memory(a, b)


def test_contributions_add_with_and_without_examples() -> None:
    data = np.arange(6.0).reshape(3, 2)
    of_shared = engine.grad_of(lambda w, x: (w * x).sum() + (w * 2).sum() + (w * x).sum() + w.sum())
    assert np.array_equal(engine.vmap(of_shared, (None, 0))(np.ones(2), data).numpy(), 2 * data + 3)
    own = engine.grad_of(lambda x: (x * 2).sum() + (x * x).sum() + engine.square(x).sum() + x.sum())
    assert np.array_equal(engine.vmap(own)(data).numpy(), 4 * data + 3)
