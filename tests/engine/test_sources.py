"""The functions that docstrings name under `Source`: they exist, and NumPy's give the result of the example."""

from __future__ import annotations

import inspect
import re
from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, ops
from autodrill.engine.ops.examples import EXAMPLES

CALLED_DIFFERENTLY = {
    "contract", "det_phase", "dft", "index_add", "index_scatter", "logabsdet", "lstsq", "pad_constant",
    "put_along_axis",
}  # fmt: skip
"""Operations whose source takes other arguments, writes in place, or returns more than the result."""

NEWER = {"matvec": "2.2.0", "vecmat": "2.2.0", "unstack": "2.1.0", "take_along_axis": "2.3.0"}
"""The NumPy from which the source exists, or takes the arguments of the example."""


def sources(library: str) -> list[tuple[str, str]]:
    """Return the name of each operation and of each function of the library that its source names."""
    found = []
    for name in ops.names():
        text = inspect.cleandoc(getattr(ops, name).__doc__)
        source = re.search(r"^Source: (?:.+\n?)+", text, re.MULTILINE)
        assert source
        found += [(name, function) for function in re.findall(rf"`({library}\.[\w.]+)`", source[0])]
    return found


def function_called(path: str) -> Any:
    library, *parts = path.split(".")
    return reduce(getattr, parts, import_module(library))


def arrays(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [array for part in value for array in arrays(part)]
    return [np.asarray(value.numpy() if isinstance(value, Tensor) else value)]


@pytest.mark.parametrize(("name", "function"), [s for s in sources("numpy") if s[0] not in CALLED_DIFFERENTLY])
def test_source_in_numpy_agrees_with_the_example(name: str, function: str) -> None:
    call = EXAMPLES[name].partition("  # ")[0]
    if np.lib.NumpyVersion(np.__version__) < NEWER.get(name, "2.0.0"):
        pytest.skip(f"`{function}` is newer than this NumPy, or takes other arguments there")
    scope = {"np": np, "engine": engine, "theirs": function_called(function)}
    results = arrays(eval(call, scope))
    expected = arrays(eval(call.replace(f"engine.{name}(", "theirs(", 1), scope))
    for result, one in zip(results, expected, strict=True):
        assert result.shape == one.shape
        np.testing.assert_allclose(result, one, rtol=1e-12, atol=1e-15)


@pytest.mark.slow
def test_sources_in_pytorch_exist() -> None:
    pytest.importorskip("torch")
    for _, function in sources("torch"):
        assert callable(function_called(function))
