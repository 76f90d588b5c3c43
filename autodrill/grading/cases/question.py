"""Questions: a case with the calls made for it, and the observation of its answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 cotangents are arrays

from autodrill.drills.solution_file import authored
from autodrill.grading.oracle.expected import added_by
from autodrill.grading.report import FATAL
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill

    Array = NDArray[Any]
    from autodrill.drills.answer_records import Fault
    from autodrill.sandbox.outcomes import CallOutcome, LoadOutcome
    from autodrill.sandbox.requests import Request

__all__ = ["Observation", "Question", "answer_budget", "answering", "question", "single_call"]


@dataclass(frozen=True, slots=True)
class Question:
    """A case with its expected results and every call made for it.

    Attributes:
        case: The case.
        expected: Its expected results.
        request: The calls. The first is the case itself; an estimator is called once for each draw. If `linear`, calls
            with another cotangent and with the sum of both follow, the former only if `added` is empty. If `repeated`,
            the first call is made once more, on the same argument arrays.
        linear: Whether linearity in the cotangents is checked.
        added: The other cotangent's contribution to each result. Empty if the cotangent of the case is fixed: then a
            result can be right by chance, and the other cotangent gets a call of its own.
        repeated: Whether the first call is made once more.
    """

    case: Case
    expected: Expected
    request: Request
    linear: bool
    added: tuple[Array, ...]
    repeated: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer of a submission to a case, compared with the expected results.

    Attributes:
        case: The case.
        expected: Its expected results.
        outcome: How the call ended, or the load before it.
        got: The results as arrays, aligned with `expected.parts`. None for a result that is not an array, and None
            altogether if there is nothing to compare.
        wrong: Which results are wrong.
        fault: The first fault, or None.
        customs: Names from `drills.customs` of what the exercise accepts although it is a fault elsewhere.
        question: The question it answers, so that the same one can be put to other code. None after a single call.
    """

    case: Case
    expected: Expected
    outcome: CallOutcome | LoadOutcome
    got: tuple[Array | None, ...] | None
    wrong: tuple[bool, ...]
    fault: Fault | None
    customs: tuple[str, ...] = ()
    question: Question | None = None

    @property
    def tolerated(self) -> bool:
        """Whether it has a fault that only earns a remark. A call that stops the grading is never tolerated."""
        return self.fault is not None and self.case.remark and self.fault.kind not in FATAL


_SPARE_BYTES = 1 << 16
"""Bytes allowed beyond the size of the expected results: a wrong shape or a list can take more."""


def question(drill: Drill, case: Case, expected: Expected, *, seconds: float, further: bool = True) -> Question:
    """Return the question of a case.

    Args:
        drill: The exercise.
        case: The case.
        expected: Its expected results.
        seconds: Wall time of each call, unless the case is large.
        further: Whether to make the further calls, if they apply. One case of a class is enough, because the others
            have cotangents of their own. Linearity is checked in every case that a function other than the derivative
            can get right: at kinks, where either slope is accepted, and with a fixed cotangent.
    """
    solution = drill.solution
    direct = drill.kind.linear and not solution.drive
    pure = direct and not case.large and not case.draws
    # Every linear function maps 0 to 0, and sums with infinity show nothing.
    informative = bool(expected.cotangents) and all(
        np.isfinite(c).all() and np.any(c != 0) for c in expected.cotangents
    )
    ambiguous = further or not case.smooth or case.cotangent is not None
    # A judged answer has no results to add.
    linear = pure and solution.judge is None and not drill.has_unit_cotangent and informative and ambiguous
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
            calls.append(Call(arguments))
    calls += [Call(drill.kind.arguments(drill, case, expected, draw)) for draw in range(1, case.draws)]
    repeated = pure and further
    if repeated:
        kept = "writes-cotangent" not in solution.remarks and not solution.may_edit
        calls.append(replace(calls[0], again=kept))
    budget, answer = answer_budget(case, expected), answering(drill, case)
    if case.large:
        from autodrill.grading.cases.cost_limit import with_cost_limit

        request = with_cost_limit(drill, calls, budget=budget, answer=answer)
    else:
        request = call_request(calls, budget=budget, seconds=seconds, answer=answer)
    return Question(case, expected, request, linear, added, repeated)


def single_call(drill: Drill, case: Case, expected: Expected, *, seconds: float) -> Question:
    """Return the question of a case without further calls, for cases outside the battery."""
    call = Call(drill.kind.arguments(drill, case, expected))
    request = call_request([call], budget=answer_budget(case, expected), seconds=seconds, answer=answering(drill, case))
    return Question(case, expected, request, linear=False, added=(), repeated=False)


def answering(drill: Drill, case: Case) -> Callable[[Any], Any] | None:
    """Return the function that answers what the exercise's `drive` asks during a case; None if it has no `answer`.

    It raises InternalError if `answer` raises.
    """
    solution = drill.solution
    author = solution.answer
    if author is None:
        return None

    def answer(asked: Any) -> Any:
        with authored(solution.path, "answer"), np.errstate(all="ignore"):
            return author(asked, **case.inputs, **case.static)

    return answer


def answer_budget(case: Case, expected: Expected) -> int:
    """Return the maximum size of an answer in bytes. A judged answer may be as large as the inputs."""
    like = [p.value for p in expected.parts] or [v for v in case.inputs.values() if isinstance(v, np.ndarray)]
    return 4 * sum(array.nbytes for array in like) + _SPARE_BYTES


def _other_cotangents(case: Case, expected: Expected) -> tuple[Array, ...]:
    """Return other cotangents, 100 times as large so that their contribution dominates."""
    rng = np.random.default_rng([case.seed, 3])
    return tuple(np.asarray(100 * rng.normal(size=c.shape)).astype(c.dtype) for c in expected.cotangents)
