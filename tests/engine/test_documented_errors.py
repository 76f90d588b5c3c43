"""What docstrings of operations say under `Raises`: each error is raised by a call in `documented_errors.txt`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import ops
from tests.engine.test_docstrings import section

ROWS = [row.split("  # ") for row in Path(__file__).with_name("documented_errors.txt").read_text("utf-8").splitlines()]
"""A call, and the class of the error that it raises; a call that begins with a transform differentiates it."""

OPERATION = re.compile(r"engine\.(?:ops\.|grad_of\((?:lambda x: )?engine\.)?(\w+)")


def operation_of(call: str) -> str:
    """Return the name of the operation that a call is about."""
    found = OPERATION.match(call)
    assert found, call
    return found[1]


def documented(name: str) -> set[str]:
    """Return the classes of errors under `Raises`, without their modules."""
    raises = section(inspect.cleandoc(getattr(ops, name).__doc__), "Raises")
    return {entry.rpartition(".")[2] for entry in re.findall(r"^    ([\w.]+): ", raises, re.MULTILINE)}


@pytest.mark.parametrize("name", ops.names())
def test_documented_errors_have_calls(name: str) -> None:
    assert documented(name) == {error for call, error in ROWS if operation_of(call) == name}


@pytest.mark.parametrize(("call", "error"), ROWS, ids=[call for call, _ in ROWS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_documented_errors_are_raised(call: str, error: str) -> None:
    with pytest.raises(Exception) as caught:
        eval(call, {"np": np, "engine": engine})
    assert caught.type.__name__ == error
