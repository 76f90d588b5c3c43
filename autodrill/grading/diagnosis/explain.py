"""Explanation of a failure: the smallest case that shows it as short text, and the rule that it breaks."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.errors import InternalError
from autodrill.grading.cases.case_set import put_case
from autodrill.grading.diagnosis.alias_rule import one_array
from autodrill.grading.diagnosis.determinism import (
    RANDOM,
    UNINITIALISED,
    Repetition,
    is_uninitialised,
    random_mistake,
    repetition,
)
from autodrill.grading.diagnosis.known_mistakes import LargeCase, known_rule, rule_of_mistake
from autodrill.grading.diagnosis.rank_rules import OUTSIDE_COLLECTIVES, is_right_together
from autodrill.grading.diagnosis.short_text import compared, short
from autodrill.grading.diagnosis.similarity import evidence, has_numbers, of_forward, spread
from autodrill.grading.report import FATAL, Comparison, Failure
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.case_set import CaseSet
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.diagnosis.known_mistakes import KnownMistakes
    from autodrill.sandbox.runner import Runner

__all__ = ["comparisons", "explain"]

_SHRINK_SECONDS = 10.0
"""Time limit of the search for a smaller case. The limit matters only for very slow code. The search tries a limited
number of cases, and usually takes some tenths of a second."""

_NUMBERS_RIGHT = {
    FaultKind.MUTATED,
    FaultKind.ALIASED,
    FaultKind.REUSED,
    FaultKind.UNREPEATABLE,
    FaultKind.NONLINEAR,
    FaultKind.NOISY,
}
"""Faults of answers whose numbers are right, so a comparison of numbers would only confuse."""


_BY_NUMBERS = {FaultKind.SHAPE, FaultKind.VALUE, FaultKind.NOT_FINITE}


def _large_case(case_set: CaseSet, index: int, kind: FaultKind) -> LargeCase:
    by_numbers = kind in _BY_NUMBERS

    def fails(runner: Runner) -> bool:
        faults = (seen.fault for _, seen in case_set.put(runner, [index]) if seen.fault is not None)
        return any((fault.kind in _BY_NUMBERS) is by_numbers for fault in faults)

    return LargeCase(index, by_numbers, fails)


def explain(
    runner: Runner,
    case_set: CaseSet,
    known_mistakes: KnownMistakes,
    seen: list[tuple[int, Observation]],
    failing: list[tuple[int, Observation]],
    source: bytes,
    *,
    draw: bool = False,
) -> Failure:
    """Explain the first failing case.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        case_set: The cases.
        known_mistakes: The known mistakes of the exercise.
        seen: The observation of every case put, with its index in the battery.
        failing: Those to explain; never empty.
        source: The candidate's file.
        draw: Whether the tape of the case is wanted.
    """
    drill = case_set.drill
    index, first = failing[0]
    fault = first.fault
    assert fault is not None
    if fault.kind is FaultKind.NOT_IMPLEMENTED:
        return Failure(fault.kind, fault.summary, line=fault.line, code=fault.code)
    if fault.kind in FATAL:
        return _failure(drill, index, first, None)
    with known_mistakes.spare_for(runner) as spare:
        if known_mistakes.unasked:
            spare.start()  # it starts during the search for the smallest case
        shown = first if runner.finished or first.case.large else _smallest(runner, case_set, index, first)
        failed = [shown, *(o for _, o in failing if o is not shown)]
        passed = [o for _, o in seen if o.fault is None and not o.case.large]
        repeated = repetition(runner, drill, [first, *failed], passed)
        failed, passed = _by_forward(drill, failed, passed)
        failing_sample, passing_sample = evidence(failed), spread(passed)
        rule = None
        changes = repeated is not Repetition.EQUAL
        if changes and shown.got is not None and is_uninitialised(runner, drill, source, failed, passed):
            rule = UNINITIALISED
        elif repeated is Repetition.CHANCE and fault.kind is not FaultKind.RAISED:  # other cases may be random alone
            rule = rule_of_mistake(random_mistake(runner, spare.start(), drill, failed, passed)) or RANDOM
        elif runner.has_ranks and is_right_together(runner, drill, source, [o for _, o in seen]):
            rule = OUTSIDE_COLLECTIVES
        if rule is None and isinstance(shown.outcome, ends.Returned) and shown.outcome.joined:
            rule = one_array(drill, source, shown)
        large = _large_case(case_set, index, fault.kind) if first.case.large else None
        rule = rule or known_rule(spare, drill, known_mistakes, failing_sample, passing_sample, large)
        if rule is None and shown is not first and first.fault is not None:
            # A smaller case may fail for another reason, such as an epsilon.
            rule = known_rule(spare, drill, known_mistakes, [first, *failing_sample[1:]], passing_sample)
            shown = shown if rule is None else first
        if rule is None:
            from autodrill.grading.diagnosis.rule_search import unknown_rule  # not needed for a known mistake

            rule = unknown_rule(runner, spare, drill, repeated, failed, passed)
            if rule is None and (others := _not_finite_alone(failing)):
                # The code has two faults, such as an epsilon and an overflow. Some cases show one of them alone.
                alone = [o for _, o in others]
                rule = known_rule(spare, drill, known_mistakes, evidence(alone), passing_sample)
                rule = rule or unknown_rule(runner, spare, drill, repeated, alone, passed)
                index, shown = (index, shown) if rule is None else others[0]
        if rule is None or not rule.known:
            rest = [o for o in failed if o is not shown]
            rule = _in_source(runner, drill, source, rule, [shown, *rest], passed, steady=not changes)
    failure = _failure(drill, index, shown, rule)
    return _with_tape(failure, drill, shown, [o for _, o in seen]) if draw else failure


def _in_source(
    runner: Runner,
    drill: Drill,
    source: bytes,
    rule: Rule | None,
    failing: list[Observation],
    passing: list[Observation],
    *,
    steady: bool,
) -> Rule | None:
    """Return a rule that names a line of the submission, if one is found that says more than `rule`.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        drill: The exercise.
        source: The candidate's file.
        rule: The rule found so far.
        failing: All observations with a fault, the one to be shown first.
        passing: All observations without one, none of them large.
        steady: Whether equal calls give equal answers.
    """
    from autodrill.grading.diagnosis.float_errors import with_operation  # these are rarely needed
    from autodrill.grading.diagnosis.input_class_rules import NAN_WHERE_FINITE
    from autodrill.grading.diagnosis.repair_search import is_vague, repaired, says_more

    if steady and is_vague(rule):
        repair = repaired(runner, drill, source, failing, passing)
        rule = repair if repair is not None and says_more(repair, rule) else rule
    fault = failing[0].fault
    if rule is None and fault is not None and fault.kind is FaultKind.NOT_FINITE:
        found = with_operation(runner, drill, source, NAN_WHERE_FINITE, failing[0])
        return None if found is NAN_WHERE_FINITE else found
    return None if rule is None else with_operation(runner, drill, source, rule, failing[0])


def _with_tape(failure: Failure, drill: Drill, shown: Observation, seen: list[Observation]) -> Failure:
    from autodrill.grading.diagnosis.broken_step import NothingToDraw, tape_steps  # only on request

    try:
        return replace(failure, tape=tape_steps(drill, shown, seen))
    except NothingToDraw as why:
        return replace(failure, no_tape=str(why))


def _not_finite_alone(failing: list[tuple[int, Observation]]) -> list[tuple[int, Observation]]:
    """Return the failing cases with NaN or infinity, unless the first is one. NaN for an empty array does not count."""
    if failing[0][1].fault is None or failing[0][1].fault.kind is FaultKind.NOT_FINITE:
        return []
    fair = [(i, o) for i, o in failing if has_numbers(o) and not o.case.large and not o.case.spoiled]
    return [(i, o) for i, o in fair if o.fault is not None and o.fault.kind is FaultKind.NOT_FINITE]


def _by_forward(
    drill: Drill, failed: list[Observation], passed: list[Observation]
) -> tuple[list[Observation], list[Observation]]:
    """Return the failing and the passing observations, judged by the forward alone if it is wrong."""
    ever_wrong = {i for o in failed for i, wrong in enumerate(o.wrong) if wrong}
    judged = [of_forward(drill, o, ever_wrong) for o in failed]
    if judged[0].fault is None:
        return failed, passed
    return [o for o in judged if o.fault is not None], [*(o for o in judged if o.fault is None), *passed]


def _smallest(runner: Runner, case_set: CaseSet, index: int, first: Observation) -> Observation:
    """Find the smallest case of the same class that fails in the same way."""
    assert first.fault is not None
    deadline = time.monotonic() + _SHRINK_SECONDS
    for question in case_set.smaller(index):
        if time.monotonic() > deadline:
            break
        try:
            found = put_case(runner, case_set.drill, question)
        except InternalError:
            continue
        if runner.finished:
            break
        if found.fault is not None and _fails_alike(found, first):
            return found
    return first


def _fails_alike(found: Observation, first: Observation) -> bool:
    """Whether two cases fail in the same way; for a kernel, with the same device fault."""
    assert found.fault is not None
    assert first.fault is not None
    if found.fault.kind is not FaultKind.DEVICE or first.fault.kind is not FaultKind.DEVICE:
        return found.fault.kind is first.fault.kind
    return getattr(found.outcome, "type", None) == getattr(first.outcome, "type", None)


# -- the record --------------------------------------------------------------------------------------------------------


def _failure(drill: Drill, index: int, shown: Observation, rule: Rule | None) -> Failure:
    fault = shown.fault
    assert fault is not None
    given = {n: short(v) for n, v in drill.kind.shown_arguments(drill, shown.case, shown.expected).items()}
    return Failure(
        kind=fault.kind,
        summary=fault.summary.partition(": ")[2] if rule and fault.kind is FaultKind.WRONG else fault.summary,
        rule=rule,
        case=index,
        label=shown.case.label.removeprefix("scalars").removeprefix(" · "),
        given=given,
        comparisons=comparisons(shown),
        line=fault.line,
        code=fault.code,
    )


def comparisons(shown: Observation) -> tuple[Comparison, ...]:
    """Return each result of an observation next to its expected value; nothing if the numbers are not at fault."""
    if shown.fault is not None and shown.fault.kind in _NUMBERS_RIGHT:
        return ()
    if shown.got is None:
        if shown.fault is not None and shown.fault.kind is FaultKind.WRONG and isinstance(shown.outcome, ends.Returned):
            return (Comparison("returned", "", short(shown.outcome.value), wrong=True),)
        return ()
    rows = []
    for part, got, wrong in zip(shown.expected.parts, shown.got, shown.wrong, strict=True):
        if shown.fault is not None and shown.fault.kind is FaultKind.DTYPE:
            expected, mine = str(part.dtype), str(got.dtype) if got is not None else ""
        else:
            expected, mine = compared(part.value, got)
        rows.append(Comparison(part.name, expected, mine, wrong))
    return tuple(rows)
