"""Records of a grading run: the report, its failure and its remarks. Renderers are pure functions of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from autodrill.drills.answer_records import FaultKind

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule

__all__ = ["FATAL", "Basis", "Comparison", "Failure", "Remark", "Report", "TapeStep", "Verdict"]


class Verdict(StrEnum):
    """The outcome of grading one file."""

    PASS = "pass"  # noqa: S105  a verdict, not a password
    FAIL = "fail"
    """The answer is wrong, incomplete or raises."""
    ERROR = "error"
    """The file cannot run: it has a syntax error, or the function is missing."""
    TIMEOUT = "timeout"
    """It did not answer in time."""
    INTERNAL = "internal"
    """A fault of autodrill or the exercise, which costs the learner nothing."""


class Basis(StrEnum):
    """The authority on right answers."""

    ORACLES = "engine and finite differences"
    ENGINE = "engine"
    """The forward is smooth in no case, so finite differences are not compared."""
    ANSWER = "answer"
    """The exercise computes the expected answer itself."""
    JUDGE = "judge"
    """The exercise has no single right answer, so its own judge decides."""


FATAL = frozenset(
    {
        FaultKind.TIME,
        FaultKind.MEMORY,
        FaultKind.OUTPUT,
        FaultKind.DIED,
        FaultKind.MISSING,
        FaultKind.NOT_IMPLEMENTED,
    }
)
"""Kinds of faults that end the grading and need no explanation."""

_QUOTING = frozenset({FaultKind.RAISED, FaultKind.NONLINEAR, FaultKind.UNREPEATABLE})
"""Kinds of faults whose summaries may quote text of the candidate's code."""

_BEFORE_RUN = frozenset({FaultKind.SYNTAX, FaultKind.COMPILE})
"""Kinds of faults found before any code has run."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A result and its expected value, as short text made from numbers only."""

    name: str
    expected: str
    got: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class TapeStep:
    """A row of the tape of a case, as short text made from numbers only.

    Attributes:
        name: The input, or the name of the row, such as `v3`.
        operation: The operation; empty for an input.
        operands: Its operands, as names of rows or as constants.
        value: The value.
        right: The right gradient with respect to it.
        yours: The gradient in the answer; empty if the answer does not have it.
        wrong: Whether that is wrong.
        broken: If the answer goes wrong at this step: what its numbers look like, as a clause after "as if".
    """

    name: str
    operation: str
    operands: tuple[str, ...]
    value: str
    right: str
    yours: str
    wrong: bool
    broken: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The smallest failing case, and why it fails.

    Attributes:
        kind: The kind of fault.
        summary: One line with the particulars.
        rule: The broken rule, or None if no rule explains the answer.
        case: Index of the first failing case of the battery, for replay; None if no case was reached.
        label: What distinguishes the case shown.
        given: The arguments of the case shown, name to short text.
        comparisons: Results with their expected values.
        line: The line of the candidate's file where it happened, or None.
        code: That line's text.
        tape: The tape of the case shown, if it was asked for.
        no_tape: Why there is none although it was asked for, as a clause.
    """

    kind: FaultKind
    summary: str
    rule: Rule | None = None
    case: int | None = None
    label: str = ""
    given: dict[str, str] = field(default_factory=dict)
    comparisons: tuple[Comparison, ...] = ()
    line: int | None = None
    code: str = ""
    tape: tuple[TapeStep, ...] = ()
    no_tape: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A note on an accepted answer."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one grading run.

    Attributes:
        exercise: The exercise's id.
        path: The file graded, as the learner named it.
        verdict: The outcome.
        seed: Seed of the cases, which reproduces each of them.
        cases: Number of cases put.
        passed: Number of cases passed.
        seconds: Wall time of the whole run.
        failure: The explained failure, or None.
        remarks: Notes on an accepted answer.
        output: The truncated output of the candidate's code.
        detail: For `internal`: the error, for a bug report.
        layers: The layers that confined the candidate's process.
        lost: The requested layers that were not available, with the reason.
        basis: What the answers were compared with.
        device: For a kernel: the devices that ran it.
    """

    exercise: str
    path: str
    verdict: Verdict
    seed: int
    cases: int = 0
    passed: int = 0
    seconds: float = 0.0
    failure: Failure | None = None
    remarks: tuple[Remark, ...] = ()
    output: str = ""
    detail: str = ""
    layers: tuple[str, ...] = ()
    lost: dict[str, str] = field(default_factory=dict)
    basis: Basis = Basis.ORACLES
    device: str = ""

    def withheld(self) -> Report:
        """Return the report without any text of the candidate's code, which could reveal a hidden case."""
        failure = self.failure
        if failure is not None:
            summary = str(failure.kind) if failure.kind in _QUOTING else failure.summary
            code = (
                failure.code if failure.kind in _BEFORE_RUN else ""
            )  # the text of the line comes from the child process
            failure = replace(failure, summary=summary, code=code)
        return replace(self, output="", failure=failure)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        from dataclasses import asdict

        return asdict(self)
