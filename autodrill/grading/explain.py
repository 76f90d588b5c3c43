"""Explaining a failure: the smallest case that shows it, and the rule it breaks."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.cases import small_cases
from autodrill.errors import InternalError
from autodrill.grading import outcome as ends
from autodrill.grading.ask import scenario_source, shown_arguments
from autodrill.grading.patterns import Subject, evidence, generic_rule, spread
from autodrill.grading.probe import put
from autodrill.grading.process import Limits, Runner
from autodrill.grading.report import Comparison, Failure, FaultKind, Rule
from autodrill.grading.self_evident import judged_rule
from autodrill.grading.show import pair, short

if TYPE_CHECKING:
    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation

__all__ = ["Submission", "explain"]

_SHRINK_SECONDS = 0.4
_SHRINK_TRIES = 120
_UNEXPLAINED = {FaultKind.TIME, FaultKind.MEMORY, FaultKind.OUTPUT, FaultKind.DIED, FaultKind.NOT_IMPLEMENTED}

_NUMBERS_RIGHT = {FaultKind.MUTATED, FaultKind.ALIASED, FaultKind.UNREPEATABLE, FaultKind.NONLINEAR}
"""Faults of answers whose numbers are right: showing them side by side would only puzzle."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A candidate's file: its bytes, what tracebacks call it, and the path the learner knows it by."""

    source: bytes
    name: str
    path: str


def explain(
    process: Runner,
    exercise: Exercise,
    solution: Solution,
    seen: list[tuple[int, Observation]],
    failing: list[tuple[int, Observation]],
    limits: Limits,
) -> Failure:
    """Explain the first failing case.

    Args:
        process: With the candidate's code loaded, or finished.
        exercise: The exercise.
        solution: Its solution side.
        seen: Every case put, with its index in the battery.
        failing: Those of them to explain; never empty.
        limits: Limits for running the known mistakes.
    """
    index, first = failing[0]
    fault = first.fault
    assert fault is not None
    if fault.kind is FaultKind.NOT_IMPLEMENTED:
        return Failure(fault.kind, fault.summary, line=fault.line, code=fault.code)
    if fault.kind in _UNEXPLAINED:
        return _failure(exercise, solution, index, first, None)
    with Runner.start(limits) as bench:
        shown = first if process.finished else _smallest(process, exercise, solution, first)
        failed = [shown, *(o for _, o in failing if o is not shown)]
        passed = [o for _, o in seen if o.fault is None and not o.case.large]
        rule = _known_rule(bench, exercise, solution, evidence(failed), spread(passed))
    rule = rule or judged_rule(shown) or generic_rule(Subject(exercise, solution), failed, passed)
    return _failure(exercise, solution, index, shown, rule)


def _smallest(process: Runner, exercise: Exercise, solution: Solution, first: Observation) -> Observation:
    """Find the smallest case of the same class that fails in the same way."""
    assert first.fault is not None
    deadline = time.monotonic() + _SHRINK_SECONDS
    for tries, case in enumerate(small_cases(exercise, solution, first.case, first.case.seed)):
        if tries >= _SHRINK_TRIES or time.monotonic() > deadline:
            break
        try:
            found = put(process, exercise, solution, case)
        except InternalError:
            continue
        if process.finished:
            break
        if found.fault is not None and found.fault.kind is first.fault.kind:
            return found
    return first


# -- the exercise's own mistakes ---------------------------------------------------------------------------------------


def _known_rule(
    bench: Runner, exercise: Exercise, solution: Solution, failed: list[Observation], passed: list[Observation]
) -> Rule | None:
    """Return the known mistake that answers every case as the candidate did."""
    ever_wrong = {i for o in failed for i, wrong in enumerate(o.wrong) if wrong}
    alike: Mistake | None = None
    forgiven = failed[0].case.remark
    for mistake in sorted(solution.mistakes, key=lambda m: m.remark is not forgiven):
        if bench.finished:
            return _as_rule(alike)
        loaded = bench.load(
            mistake.source.encode(), exercise.path.name, exercise.id, scenario_source(exercise, solution), seconds=1.0
        )
        if not isinstance(loaded, ends.Loaded):
            continue
        degree = 2
        for observation in [*failed, *passed]:
            degree = min(degree, _agreement(bench, exercise, solution, observation, ever_wrong))
            if not degree:
                break
        if degree == 2:
            return _as_rule(mistake)
        if degree == 1 and alike is None:
            alike = mistake
    return _as_rule(alike)


def _as_rule(mistake: Mistake | None) -> Rule | None:
    return Rule(mistake.key, mistake.because, mistake.hint, known=True) if mistake else None


def _agreement(bench: Runner, exercise: Exercise, solution: Solution, mine: Observation, ever_wrong: set[int]) -> int:
    """How a mistake's answer to a case resembles the candidate's: 2 the same, 1 wrong in the same way, 0 different."""
    if bench.finished or mine.case.large:
        return 2 if mine.case.large else 0
    theirs = put(bench, exercise, solution, mine.case, mine.truth)
    if mine.fault is None:
        if theirs.fault is None:
            return 2
        # A mistake may be in both results and the candidate's in one: what is never wrong there says nothing.
        apart = ever_wrong and theirs.wrong and not any(theirs.wrong[i] for i in ever_wrong if i < len(theirs.wrong))
        return 2 if apart else 0
    if theirs.fault is None:
        return 0
    if any(np.size(v) == 0 for v in mine.case.inputs.values()):
        return 1  # with nothing to compute, the same mistake ends in many ways
    if mine.got is None or theirs.got is None:
        same = mine.fault.kind is theirs.fault.kind
        if same and isinstance(mine.outcome, ends.Raised) and isinstance(theirs.outcome, ends.Raised):
            if mine.outcome.type != theirs.outcome.type:
                return 0
            return 2 if mine.outcome.message == theirs.outcome.message else 1
        if same and isinstance(mine.outcome, ends.Returned) and isinstance(theirs.outcome, ends.Returned):
            if repr(mine.outcome.value) == repr(theirs.outcome.value):
                return 2
            return 1 if mine.fault.summary.split(":")[0] == theirs.fault.summary.split(":")[0] else 0
        return 2 if same else 0
    if not any(mine.wrong):
        return 2 if mine.fault.kind is theirs.fault.kind else 0
    for got, other, wrong, theirs_wrong, part in zip(
        mine.got, theirs.got, mine.wrong, theirs.wrong, mine.truth.parts, strict=True
    ):
        if not wrong:
            continue
        if not theirs_wrong or got is None or other is None or got.shape != other.shape:
            return 0
        tolerance = np.asarray(
            part.tolerance if part.tolerance.shape == got.shape else np.max(part.tolerance, initial=0)
        )
        with np.errstate(all="ignore"):
            close = np.abs(got - other) <= 16 * tolerance + 1e-12 * np.abs(other)
            same_values = close | (got == other) | (np.isnan(got) & np.isnan(other))
        if not np.all(same_values):
            return 0
    return 2


# -- the record --------------------------------------------------------------------------------------------------------


def _failure(exercise: Exercise, solution: Solution, index: int, shown: Observation, rule: Rule | None) -> Failure:
    fault = shown.fault
    assert fault is not None
    given = {n: short(v) for n, v in shown_arguments(exercise, solution, shown.case, shown.truth).items()}
    return Failure(
        kind=fault.kind,
        summary=fault.summary.partition(": ")[2] if rule and fault.kind is FaultKind.WRONG else fault.summary,
        rule=rule,
        case=index,
        label=shown.case.label.removeprefix("scalars").removeprefix(" · "),
        given=given,
        comparisons=_comparisons(shown),
        line=fault.line,
        code=fault.code,
    )


def _comparisons(shown: Observation) -> tuple[Comparison, ...]:
    if shown.fault is not None and shown.fault.kind in _NUMBERS_RIGHT:
        return ()
    if shown.got is None:
        if shown.fault is not None and shown.fault.kind is FaultKind.WRONG and isinstance(shown.outcome, ends.Returned):
            return (Comparison("returned", "", short(shown.outcome.value), wrong=True),)
        return ()
    rows = []
    for part, got, wrong in zip(shown.truth.parts, shown.got, shown.wrong, strict=True):
        if shown.fault is not None and shown.fault.kind is FaultKind.DTYPE:
            expected, mine = str(part.dtype), str(got.dtype) if got is not None else ""
        else:
            expected, mine = _pair(part.value, got)
        rows.append(Comparison(part.name, expected, mine, wrong))
    return tuple(rows)


def _pair(want: Any, got: Any) -> tuple[str, str]:
    if got is None:
        return short(want), "not numbers"
    if got.shape != want.shape:
        return f"shape {want.shape}", f"shape {got.shape}"
    return pair(want, got)
