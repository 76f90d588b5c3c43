"""The scalar engine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from autodrill.engine import Value, numerical_vjp

EXPRESSIONS: dict[str, Any] = {
    "add": lambda a, b: a + b + 1 + (2 + a),
    "subtract": lambda a, b: (a - b) - 1 + (2 - a),
    "multiply": lambda a, b: a * b * 3 * (2 * a),
    "divide": lambda a, b: a / b / 3 + 2 / a,
    "power": lambda a, b: a**b + a**3 + 2**b,
    "negate": lambda a, b: -(a * b),
    "mixed": lambda a, b: (a * b + a**2) / (b - 3) * a,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_value_operators_agree_with_differences(name: str) -> None:
    f = EXPRESSIONS[name]
    a, b = Value(1.3), Value(0.7)
    out = f(a, b)
    out.backward()
    (ga, gb), _ = numerical_vjp(f, [np.array(1.3), np.array(0.7)], np.array(1.0))
    assert out.data == f(1.3, 0.7)
    assert a.grad == pytest.approx(ga, rel=1e-10)
    assert b.grad == pytest.approx(gb, rel=1e-10)


@pytest.mark.parametrize(
    ("name", "x", "value", "slope"),
    [
        ("relu", 2.0, 2.0, 1.0),
        ("relu", -2.0, 0.0, 0.0),
        ("relu", 0.0, 0.0, 0.0),
        ("tanh", 0.5, math.tanh(0.5), 1 - math.tanh(0.5) ** 2),
        ("exp", 0.5, math.exp(0.5), math.exp(0.5)),
        ("log", 0.5, math.log(0.5), 2.0),
        ("sigmoid", 0.5, 1 / (1 + math.exp(-0.5)), math.exp(-0.5) / (1 + math.exp(-0.5)) ** 2),
        ("sigmoid", -800.0, 0.0, 0.0),
        ("sigmoid", 800.0, 1.0, 0.0),
    ],
)
def test_value_functions_agree_with_closed_forms(name: str, x: Any, value: Any, slope: Any) -> None:
    leaf = Value(x)
    out = getattr(leaf, name)()
    out.backward()
    assert out.data == pytest.approx(value, rel=1e-15)
    assert leaf.grad == pytest.approx(slope, rel=1e-14)


def test_value_used_twice_gets_both_contributions() -> None:
    a = Value(3.0)
    (a * a + a).backward()
    assert a.grad == 7


def test_value_backward_visits_a_diamond_in_order() -> None:
    a = Value(1.0)
    b = a + a
    (b + b).backward()
    assert a.grad == 4


def test_value_second_backward_adds_to_leaves_only() -> None:
    a = Value(2.0)
    b = a * a
    c = b * 3
    c.backward()
    c.backward()
    assert a.grad == 24
    assert b.grad == 3


def test_value_graph_has_the_interview_attributes() -> None:
    a, b = Value(2.0), Value(3.0)
    c = a * b
    assert c._op == "*"
    assert c._prev == (a, b)
    c.grad = 1.0
    c._backward()
    assert (a.grad, b.grad) == (3, 2)
    assert repr(a) == "Value(data=2.0, grad=3.0)"


def test_value_power_of_negative_base() -> None:
    a = Value(-2.0)
    (a**3).backward()
    assert a.grad == 12


def test_value_zero_to_the_power_of_zero() -> None:
    a = Value(0.0)
    (a**0).backward()
    assert a.grad == 0


def test_value_log_of_zero_raises() -> None:
    with pytest.raises(ValueError, match=r"math domain|positive"):
        Value(0.0).log()


@pytest.mark.slow
def test_value_backward_through_a_long_chain() -> None:
    a = Value(1.0)
    out = a
    for _ in range(100_000):
        out = out + 0.0
    out.backward()
    assert a.grad == 1
