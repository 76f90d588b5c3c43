"""The public names of the engine that are not operations: docstrings, signatures, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine.ops import FAMILIES

FAMILIES_AND_ALIASES = [import_module(f"autodrill.engine.ops.{family}") for family in (*FAMILIES, "aliases")]
NO_CALL = {"ops", "registry"}
"""A module and a table."""
MADE_BY_THE_ENGINE = {"Context", "Function", "Handle", "Primitive", "Tape"}
"""Classes that no user calls."""
NAMES = sorted(set(engine.__all__).difference(NO_CALL, *(module.__all__ for module in FAMILIES_AND_ALIASES)))


def undescribed(name: str, text: str, signature: inspect.Signature) -> list[str]:
    """The parameters that have no entry; `gradgradcheck` refers to `gradcheck`."""
    if name in {*MADE_BY_THE_ENGINE, "gradgradcheck"}:
        return []
    return [p for p in signature.parameters if not re.search(rf"^ +\\*?{p}: ", text, re.MULTILINE)]


def problems(name: str, named: Any) -> list[str]:
    text = inspect.getdoc(named) or ""
    if isinstance(named, type) and issubclass(named, BaseException):
        return [] if text else ["it has no docstring"]
    signature = inspect.signature(named)
    found = [f"`{parameter}` is not described" for parameter in undescribed(name, text, signature)]
    nothing = isinstance(named, type) or re.match("None$|Iterator", str(signature.return_annotation))
    if not nothing and not re.search(r"\breturns?\b|those of `gradcheck`", text, re.IGNORECASE):
        found.append("it does not say what it returns")
    if not re.search(r"^Example:\n    >>> ", text, re.MULTILINE):
        found.append("it has no example")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_documented(name: str) -> None:
    assert problems(name, getattr(engine, name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_example_of_a_public_name_runs(name: str) -> None:
    text = inspect.getdoc(getattr(engine, name)) or ""
    example = doctest.DocTestParser().get_doctest(text, {"engine": engine, "np": np}, name, None, 0)
    printed: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=printed.append)
    assert "".join(printed) == ""


def test_incomplete_public_docstring_is_detected() -> None:
    def doubled(x: Any) -> Any:
        """Compute 2 x."""

    assert len(problems("doubled", doubled)) == 3
