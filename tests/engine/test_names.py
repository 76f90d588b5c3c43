"""Names are where PyTorch's, NumPy's and JAX's users look: methods, operators, aliases and new tensors."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, methods, ops, registry

X = np.array([[0.5, -1.5, 2.5], [3.0, 0.25, -4.0]])


@pytest.mark.parametrize("name", ops.further_names())
def test_aliases_are_operations(name: str) -> None:
    operation = getattr(engine, name)
    assert operation is getattr(ops, operation.__name__)
    assert name not in ops.names()
    assert name in dir(engine)


@pytest.mark.parametrize("name", methods.OPERATIONS)
def test_method_is_the_operation(name: str) -> None:
    method, operation = getattr(Tensor, name), getattr(engine, name)
    assert method.__doc__ == operation.__doc__
    own, other = (list(inspect.signature(f).parameters.values())[1:] for f in (method, operation))
    assert own == other


@pytest.mark.parametrize("name", ["abs", "exp", "sin", "std", "var", "prod", "flatten", "squeeze", "argmax", "cumsum"])
def test_method_agrees_with_numpy(name: str) -> None:
    found = getattr(Tensor(X), name)()
    wanted = X.reshape(-1) if name == "flatten" else getattr(np, name)(X)
    assert np.allclose(found.numpy() if isinstance(found, Tensor) else found, wanted, rtol=1e-15)


def test_remainder_operators() -> None:
    x = Tensor(X, requires_grad=True)
    for y in (2.0, Tensor(1.5)):
        raw = y.data if isinstance(y, Tensor) else y
        assert np.array_equal((x % y).numpy(), X % raw)
        assert np.array_equal((x // y).numpy(), X // raw)
        assert np.array_equal((y % x).numpy(), raw % X)
        assert np.array_equal((y // x).numpy(), raw // X)
    (x % 2.0).sum().backward()
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), np.ones_like(X))


def test_shape_methods_have_pytorch_parameters() -> None:
    x = Tensor(X)
    assert x.view(3, 2).shape == x.view((3, 2)).shape == x.view(-1, 2).shape == (3, 2)
    assert x.permute(1, 0).shape == x.mT.shape == x.t().shape == x.mH.shape == x.H.shape == (3, 2)
    assert x.unsqueeze(0).expand(4, -1, 3).shape == (4, 2, 3)
    assert x.view_as(np.zeros(6)).reshape_as(x).shape == x.sum(0).expand_as(x).shape == x.contiguous().shape
    assert x.where(X > 0, 0).tolist() == np.where(X > 0, X, 0).tolist()
    assert (x.dim(), x.numel()) == (2, 6)
    with pytest.raises(ValueError, match="`t` transposes matrices"):
        x.unsqueeze(0).t()


def test_conversions_keep_the_graph() -> None:
    x = Tensor(X, requires_grad=True)
    assert x.float().dtype == np.float32
    assert x.half().dtype == np.float16
    assert x.double() is x
    assert x.to(x) is x
    x.to(np.float32).sum().backward()
    assert x.grad is not None
    assert x.grad.dtype == np.float64
    assert x.to("cpu") is x
    assert (x.is_floating_point(), x.is_complex()) == (True, False)
    with pytest.raises(engine.DeviceError, match="no device named `cpu:1`"):
        x.to("cpu:1")


def test_new_tensors() -> None:
    x = engine.zeros((2, 3), requires_grad=True)
    assert x.requires_grad
    assert engine.tensor([1, 2], dtype=float).dtype == float
    assert engine.ones(2).tolist() == engine.full(2, 1.0).tolist() == [1.0, 1.0]
    assert engine.eye(2).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert engine.arange(3).tolist() == [0, 1, 2]
    assert engine.arange(1, 2, 0.5).tolist() == [1.0, 1.5]
    for like, value in ((engine.zeros_like, 0), (engine.ones_like, 1), (engine.empty_like, 0)):
        assert np.array_equal(like(X), np.full_like(X, value))
        assert isinstance(like(x), Tensor)
        assert not like(x).requires_grad
    assert engine.full_like(x, 7).tolist() == [[7.0] * 3] * 2
    assert engine.zeros_like(X, dtype=int).dtype == int


def test_new_tensors_like_examples_are_examples() -> None:
    def written(row: Any) -> Any:
        out = engine.zeros_like(row)
        out[1] = row[0]
        return out

    assert engine.vmap(written)(X).tolist() == [[0, 0.5, 0], [0, 3.0, 0]]


def test_tests_of_elements_return_plain_arrays() -> None:
    x = Tensor([1.0, np.nan, -np.inf])
    found = [engine.isnan(x), engine.isinf(x), engine.isfinite(x), engine.any(x), x.all()]
    assert [f.tolist() for f in found] == [[False, True, False], [False, False, True], [True, False, False], True, True]


@pytest.mark.parametrize("name", registry)
def test_primitive_shows_its_signature(name: str) -> None:
    primitive = registry[name]
    parameters = inspect.signature(primitive).parameters
    assert list(parameters) == [*primitive.inputs, *primitive.static]
    assert {k: parameters[k].default for k in primitive.static} == primitive.static


def test_matrices_by_their_upper_triangle() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 3))
    values, vectors = engine.eigh(x, UPLO="U")
    symmetric = np.triu(x) + np.triu(x, 1).T
    assert np.allclose((vectors * values) @ vectors.T, symmetric, atol=1e-14)
    assert np.allclose(engine.eigvalsh(x, "U"), np.linalg.eigvalsh(x, "U"))
    with pytest.raises(ValueError, match="`UPLO` must be"):
        engine.eigh(x, "X")  # type: ignore[arg-type] # the mistake that is tested


def test_clamp_needs_a_bound_and_passes_nan_on() -> None:
    with pytest.raises(ValueError, match="needs `min`, `max` or both"):
        engine.clamp(X)
    x, low, high = np.array([np.nan, 1.0, 1.0]), np.array([0.0, np.nan, 0.0]), np.array([2.0, 2.0, 0.5])
    assert np.array_equal(engine.clamp(x, low, high), [np.nan, np.nan, 0.5], equal_nan=True)


def test_nan_statistics_of_nothing_are_nan() -> None:
    x = np.array([[1.0, np.nan, 4.0], [np.nan] * 3])
    for name in ("nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"):
        found = getattr(engine, name)(x, axis=1)
        with np.errstate(all="ignore"), pytest.warns(RuntimeWarning, match=r"NaN|freedom"):
            wanted: Any = getattr(np, name)(x, axis=1)
        assert np.allclose(found, wanted, equal_nan=True)
    gradient = engine.grad_of(lambda v: engine.nansum(engine.nanstd(v, axis=1)))(x)
    assert np.allclose(gradient.numpy(), [[-0.5, 0.0, 0.5], [0.0, 0.0, 0.0]])


def test_gumbel_softmax_is_straight_through() -> None:
    x = np.array([[0.3, -1.0, 2.0]])

    def sample(v: Any, *, hard: bool) -> Any:
        return engine.gumbel_softmax(v, 0.5, hard, rng=np.random.default_rng(3))

    hard, soft = sample(x, hard=True), sample(x, hard=False)
    assert np.isclose(soft.sum(), 1)
    assert np.allclose(hard, np.eye(3)[soft.argmax()], atol=1e-15)
    sloped, soft_slopes = (engine.jacobian(partial(sample, hard=h), x).numpy() for h in (True, False))
    assert np.allclose(sloped, soft_slopes, rtol=1e-14)


def test_max_unpool_of_overlapping_windows_is_the_maximum() -> None:
    x = np.array([[[1.0, 5.0, 2.0, 3.0]]])
    maxima, places = engine.max_pool1d(x, 2, 1, return_indices=True)
    assert places.tolist() == [[[1, 1, 3]]]
    assert engine.max_unpool1d(maxima, places, 2, 1).tolist() == [[[0.0, 5.0, 0.0, 3.0]]]


def test_lu_exchanges_rows() -> None:
    x = np.array([[0.0, 2.0], [4.0, 1.0]])
    p, lower, upper = engine.lu(x)
    assert np.array_equal(p @ lower @ upper, x)
    assert np.array_equal(upper, [[4.0, 1.0], [0.0, 2.0]])
    assert np.isnan(engine.logdet(x))


def test_interp_under_vmap_is_that_of_numpy() -> None:
    at, points, values = np.array([-1.0, 0.3, 9.0]), [0.0, 1.0, 3.0], [2.0, 4.0, -1.0]
    wanted = np.interp(at, points, values)
    assert np.allclose(engine.interp(at, points, values), wanted, rtol=1e-15)
    assert np.allclose(engine.vmap(lambda x: np.interp(x.data, points, values))(at).numpy(), wanted, rtol=1e-15)
