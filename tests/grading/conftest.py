"""Builders for grading: a submission graded as `autodrill check` grades it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.grading.grade import grade
from autodrill.grading.submission import Submission

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Report


@pytest.fixture
def graded(shipped: Library) -> Callable[..., Report]:
    """Grade the source of a submission to a shipped exercise."""

    def graded(name: str, source: str, *, seed: int = 0, only: int | None = None) -> Report:
        exercise = shipped.find(name)
        submission = Submission(source.encode(), f"{name}.py", f"{name}.py")
        return grade(shipped.drill(exercise), submission, seed=seed, only=only)

    return graded
