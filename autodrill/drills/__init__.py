"""What an exercise is: its two files, the records made of them, and the cases it is graded on.

The names exported here are what an exercise's solution file is written with.
"""

from __future__ import annotations

from autodrill.drills.authoring import (
    Given,
    Mistake,
    Scenario,
    away_from_zero,
    below,
    given,
    gradient,
    mistake,
    normal,
    scenario,
    uniform,
)

__all__ = [
    "Given",
    "Mistake",
    "Scenario",
    "away_from_zero",
    "below",
    "given",
    "gradient",
    "mistake",
    "normal",
    "scenario",
    "uniform",
]
