"""The tape as a record: numbering, order, and that its numbers are derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine.tracing.recording import tape_of, tape_of_value
from autodrill.engine.tracing.tape import Constant, Ref, Tape, levelled


def survey(a: Any, b: Any) -> Any:
    return engine.log(a) + a * b - engine.sin(b)


def numbers_by(tape: Tape, what: str) -> dict[int, float]:
    return {row.number: float(getattr(row, what)) for row in tape.rows}


def test_tape_numbers_variables_to_v0_and_operations_from_v1() -> None:
    tape = tape_of(survey, {"x1": 2.0, "x2": 5.0})

    assert [row.number for row in tape.rows] == [-1, 0, 1, 2, 3, 4, 5]
    assert [row.label for row in tape.variables] == ["x1", "x2"]
    assert [row.operation for row in tape.operations] == ["log", "multiply", "add", "sin", "subtract"]
    assert tape.output == 5


def test_levelled_tape_has_the_order_of_the_surveys() -> None:
    tape = levelled(tape_of(survey, {"x1": 2.0, "x2": 5.0}))

    assert [row.operation for row in tape.operations] == ["log", "multiply", "sin", "add", "subtract"]
    assert [row.sources for row in tape.operations] == [(-1,), (-1, 0), (0,), (1, 2), (4, 3)]
    assert [c.source for c in tape[5].contributions] == [4, 3]


def test_changed_contributions_change_the_adjoints() -> None:
    """Of x · sin x, the reverse pass without the path through the sine gives sin x instead of sin x + x cos x."""
    tape = tape_of(lambda x: x * engine.sin(x), {"x": 0.5})
    sine = next(row.number for row in tape.operations if row.operation == "sin")
    right = tape.adjoints(lambda _number, _adjoint, c: c.amount)
    cut = tape.adjoints(lambda number, _adjoint, c: 0 * c.amount if number == sine else c.amount)
    assert float(right[0]) == pytest.approx(math.sin(0.5) + 0.5 * math.cos(0.5))
    assert float(cut[0]) == pytest.approx(math.sin(0.5))
    assert levelled(tape).adjoints(lambda _number, _adjoint, c: c.amount)[0] == right[0]


def test_tape_values_are_the_closed_forms() -> None:
    tape = tape_of(survey, {"x1": 2.0, "x2": 5.0}, tangents={"x1": 1.0})

    found = [float(tape[5].primal), float(tape[5].tangent or 0), float(tape[-1].adjoint), float(tape[0].adjoint)]
    closed = [math.log(2) + 10 - math.sin(5), 1 / 2 + 5, 1 / 2 + 5, 2 - math.cos(5)]
    # Both sides are a few roundings of float64 apart at most.
    assert found == pytest.approx(closed, rel=1e-15)


def test_tape_adjoint_is_the_sum_of_contributions() -> None:
    tape = tape_of(lambda x: x * x + engine.sin(x) * x, {"x": 3.0})

    for row in tape.rows[:-1]:
        received = [float(c.amount) for r in tape.rows for c in r.contributions if c.source == row.number]
        assert float(row.adjoint) == pytest.approx(sum(received), rel=1e-15)
    assert sum(c.source == 0 for row in tape.rows for c in row.contributions) == 4  # x*x, sin, and the product


def test_tape_has_a_row_for_an_inplace_write() -> None:
    def overwritten(x: Any) -> Any:
        y = x * 2
        y[0] = y[1] * x[0]
        return engine.sum(y * y)

    tape = tape_of(overwritten, {"x": np.array([1.0, 2.0])}, tangents={"x": np.array([1.0, 0.0])})

    names = ["multiply", "getitem", "getitem", "multiply", "copy_slices", "multiply", "sum"]
    assert [row.operation for row in tape.operations] == names
    # The sum is (2 x1 x0)^2 + (2 x1)^2.
    assert np.array_equal(tape[0].adjoint, [8 * 2**2 * 1, 8 * 1**2 * 2 + 8 * 2])
    assert tape[tape.output].tangent == 8 * 2**2 * 1


@pytest.mark.parametrize("seed", range(5))
def test_tape_of_arrays_agrees_with_the_engine(seed: int) -> None:
    draw = np.random.default_rng(seed)
    x, w, b = draw.normal(size=(4, 3)), draw.normal(size=(3, 2)), draw.normal(size=2)
    dw, g = draw.normal(size=(3, 2)), draw.normal(size=(4, 2))
    f = lambda x, w, b: engine.tanh(x @ w + b) * engine.softmax(x @ w, axis=-1)

    tape = tape_of(f, {"x": x, "w": w, "b": b}, tangents={"w": dw}, cotangent=g)

    value, tangent = engine.jvp(f, [x, w, b], [None, dw, None])
    gradients = engine.vjp(f, x, w, b)[1](g)
    last = tape[tape.output]
    assert last.tangent is not None
    # The same rules in the same order: equal but for the order of a sum.
    np.testing.assert_allclose(last.primal, value.numpy(), rtol=1e-14)
    np.testing.assert_allclose(last.tangent, tangent.numpy(), rtol=1e-12, atol=1e-15)
    for row, gradient in zip(tape.variables, gradients, strict=True):
        assert gradient is not None
        assert row.adjoint.shape == row.primal.shape
        np.testing.assert_allclose(row.adjoint, gradient.numpy(), rtol=1e-12, atol=1e-15)


def test_tape_value_without_variables_is_a_constant() -> None:
    outside = engine.Tensor(4.0, requires_grad=True)

    tape = tape_of(lambda x: x * outside + x.detach() * 2.0 * x, {"x": 3.0})

    assert [row.operation for row in tape.operations] == ["multiply", "multiply", "add"]
    first = tape[1].operands
    assert first[0] == Ref(0)
    assert isinstance(first[1], Constant)
    assert float(first[1].value) == 4.0
    assert float(tape[0].adjoint) == 4.0 + 6.0
    assert outside.grad is None


def test_tape_unused_variable_has_adjoint_zero() -> None:
    tape = tape_of(lambda x, y: x * 2.0, {"x": 3.0, "y": 1.0})

    assert numbers_by(tape, "adjoint") == {-1: 2.0, 0: 0.0, 1: 1.0}


def test_tape_is_independent_of_its_sources() -> None:
    x = np.array([1.0, 2.0])

    tape = tape_of(lambda x: (x * 3.0).sum(), {"x": x})
    x[0] = 9

    assert tape[0].primal.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        tape[0].adjoint[0] = 1


def test_tape_inside_a_derivative_does_not_change_it() -> None:
    def f(x: Any) -> Any:
        assert float(tape_of(lambda y: y * y, {"y": 2.0})[0].adjoint) == 4.0
        return x * x * x

    _, tangent = engine.jvp(f, [2.0], [1.0])

    assert float(tangent) == 12.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tape_of(lambda x: x, {"x": 1.0}, tangents={"y": 1.0}), "the variable `y`, but there are only `x`"),
        (lambda: tape_of(lambda x: x, {"x": np.ones(2)}), "needs a `cotangent`"),
        (lambda: tape_of(lambda x: x, {"x": np.ones(2)}, cotangent=np.ones(3)), "has shape"),
        (lambda: tape_of(lambda x: x, {"x": np.ones(2)}, tangents={"x": 1.0}), "tangent of `x` has shape"),
        (lambda: tape_of(lambda x: engine.Tensor(1.0), {"x": 1.0}), "depends on none"),
        (lambda: tape_of_value(engine.Value(1.0), {"x": engine.Value(2.0)}), "depends on none"),
    ],
)
def test_tape_refuses_invalid_functions(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_tape_of_value_equals_that_of_tensors() -> None:
    a, b = engine.Value(0.5), engine.Value(-1.5)
    a.grad = 7.0

    tape = tape_of_value((a * b + b).tanh() * a.exp() / b + a**2.0, {"a": a, "b": b}, tangents={"b": 1.0})

    g = lambda a, b: engine.tanh(a * b + b) * engine.exp(a) / b + a**2.0
    other = tape_of(g, {"a": 0.5, "b": -1.5}, tangents={"b": 1.0})
    assert a.grad == 7.0
    assert [row.operation for row in tape.rows] == [row.operation for row in other.rows]
    for what in ("primal", "tangent", "adjoint"):
        # Two implementations of tanh and exp: math's and NumPy's.
        assert numbers_by(tape, what) == pytest.approx(numbers_by(other, what), rel=1e-13)


def test_tape_of_value_merges_repeated_operands() -> None:
    x = engine.Value(3.0)

    tape = tape_of_value(x * x, {"x": x}, tangents={"x": 1.0})

    (contribution,) = tape[1].contributions
    assert contribution.positions == (0, 1)
    assert float(contribution.amount) == float(tape[1].tangent or 0) == 6.0
