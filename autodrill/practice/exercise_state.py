"""Where an exercise stands for a learner; a module of its own because listing needs nothing else."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["State"]


class State(StrEnum):
    """Where an exercise stands; every state has a word."""

    NEW = "new"
    TRIED = "tried"
    PASSED = "passed"
    DUE = "due"
    """Passed some time ago, and scheduled to be written again."""
