"""What grading found, as records: renderers are pure functions of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from autodrill.drills.answer_records import FaultKind

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule

__all__ = ["FATAL", "Basis", "Comparison", "Failure", "Remark", "Report", "Verdict"]


class Verdict(StrEnum):
    """The outcome of grading one file."""

    PASS = "pass"  # noqa: S105  a verdict, not a password
    FAIL = "fail"
    """The answer is wrong, incomplete or raises."""
    ERROR = "error"
    """The file cannot be read or run at all: a syntax error, the function missing."""
    TIMEOUT = "timeout"
    """It did not answer in time."""
    INTERNAL = "internal"
    """autodrill's or the exercise's own fault: costs the learner nothing."""


class Basis(StrEnum):
    """What says which answers are right."""

    ORACLES = "engine and finite differences"
    ENGINE = "engine"
    """Nowhere is the forward smooth, so that finite differences do not vote."""
    ANSWER = "answer"
    """The exercise computes the right answer itself."""
    JUDGE = "judge"
    """The exercise has no one right answer, and a judge of its own."""


FATAL = frozenset({FaultKind.TIME, FaultKind.MEMORY, FaultKind.OUTPUT, FaultKind.DIED, FaultKind.NOT_IMPLEMENTED})
"""Kinds of faults after which nothing more is asked of the code, and that need no explaining."""

_TELLING = frozenset({FaultKind.RAISED, FaultKind.NONLINEAR, FaultKind.UNREPEATABLE})
"""Kinds of faults whose summaries may quote what the candidate's code says."""

_UNRUN = frozenset({FaultKind.SYNTAX, FaultKind.COMPILE})
"""Kinds of faults that are found before any of the code has run."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One result beside what it should be, as short text made from numbers only."""

    name: str
    expected: str
    got: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """The smallest case that fails, and why.

    Attributes:
        kind: What is wrong.
        summary: One line that says it with the particulars.
        rule: The rule broken, or None if no known rule explains the answer.
        case: Index of the first failing case of the battery, for replay; None if no case was reached.
        label: What is special about the case shown.
        given: The arguments of the case shown, name to short text.
        comparisons: Results beside what they should be.
        line: Line of the candidate's file it happened at, or None.
        code: That line's text.
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


@dataclass(frozen=True, slots=True)
class Remark:
    """Something worth knowing about an answer that is accepted."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one grading run found.

    Attributes:
        exercise: The exercise's id.
        path: The file graded, as the learner named it.
        verdict: The outcome.
        seed: Seed of the cases; with it every case can be had again.
        cases: How many cases were put.
        passed: How many of them were answered rightly.
        seconds: Wall time of the whole run.
        failure: The failure explained, or None.
        remarks: What is worth knowing although it is accepted.
        output: What the candidate's code printed, cut to length.
        detail: For `internal`: what broke, for a bug report.
        layers: The layers that confined the candidate's process.
        lost: Those that were asked for and could not be had, with the reason.
        basis: What the answers were held against.
        device: For a kernel: what it was run on.
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
        """Return the report without a word that the candidate's code wrote: what is printed could be a hidden case."""
        failure = self.failure
        if failure is not None:
            summary = str(failure.kind) if failure.kind in _TELLING else failure.summary
            code = failure.code if failure.kind in _UNRUN else ""  # it is the child that says what the line holds
            failure = replace(failure, summary=summary, code=code)
        return replace(self, output="", failure=failure)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        from dataclasses import asdict

        return asdict(self)
