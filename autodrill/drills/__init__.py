"""What an exercise is: its two files, the records made of them, and the cases it is graded on.

The names exported here are what an exercise's solution file is written with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autodrill.drills.authoring import (
        Bound,
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
        shared,
        uniform,
    )
    from autodrill.sandbox.child.collectives import in_step

__all__ = [
    "Bound",
    "Given",
    "Mistake",
    "Scenario",
    "away_from_zero",
    "below",
    "given",
    "gradient",
    "in_step",
    "mistake",
    "normal",
    "scenario",
    "shared",
    "uniform",
]


def __getattr__(name: str) -> Any:
    # Listing the exercises reads no solution file and should not wait for what those are written with.
    if name in __all__:
        # `in_step` runs in the candidate's process: for a scenario it is there without being imported.
        if name == "in_step":
            from autodrill.sandbox.child import collectives

            return collectives.in_step
        from autodrill.drills import authoring

        return getattr(authoring, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
