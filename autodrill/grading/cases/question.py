"""Questions: a case, and the further calls that show whether a right answer is a derivative and keeps no state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 cotangents are arrays

from autodrill.grading.cases.records import Question
from autodrill.grading.oracle.expected import added_by
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill

    Array = NDArray[Any]

__all__ = ["LARGE_SECONDS", "answer_budget", "question", "single_call"]

LARGE_SECONDS = 1.5
"""Wall time of the large case: a backward takes milliseconds, finite differences take several seconds."""

_SPARE_BYTES = 1 << 16
"""Room for an answer beyond the bytes of the right one: shapes may be wrong, and lists are wordy."""


def question(drill: Drill, case: Case, expected: Expected, *, seconds: float, further: bool = True) -> Question:
    """Return the question of a case.

    Args:
        drill: The exercise.
        case: The case.
        expected: Its expected results.
        seconds: Wall time of each call, unless the case is large.
        further: Whether to make the further calls, where they make sense. One case of a class is enough: the others
            have cotangents of their own. Linearity is checked in every case whose answer can be right without being a
            derivative: at kinks, where the slope of either side is right, and under a cotangent that was not drawn.
    """
    solution = drill.solution
    direct = drill.kind.linear and not solution.drive
    pure = direct and not case.large and not case.draws
    # Every linear function maps 0 to 0, and nothing can be added to infinity.
    telling = bool(expected.cotangents) and all(np.isfinite(c).all() and np.any(c != 0) for c in expected.cotangents)
    doubtful = further or not case.smooth or case.cotangent is not None
    linear = pure and solution.judge is None and telling and doubtful  # a judge keeps no numbers
    calls = [Call(drill.kind.arguments(drill, case, expected))]
    added: tuple[Array, ...] = ()
    if linear:
        others = _other_cotangents(case, expected)
        more = [tuple(np.asarray(a + b) for a, b in zip(expected.cotangents, others, strict=True))]
        if case.cotangent is None:
            added = tuple(added_by(drill, case, expected, others))
        else:
            more.insert(0, others)
        for cotangents in more:
            arguments = drill.kind.arguments(drill, case, replace(expected, cotangents=cotangents))
            calls.append(Call(arguments, watched=False))
    calls += [Call(drill.kind.arguments(drill, case, expected, draw), watched=False) for draw in range(1, case.draws)]
    repeated = pure and further
    if repeated:
        calls.append(replace(calls[0], again="writes-cotangent" not in solution.remarks))
    request = call_request(calls, budget=answer_budget(case, expected), seconds=_seconds(case, seconds))
    return Question(case, expected, request, linear, added, repeated)


def single_call(drill: Drill, case: Case, expected: Expected, *, seconds: float) -> Question:
    """Return the question of a case without further calls, for cases that are not the battery's own."""
    call = Call(drill.kind.arguments(drill, case, expected))
    request = call_request([call], budget=answer_budget(case, expected), seconds=seconds)
    return Question(case, expected, request, linear=False, added=(), repeated=False)


def answer_budget(case: Case, expected: Expected) -> int:
    """Return how many bytes an answer may hold. What a judge is given may be as large as the inputs."""
    like = [p.value for p in expected.parts] or [v for v in case.inputs.values() if isinstance(v, np.ndarray)]
    return 4 * sum(array.nbytes for array in like) + _SPARE_BYTES


def _seconds(case: Case, usual: float) -> float:
    """Return the wall time of a call."""
    if case.bound is not None and case.bound.seconds:
        return case.bound.seconds
    if case.bound is not None:
        return max(usual, LARGE_SECONDS)
    return LARGE_SECONDS if case.large else usual


def _other_cotangents(case: Case, expected: Expected) -> tuple[Array, ...]:
    """Return other cotangents, much larger so that they matter."""
    rng = np.random.default_rng([case.seed, 3])
    return tuple(np.asarray(100 * rng.normal(size=c.shape)).astype(c.dtype) for c in expected.cotangents)
