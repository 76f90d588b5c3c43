"""`scan`, `cond`, `while_loop` and `stop_gradient` against Python's own loops and against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor

XS = np.array([0.5, -1.5, 2.0])


def horner(carry: Any, x: Any) -> Any:
    return carry * x + 1.0, carry


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_agrees_with_a_loop(reverse: bool) -> None:
    carry, seen = 2.0, []
    for x in XS[::-1] if reverse else XS:
        seen.append(carry)
        carry = carry * x + 1
    last, ys = engine.scan(horner, Tensor(2.0), Tensor(XS), reverse=reverse)
    assert last.item() == carry
    assert ys.tolist() == (seen[::-1] if reverse else seen)


def test_scan_is_differentiable() -> None:
    def last(xs: Any) -> Any:
        return engine.scan(horner, 2.0, xs)[0]

    a, b, c = XS  # ((2a + 1) b + 1) c + 1
    assert np.allclose(engine.grad_of(last)(XS).numpy(), [2 * b * c, (2 * a + 1) * c, (2 * a + 1) * b + 1])
    assert np.allclose(
        engine.hessian(last, XS).numpy(), [[0, 2 * c, 2 * b], [2 * c, 0, 2 * a + 1], [2 * b, 2 * a + 1, 0]]
    )


def test_scan_takes_and_returns_containers() -> None:
    def step(carry: Any, x: Any) -> Any:
        return {"sum": carry["sum"] + x["a"] * x["b"]}, (x["a"], carry["sum"])

    rows = {"a": np.array([[1.0, 2.0], [3.0, 4.0]]), "b": np.array([5.0, 6.0])}
    last, (first, sums) = engine.scan(step, {"sum": np.zeros(2)}, rows)
    assert last["sum"].tolist() == [23.0, 34.0]
    assert first.tolist() == rows["a"].tolist()
    assert sums.tolist() == [[0.0, 0.0], [5.0, 10.0]]


def test_scan_counts_steps_without_elements() -> None:
    assert engine.scan(lambda c, _: (c * 2, None), Tensor(1.0), length=5)[0].item() == 32
    assert engine.scan(lambda c, _: (c * 2, c), Tensor(1.0), np.zeros((0, 2)))[1] is None


def test_scan_refuses_different_lengths() -> None:
    with pytest.raises(ValueError, match=r"needs one length.* found 2, 3"):
        engine.scan(horner, 1.0, (np.zeros(2), np.zeros(3)))
    with pytest.raises(ValueError, match="found none"):
        engine.scan(horner, 1.0)


def test_cond_calls_one_function() -> None:
    x = Tensor(3.0, requires_grad=True)
    called: list[str] = []

    def double(v: Any) -> Any:
        called.append("double")
        return 2 * v

    def cube(v: Any) -> Any:
        called.append("cube")
        return v**3

    engine.cond(x > 2, cube, double, x).backward()
    assert called == ["cube"]
    assert x.grad is not None
    assert x.grad.item() == 27


def test_cond_under_vmap_selects_by_example() -> None:
    def f(x: Any) -> Any:
        return engine.cond(x > 0, lambda v: v**2, lambda v: -v, x)

    assert engine.vmap(f)(XS).tolist() == [0.25, 1.5, 4.0]
    assert engine.vmap(engine.grad_of(f))(XS).tolist() == [1.0, -1.0, 4.0]


def test_cond_without_functions_is_the_condition_number() -> None:
    assert np.isclose(engine.cond(np.diag([4.0, 2.0])), 2.0)


def newton(x: Any) -> Any:
    """The square root by Newton's iteration, which differentiates to the derivative of the square root."""
    start = (x * 0 + 1.0, x)
    return engine.while_loop(
        lambda s: abs(s[0] * s[0] - s[1]) > 1e-13 * s[1], lambda s: ((s[0] + s[1] / s[0]) / 2, s[1]), start
    )[0]


@pytest.mark.parametrize("transformed", [engine.grad_of(newton), lambda x: engine.jvp(newton, (x,), (1.0,))[1]])
def test_while_loop_is_differentiable(transformed: Any) -> None:
    assert np.isclose(transformed(2.0).item(), 0.5 / np.sqrt(2), rtol=1e-12)


def test_while_loop_under_vmap_stops_by_example() -> None:
    many = np.array([0.25, 2.0, 1e4])
    assert np.allclose(engine.vmap(newton)(many).numpy(), np.sqrt(many), rtol=1e-12)
    assert np.allclose(engine.vmap(engine.grad_of(newton))(many).numpy(), 0.5 / np.sqrt(many), rtol=1e-12)


def test_conditions_have_no_axes() -> None:
    with pytest.raises(ValueError, match="`cond` needs one condition, not an array of shape"):
        engine.cond(np.array([True, False]), abs, abs, 1.0)


def test_stop_gradient_is_a_constant_in_every_mode() -> None:
    def f(x: Any) -> Any:
        return x * engine.stop_gradient({"x": x})["x"]

    assert engine.grad_of(f)(3.0).item() == 3
    assert engine.jvp(f, (3.0,), (1.0,))[1].item() == 3
