"""A typed expression as a tape: its numbers agree with PyTorch, and malformed input is refused."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from autodrill.bank.expression import ExpressionError, NoValueError, as_read
from autodrill.bank.traced_expression import FUNCTIONS, trace_expression


@pytest.mark.parametrize(
    ("typed", "place", "said"),
    [
        ("2*foo(x)", "foo(x)", "no function `foo`"),
        ("x + π*z", "z", "`z` is unknown; the variables are `x`, `y`"),
        ("x + 'a'", "'a'", "only numbers"),
        ("y*(x, 1)", "(x, 1)", "a decimal point"),
        ("1 + ln(x - 2)", "ln(x - 2)", r"ln\(0\) has no finite real value"),
        ("y/(x-2)", "y/(x-2)", "1 / 0 has no finite"),
        ("x·(1 -\n 2)/0", "x*(1 -  2)/0", "has no finite"),
        ("(0-x)^0.5 + y", "(0-x)**0.5", "no finite real value"),
        ("exp(exp(exp(x^9)))", "exp(x**9)", None),
    ],
)
def test_error_has_its_place_in_the_text(typed: str, place: str, said: str | None) -> None:
    with pytest.raises(ExpressionError, match=said) as raised:
        trace_expression(typed, {"x": 2.0, "y": 1.0}, "x")

    assert raised.value.span is not None
    start, end = raised.value.span
    assert as_read(typed)[start:end] in {place, f"exp({place})"}  # the innermost call that overflows


@pytest.mark.parametrize("typed", ["sqrt(x)", "x^0.5"])
def test_missing_derivative_is_no_missing_value(typed: str) -> None:
    with pytest.raises(NoValueError, match=r"there is a value at this point, but .* has no derivative"):
        trace_expression(typed, {"x": 0.0}, "x")


@pytest.mark.parametrize("typed", ["1 + 2", "pi"])
def test_expression_without_variables_is_refused(typed: str) -> None:
    with pytest.raises(ExpressionError, match="depends on no variable"):
        trace_expression(typed, {"x": 1.0}, "x")


def test_constant_factor_keeps_its_place() -> None:
    tape = trace_expression("6*x", {"x": 2.0}, "x")

    assert not hasattr(tape[1].operands[0], "number")


def random_expression(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(["a", "b", "c", f"{draw.uniform(0.5, 2):.3f}"])
    left, right = (random_expression(draw, depth - 1) for _ in range(2))
    return draw.choice(
        [
            f"({left} + {right})",
            f"({left} - {right})",
            f"({left} * {right})",
            f"{left} / (1.5 + ({right})^2)",
            f"-{left}",
            f"ln(1.5 + ({left})^2)",
            f"sqrt(1 + ({left})^2)",
            f"exp(tanh({left}))",
            *(f"{name}({left})" for name in ("sin", "cos", "tanh", "sigmoid", "relu", "abs")),
        ]
    )


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("seed", range(60))
def test_tape_agrees_with_pytorch_on_random_expressions(torch: Any, seed: int) -> None:
    draw = random.Random(seed)
    text = random_expression(draw, 3) + " + a"
    point = {name: draw.uniform(-2, 2) for name in "abc"}
    point["a"] = abs(point["a"])
    functions = {name: getattr(torch, called) for name, called in FUNCTIONS.items()}
    leaves = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in point.items()}
    theirs = _torch_value(text, functions, leaves)
    theirs.backward()

    tape = trace_expression(text, point, "b")

    # Both compute in float64: a few dozen roundings, magnified by cancellation at most.
    assert float(tape[tape.output].primal) == pytest.approx(theirs.item(), rel=1e-12, abs=1e-12)
    expected = [0.0 if leaf.grad is None else leaf.grad.item() for leaf in leaves.values()]
    assert [float(row.adjoint) for row in tape.variables] == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert float(tape[tape.output].tangent or 0) == pytest.approx(expected[1], rel=1e-10, abs=1e-12)
    assert math.isfinite(theirs.item())


def _torch_value(text: str, functions: dict[str, Any], leaves: dict[str, Any]) -> Any:
    """Evaluate a text of this test in PyTorch, with Python's parser instead of ours."""
    lifted = {name: (lambda x, f=f: f(_lift(x))) for name, f in functions.items()}
    return eval(text.replace("^", "**"), {"__builtins__": {}}, {**lifted, **leaves})


def _lift(x: Any) -> Any:
    import torch

    return torch.as_tensor(x, dtype=torch.float64)
