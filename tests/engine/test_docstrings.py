"""Docstrings of operations: summary, parameters, result, source and example.

A docstring has a summary that begins with "Return"; `Args`, one entry a parameter; `Returns`, with the shape; `Raises`;
and a line `Source: ...` that says where the formula comes from, or with which function of another library it agrees.
What the declaration knows of inputs and result is added by `ops.behaviour`: a parameter named there needs no entry.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import pytest

from autodrill.engine.ops import FAMILIES
from autodrill.engine.ops.behaviour import paragraph

ENTRY = re.compile(r"^    (\*{0,2}\w+(?:, \*{0,2}\w+)*): ", re.MULTILINE)


def section(text: str, name: str) -> str:
    """Return the indented lines of a section, or nothing."""
    found = re.search(rf"^{name}:\n((?:    .*\n|\n)+)", text + "\n", re.MULTILINE)
    return found[1] if found else ""


def described(text: str) -> set[str]:
    """Return the parameters that have an entry under `Args`; one entry may be of several."""
    return {name.lstrip("*") for names in ENTRY.findall(section(text, "Args")) for name in names.split(", ")}


def problems(name: str, operation: Any) -> list[str]:
    """Return what a docstring lacks."""
    text = inspect.cleandoc(operation.__doc__)
    generated = "\n".join(re.findall(r"^(?:Elementwise|Reduction): (?:.+\n?)+", text, re.MULTILINE))
    missing = [] if text.startswith("Return ") else ["a summary that begins with `Return`"]
    known = described(text) | set(re.findall(r"`(\w+)`", generated))
    missing += [f"an entry for `{p}`" for p in inspect.signature(operation).parameters if p not in known]
    if not section(text, "Returns") and "the result has" not in generated.lower():
        missing.append("the shape of the result")
    if not re.search(r"^Source: .{4,}", text, re.MULTILINE):
        missing.append("a source")
    if f"Example:\n    engine.{name}(" not in text:
        missing.append("an example")
    return [f"`{name}` lacks {what}" for what in missing]


def problems_of_family(family: str) -> list[str]:
    module = import_module(f"autodrill.engine.ops.{family}")
    from autodrill.engine import ops

    return [line for name in module.__all__ for line in problems(name, getattr(ops, name))]


@pytest.mark.parametrize("family", FAMILIES)
def test_docstrings_of_a_family_are_complete(family: str) -> None:
    found = problems_of_family(family)
    assert found == []


def test_incomplete_docstrings_are_detected() -> None:
    def scaled(x: Any, factor: float = 2.0) -> Any:
        """Compute x times a factor."""

    assert len(problems("scaled", scaled)) == 6
    assert paragraph(scaled) == ""
