"""Declaring primitives: a mistake in a rule is found when the module is imported, not when a gradient is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Primitive, RuleError, Tensor, registry
from autodrill.engine.core.primitive import check_registry, primitive


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
    assert registry[name].__doc__ or name in {"astype", "concatenate", "cross_entropy", "gelu", "getitem"}
    assert name in repr(registry[name])
