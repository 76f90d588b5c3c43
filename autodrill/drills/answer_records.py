"""Records of answers: expected results, the faults of an answer, and the rules that it breaks.

The kinds and the grader share these records. This module does not import their makers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["ULPS", "Expected", "Fault", "FaultKind", "Part", "Rule"]

ULPS = {"float64": 1024.0, "float32": 32.0}
"""The largest allowed error of an answer, as a multiple of the amplified rounding error, for each dtype of a case.

Another order of summation costs a few units. In float64 a wrong formula costs billions. In float32 the bound must
exclude half precision, which rounds to 11 bits and costs 1,000 to 8,000 units. `benchmarks/precision.py` prints the
largest error of right answers and the smallest error of half precision, as multiples of the tolerance.
"""


class FaultKind(StrEnum):
    """The kinds of faults, before any diagnosis."""

    NOT_IMPLEMENTED = "not implemented yet"
    SYNTAX = "the file is not valid Python"
    COMPILE = "the kernel does not compile"
    MISSING = "the function is not defined"
    LIBRARY = "the code needs a library that is not there"
    RAISED = "the code raises an exception"
    DEVICE = "the kernel does something that no GPU allows"
    NOTHING = "the code returns None"
    ARITY = "the code returns the wrong number of results"
    TYPE = "the code returns the wrong type of result"
    SHAPE = "a result has the wrong shape"
    DTYPE = "a result has the wrong dtype"
    NOT_FINITE = "a result is not finite"
    VALUE = "a result has the wrong values"
    UNWRITTEN = "a result is not written"
    WRONG = "the answer is wrong"
    MUTATED = "the code changes an argument"
    ALIASED = "a result does not own its memory"
    REUSED = "a result is overwritten by a later call"
    NONLINEAR = "the result is not linear in the cotangent"
    UNREPEATABLE = "the same call gives two answers"
    TOO_SLOW = "the code does far more work than needed"
    NOISY = "the estimate scatters more than needed"
    TOO_MUCH_MEMORY = "the code holds far more memory than needed"
    TIME = "the code ran out of time"
    MEMORY = "the code ran out of memory"
    OUTPUT = "the code printed too much"
    DIED = "the code ended its process"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one answer.

    Attributes:
        kind: What is wrong.
        summary: One line with the details.
        line: The line of the submission where it happened, or None.
        code: The text of that line.
    """

    kind: FaultKind
    summary: str
    line: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule that an answer breaks.

    Attributes:
        key: Stable name, such as `assign` or `transposed`.
        because: What the code does wrong, or what its author believes, as a clause.
        hint: A question that leads to the fault.
        known: Whether it is a known mistake of the exercise, matched by behaviour.
    """

    key: str
    because: str
    hint: str
    known: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One expected result: its value and its tolerance.

    Attributes:
        name: Such as `dX` or `self.grad`.
        value: The right value, in float64 or in the integer dtype asked for.
        tolerance: The largest absolute error allowed, elementwise.
        dtype: The dtype that the result must have.
        linear: Whether the result is linear in the cotangents or tangents. An output of the forward is not.
        deviation: For an estimator, the standard deviation of one right estimate, elementwise.
    """

    name: str
    value: Array
    tolerance: Array
    dtype: np.dtype[Any]
    linear: bool = True
    deviation: Array | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected results of a case, with the values drawn to compute them.

    Attributes:
        parts: The expected results.
        cotangents: The cotangents, one for each output of `forward`; for a JVP the tangents, one for each
            differentiated input. They have the dtype of the case.
        outputs: The outputs of `forward`, in the dtype of the case.
        start: For scalar nodes, the `.grad` of each operand before the call.
        absent: For kind `function`, the indices of the results that must be None: their arguments have no gradient.
    """

    parts: tuple[Part, ...]
    cotangents: tuple[Array, ...] = ()
    outputs: tuple[Array, ...] = ()
    start: tuple[float, ...] = ()
    absent: tuple[int, ...] = ()
