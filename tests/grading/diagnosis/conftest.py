"""Fixtures of the tests of diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.shipped import SHIPPED, graded_in_a_fork

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Report


@pytest.fixture
def graded() -> Callable[..., Report]:
    """Grade the source of a submission to a shipped exercise, in a fork: what is tested is the explanation."""

    def graded(name: str, source: str, *, seed: int = 0, only: int | None = None) -> Report:
        return graded_in_a_fork(SHIPPED.find(name), source.encode(), seed, only)

    return graded


@pytest.fixture
def varied(graded: Callable[..., Report], shipped: Library) -> Callable[[str, str], Report]:
    """Grade a function that calls the worked solution, as `right`."""

    def varied(name: str, body: str) -> Report:
        exercise = shipped.find(name)
        right = shipped.drill(exercise).solution.source.replace(f"def {name}(", "def right(")
        header = next(line for line in exercise.stub.splitlines() if line.startswith(f"def {name}("))
        return graded(name, f"import numpy as np\n{right}\n\n{header}\n    {body}\n")

    return varied


@pytest.fixture(autouse=True)
def without_repairs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the search for a repair, except in its own tests: it explains most of the answers that others test."""
    if request.path.stem != "test_repair_search":
        monkeypatch.setattr("autodrill.grading.diagnosis.repair_search.is_vague", lambda _: False)
