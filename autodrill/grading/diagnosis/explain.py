"""Explanation of a failure: the smallest case that shows it as short text, and the rule that it breaks."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 it shows arrays

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.errors import InternalError
from autodrill.grading.cases.case_set import put_case
from autodrill.grading.diagnosis.determinism import RANDOM, Repetition, random_mistake, repetition
from autodrill.grading.diagnosis.similarity import Likeness, evidence, likeness, spread
from autodrill.grading.report import FATAL, Comparison, Failure
from autodrill.sandbox import requests as ends
from autodrill.sandbox.child.wire import Opaque

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.case_set import CaseSet
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.diagnosis.known_mistakes import KnownAnswers, KnownMistakes, SpareRunner
    from autodrill.sandbox.runner import Runner

__all__ = ["explain", "pair", "short"]

_SHRINK_SECONDS = 10.0
"""Time limit of the search for a smaller case. It matters only for very slow code: the number of cases is limited too,
and they usually take some tenths of a second."""

_NUMBERS_RIGHT = {
    FaultKind.MUTATED,
    FaultKind.ALIASED,
    FaultKind.REUSED,
    FaultKind.UNREPEATABLE,
    FaultKind.NONLINEAR,
    FaultKind.NOISY,
}
"""Faults of answers with right numbers, for which a comparison of numbers would confuse."""


_LONGEST = 60


def explain(
    runner: Runner,
    case_set: CaseSet,
    known_mistakes: KnownMistakes,
    seen: list[tuple[int, Observation]],
    failing: list[tuple[int, Observation]],
) -> Failure:
    """Explain the first failing case.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        case_set: The cases.
        known_mistakes: The known mistakes of the exercise.
        seen: The observation of every case put, with its index in the battery.
        failing: Those to explain; never empty.
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
        failing_sample, passing_sample = evidence(failed), spread(passed)
        repeated = repetition(runner, drill, [first, *failed], passed)
        rule = None
        if repeated is Repetition.CHANCE:
            rule = _random_rule(spare.start(), drill, failed, passed)
        rule = rule or _known_rule(spare, drill, known_mistakes, failing_sample, passing_sample)
        if rule is None:
            from autodrill.grading.diagnosis.rule_search import unknown_rule  # not needed for a known mistake

            rule = unknown_rule(runner, spare, drill, repeated, failed, passed)
    return _failure(drill, index, shown, rule)


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


# -- known mistakes ----------------------------------------------------------------------------------------------------


def _known_rule(
    spare: SpareRunner,
    drill: Drill,
    known_mistakes: KnownMistakes,
    failing: list[Observation],
    passing: list[Observation],
) -> Rule | None:
    """Return the rule of the known mistake that answers every case as the candidate's code does, or None."""
    ever_wrong = {i for o in failing for i, wrong in enumerate(o.wrong) if wrong}
    alike: Mistake | None = None
    partly: Mistake | None = None
    forgiven = failing[0].case.remark
    for mistake in sorted(drill.solution.mistakes, key=lambda m: m.remark is not forgiven):
        if spare.finished:
            break
        answers = known_mistakes.of(mistake, spare)
        if answers is None:
            continue
        degree = _agreement(answers, [*failing, *passing], ever_wrong)
        if degree is Likeness.SAME:
            return _as_rule(mistake)
        if degree is Likeness.PARTLY and partly is None:
            partly = mistake
        if degree is Likeness.AKIN and alike is None:
            alike = mistake
    return _in_part(partly, failing[0], ever_wrong) or _as_rule(alike)


def _random_rule(spare: Runner, drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule:
    """Return the rule of a random answer: that of a known mistake that is random too, or the general one."""
    return _as_rule(random_mistake(spare, drill, failing, passing)) or RANDOM


def _in_part(mistake: Mistake | None, shown: Observation, ever_wrong: set[int]) -> Rule | None:
    """Return the rule of a mistake that gets further results wrong too, limited to the results that are wrong here."""
    if mistake is None:
        return None
    names = " and ".join(part.name for i, part in enumerate(shown.expected.parts) if i in ever_wrong)
    return Rule(mistake.key, f"{mistake.because}, but only in {names}", mistake.hint, known=True)


def _as_rule(mistake: Mistake | None) -> Rule | None:
    return Rule(mistake.key, mistake.because, mistake.hint, known=True) if mistake else None


def _agreement(answers: KnownAnswers, mine: list[Observation], ever_wrong: set[int]) -> Likeness:
    """Return how a mistake's answers resemble the candidate's. Large cases are left out: small ones show the same."""
    asked = [(o, o.question) for o in mine if o.question is not None and not o.case.large]
    degree = Likeness.SAME
    with closing(answers.to([question for _, question in asked])) as observations:
        for o, _ in asked:
            theirs = next(observations, None)
            degree = min(degree, Likeness.DIFFERENT if theirs is None else likeness(o, theirs, ever_wrong))
            if degree is Likeness.DIFFERENT:
                break
    return degree


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
    for part, got, wrong in zip(shown.expected.parts, shown.got, shown.wrong, strict=True):
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


def short(value: Any, digits: int = 4) -> str:
    """Return a value in one line of at most 60 characters."""
    text = _text(value, digits)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def pair(want: NDArray[Any], got: NDArray[Any]) -> tuple[str, str]:
    """Return two arrays of one shape as short text, with enough digits to differ."""
    for digits in (4, 7, 10, 17):
        texts = _text(want, digits), _text(got, digits)
        if texts[0] != texts[1]:
            break
    if max(map(len, texts)) <= _LONGEST:
        return texts
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(np.float64) - want)
    worst = np.unravel_index(int(np.nanargmax(np.where(np.isfinite(off), off, np.inf))), want.shape)
    place = f"[{', '.join(map(str, worst))}]"
    return f"{_number(want[worst], 6)} at {place}", f"{_number(got[worst], 6)} at {place}"


def _text(value: Any, digits: int) -> str:
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return f"empty, shape {value.shape}"
        dtype = "" if value.dtype in (np.float64, np.int64) else f" {value.dtype}"
        return _nested(value, digits) + dtype
    if isinstance(value, np.generic | int | float) and not isinstance(value, bool):
        return _number(value, digits)
    if isinstance(value, list | tuple):
        inside = ", ".join(_text(v, digits) for v in value[:40])
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_text(v, digits)}" for k, v in list(value.items())[:40]) + "}"
    if isinstance(value, Opaque):
        return f"a {value.type_name}"
    return repr(value)[: _LONGEST + 1]


def _nested(array: NDArray[Any], digits: int) -> str:
    if array.ndim == 0:
        return _number(array[()], digits)
    if array.size > 64:
        return f"shape {array.shape}"
    return f"[{', '.join(_nested(a, digits) for a in array)}]"


def _number(value: Any, digits: int) -> str:
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    return f"{float(value):.{digits}g}"
