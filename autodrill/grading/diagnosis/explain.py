"""Explaining a failure: the smallest case that shows it, and the rule it breaks."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from autodrill.errors import InternalError
from autodrill.grading.cases.arguments import shown_arguments
from autodrill.grading.cases.formatting import pair, short
from autodrill.grading.cases.question import put
from autodrill.grading.diagnosis.determinism import RANDOM, Repetition, random_mistake, repetition
from autodrill.grading.diagnosis.fault_rules import STRUCTURAL, judged_rule
from autodrill.grading.diagnosis.linearity import conduct_rule
from autodrill.grading.diagnosis.mutation_search import one_slip
from autodrill.grading.diagnosis.rule_search import Subject, evidence, generic_rule, spread
from autodrill.grading.diagnosis.similarity import Likeness, likeness
from autodrill.grading.report import FATAL, Comparison, Failure, FaultKind, Rule
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.cases.case_set import Prepared
    from autodrill.grading.cases.compare import Observation
    from autodrill.grading.diagnosis.known_mistakes import Answers, Aside
    from autodrill.sandbox.runner import Runner

__all__ = ["explain"]

_SHRINK_SECONDS = 10.0
"""When to give up looking for a smaller case: the tries are counted, and take some tenths of a second, unless the
candidate's code is very slow."""

_NUMBERS_RIGHT = {
    FaultKind.MUTATED,
    FaultKind.ALIASED,
    FaultKind.REUSED,
    FaultKind.UNREPEATABLE,
    FaultKind.NONLINEAR,
    FaultKind.NOISY,
}
"""Faults of answers whose numbers are right: showing them side by side would only puzzle."""


def explain(
    process: Runner, prepared: Prepared, seen: list[tuple[int, Observation]], failing: list[tuple[int, Observation]]
) -> Failure:
    """Explain the first failing case.

    Args:
        process: With the candidate's code loaded, or finished.
        prepared: Where the cases come from, and what is kept of the known mistakes.
        seen: Every case put, with its index in the battery.
        failing: Those of them to explain; never empty.
    """
    exercise, solution = prepared.exercise, prepared.solution
    index, first = failing[0]
    fault = first.fault
    assert fault is not None
    if fault.kind is FaultKind.NOT_IMPLEMENTED:
        return Failure(fault.kind, fault.summary, line=fault.line, code=fault.code)
    if fault.kind in FATAL:
        return _failure(exercise, solution, index, first, None)
    with prepared.beside(process) as aside:
        if prepared.known.untold:
            aside.start()  # it gets ready while the smallest case is looked for
        shown = first if process.finished or first.case.large else _smallest(process, prepared, index, first)
        failed = [shown, *(o for _, o in failing if o is not shown)]
        passed = [o for _, o in seen if o.fault is None and not o.case.large]
        told, held = evidence(failed), spread(passed)
        raised = shown.fault is not None and shown.fault.kind is FaultKind.RAISED  # which says more
        repeated = repetition(process, exercise, solution, [first, *failed], passed)
        rule = (
            (_random_rule(aside.start(), exercise, solution, failed, passed) if repeated is Repetition.CHANCE else None)
            or _known_rule(aside, prepared, told, held)
            or judged_rule(shown)
            or (STRUCTURAL[FaultKind.UNREPEATABLE] if repeated is Repetition.STATE and not raised else None)
            or generic_rule(Subject(exercise, solution), failed, passed)
            or conduct_rule(process, exercise, solution, shown)
            or one_slip(aside.start(), exercise, solution, told, held)
        )
    return _failure(exercise, solution, index, shown, rule)


def _smallest(process: Runner, prepared: Prepared, index: int, first: Observation) -> Observation:
    """Find the smallest case of the same class that fails in the same way."""
    assert first.fault is not None
    deadline = time.monotonic() + _SHRINK_SECONDS
    for asked in prepared.smaller(index):
        if time.monotonic() > deadline:
            break
        try:
            found = put(process, prepared.exercise, prepared.solution, asked)
        except InternalError:
            continue
        if process.finished:
            break
        if found.fault is not None and _fails_alike(found, first):
            return found
    return first


def _fails_alike(found: Observation, first: Observation) -> bool:
    """Whether two cases fail in the same way; what a kernel does wrong has names within its kind."""
    assert found.fault is not None
    assert first.fault is not None
    if found.fault.kind is not FaultKind.DEVICE or first.fault.kind is not FaultKind.DEVICE:
        return found.fault.kind is first.fault.kind
    return getattr(found.outcome, "type", None) == getattr(first.outcome, "type", None)


# -- the exercise's own mistakes ---------------------------------------------------------------------------------------


def _known_rule(aside: Aside, prepared: Prepared, failed: list[Observation], passed: list[Observation]) -> Rule | None:
    """Return the known mistake that answers every case as the candidate did."""
    ever_wrong = {i for o in failed for i, wrong in enumerate(o.wrong) if wrong}
    alike: Mistake | None = None
    partly: Mistake | None = None
    forgiven = failed[0].case.remark
    for mistake in sorted(prepared.solution.mistakes, key=lambda m: m.remark is not forgiven):
        if aside.finished:
            break
        answers = prepared.known.of(mistake, aside)
        if answers is None:
            continue
        degree = _agreement(answers, [*failed, *passed], ever_wrong)
        if degree is Likeness.SAME:
            return _as_rule(mistake)
        if degree is Likeness.PARTLY and partly is None:
            partly = mistake
        if degree is Likeness.AKIN and alike is None:
            alike = mistake
    return _in_part(partly, failed[0], ever_wrong) or _as_rule(alike)


def _random_rule(
    bench: Runner, exercise: Exercise, solution: Solution, failed: list[Observation], passed: list[Observation]
) -> Rule:
    """Return the rule for an answer that chance decides: the known mistake that does so too, or the general one."""
    return _as_rule(random_mistake(bench, exercise, solution, failed, passed)) or RANDOM


def _in_part(mistake: Mistake | None, shown: Observation, ever_wrong: set[int]) -> Rule | None:
    """Return the rule of a mistake that would get further results wrong too, said of those that are."""
    if mistake is None:
        return None
    names = " and ".join(part.name for i, part in enumerate(shown.truth.parts) if i in ever_wrong)
    return Rule(mistake.key, f"{mistake.because}, in {names} alone", mistake.hint, known=True)


def _as_rule(mistake: Mistake | None) -> Rule | None:
    return Rule(mistake.key, mistake.because, mistake.hint, known=True) if mistake else None


def _agreement(answers: Answers, mine: list[Observation], ever_wrong: set[int]) -> Likeness:
    """How a mistake's answers resemble the candidate's; those to large cases say nothing that small ones do not."""
    asked = [(o, o.asked) for o in mine if o.asked is not None and not o.case.large]
    degree = Likeness.SAME
    with closing(answers.to([question for _, question in asked])) as told:
        for o, _ in asked:
            theirs = next(told, None)
            degree = min(degree, Likeness.DIFFERENT if theirs is None else likeness(o, theirs, ever_wrong))
            if degree is Likeness.DIFFERENT:
                break
    return degree


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
