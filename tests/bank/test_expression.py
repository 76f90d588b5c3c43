from __future__ import annotations

import ast
import contextlib
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodrill.bank.expression import ExpressionError, NoValueError, evaluate


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1/3", 1 / 3),
        (".5", 0.5),
        ("-2^2", -4.0),
        ("2**-1", 0.5),
        ("−3 × 4", -12.0),
        ("6 ÷ 4 · 2", 3.0),
        ("1e-3", 1e-3),
        ("2*(1 + 3)", 8.0),
        ("e^-1", math.exp(-1)),
        ("exp(-1)", math.exp(-1)),
        ("ln(e) + log(e)", 2.0),
        ("√2", math.sqrt(2)),
        ("√(1 + 3)", 2.0),
        ("3²", 9.0),
        ("10⁻²", 0.01),
        ("sin(π/2) + cos(0) + tan(0) + tanh(0)", 2.0),
    ],
)
def test_evaluate_reads_arithmetic_as_typed(typed: str, value: float) -> None:
    # Two roundings of the last bit at most: exp(-1) and e**-1 differ by one.
    assert evaluate(typed) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "the text is empty"),
        ("2x", "is not valid arithmetic"),
        ("2(x)", r"write a product with `\*`"),
        ("0,5", "a decimal point and not a comma"),
        ("y", "`y` is unknown; the variables are `x`"),
        ("__import__('os')", "no function `__import__`"),
        ("().__class__", "only numbers"),
        ("'a' * 9", "only numbers"),
        ("True + 1", "use numbers"),
        ("1j", "only numbers"),
        ("[1][0]", "only numbers"),
        ("sin(1, 2)", "takes exactly one argument"),
        ("1; 2", "is not valid arithmetic"),
        ("lambda: 1", "only numbers"),
        ("1" * 201, "longer than 200 characters"),
        ("\\d", "is not valid arithmetic"),
        ("1\x00", "is not valid arithmetic"),
    ],
)
def test_evaluate_refuses_other_syntax_with_a_reason(typed: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        evaluate(typed, {"x": 1.0})


@pytest.mark.parametrize("typed", ["1/0", "log(0)", "sqrt(-1)", "(-1)^0.5", "1e999", "1e308*10", "exp(1e6)", "0^-1"])
def test_evaluate_refuses_values_that_are_not_finite(typed: str) -> None:
    with pytest.raises(NoValueError):
        evaluate(typed)


@pytest.mark.parametrize("typed", ["9**9**9**9**9", "-" * 199 + "1", "(" * 99 + "1" + ")" * 99, "9" * 199, "x²" * 99])
def test_evaluate_is_fast_for_any_input(typed: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(ExpressionError):
        evaluate(typed)
    # It takes microseconds. Evaluating the power tower would never end.
    assert time.perf_counter() - start < 0.5


def test_variable_hides_a_constant_of_the_same_name() -> None:
    assert evaluate("e + pi", {"e": 1.0}) == 1.0 + math.pi


@given(st.text(max_size=60))
def test_evaluate_raises_expression_errors_only(typed: str) -> None:
    with contextlib.suppress(ExpressionError):
        assert math.isfinite(evaluate(typed, {"x": 0.5}))


numbers = st.floats(0.1, 9.9).map(lambda value: f"{value:.3f}")
formulas = st.recursive(
    numbers, lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
)


@given(formulas.filter(lambda formula: len(formula) <= 200))
def test_evaluate_agrees_with_python(formula: str) -> None:
    try:
        expected = eval(compile(ast.parse(formula, mode="eval"), "formula", "eval"))
    except ZeroDivisionError:
        with pytest.raises(NoValueError):
            evaluate(formula)
        return
    assert evaluate(formula) == expected
