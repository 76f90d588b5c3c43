"""PyTorch's names `dim` and `keepdim` for `axis` and `keepdims`."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, ops

X = np.arange(6.0).reshape(2, 3)
WITH_AXIS = [name for name in ops.names() if "axis" in inspect.signature(getattr(ops, name)).parameters]


def called(name: str, **more: Any) -> Any:
    """Call an operation of an axis on what it needs."""
    first = [X, X] if name in {"concatenate", "stack"} else X
    return getattr(engine, name)(first, **more)


@pytest.mark.parametrize(
    "name", ["sum", "max", "std", "logsumexp", "cumsum", "softmax", "softmin", "diff", "median", "stack", "concatenate"]
)
def test_dim_is_axis(name: str) -> None:
    assert name in WITH_AXIS
    assert np.array_equal(called(name, dim=1), called(name, axis=1))


@pytest.mark.parametrize("name", ["sum", "var", "nanmean", "median"])
def test_keepdim_is_keepdims(name: str) -> None:
    assert np.shape(called(name, dim=1, keepdim=True)) == (2, 1)


@pytest.mark.parametrize("name", ["sum", "diff"])
def test_one_parameter_under_two_names_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"`{name}` got both `dim` and `axis`"):
        called(name, dim=1, axis=1)
    with pytest.raises(TypeError, match=r"has no parameter `keepdim`|got both `keepdim` and `keepdims`"):
        called(name, keepdim=True, keepdims=True)


def test_operation_without_an_axis_has_no_dim() -> None:
    with pytest.raises(TypeError, match="`exp` has no parameter `dim`"):
        engine.exp(X, dim=1)


def test_methods_and_vmap_accept_dim() -> None:
    x = Tensor(X, requires_grad=True)
    assert x.sum(dim=1).tolist() == [3.0, 12.0]  # type: ignore[call-arg] # the stub has NumPy's names
    assert x.mean(dim=0, keepdim=True).shape == (1, 3)  # type: ignore[call-arg] # as above
    rows = engine.vmap(lambda v: engine.cumsum(v, dim=0))(X)
    assert np.array_equal(rows.numpy(), np.cumsum(X, axis=1))
    engine.prod(x, dim=1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[2.0, 0.0, 0.0], [20.0, 15.0, 12.0]]


@pytest.mark.parametrize("name", WITH_AXIS)
def test_signature_shows_the_name_here(name: str) -> None:
    assert not {"dim", "keepdim"} & inspect.signature(getattr(ops, name)).parameters.keys()
