"""Nested containers in every transform, and leaves called by their path."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, grad_of, register_container
from autodrill.engine.core.pytree import flatten

Pair = namedtuple("Pair", ["left", "right"])  # noqa: PYI024 - the plain kind is a container too


@register_container
@dataclass
class Layer:
    w: Any
    b: Any


@dataclass
class Named:
    weight: Any
    name: str = "dense"
    notes: list[str] = field(default_factory=list)


register_container(Named, static=("name", "notes"))


def parameters() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "layers": [Layer(rng.normal(size=(3, 2)), rng.normal(size=2)), Layer(rng.normal(size=(2, 2)), 0.5)],
        "scale": (np.array(2.0), None),
        "pair": Pair(rng.normal(size=2), {"k": np.arange(2)}),
    }


def predict(params: dict[str, Any], x: Any) -> Any:
    for layer in params["layers"]:
        x = engine.tanh(x @ layer.w + layer.b)
    left, index = params["pair"]
    return (x * params["scale"][0] * left)[index["k"]]


def total(params: dict[str, Any], x: Any) -> Any:
    return predict(params, x).sum()


X = np.random.default_rng(1).normal(size=(4, 3))

FLOATING = 6  # leaves of `parameters()` that have a gradient; the seventh is of integers


def numbers(tree: Any) -> list[Any]:
    return [None if leaf is None else np.asarray(getattr(leaf, "data", leaf)) for leaf in flatten(tree)[0]]


def by_leaf(f: Any) -> tuple[Any, list[Any]]:
    """Return f as a function of the floating leaves alone, each its own argument, and these leaves."""
    leaves, structure = flatten(parameters())

    def of_leaves(*values: Any) -> Any:
        return f(structure.unflatten([*values, leaves[-1]]))

    return of_leaves, leaves[:-1]


def assert_same(got: Any, expected: list[Any]) -> None:
    found = [leaf for leaf in numbers(got) if leaf is not None]
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        # The same computation, but that arguments are handed over in a container.
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-14)


def test_unflatten_inverts_flatten() -> None:
    params = parameters()
    leaves, structure = flatten(params)
    again = structure.unflatten(leaves)
    assert type(again["layers"][0]) is Layer
    assert type(again["pair"]) is Pair
    assert again["scale"][1] is None
    assert all(a is b for a, b in zip(flatten(again)[0], leaves, strict=True))
    assert structure.paths("params") == [
        "params['layers'][0].w",
        "params['layers'][0].b",
        "params['layers'][1].w",
        "params['layers'][1].b",
        "params['scale'][0]",
        "params['pair'].left",
        "params['pair'].right['k']",
    ]


def test_grad_of_keeps_the_structure_of_the_argument() -> None:
    gradients = grad_of(total)(parameters(), X[0])
    of_leaves, leaves = by_leaf(lambda params: total(params, X[0]))
    assert_same(gradients, list(grad_of(of_leaves, argnums=range(FLOATING))(*leaves)))
    assert type(gradients["layers"][1]) is Layer
    assert gradients["pair"].right["k"] is None
    value, again = engine.value_and_grad(total, argnums=(1, 0))(parameters(), X[0])
    assert value.item() == total(parameters(), X[0])
    assert again[0].shape == (3,)
    assert_same(again[1], [g for g in flatten(gradients)[0] if g is not None])


def test_vjp_and_linearize_of_containers_on_both_sides() -> None:
    def f(params: Any, x: Any) -> Any:
        y = predict(params, x)
        return {"y": y, "more": [y.sum(), (x * 2,)]}

    value, pullback = engine.vjp(f, parameters(), X[0])
    cotangent = {"more": (1.0, [np.zeros(3)]), "y": np.zeros(2)}  # in another order, lists and tuples exchanged
    params_bar, x_bar = pullback(cotangent)
    expected = grad_of(total, argnums=(0, 1))(parameters(), X[0])
    assert_same(params_bar, [g for g in flatten(expected[0])[0] if g is not None])
    np.testing.assert_allclose(x_bar.numpy(), expected[1].numpy(), rtol=1e-14)
    assert list(value) == ["y", "more"]

    again, push = engine.linearize(f, parameters(), X[0])
    _, pushed = engine.jvp(f, (parameters(), X[0]), (parameters(), X[1]))
    for a, b in zip(flatten(push(parameters(), X[1]))[0], flatten(pushed)[0], strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12)
    assert flatten(again)[1].paths() == flatten(value)[1].paths()


def test_jvp_accepts_none_for_a_constant_part() -> None:
    direction = {"layers": [None, Layer(np.ones((2, 2)), None)], "scale": None, "pair": None}
    _, got = engine.jvp(total, (parameters(), X[0]), (direction, None))
    gradient = grad_of(total)(parameters(), X[0])
    assert got.item() == pytest.approx(gradient["layers"][1].w.numpy().sum(), rel=1e-13)


def test_hvp_of_containers_matches_the_hessian() -> None:
    point, direction = {"a": X[0], "b": (X[1],)}, {"a": X[2], "b": (X[3],)}

    def f(p: Any) -> Any:
        return (engine.sin(p["a"]) * p["b"][0] ** 2).sum() * p["a"].sum()

    forward, reverse = engine.hvp(f, (point,), (direction,)), engine.vhp(f, (point,), (direction,))
    blocks = engine.hessian(f, point)
    for row in ("a", "b"):
        r = blocks[row] if row == "a" else blocks[row][0]
        product = r["a"].numpy() @ X[2] + r["b"][0].numpy() @ X[3]
        for found in (forward, reverse):
            got = found[row] if row == "a" else found[row][0]
            np.testing.assert_allclose(got.numpy(), product, rtol=1e-12)


def test_grad_of_tensors_in_containers() -> None:
    a, b = Tensor(2.0, requires_grad=True), Tensor(3.0, requires_grad=True)
    outputs = {"p": a * b, "q": [a * a]}
    found = engine.grad(outputs, {"x": a, "y": (b,)}, {"p": 1.0, "q": [10.0]})
    assert found["x"].item() == 3 + 10 * 4
    assert found["y"][0].item() == 2
    assert [g.item() for g in engine.grad(a * b, [a, b])] == [3, 2]


def test_checkpoint_of_containers() -> None:
    def f(params: Any, x: Any) -> Any:
        return engine.checkpoint(lambda p, v: {"out": predict(p, v)}, params, x)["out"].sum()

    plain = grad_of(total)(parameters(), X[0])
    assert_same(grad_of(f)(parameters(), X[0]), [g for g in flatten(plain)[0] if g is not None])


def test_vmap_of_containers_with_axes_by_part() -> None:
    many = {"x": [np.moveaxis(X, 0, 1), 2.0], "y": Pair(X, X[0])}
    got = engine.vmap(
        lambda p: {"s": p["x"][0] * p["x"][1], "t": (p["y"].left @ p["y"].right,)},
        ({"x": [1, None], "y": Pair(0, None)},),
        out_axes={"s": 1, "t": 0},
    )(many)
    assert np.array_equal(got["s"].numpy(), 2 * X.T)
    np.testing.assert_allclose(got["t"][0].numpy(), X @ X[0], rtol=1e-14)


def test_vmap_gives_per_example_gradients_of_containers() -> None:
    got = engine.vmap(grad_of(lambda layer, x: (engine.tanh(x @ layer.w) + layer.b).sum()), (None, 0))(
        Layer(np.ones((3, 2)), np.zeros(2)), X
    )
    slope = 1 - np.tanh(X.sum(axis=1)) ** 2
    np.testing.assert_allclose(got.w.numpy(), np.repeat((slope[:, None] * X)[..., None], 2, axis=2), rtol=1e-13)
    assert np.array_equal(got.b.numpy(), np.ones((4, 2)))


def test_register_container_keeps_static_fields() -> None:
    gradient = grad_of(lambda p: (p.weight**2).sum())(Named(np.array([1.0, 2.0]), "output", ["a"]))
    assert np.array_equal(gradient.weight.numpy(), [2, 4])
    assert (gradient.name, gradient.notes) == ("output", ["a"])


def test_register_container_needs_functions_for_other_classes() -> None:
    class Box:
        def __init__(self, value: Any) -> None:
            self.value = value

    register_container(Box, lambda box: {"value": box.value}, lambda box, parts: Box(**parts))
    gradient = grad_of(lambda box: box.value**3)(Box(2.0))
    assert type(gradient) is Box
    assert gradient.value.item() == 12

    class Plain:
        pass

    with pytest.raises(TypeError, match="`Plain` is not a dataclass"):
        register_container(Plain)


@dataclass
class Unregistered:
    w: Any


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda f: engine.jvp(f, ({"w": [X[0]]},), ({"w": [X]},)),
            ValueError,
            r"`params\['w'\]\[0\]` has shape \(4, 3\)",
        ),
        (
            lambda f: engine.jvp(f, ({"w": [X[0]]},), ({"v": [X]},)),
            ValueError,
            r"`tangents\[0\]` is a dict with the keys 'v'",
        ),
        (
            lambda f: engine.jvp(f, ({"w": [X[0]]},), ({"w": [X, X]},)),
            ValueError,
            r"`tangents\[0\]\['w'\]` is a list of 2",
        ),
        (lambda f: engine.vjp(f, {"w": [X[0]]})[1]({"y": X}), ValueError, r"`cotangent\['y'\]` has shape \(4, 3\)"),
        (lambda f: engine.vjp(f, {"w": [X[0]]})[1](X), ValueError, "`cotangent` is a `ndarray`, but a dict"),
        (lambda f: grad_of(f)(Unregistered(X)), TypeError, "argument 0 .* it is a `Unregistered`"),
        (lambda f: grad_of(f)({"w": [X[0]]}), ValueError, "one element, but this one returned a `dict`"),
        (lambda f: grad_of(f, 3)({"w": [X[0]]}), ValueError, "argument 3 of 1"),
    ],
)
def test_transforms_name_a_mismatched_leaf(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call(lambda params: {"y": params["w"][0] * 2})


def test_grad_names_a_nested_input_without_grad() -> None:
    a = Tensor(2.0, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"`inputs\['w'\]\[1\]` does not require grad"):
        engine.grad(a * a, {"w": [a, Tensor(1.0)]})
    with pytest.raises(RuntimeError, match=r"`inputs\['w'\]\[1\]` was not used"):
        engine.grad(a * a, {"w": [a, Tensor(1.0, requires_grad=True)]})


def test_checkpoint_names_an_overwritten_nested_argument() -> None:
    w = Tensor(X[0])
    out = engine.checkpoint(lambda p: engine.exp(p["w"] * p["s"]), {"w": w, "s": Tensor(2.0, requires_grad=True)})
    w.zero_()
    with pytest.raises(RuntimeError, match=r"`p\['w'\]` of a checkpointed function was overwritten"):
        out.sum().backward()
