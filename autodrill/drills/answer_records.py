"""Records of answers: expected results, the faults an answer can have, and the rules it can break.

The kinds of exercises and the grader share these records. The module imports nothing that makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["Expected", "Fault", "FaultKind", "Part", "Rule"]


class FaultKind(StrEnum):
    """What is wrong with an answer, before asking why."""

    NOT_IMPLEMENTED = "not implemented yet"
    SYNTAX = "the file is not valid Python"
    COMPILE = "the kernel does not compile"
    MISSING = "the function is not there"
    RAISED = "it raises an exception"
    DEVICE = "the kernel does what no GPU allows"
    NOTHING = "it returns None"
    ARITY = "it returns the wrong number of results"
    TYPE = "it returns the wrong type of result"
    SHAPE = "a result has the wrong shape"
    DTYPE = "a result has the wrong dtype"
    NOT_FINITE = "a result is not finite"
    VALUE = "a result has the wrong values"
    UNWRITTEN = "a result is not written"
    WRONG = "the answer is wrong"
    MUTATED = "it changes an argument"
    ALIASED = "a result does not own its memory"
    REUSED = "a result is overwritten by a later call"
    NONLINEAR = "the result is not linear in the cotangent"
    UNREPEATABLE = "the same call gives two answers"
    TOO_SLOW = "it does far more work than needed"
    NOISY = "the estimate scatters more than needed"
    TOO_MUCH_MEMORY = "it holds far more than needed"
    TIME = "it ran out of time"
    MEMORY = "it ran out of memory"
    OUTPUT = "it printed too much"
    DIED = "it ended its process"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one answer.

    Attributes:
        kind: What is wrong.
        summary: One line with the particulars.
        line: The line of the candidate's file where it happened, or None.
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
        because: What the code does wrong, or what its author believes, as one clause.
        hint: The question to ask oneself.
        known: Whether it is one of the exercise's own mistakes, matched by behaviour.
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
        value: The right value, float64 (or the integer dtype asked for).
        tolerance: Largest absolute difference allowed, elementwise.
        dtype: The dtype it must have.
        linear: Whether it is linear in the cotangents or tangents. An output of the forward is not.
        deviation: For an estimator: the standard deviation of one right estimate, elementwise.
    """

    name: str
    value: Array
    tolerance: Array
    dtype: np.dtype[Any]
    linear: bool = True
    deviation: Array | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected results of a case, with what was drawn to compute them.

    Attributes:
        parts: The expected results.
        cotangents: One an output of `forward`, in the case's dtype. For a JVP: the tangents, one an input that moves.
        outputs: The outputs of `forward`, in the case's dtype.
        start: For scalar nodes: the `.grad` each operand starts with.
        absent: For a `Function`: which of its results must be None, because their arguments have no gradient.
    """

    parts: tuple[Part, ...]
    cotangents: tuple[Array, ...] = ()
    outputs: tuple[Array, ...] = ()
    start: tuple[float, ...] = ()
    absent: tuple[int, ...] = ()
