"""Records of cases: the question put to a submission, and the observation of its answer."""

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
        outcome: How the call ended.
        got: The results as arrays, aligned with `expected.parts`. None for a result that is not an array, and None
            altogether if there is nothing to compare.
        wrong: Which results are wrong.
        fault: The first fault, or None.
        customs: Names from `drills.customs` of what the exercise accepts although it is a fault elsewhere.
        question: The question it answers, so that the same one can be put to other code. None after a single call.
    """

    case: Case
    expected: Expected
    outcome: CallOutcome
    got: tuple[Array | None, ...] | None
    wrong: tuple[bool, ...]
    fault: Fault | None
    customs: tuple[str, ...] = ()
    question: Question | None = None
