"""`custom_vjp` and `custom_jvp`: the rule is what counts, in every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor


@engine.custom_vjp
def logistic(x: Any) -> Any:
    """The logarithm of 1 + exp(x)."""
    return engine.log(1 + engine.exp(x))


logistic.defvjp(lambda x: (engine.log(1 + engine.exp(x)), x), lambda x, g: (g * engine.sigmoid(x),))


@engine.custom_jvp
def smooth(x: Any) -> Any:
    """The same, with a rule for tangents."""
    return engine.log(1 + engine.exp(x))


smooth.defjvp(lambda primals, tangents: (smooth(*primals), engine.sigmoid(primals[0]) * tangents[0]))


@engine.custom_vjp
def scaled(params: Any, x: Any, power: int) -> Any:
    return {"out": params["w"] * x**power}


def scaled_backward(residuals: Any, g: Any) -> Any:
    params, x, power = residuals
    # Ten times the right gradient of w, so that the test sees which rule was used.
    return {"w": 10 * g["out"] * x**power}, g["out"] * params["w"] * power * x ** (power - 1), None


scaled.defvjp(lambda params, x, power: (scaled(params, x, power), (params, x, power)), scaled_backward)


def sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


@pytest.mark.parametrize("f", [logistic, smooth])
def test_custom_rule_is_right_in_every_mode(f: Any) -> None:
    s = sigmoid(0.7)
    slope, bend = s, s * (1 - s)
    assert np.isclose(f(Tensor(0.7)).item(), np.log(1 + np.exp(0.7)))
    assert np.isclose(engine.grad_of(f)(0.7).item(), slope, rtol=1e-14)
    assert np.isclose(engine.jvp(f, (0.7,), (2.0,))[1].item(), 2 * slope, rtol=1e-14)
    assert np.isclose(engine.hessian(f, 0.7).item(), bend, rtol=1e-13)
    assert np.isclose(engine.grad_of(engine.grad_of(f))(0.7).item(), bend, rtol=1e-13)
    assert np.isclose(engine.jvp(engine.grad_of(f), (0.7,), (1.0,))[1].item(), bend, rtol=1e-13)
    assert np.isclose(engine.grad_of(lambda x: engine.jvp(f, (x,), (1.0,))[1])(0.7).item(), bend, rtol=1e-13)


@pytest.mark.parametrize("f", [logistic, smooth])
def test_custom_rule_works_under_vmap(f: Any) -> None:
    points = np.array([-1.0, 0.0, 2.0])
    wanted = [sigmoid(x) for x in points]
    assert np.allclose(engine.vmap(engine.grad_of(f))(points).numpy(), wanted, rtol=1e-14)
    assert np.allclose(engine.vmap(lambda x: engine.jvp(f, (x,), (1.0,))[1])(points).numpy(), wanted, rtol=1e-14)


def test_custom_rule_avoids_what_overflows() -> None:
    @engine.custom_vjp
    def f(x: Any) -> Any:
        return engine.sqrt(x)

    f.defvjp(lambda x: (f(x), x), lambda x, g: (engine.where(x > 0, g / (2 * engine.sqrt(x + 1e-300)), 0),))
    assert engine.grad_of(f)(0.0).item() == 0


def test_custom_vjp_takes_containers_and_constants() -> None:
    params, x = {"w": Tensor(3.0, requires_grad=True)}, Tensor(2.0, requires_grad=True)
    out = scaled(params, x, 2)["out"]
    assert out.item() == 12
    out.backward()
    assert params["w"].grad is not None
    assert x.grad is not None
    assert (params["w"].grad.item(), x.grad.item()) == (40.0, 12.0)


def test_custom_rules_keep_the_function_name() -> None:
    assert logistic.__name__ == "logistic"
    assert logistic.__doc__ == "The logarithm of 1 + exp(x)."
    assert "logistic" in repr(logistic(Tensor(1.0, requires_grad=True)))


def test_custom_rule_of_arrays_calls_the_function() -> None:
    assert isinstance(smooth(np.ones(2)), np.ndarray)


@pytest.mark.parametrize("decorator", [engine.custom_vjp, engine.custom_jvp])
def test_custom_function_without_a_rule_says_so(decorator: Any) -> None:
    f = decorator(lambda x: x * 2)
    with pytest.raises(TypeError, match="has no rule"):
        f(Tensor(1.0, requires_grad=True))


def test_custom_jvp_refuses_a_tangent_of_another_shape() -> None:
    double = engine.custom_jvp(lambda x: 2 * x)
    double.defjvp(lambda primals, tangents: (2 * primals[0], engine.stack([tangents[0], tangents[0]])))
    with pytest.raises(RuntimeError, match=r"tangent of shape \(2,\) for an output of shape \(\)"):
        engine.jvp(double, (1.0,), (1.0,))
