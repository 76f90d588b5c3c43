"""Help: each operation has a docstring, a signature with its real defaults, and an example that is true."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, ops
from autodrill.engine.ops.examples import EXAMPLES


def assert_same(found: Any, shown: Any) -> None:
    """Compare nested results to the five digits that are shown."""
    if isinstance(found, (list, tuple)):
        assert isinstance(shown, type(found))
        for one, other in zip(found, shown, strict=True):
            assert_same(one, other)
    else:
        array = np.asarray(found.numpy() if isinstance(found, Tensor) else found)
        assert array.shape == np.shape(shown)
        assert np.allclose(array, shown, rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("name", ops.names())
def test_operation_shows_a_true_example(name: str) -> None:
    call, _, result = EXAMPLES[name].partition("  # ")
    assert call.startswith(f"engine.{name}(")
    assert inspect.cleandoc(getattr(ops, name).__doc__).endswith(f"Example:\n    {EXAMPLES[name]}")
    assert_same(eval(call, {"np": np, "engine": engine}), eval(result, {}))


def test_examples_are_of_operations() -> None:
    assert sorted(EXAMPLES) == ops.names()


@pytest.mark.parametrize("name", [*ops.names(), *engine.__all__])
def test_public_name_has_a_docstring_and_a_signature(name: str) -> None:
    value = getattr(engine, name)
    if inspect.ismodule(value) or isinstance(value, dict):
        return
    assert inspect.getdoc(value)
    if isinstance(value, type) and issubclass(value, Exception):
        return
    assert {p.name for p in inspect.signature(value).parameters.values()} != {"args", "static"}
