"""Fixtures of the tests of diagnosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Report


@pytest.fixture
def varied(graded: Callable[..., Report], shipped: Library) -> Callable[[str, str], Report]:
    """Grade a function that calls the worked solution, as `right`."""

    def varied(name: str, body: str) -> Report:
        exercise = shipped.find(name)
        right = shipped.drill(exercise).solution.source.replace(f"def {name}(", "def right(")
        header = next(line for line in exercise.stub.splitlines() if line.startswith(f"def {name}("))
        return graded(name, f"import numpy as np\n{right}\n\n{header}\n    {body}\n")

    return varied
