"""What `vmap` refuses, and how it says so."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import BatchError, Tensor, vmap
from autodrill.engine.core.mode import mode

W, X, Y = (np.random.default_rng(seed).normal(size=shape) for seed, shape in enumerate([(4, 3), (5, 4), (5, 3)]))


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ((0, 3), r"`in_axes` is 3 for `b\['w'\]`, which has shape \(5, 3\)"),
        (1, r"different numbers of examples: `a` of shape \(5, 4\) has 4 along axis 1, `b\['w'\]` of .* has 3"),
        ((None, None), "None for all of them"),
        ((0,), "1 entries for 2 arguments"),
        ((0, {"v": 0}), r"`in_axes for b` is a dict with the keys 'v', but a dict with the keys 'w'"),
        ((0, [0, 0]), r"`in_axes for b` is a list of 2"),
    ],
)
def test_invalid_in_axes_name_the_argument(axes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        vmap(lambda a, b: a.sum() * b["w"].sum(), axes)(X, {"w": Y})


def test_vmap_refuses_a_mapped_number() -> None:
    with pytest.raises(ValueError, match=r"`in_axes` is 0 for `b`, a `float` without axes; pass None"):
        vmap(lambda a, b: a * b)(X, 2.0)


def test_vmap_refuses_axes_of_another_type() -> None:
    with pytest.raises(TypeError, match="not `'0'`"):
        vmap(lambda a: a, "0")(X)
    with pytest.raises(TypeError, match=r"`in_axes` for `a` is a number or None, not `1\.5`"):
        vmap(lambda a: a, (1.5,))(X)


def test_invalid_out_axes_name_the_result() -> None:
    with pytest.raises(ValueError, match=r"`out_axes` is 2 for `result\[1\]`, which has shape \(4,\) for one example"):
        vmap(lambda x: (x, x), out_axes=(0, 2))(X)
    with pytest.raises(ValueError, match="`out_axes` is None for `result`, which differs by example"):
        vmap(lambda x: x, out_axes=None)(X)
    with pytest.raises(TypeError, match="returned a `str` as `result`"):
        vmap(lambda x: "x")(X)


@pytest.mark.parametrize(
    "act",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x * x.sum().item(),
        lambda x: x * float(x[0]),
        lambda x: np.asarray(x.numpy()),
        lambda x: engine.masked_select(x, x > 0),
        lambda x: x[x > 0],
    ],
    ids=["if", "item", "float", "numpy", "masked_select", "mask"],
)
def test_value_dependent_code_is_refused_with_advice(act: Any) -> None:
    with pytest.raises(BatchError, match="where"):
        vmap(act)(X)


def test_backward_under_vmap_advises_grad() -> None:
    w = Tensor(W, requires_grad=True)
    with pytest.raises(BatchError, match=r"`grad\(outputs, inputs\)`"):
        vmap(lambda x, y: ((x @ w - y) ** 2).sum().backward())(X, Y)


def test_repr_of_a_tensor_under_vmap() -> None:
    seen: list[str] = []

    def f(x: Any) -> Any:
        seen.append(repr(x))
        return x

    vmap(f)(X)
    assert seen == ["tensor(<one of 5 examples of shape (4,) under vmap>)"]


def test_axes_of_an_example_are_checked() -> None:
    with pytest.raises(ValueError, match="axis 1 is out of bounds"):
        vmap(lambda x: x.sum(axis=1))(X)


def test_vmap_closes_its_level_when_f_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        vmap(lambda x: 1 / 0)(X)
    assert engine.dropout(np.ones(3), 0.0, rng=np.random.default_rng(0)).shape == (3,)
    assert mode.vmaps == ()


AXES_OF = {"swapaxes": ("axis1", "axis2"), "moveaxis": ("source", "destination")}


@pytest.mark.parametrize("name", AXES_OF)
@pytest.mark.parametrize("axes", [(0, 1), (0, -1), (1, 2)])
def test_axes_of_a_number_are_refused_under_vmap_too(name: str, axes: tuple[int, int]) -> None:
    f = partial(getattr(engine, name), **dict(zip(AXES_OF[name], axes, strict=True)))
    message = rf"`{name}` got shape \(\).*out of bounds for array of dimension 0"
    with pytest.raises(np.exceptions.AxisError, match=message):
        f(np.array(1.0))
    with pytest.raises(np.exceptions.AxisError, match=message):
        vmap(f)(np.ones(3))
