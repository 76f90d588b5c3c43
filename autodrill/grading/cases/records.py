"""Records of cases: a question put to a submission, and the observation of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected, Fault
    from autodrill.drills.case import Case
    from autodrill.sandbox.outcomes import CallOutcome
    from autodrill.sandbox.requests import Request

    Array = NDArray[Any]

__all__ = ["Observation", "Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """A case with its expected results and every call that is made for it.

    Attributes:
        case: The case.
        expected: Its expected results.
        request: The calls. The first is the case itself; an estimator is called once for each draw. If `linear`, calls
            with another cotangent and with the sum of both follow, the former only where what it adds is not known. If
            `repeated`, the first call is made once more, with the very arguments that it left behind.
        linear: Whether linearity in the cotangents is checked.
        added: What the other cotangent adds to each result. Empty where the cotangent of the case was not drawn:
            there a right answer may be right by chance, and the other cotangent gets a call of its own.
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
    """What a submission answers to a case, compared with the expected results.

    Attributes:
        case: The case.
        expected: Its expected results.
        outcome: How the call ended.
        got: The results as arrays, aligned with `expected.parts`. None for a result that is not an array, and None
            altogether if there is nothing to compare.
        wrong: Which results are wrong.
        fault: The first fault, or None.
        customs: Names from `drills.customs` of what would be a fault if the exercise did not accept it.
        question: The question it answers, so that the same can be put to other code. None where a case was put alone.
    """

    case: Case
    expected: Expected
    outcome: CallOutcome
    got: tuple[Array | None, ...] | None
    wrong: tuple[bool, ...]
    fault: Fault | None
    customs: tuple[str, ...] = ()
    question: Question | None = None
