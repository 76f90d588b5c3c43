"""Search for the rule that a wrong answer breaks, if it is none of the known mistakes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.diagnosis.determinism import Repetition
from autodrill.grading.diagnosis.fault_rules import STRUCTURAL, careless_rule, judged_rule, self_evident_rule
from autodrill.grading.diagnosis.input_class_rules import (
    WRONG_SHAPE,
    falsy_option,
    only_somewhere,
    scale_or_layout_rule,
)
from autodrill.grading.diagnosis.linearity import linearity_rule
from autodrill.grading.diagnosis.overwriting import overwritten
from autodrill.grading.diagnosis.permutation_rules import exchanged_arguments, misplaced
from autodrill.grading.diagnosis.precision_rules import half_precision, hidden_nan, nearly_right
from autodrill.grading.diagnosis.scale_rules import constant_factor, stray_factor, term_without_upstream
from autodrill.grading.diagnosis.similarity import class_of, close, evidence, ordinary, spread, suffix_of
from autodrill.grading.diagnosis.transformation_table import PATTERNS, Pattern
from autodrill.grading.diagnosis.transformations import hair
from autodrill.grading.diagnosis.value_region import value_region

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.diagnosis.known_mistakes import SpareRunner
    from autodrill.sandbox.runner import Runner

    Array = NDArray[Any]

__all__ = ["generic_rule", "unknown_rule"]

_LEAST = 3
"""Number of ordinary failing cases that a formula must explain if it does not hold in other cases."""

_UNEXPLAINED = 0.1
"""If a result is a mean of random draws, a formula may leave this share of the result's error unexplained."""

_NAMED = 2
"""The most layouts that a message names. If there are more, it says "some cases"."""


def unknown_rule(
    runner: Runner,
    spare: SpareRunner,
    drill: Drill,
    repeated: Repetition,
    failing: list[Observation],
    passing: list[Observation],
) -> Rule | None:
    """Return the rule of a wrong answer that is not a known mistake, or None.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        spare: Runs mutants of the solution, if nothing else explains the answer.
        drill: The exercise.
        repeated: How its answers to equal calls are related.
        failing: All observations with a fault, the one to be shown first; never empty.
        passing: All observations without one, except large cases.
    """
    shown = failing[0]
    raised = shown.fault is not None and shown.fault.kind is FaultKind.RAISED  # this says more than a changed answer
    return (
        judged_rule(shown)
        or (STRUCTURAL[FaultKind.UNREPEATABLE] if repeated is Repetition.STATE and not raised else None)
        or generic_rule(drill, failing, passing)
        or linearity_rule(runner, drill, shown)
        or _one_slip(spare, drill, failing, passing)
        or _off_by_term(drill, failing, passing)
    )


def _one_slip(spare: SpareRunner, drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    from autodrill.grading.diagnosis.mutation_search import one_slip  # the last resort

    return one_slip(spare.start(), drill, evidence(failing), spread(passing))


def _off_by_term(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    from autodrill.grading.diagnosis.term_rules import off_by_term  # rarely needed

    with np.errstate(all="ignore"):
        rule = off_by_term(drill, evidence(failing), spread(passing))
        if rule is None:
            from autodrill.grading.diagnosis.place_rules import place_rule  # the very last resort

            rule = place_rule(drill, evidence(failing), spread(passing))
        return rule


def generic_rule(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule that explains every failing observation and contradicts no passing one, or None.

    Args:
        drill: The exercise.
        failing: All observations with a fault, the smallest first; never empty.
        passing: All observations without one.
    """
    with np.errstate(all="ignore"):  # an overflow or 0/0 in an alternative explains nothing
        return (
            _falsy(failing, passing)
            or self_evident_rule(drill, failing[0])
            or hidden_nan(drill, failing)
            or scale_or_layout_rule(drill, failing, passing)
            or _numerical_rule(drill, failing, passing)
        )


def _falsy(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of an option taken for false if it leads to an exception, whose own rule says less."""
    raised = failing[0].fault is not None and failing[0].fault.kind is FaultKind.RAISED
    return falsy_option(failing, passing) if raised else None


def _numerical_rule(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    failing_sample, passing_sample = evidence(failing), [o for o in spread(passing) if o.got is not None]
    matching: list[Pattern] = []
    rule = None
    if all(o.got is not None for o in failing_sample):
        matching = _matching(drill, failing_sample)
        rule = (
            _formula_rule(drill, matching, failing_sample, passing_sample)
            or misplaced(failing_sample)
            or half_precision(drill, failing_sample)
            or _nearly_right(failing_sample, passing)
            or (None if matching else term_without_upstream(drill, failing))
        )
    if rule is None and failing[0].fault is not None and failing[0].fault.kind is FaultKind.SHAPE:
        from autodrill.grading.diagnosis.shape_rules import shape_rule  # not needed for other faults

        rule = shape_rule(drill, failing_sample)
    rule = (
        rule
        or _ordinary_rule(drill, failing_sample, passing_sample)
        or _sometimes(matching, failing, passing)
        or only_somewhere(drill, failing, passing)
    )
    gradients = drill.solution.forward is not None
    if rule is None and gradients and failing[0].fault is not None and failing[0].fault.kind is FaultKind.SHAPE:
        from autodrill.grading.diagnosis.shape_rules import broadcast_rule

        return broadcast_rule(failing_sample) or WRONG_SHAPE
    return rule or careless_rule(failing[0])


def _nearly_right(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    rule = nearly_right(failing, passing)
    region = None if rule is None else value_region(failing, passing)
    if rule is None or region is None:
        return rule
    digits = rule.because.partition(",")[0]
    return Rule("wrong-where", f"where {region.values}, {region.part} is {digits}", region.hint)


def _matching(drill: Drill, failing: list[Observation]) -> list[Pattern]:
    """Return the patterns that explain every failing observation."""
    tried = itertools.chain(PATTERNS, exchanged_arguments(drill, failing))
    found = [p for p in tried if all(_explains(p, drill, o) for o in failing)]
    contributions = drill.solution.forward is not None and not drill.solution.drive
    return [p for p in found if contributions or p.rule.key != "zero"]


def _formula_rule(
    drill: Drill, matching: list[Pattern], failing: list[Observation], passing: list[Observation]
) -> Rule | None:
    """Return the rule of a formula that explains every failing observation and contradicts no passing one."""
    ever_wrong = {i for o in failing for i, wrong in enumerate(o.wrong) if wrong}
    for pattern in matching:
        if all(_allows(pattern, drill, o, ever_wrong) for o in passing):
            return pattern.rule
    return (
        constant_factor(failing, passing)
        or stray_factor(drill, failing, passing)
        or overwritten(drill, failing, passing)
    )


def _ordinary_rule(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of a formula that holds in the ordinary cases and in the one shown, or None.

    A guard, or a division by 0, hides the formula in degenerate cases.
    """
    usual = {id(o) for o in ordinary([*failing, *passing], size_one=True)}
    some = [o for o in failing if id(o) in usual and o.got is not None]
    if failing[0].got is None or len(some) < _LEAST:
        return None
    some = [failing[0], *(o for o in some if o is not failing[0])]
    return _formula_rule(drill, _matching(drill, some), some, [o for o in passing if id(o) in usual])


def _sometimes(matching: list[Pattern], failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of a pattern that explains all failing cases although it contradicts passing ones, or None.

    One path of the code has the mistake. Outside a layout of its own only a pattern counts that no other formula gives
    by chance.
    """
    layouts = {suffix_of(o) for o in failing} - {""}
    if 0 < len(layouts) <= _NAMED and not any(suffix_of(o) in layouts for o in passing):
        rule = next((p.rule for p in matching if p.partial), None)
        quoted = " and ".join(f"'{layout}'" for layout in sorted(layouts))
        where = f"only for {quoted}, "
    else:
        classes = {class_of(o) for o in failing}
        special = len(classes) == 1 and any(class_of(o) not in classes for o in passing)
        # A slice that is missing only for special inputs was never cut off by the end of a loop.
        rule = next((p.rule for p in matching if p.scattered and not (special and p.rule.key == "skips-slice")), None)
        region = value_region(failing, passing) if rule else None
        where = f"where {region.values}, " if region else "in some cases, "
    return replace(rule, because=where + rule.because) if rule else None


def _alternatives(pattern: Pattern, drill: Drill, o: Observation) -> list[Array | None]:
    """Return the results of a pattern; none if the exercise's forward fails for the pattern's inputs."""
    try:
        return pattern.alternative(drill, o)
    except Exception:  # noqa: BLE001 an error of the author's forward there says nothing about the answer
        return []


def _explains(pattern: Pattern, drill: Drill, o: Observation) -> bool:
    """Whether every wrong result is that of the pattern."""
    assert o.got is not None
    alternatives = _alternatives(pattern, drill, o)
    if len(alternatives) != len(o.got):
        return False
    seen = False
    for got, other, part, wrong in zip(o.got, alternatives, o.expected.parts, o.wrong, strict=True):
        if not wrong:
            continue
        if got is None or other is None or got.shape != other.shape:
            return False
        tolerance = part.tolerance if part.tolerance.shape == got.shape else np.max(part.tolerance, initial=0.0)
        room = np.asarray(tolerance) * 4 + hair(o, other)
        if part.deviation is not None:  # chance alone may bring a mean of a few draws near another formula
            room = np.minimum(room, _UNEXPLAINED * np.max(np.abs(got - part.value), initial=0.0))
        if not close(got, other, room):
            return False
        if other.shape == part.value.shape and close(other, part.value, tolerance):
            return False  # a right result explains no wrong one, however close
        seen = True
    return seen


def _allows(pattern: Pattern, drill: Drill, o: Observation, parts: set[int]) -> bool:
    """Whether the pattern also gives the right results in a passing case."""
    alternatives = _alternatives(pattern, drill, o)
    if len(alternatives) != len(o.expected.parts):
        return True
    for i in parts:
        other, part = alternatives[i], o.expected.parts[i]
        if other is not None and other.shape == part.value.shape and not close(other, part.value, part.tolerance * 4):
            return False
    return True
