"""Floating-point errors: the line and the operation of a submission that make an infinity or a NaN."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from autodrill.grading.cases.question import answer_budget, answering
from autodrill.sandbox.outcomes import Loaded, Raised
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.runner import Runner

__all__ = ["with_operation"]

_MESSAGE = re.compile(r"(divide by zero|overflow|underflow|invalid value) encountered in (\w{1,20})")
"""What NumPy says of a floating-point error: its kind, and the function. The message is untrusted."""

_INVALID = {
    "multiply": "a product on line {} is 0·∞",
    "subtract": "line {} subtracts ∞ from ∞",
    "add": "line {} adds ∞ and -∞",
    "reduce": "line {} adds ∞ and -∞",
    "matmul": "a matrix product on line {} has a term 0·∞ or the terms ∞ and -∞",
}
_ZERO_DIVISION = {"log": "line {} takes `log` of 0", "divide": "line {} divides by 0"}
_OVERFLOW = {
    "multiply": "a product on line {} overflows",
    "divide": "a quotient on line {} overflows",
    "add": "a sum on line {} overflows",
    "reduce": "a sum on line {} overflows",
    "square": "a square on line {} overflows",
    "power": "a power on line {} overflows",
    "matmul": "a matrix product on line {} overflows",
}


@dataclass(frozen=True, slots=True)
class _Event:
    """A floating-point error in a line of the submission."""

    kind: str
    function: str
    line: int

    @property
    def words(self) -> str:
        """What happens, as a clause."""
        known = {"divide by zero": _ZERO_DIVISION, "overflow": _OVERFLOW, "invalid value": _INVALID}.get(self.kind, {})
        verb = {
            "overflow": "overflows",
            "underflow": "underflows to 0",
            "invalid value": "gives NaN",
            "divide by zero": "gives ∞",
        }[self.kind]
        return known.get(self.function, f"`{self.function}` on line {{}} {verb}").format(self.line)


def with_operation(runner: Runner, drill: Drill, source: bytes, rule: Rule, shown: Observation) -> Rule:
    """Return a rule about NaN, infinities or large values with the line and the operation that make them, if found.

    The case is put once more, to a process in which NumPy raises an exception for a floating-point error.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        drill: The exercise.
        source: The candidate's file.
        rule: The rule.
        shown: The failing case to be shown.
    """
    if rule.key not in _SENTENCES or rule.known or runner.finished or drill.solution.drive:
        return rule
    if b"errstate" in source or b"seterr" in source:  # it may hide the first error
        return rule
    because = _SENTENCES[rule.key](runner, drill, source, shown)
    return replace(rule, because=because) if because else rule


def _of_nan(runner: Runner, drill: Drill, source: bytes, shown: Observation) -> str:
    infinite = _first(runner, drill, source, shown, "divide", "over")
    invalid = _first(runner, drill, source, shown, "invalid")
    if invalid is None:
        return f"{infinite.words}, although the right result is finite" if infinite else ""
    if invalid.function != "divide":
        words = invalid.words
    elif infinite is not None:
        words = f"a quotient on line {invalid.line} is 0/0 or ∞/∞"
    else:
        words = f"a quotient on line {invalid.line} is 0/0"
    before = infinite
    if before is None and invalid.function == "divide":
        before = _first(runner, drill, source, shown, "under")
    if before is None or before.line == invalid.line:
        return f"{words}, although the right result is finite"
    return f"{words}; before that, {before.words}"


def _of_large_values(runner: Runner, drill: Drill, source: bytes, shown: Observation) -> str:
    event = _first(runner, drill, source, shown, "divide", "over")
    return f"the answer is right for ordinary values but wrong for large ones, for which {event.words}" if event else ""


_SENTENCES = {"nan-where-finite": _of_nan, "large-values": _of_large_values}
"""The rules that gain by it, with what finds the words."""


def _first(runner: Runner, drill: Drill, source: bytes, o: Observation, *errors: str) -> _Event | None:
    """Return the first floating-point error of some kinds during the call of a case, or None."""
    entry, scenario = runner.called
    settings = ", ".join(f"{error}='raise'" for error in errors)
    lines = [b"", b"from numpy import errstate as __errstate"]
    lines += [f"{name} = __errstate({settings})({name})".encode() for name in entry.split()]
    call = Call(drill.kind.arguments(drill, o.case, o.expected), watched=False)
    budget, answer = answer_budget(o.case, o.expected), answering(drill, o.case)
    with runner.sibling(runner.limits) as other:
        if not isinstance(other.load(source + b"\n".join(lines), drill.exercise.path.name, entry, scenario), Loaded):
            return None
        request = call_request([call], budget=budget, seconds=runner.limits.seconds, answer=answer)
        ((end,),) = other.answers([request])
    if not isinstance(end, Raised) or end.type != "FloatingPointError" or end.line is None:
        return None
    found = _MESSAGE.match(end.message)
    return _Event(found[1], found[2], end.line) if found else None
