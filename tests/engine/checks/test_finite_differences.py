"""The finite differences themselves, against closed forms: they must be right, and know how wrong they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill.engine import numerical_jvp, numerical_vjp
from autodrill.engine.checks.finite_differences import flat_jvp

SMOOTH: dict[str, Any] = {
    "sin": (np.sin, np.cos),
    "log": (lambda x: np.log(np.abs(x)), lambda x: 1 / x),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / x**2),
    "cube": (lambda x: x**3, lambda x: 3 * x**2),
    "sqrt": (lambda x: np.sqrt(np.abs(x)), lambda x: 0.5 * np.sign(x) / np.sqrt(np.abs(x))),
    "tanh": (np.tanh, lambda x: 1 / np.cosh(np.clip(x, -300, 300)) ** 2),
    "constant": (np.ones_like, np.zeros_like),
    "offset": (lambda x: x + 1e6, np.ones_like),
}


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", SMOOTH)
def test_error_estimate_bounds_true_error_within_factor_ten(name: str, scale: Any) -> None:
    f, slope = SMOOTH[name]
    x = scale * np.random.default_rng(0).normal(size=200)
    cotangent = np.random.default_rng(1).normal(size=200)
    (gradient,), (error,) = numerical_vjp(f, [x], cotangent)
    assert gradient is not None
    assert error is not None
    assert np.all(np.abs(gradient - cotangent * slope(x)) <= 10 * error + 1e-300)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", ["sin", "log", "reciprocal", "cube", "sqrt"])
def test_error_estimate_is_small_for_smooth_functions(name: str, scale: Any) -> None:
    f, slope = SMOOTH[name]
    x = scale * np.array([0.7, -1.3, 2.0])
    for k in range(3):
        (gradient,), (error,) = numerical_vjp(f, [x], np.eye(3)[k])
        assert gradient is not None
        assert error is not None
        assert np.all(error <= 1e-8 * max(1.0, np.abs(slope(x)).max()))


def test_numerical_vjp_of_matrix_product() -> None:
    rng = np.random.default_rng(0)
    a, b, g = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    (ga, gb), _ = numerical_vjp(np.matmul, [a, b], g)
    assert ga is not None
    assert gb is not None
    assert np.allclose(ga, g @ b.T, rtol=1e-10, atol=1e-10)
    assert np.allclose(gb, a.T @ g, rtol=1e-10, atol=1e-10)


def test_differences_copy_an_output_that_is_a_view() -> None:
    (g,), _ = numerical_vjp(lambda x: x.T, [np.ones((2, 3))], np.arange(6.0).reshape(3, 2))
    assert g is not None
    assert np.allclose(g, np.arange(6.0).reshape(3, 2).T, rtol=1e-12)
    tangent, _ = numerical_jvp(lambda x: x[0], [np.ones((2, 3))], [np.full((2, 3), 2.0)])
    assert np.allclose(tangent, [2, 2, 2], rtol=1e-12)


def test_differences_pass_copies_to_a_function_that_writes() -> Any:
    def f(x: Any, y: Any) -> Any:
        x *= 2
        y += x
        return y

    x, y = np.ones(3), np.ones(3)
    (gx, gy), _ = numerical_vjp(f, [x, y], np.ones(3))
    assert gx is not None
    assert gy is not None
    assert np.allclose(gx, 2)
    assert np.allclose(gy, 1)
    assert np.array_equal(x, np.ones(3))


def test_differences_copy_a_reused_output_buffer() -> None:
    buffer = np.empty(2)

    def f(x: Any) -> Any:
        return np.multiply(x, x, out=buffer)

    (g,), _ = numerical_vjp(f, [np.array([1.0, 3.0])], np.ones(2))
    tangent, _ = numerical_jvp(f, [np.array([1.0, 3.0])], [np.ones(2)])
    assert g is not None
    assert np.allclose(g, [2, 6], rtol=1e-9)
    assert np.allclose(tangent, [2, 6], rtol=1e-9)


def test_steps_detect_a_function_with_a_matching_period() -> None:
    x = np.array([-803.73184852])
    (g,), _ = numerical_vjp(lambda t: np.sin(t * 4 * np.pi / (x * 2.0**-7)), [x], np.ones(1))
    assert g is not None
    slope = 4 * np.pi / (x * 2.0**-7)
    assert np.allclose(g, slope * np.cos(slope * x), rtol=1e-6)


def test_differences_near_a_kink_give_one_sided_slope() -> None:
    x = np.array([1.0, 1e-2, -1e-3, 1e-4])
    (g,), (error,) = numerical_vjp(np.abs, [x], np.ones(4))
    assert g is not None
    assert error is not None
    assert np.allclose(g, np.sign(x), atol=1e-8)
    assert np.all(error < 1e-6)


def test_error_estimate_is_large_at_kinks_and_non_finite_values() -> None:
    _, (error,) = numerical_vjp(lambda x: np.full_like(x, np.nan), [np.array([1.0])], np.ones(1))
    assert error is not None
    assert np.isinf(error[0])


def test_differences_avoid_a_pole_within_the_first_step() -> None:
    x = np.array([1e-4, 1.0])
    (g,), _ = numerical_vjp(np.log, [x], np.ones(2))
    assert g is not None
    assert np.allclose(g, 1 / x, rtol=1e-8)


def test_numerical_vjp_gives_none_for_integers() -> None:
    gradients, errors = numerical_vjp(lambda x, i: x[i], [np.arange(3.0), np.array([2, 2])], np.array([1.0, 10.0]))
    assert gradients[1] is None
    assert errors[1] is None
    assert gradients[0] is not None
    assert np.allclose(gradients[0], [0, 0, 11])


def test_numerical_vjp_computes_float32_inputs_in_float64() -> None:
    (g,), (error,) = numerical_vjp(np.sin, [np.ones(2, dtype=np.float32)], np.ones(2))
    assert g is not None
    assert error is not None
    assert g.dtype == np.float64
    assert np.all(np.abs(g - np.cos(1)) < 1e-10)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0)])
def test_numerical_vjp_keeps_edge_case_shapes(shape: Any) -> None:
    x = np.full(shape, 0.5)
    (g,), (error,) = numerical_vjp(np.exp, [x], np.ones(shape))
    assert g is not None
    assert error is not None
    assert g.shape == error.shape == shape
    tangent, _ = numerical_jvp(np.exp, [x], [np.ones(shape)])
    assert tangent.shape == shape


def test_differences_of_several_outputs() -> Any:
    def f(x: Any) -> Any:
        return np.sin(x), x * x

    (g,), _ = numerical_vjp(f, [np.array([2.0])], (np.array([3.0]), np.array([1.0])))
    assert g is not None
    assert np.allclose(g, 3 * np.cos(2) + 4, rtol=1e-11)
    (first, second), (error, _) = numerical_jvp(f, [np.array([2.0])], [np.array([1.0])])
    assert np.allclose(first, np.cos(2), rtol=1e-11)
    assert np.allclose(second, 4, rtol=1e-11)
    assert error.shape == (1,)


def test_numerical_vjp_differentiates_both_complex_parts() -> None:
    z, g = np.array([1 + 2j, -0.5 + 0.1j]), np.array([0.3 - 1j, 2 + 1j])
    (gradient,), (error,) = numerical_vjp(np.exp, [z], g)
    assert gradient is not None
    assert error is not None
    assert np.allclose(gradient, g * np.conj(np.exp(z)), rtol=1e-11)
    assert error.dtype == np.float64
    assert error.shape == z.shape
    assert np.all(np.abs(gradient - g * np.conj(np.exp(z))) <= 10 * error)
    tangent, error = numerical_jvp(np.exp, [z], [g])
    assert np.allclose(tangent, g * np.exp(z), rtol=1e-11)
    assert np.all(np.abs(tangent - g * np.exp(z)) <= 10 * error)


def test_numerical_vjp_accepts_non_holomorphic_functions() -> None:
    (gradient,), _ = numerical_vjp(lambda z: np.abs(z) ** 2, [np.array([3 + 4j])], np.array([2.0]))
    assert gradient is not None
    assert np.allclose(gradient, [12 + 16j], rtol=1e-11)
    (gradient,), _ = numerical_vjp(lambda x: x * (1 + 2j), [np.array([3.0])], np.array([1 + 1j]))
    assert gradient is not None
    assert gradient.dtype == np.float64
    assert np.allclose(gradient, [3], rtol=1e-11)  # Re conj(1 + i) (1 + 2i)
    (first, second), _ = numerical_jvp(lambda z: (z.imag, z.conj()), [np.array(1j)], [np.array(2 + 3j)])
    assert np.allclose(first, 3)
    assert np.allclose(second, 2 - 3j)


def test_numerical_jvp_accepts_none_for_constants() -> None:
    tangent, _ = numerical_jvp(np.multiply, [np.array([3.0]), np.array([5.0])], [np.array([1.0]), None])
    assert np.allclose(tangent, 5, rtol=1e-12)


def test_numerical_vjp_refuses_a_broadcastable_cotangent() -> None:
    with pytest.raises(ValueError, match="cotangent has 2 elements but the output has 1"):
        numerical_vjp(np.sum, [np.ones(2)], np.ones(2))


def test_flat_jvp_concatenates_outputs_without_a_centre_value() -> None:
    x, t = np.array([[0.5, -1.0]]), np.array([[1.0, 2.0]])
    middle = []

    def f(x: Any) -> Any:
        middle.append(bool((x == [[0.5, -1.0]]).all()))
        return np.sin(x), (x * x).sum()

    tangent, error = flat_jvp(f, [x], [t])
    (first, second), (first_error, second_error) = numerical_jvp(f, [x], [t])
    assert tangent.tolist() == [*first.ravel(), second]
    assert error.tolist() == [*first_error.ravel(), second_error]
    assert np.allclose(tangent, [*(np.cos(x) * t).ravel(), (2 * x * t).sum()], rtol=1e-9)
    assert not any(middle)
