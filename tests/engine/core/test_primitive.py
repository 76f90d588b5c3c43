"""Declaring primitives: a mistake in a rule is found when the module is imported, not when a gradient is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Primitive, RuleError, Tensor, registry
from autodrill.engine.core.primitive import check_registry, primitive
from tests.engine.samples import SAMPLES


@pytest.fixture
def scaled() -> Any:
    def scaled(xp: Any, x: Any, y: Any, *, factor: Any = 2.0) -> Any:
        return xp.multiply(xp.multiply(x, y), factor)

    return Primitive(scaled, broadcasts=True)


def test_vjp_refuses_a_rule_for_an_unknown_input(scaled: Any) -> None:
    with pytest.raises(RuleError, match=r"`scaled` has no input `z`.*`x`, `y`"):
        scaled.vjp(x=lambda g: g, z=lambda g: g)


def test_vjp_refuses_a_missing_rule_with_advice(scaled: Any) -> None:
    with pytest.raises(RuleError, match=r"no vjp rule for `y`.*`y=None`"):
        scaled.vjp(x=lambda g: g)


def test_vjp_refuses_an_unknown_parameter_name(scaled: Any) -> None:
    with pytest.raises(RuleError, match=r"vjp rule for `x` asks for `yy`; it may ask for .*`factor`.*`out`.*`x_shape`"):
        scaled.vjp(x=lambda g, yy: g * yy, y=None)
    with pytest.raises(RuleError, match="the jvp rule asks for `dz`"):
        scaled.jvp(lambda dx, dz: dx)


def test_jvp_refuses_an_unknown_kind(scaled: Any) -> None:
    with pytest.raises(RuleError, match="`bilinear`"):
        scaled.jvp("bilinear")


def test_check_registry_finds_a_primitive_without_rules(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("autodrill.engine.core.primitive.registry", {})  # what is declared here is for this test only

    @primitive
    def unfinished(xp: Any, x: Any) -> Any:
        return x

    with pytest.raises(RuleError, match=r"`unfinished` has no vjp rules; `unfinished` has no jvp rule"):
        check_registry()


def test_primitive_refuses_a_duplicate_name() -> Any:
    with pytest.raises(RuleError, match="already a primitive called `exp`"):

        @primitive
        def exp(xp: Any, x: Any) -> Any:
            return x


def test_rule_parameters_determine_saved_values(scaled: Any) -> None:
    scaled.vjp(x=lambda g, y, factor: g * y * factor, y=lambda g, x, factor: g * x * factor)
    x, y = Tensor([2.0], requires_grad=True), Tensor([3.0])
    out = scaled(x, y, factor=5.0)
    assert out.node is not None
    assert out.node.saved == [y.data, 5.0]  # y needs no grad: x, which only its rule asks for, is not kept alive
    (g,) = engine.grad(out, x)
    assert g is not None
    assert g.item() == 15


def test_call_accepts_static_values_by_position(scaled: Any) -> None:
    scaled.vjp(x=None, y=None)
    assert scaled(2.0, 3.0, 5.0) == scaled(2.0, 3.0, factor=5.0) == 30
    assert scaled(2.0, y=3.0) == 12


def test_call_names_wrong_arguments(scaled: Any) -> None:
    with pytest.raises(TypeError, match="is missing its argument `y`"):
        scaled(1.0)
    with pytest.raises(TypeError, match="at most 3 arguments, got 4"):
        scaled(1.0, 2.0, 3.0, 4.0)
    with pytest.raises(TypeError, match="two values for `factor`"):
        scaled(1.0, 2.0, 3.0, factor=4.0)


def test_non_differentiable_input_gets_no_gradient(scaled: Any) -> None:
    scaled.vjp(x=lambda g, y, factor: g * y * factor, y=None)
    x, y = Tensor([2.0], requires_grad=True), Tensor([3.0], requires_grad=True)
    scaled(x, y).backward()
    assert x.grad is not None
    assert x.grad.item() == 6
    assert y.grad is None


def test_forward_mode_names_a_missing_jvp_rule(scaled: Any) -> None:
    with pytest.raises(NotImplementedError, match="`scaled` has no jvp rule"):
        engine.jvp(lambda x: scaled(x, 1.0), (1.0,), (1.0,))


def test_engine_sums_cotangents_of_broadcast_inputs(scaled: Any) -> None:
    scaled.vjp(x=lambda g, y: g * y, y=None)
    x = Tensor(np.ones((2, 1)), requires_grad=True)
    scaled(x, np.ones((4, 1, 3))).backward(np.ones((4, 2, 3)))
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), np.full((2, 1), 12.0))


@pytest.mark.parametrize("name", list(registry))
def test_every_primitive_has_a_docstring(name: str) -> None:
    assert registry[name].__doc__ or name in {"astype", "clip", "concatenate", "cross_entropy", "gelu", "getitem"}
    assert name in repr(registry[name])


def _with_tensor(name: str, parameter: str) -> None:
    """Call a primitive as its first sample does, with a Tensor for one static parameter."""
    sample = next(s for s in SAMPLES if s.name == name)
    inputs = [Tensor(x, requires_grad=x.dtype.kind == "f") for x in sample.inputs()]
    registry[name](*inputs, **{**sample.static, parameter: Tensor(1.0, requires_grad=True)})


@pytest.mark.parametrize("name", [name for name, entry in registry.items() if entry.static])
def test_every_static_parameter_refuses_a_tensor_by_name(name: str) -> None:
    for parameter in registry[name].static:
        with pytest.raises(TypeError, match=f"`{name}` got a Tensor for `{parameter}`.*`{parameter}.item\\(\\)`"):
            _with_tensor(name, parameter)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, c: engine.pad(x, 1, constant_values=c),
        engine.leaky_relu,
        lambda x, c: engine.threshold(x, 1.5, value=c),
        lambda x, c: engine.huber_loss(x, x, delta=c),
    ],
)
def test_compositions_refuse_a_tensor_for_a_constant(call: Any) -> None:
    with pytest.raises(TypeError, match="got a Tensor for"):
        call(Tensor([1.0, 2.0]), Tensor(0.5, requires_grad=True))


def test_where_pytorch_differentiates_a_constant_so_do_we() -> None:
    """Two elements become the constant each time, or for the last -1.4 times the constant."""
    c, x = Tensor(0.5, requires_grad=True), np.array([0.1, 0.7, 0.2])
    filled = [
        engine.masked_fill(x, x < 0.5, c),
        engine.index_fill(x, 0, np.array([0, 2]), c),
        engine.clip(x, c),
        engine.clip(-x, None, -1.4 * c),
    ]
    for y in filled:
        engine.sum(y).backward()
    assert c.grad is not None
    assert c.grad.item() == pytest.approx(2 + 2 + 2 - 2 * 1.4, rel=1e-15)


@pytest.mark.torch
def test_clip_by_tensors_agrees_with_pytorch(torch: Any) -> None:
    rng = np.random.default_rng(0)
    x = np.array([[-2.0, -0.5, 0.3, np.nan, 0.8], [0.25, 2.0, 1.0, -1.0, 0.25]])
    low, high = np.array([[-1.0], [0.25]]), np.array([0.5, 0.5, 0.3, 0.5, 0.1])
    g = rng.normal(size=x.shape)
    for bounds in ((low, high), (low, None), (None, high)):
        ours: list[Any] = [None if b is None else Tensor(b, requires_grad=True) for b in (x, *bounds)]
        theirs = [None if b is None else torch.tensor(b, requires_grad=True) for b in (x, *bounds)]
        got, expected = engine.clip(*ours), torch.clamp(*theirs)
        assert np.array_equal(got.numpy(), expected.detach().numpy(), equal_nan=True)
        got.backward(g)
        expected.backward(torch.tensor(g))
        for a, b in zip(ours, theirs, strict=True):
            if a is not None and b is not None:
                assert np.allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-14, atol=1e-14)
