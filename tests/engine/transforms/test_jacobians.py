"""Jacobians and Hessians by `vmap`, their chunks, and derivatives of fourth order against closed forms."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, grad_of, hessian, jacobian, jvp
from autodrill.engine.core.mode import mode as state

X = np.random.default_rng(0).normal(size=(2, 3))
A = np.random.default_rng(1).normal(size=(3, 4))


def f(x: Any) -> Any:
    return engine.tanh(engine.matmul(x, A))


def slopes() -> np.ndarray[Any, Any]:
    """d tanh(x A)ᵢⱼ / dxₖₗ = (1 - tanh²) Aₗⱼ where k = i."""
    found: np.ndarray[Any, Any] = np.einsum("ij,lj,ik->ijkl", 1 - np.tanh(X @ A) ** 2, A, np.eye(2))
    return found


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
@pytest.mark.parametrize("chunk", [None, 1, 4, 100])
def test_jacobian_is_the_closed_form_in_every_mode(mode: Any, chunk: int | None) -> None:
    got = jacobian(f, X, mode=mode, chunk_size=chunk)
    np.testing.assert_allclose(got.numpy(), slopes(), rtol=1e-12, atol=1e-15)


def test_jacobian_chunk_size_bounds_the_batch() -> None:
    sizes = []

    def g(x: Any) -> Any:
        if state.vmaps:
            sizes.append(state.vmaps[-1].size)
        return f(x)

    jacobian(g, X, mode="forward", chunk_size=4)
    assert sizes == [4, 2]


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobian_of_containers_has_blocks(mode: Any) -> None:
    point = {"x": X, "k": np.array([1, 2]), "s": 0.5}
    got = jacobian(lambda p: (f(p["x"]) * p["s"], {"sum": p["x"].sum(axis=0)}), point, mode=mode)
    np.testing.assert_allclose(got[0]["x"].numpy(), slopes() * 0.5, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(got[0]["s"].numpy(), np.tanh(X @ A), rtol=1e-13)
    assert got[0]["k"] is None
    assert np.array_equal(got[1]["sum"]["x"].numpy(), np.tile(np.eye(3)[:, None], (1, 2, 1)))
    assert not got[1]["sum"]["s"].numpy().any()


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobian_is_differentiable(mode: Any) -> None:
    weight = np.random.default_rng(2).normal(size=(2, 4, 2, 3))
    got = grad_of(lambda x: (jacobian(f, x, mode=mode) * weight).sum())(X)
    t = np.tanh(X @ A)
    curvature = np.einsum("ijil,lj->ij", weight, A) * (-2 * t * (1 - t * t))
    np.testing.assert_allclose(got.numpy(), curvature @ A.T, rtol=1e-11)
    x = Tensor(X, requires_grad=True)
    (jacobian(f, x, mode=mode) * weight).sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), curvature @ A.T, rtol=1e-11)


def test_hessian_of_a_quartic() -> None:
    """f = (x · x)² has the Hessian 8 x xᵀ + 4 (x · x) I."""
    x = X.reshape(-1)
    expected = 8 * np.outer(x, x) + 4 * (x @ x) * np.eye(6)
    for chunk in (None, 2):
        np.testing.assert_allclose(
            hessian(lambda v: (v * v).sum() ** 2, x, chunk_size=chunk).numpy(), expected, rtol=1e-13
        )


def test_jacobian_refuses_integers() -> None:
    with pytest.raises(TypeError, match="floating or complex leaf"):
        jacobian(lambda x: x * 2.0, np.arange(3))


def test_jacobian_passes_on_errors_of_f() -> None:
    def fails(x: Any) -> Any:
        raise ZeroDivisionError

    modes: tuple[Any, ...] = ("forward", "reverse")
    for mode in modes:
        with pytest.raises(ZeroDivisionError):
            jacobian(fails, X, mode=mode)


def test_jacobian_falls_back_to_columns_for_control_flow() -> None:
    got = jacobian(lambda x: x * 2.0 if x.sum().item() > 0 else x * 3.0, np.array([1.0, 2.0]), mode="forward")
    assert np.array_equal(got.numpy(), 2 * np.eye(2))


# Nesting


def forward(f: Any) -> Any:
    return lambda x: jvp(f, (x,), (1.0,))[1]


def mapped(f: Any) -> Any:
    """The derivative of f by `vmap` over a batch of one."""
    return lambda x: engine.vmap(lambda t: jvp(f, (x,), (t,))[1])(np.ones(1))[0]


def batched(f: Any) -> Any:
    return lambda x: engine.vmap(grad_of(f))(engine.stack([x, x * 2.0]))[0]


DERIVATIVES: dict[str, Any] = {
    "f": forward,
    "r": grad_of,
    "m": mapped,
    "b": batched,
    "j": lambda f: lambda x: jacobian(f, x),
}


NESTINGS = [*map("".join, product("fr", repeat=4)), "mmmm", "bbbb", "jjjj", "fbrm", "jbfr", "rjmb"]


@pytest.mark.parametrize("nest", NESTINGS)
def test_fourth_derivatives_in_every_nesting(nest: str) -> None:
    """exp(2x) sin(x): each derivative turns the phase by atan(1/2) and scales by √5."""
    f: Any = lambda x: engine.exp(x * 2.0) * engine.sin(x)
    for kind in nest:
        f = DERIVATIVES[kind](f)
    x = 0.3
    expected = 25 * np.exp(2 * x) * np.sin(x + 4 * np.arctan(0.5))
    assert f(Tensor(x)).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("outer", "inner"), list(product("frmbj", repeat=2)), ids="".join)
def test_nested_derivatives_keep_perturbations_apart(outer: str, inner: str) -> None:
    """d/dx [x d/dy (x y)] at y = 2 is 2x, and d/dx [x d/dy (x + y)] is 1 (Siskind and Pearlmutter, 2005)."""
    d, e = DERIVATIVES[outer], DERIVATIVES[inner]
    assert d(lambda x: x * e(lambda y: x * y)(Tensor(2.0)))(Tensor(3.0)).item() == 6
    assert d(lambda x: x * e(lambda y: x + y)(Tensor(1.0)))(Tensor(3.0)).item() == 1


def test_curried_function_keeps_perturbations_apart() -> None:
    """After Manzyuk et al. (2019), whose operator shifts a function's argument and is differentiated by the shift."""
    shift: Any = lambda u: lambda g: lambda x: g(x + u)
    shifted: Any = lambda h: lambda x: jvp(lambda u: shift(u)(h)(x), (0.0,), (1.0,))[1]
    # Each application differentiates once: of exp(2x), 4 exp(2x).
    twice = shifted(shifted(lambda x: engine.exp(2.0 * x)))
    assert twice(Tensor(1.0)).item() == pytest.approx(4 * np.exp(2), rel=1e-14)
