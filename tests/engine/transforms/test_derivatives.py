"""Derivatives of functions, nested in every order."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, grad_of, hessian, hvp, jacobian, jvp, linearize, value_and_grad, vhp, vjp


def derivative(f: Any) -> Any:
    """Differentiate a function of one number by forward mode."""
    return lambda x: jvp(f, (x,), (1.0,))[1]


@pytest.mark.parametrize("outer", [grad_of, derivative])
@pytest.mark.parametrize("inner", [grad_of, derivative])
def test_nested_derivatives_do_not_confuse_their_perturbations(outer: Any, inner: Any) -> None:
    """d/dx [x · d/dy (x + y)] = 1: with confused perturbations the inner derivative is 2 (Siskind and Pearlmutter)."""
    assert outer(lambda x: x * inner(lambda y: x + y)(x))(3.0).item() == 1
    assert outer(lambda x: x * inner(lambda y: x * y)(2.0))(3.0).item() == 6


@pytest.mark.parametrize("modes", [(a, b, c) for a in "rf" for b in "rf" for c in "rf"], ids="".join)
def test_third_derivative_in_every_nesting(modes: Any) -> None:
    f: Any = engine.tanh
    for mode in modes:
        f = (grad_of if mode == "r" else derivative)(f)
    t = np.tanh(0.3)
    # tanh''' = (1 - t²)(6t² - 2)
    assert f(0.3).item() == pytest.approx((1 - t * t) * (6 * t * t - 2), rel=1e-13)


FOURTH: dict[str, tuple[Any, Any]] = {
    "sin": (engine.sin, np.sin),
    "exp": (lambda x: engine.exp(2 * x), lambda x: 16 * np.exp(2 * x)),
    "log": (engine.log, lambda x: -6 / x**4),
    "reciprocal": (lambda x: 1 / x, lambda x: 24 / x**5),
    "power": (lambda x: x**2.5, lambda x: 2.5 * 1.5 * 0.5 * -0.5 * x**-1.5),
    "tanh": (engine.tanh, lambda x: (1 - np.tanh(x) ** 2) * (16 * np.tanh(x) - 24 * np.tanh(x) ** 3)),
    "sin of a product": (
        lambda x: engine.sin(x * x),
        lambda x: (16 * x**4 - 12) * np.sin(x * x) - 48 * x**2 * np.cos(x * x),
    ),
}


@pytest.mark.parametrize("name", FOURTH)
def test_fourth_derivative_in_every_nesting(name: str) -> None:
    """All sixteen: forward over forward over reverse over reverse, and so on."""
    f, closed = FOURTH[name]
    for modes in product((grad_of, derivative), repeat=4):
        nested = f
        for mode in modes:
            nested = mode(nested)
        # A few dozen roundings of terms that are up to a hundred times their sum.
        assert nested(0.7).item() == pytest.approx(closed(0.7), rel=1e-12)


def test_mixed_fourth_derivative_of_two_variables() -> None:
    """d²/dx² d²/dy² sin(xy) = (x²y² - 2) sin(xy) - 4xy cos(xy), in any order and mode."""
    x, y = 0.7, -1.3
    expected = (x * x * y * y - 2) * np.sin(x * y) - 4 * x * y * np.cos(x * y)

    def along(f: Any, k: int, mode: str) -> Any:
        if mode == "r":
            return grad_of(f, k)
        return lambda *at: jvp(f, at, [1.0 if j == k else None for j in range(2)])[1]

    for order in {*permutations((0, 0, 1, 1))}:
        for modes in ("rrrr", "ffff", "rfrf", "frrf", "ffrr"):
            f: Any = lambda x, y: engine.sin(x * y)
            for k, mode in zip(order, modes, strict=True):
                f = along(f, k, mode)
            assert f(x, y).item() == pytest.approx(expected, rel=1e-12)


def test_fifth_derivative_by_forward_mode_alone() -> None:
    f: Any = engine.exp
    for _ in range(5):
        f = derivative(f)
    assert f(0.5).item() == pytest.approx(np.exp(0.5), rel=1e-14)


def test_inner_gradient_is_differentiated_in_outer_variable() -> None:
    """d/dw of d/dx (w² x) is 2w."""
    w = Tensor(3.0, requires_grad=True)
    g = grad_of(lambda x: w * w * x)(1.0)
    g.backward()
    assert w.grad is not None
    assert w.grad.item() == 6


def test_value_and_grad_of_several_arguments() -> None:
    value, (gx, gy) = value_and_grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(np.ones(2), np.array([2.0, 3.0]))
    assert value.item() == 5
    assert np.array_equal(gx.numpy(), [2, 3])
    assert np.array_equal(gy.numpy(), [1, 1])


def test_grad_of_refuses_a_result_of_several_elements() -> None:
    with pytest.raises(ValueError, match=r"one element.*shape \(2,\)"):
        grad_of(lambda x: x)(np.ones(2))


def test_grad_of_refuses_integers() -> None:
    with pytest.raises(TypeError, match="argument 0"):
        grad_of(lambda x: x)(np.array(1))


def test_pullback_is_linear_and_reusable() -> None:
    _, pullback = vjp(lambda x: x * engine.sin(x), np.array([1.0, 2.0]))
    a, b = np.array([1.0, -1.0]), np.array([0.5, 2.0])
    (ga,), (gb,), (gab,) = pullback(a), pullback(b), pullback(a + b)
    assert ga is not None
    assert gb is not None
    assert gab is not None
    assert np.allclose(ga.numpy() + gb.numpy(), gab.numpy(), rtol=1e-14)


def test_pullback_gives_none_for_integers_zeros_for_unused() -> None:
    _, pullback = vjp(lambda x, index, unused: x[index], np.arange(3.0), np.array([2, 0]), np.ones((2, 2)))
    gx, none, unused = pullback([1.0, 10.0])
    assert gx is not None
    assert np.array_equal(gx.numpy(), [10, 0, 1])
    assert none is None
    assert unused is not None
    assert np.array_equal(unused.numpy(), np.zeros((2, 2)))


def test_vjp_treats_a_repeated_argument_as_two_variables() -> None:
    x = np.array([2.0])
    _, pullback = vjp(engine.multiply, x, x)
    gx, gy = pullback([1.0])
    assert gx is not None
    assert gy is not None
    assert (gx.item(), gy.item()) == (2, 2)


def test_transforms_of_several_outputs() -> Any:
    def f(x: Any) -> Any:
        return engine.sin(x), x * x

    value, pullback = vjp(f, 2.0)
    assert len(value) == 2
    (g,) = pullback((10.0, 1.0))
    assert g is not None
    assert g.item() == pytest.approx(10 * np.cos(2) + 4, rel=1e-14)
    _, (dsin, dsquare) = jvp(f, (2.0,), (1.0,))
    assert dsin.item() == pytest.approx(np.cos(2), rel=1e-14)
    assert dsquare.item() == 4


def test_independent_output_has_zero_derivative() -> None:
    assert np.array_equal(jvp(lambda x: Tensor([1.0, 2.0]), (3.0,), (1.0,))[1].numpy(), [0, 0])
    (g,) = vjp(lambda x: Tensor([1.0, 2.0]), 3.0)[1]([1.0, 1.0])
    assert g is not None
    assert g.item() == 0


def test_jvp_refuses_a_tangent_of_another_shape() -> None:
    with pytest.raises(ValueError, match=r"tangent of `x` has shape \(3,\).*\(2,\)"):
        jvp(lambda x: x * x, (np.ones(2),), (np.ones(3),))
    with pytest.raises(ValueError, match="as many tangents"):
        jvp(engine.sin, (np.ones(2),), ())


def test_jvp_tangent_has_the_dtype_of_the_value() -> None:
    x, y = np.ones(2, dtype=np.float32), np.zeros(2)
    value, tangent = jvp(engine.maximum, (x, y), (x, None))
    assert value.dtype == tangent.dtype == np.float64


def test_jacobian_of_a_linear_map_is_its_matrix() -> None:
    a = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(jacobian(lambda x: engine.matmul(a, x), np.ones(3)).numpy(), a)


def test_hessian_and_hvp_of_a_quadratic_form() -> Any:
    a = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [5.0, 1.0, 4.0]])

    def form(x: Any) -> Any:
        return x @ a @ x

    x, v = np.array([1.0, -1.0, 2.0]), np.array([0.5, 1.0, -2.0])
    assert np.allclose(hessian(form, x).numpy(), a + a.T, rtol=1e-14)
    assert np.allclose(hvp(form, (x,), (v,)).numpy(), (a + a.T) @ v, rtol=1e-14)


def test_hvp_includes_mixed_blocks() -> None:
    """f = x²y has the Hessian [[2y, 2x], [2x, 0]]."""
    hx, hy = hvp(lambda x, y: x * x * y, (3.0, 5.0), (1.0, 10.0))
    assert (hx.item(), hy.item()) == (10 + 60, 6)


def test_closed_level_leaves_no_tangent() -> Any:
    kept = []

    def f(x: Any) -> Any:
        y = x * x
        kept.append(y)
        return y

    jvp(f, (3.0,), (1.0,))
    assert jvp(lambda x: x + kept[0], (1.0,), (1.0,))[1].item() == 1


def test_backward_through_a_dual_value_gives_a_plain_gradient() -> None:
    x = Tensor(3.0, requires_grad=True)
    value, _ = jvp(lambda y: y * y * y, (x,), (1.0,))
    value.backward()
    assert x.grad is not None
    assert x.grad.tangents is None
    assert x.grad.item() == 27


def test_transforms_record_inside_no_grad() -> None:
    with engine.no_grad():
        assert grad_of(lambda x: x * x)(3.0).item() == 6


@pytest.mark.parametrize(("n", "m", "calls"), [(2, 50, 2), (50, 2, 1), (3, 3, 2)])
def test_jacobian_selects_the_cheaper_mode(n: int, m: int, calls: int) -> None:
    a = np.random.default_rng(0).normal(size=(m, n))
    x = np.random.default_rng(1).normal(size=n)
    count = 0

    def f(x: Any) -> Any:
        nonlocal count
        count += 1
        return engine.sin(engine.matmul(a, x))

    found = jacobian(f, x)

    assert count == calls  # one for the value; reverse mode then runs no f, forward mode once for all columns
    # Both sides are products of the same float64 numbers.
    np.testing.assert_allclose(found.numpy(), np.cos(a @ x)[:, None] * a, rtol=1e-13)


@pytest.mark.parametrize("shapes", [((), (2, 3)), ((2, 3), ()), ((2,), (2, 3)), ((0,), (2,)), ((2,), (0,))])
def test_jacobian_shape_is_value_then_input(shapes: Any) -> None:
    inner, outer = shapes
    weight = np.ones(outer)

    found = jacobian(lambda x: engine.sum(x) * weight, np.ones(inner) if inner else 1.5)

    assert found.shape == outer + inner
    assert np.all(found.numpy() == 1)


def test_forward_jacobian_is_differentiable() -> None:
    def trace_of_jacobian(x: Any) -> Any:
        inner = jacobian(lambda y: y**3 * engine.sum(y), x)
        return engine.sum(inner * np.eye(2))

    x = np.array([2.0, 5.0])

    # Σᵢ (3xᵢ² s + xᵢ³) with s = Σx; its derivative in xₖ is 6xₖ s + 3Σxᵢ² + 3xₖ², exact in float64 here.
    assert grad_of(trace_of_jacobian)(x).numpy().tolist() == (6 * x * 7 + 3 * 29 + 3 * x**2).tolist()


def test_linearize_evaluates_once_and_agrees_with_jvp() -> None:
    draw = np.random.default_rng(0)
    x, w, k = draw.normal(size=(2, 3)), draw.normal(size=3), np.array([1, 2])
    count = 0

    def f(x: Any, w: Any, k: Any) -> Any:
        nonlocal count
        count += 1
        return engine.tanh(x @ w) * k, x * 2.0

    value, push = linearize(f, x, w, k)
    pushed = [push(draw.normal(size=(2, 3)), draw.normal(size=3), None) for _ in range(3)]
    one, other = push(x, w, None), push(None, w, None)

    assert count == 1
    assert len(pushed) == 3
    for tangents, found in (((x, w, None), one), ((None, w, None), other)):
        expected_value, expected = jvp(f, (x, w, k), tangents)
        for ours, theirs in zip((*value, *found), (*expected_value, *expected), strict=True):
            # The same products summed in another order.
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-13, atol=1e-15)


def test_linearize_of_a_constant_gives_zero() -> None:
    _, push = linearize(lambda x: engine.Tensor([1.0, 2.0]), 3.0)

    assert push(1.0).numpy().tolist() == [0.0, 0.0]


def test_vhp_equals_hvp_in_every_block() -> None:
    draw = np.random.default_rng(0)
    x, y, u, v = (draw.normal(size=3) for _ in range(4))

    def f(x: Any, y: Any) -> Any:
        return engine.sum(engine.sin(x) * y * y) * engine.sum(x)

    for ours, theirs in zip(vhp(f, (x, y), (u, v)), hvp(f, (x, y), (u, v)), strict=True):
        # A Hessian is symmetric; the sums are taken in another order.
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-12)
    single = vhp(lambda x: engine.sum(x**3), (x,), (u,))
    np.testing.assert_allclose(single.numpy(), 6 * x * u, rtol=1e-14)


def test_transforms_refuse_a_wrong_number_of_cotangents() -> None:
    _, pullback = vjp(lambda x: (x, x * 2), np.ones(2))
    with pytest.raises(ValueError, match="`cotangent` is a tuple of 1, but a tuple of 2 is expected"):
        pullback((np.ones(2),))
    with pytest.raises(ValueError, match="1 primals need as many"):
        jvp(lambda x: x, [1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="1 primals need as many"):
        linearize(lambda x: x, 1.0)[1](1.0, 2.0)
