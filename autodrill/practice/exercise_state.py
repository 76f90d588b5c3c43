"""The state of an exercise for a learner. It has its own module because `autodrill list` needs nothing else."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["State"]


class State(StrEnum):
    """The state of an exercise for a learner."""

    NEW = "new"
    TRIED = "tried"
    PASSED = "passed"
    DUE = "due"
    """Passed before, and due for review."""
