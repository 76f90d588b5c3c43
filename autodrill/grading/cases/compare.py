"""Comparison of outcomes with expected results: pure functions that return observations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.drills.case import named_arguments
from autodrill.drills.solution_file import authored
from autodrill.grading.cases.question import Observation
from autodrill.grading.cases.unpack import not_returned, results
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected, Part
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill, Solution
    from autodrill.grading.cases.question import Question

    Array = NDArray[Any]

__all__ = ["compare", "compare_call"]

_LINEAR = 400
"""Tolerances by which f(g1) + f(g2) may differ from f(g1 + g2), where g2 is a hundred times as large as g1."""


def compare(drill: Drill, question: Question, outcomes: Sequence[ends.CallOutcome]) -> Observation:
    """Compare the answers to a question with the expected results.

    Args:
        drill: The exercise.
        question: The question.
        outcomes: How its calls ended, up to the first that did not return.
    """
    case, expected = question.case, question.expected
    if case.draws:
        from autodrill.grading.cases.estimators import mean_of_draws, noise

        seen = compare_call(drill, case, expected, mean_of_draws(drill, expected, outcomes), question)
        fault = noise(drill, expected, outcomes) if seen.fault is None and not case.large else None
        if seen.fault is None and fault is None:
            fault = _memory_fault_of_any(drill, case, expected, outcomes[1:])
    else:
        seen = compare_call(drill, case, expected, outcomes[0], question)
        fault = _further_fault(drill, question, seen, outcomes) if seen.fault is None and not case.large else None
    if case.large:
        return _costly(seen)
    return seen if fault is None else replace(seen, fault=fault)


def _further_fault(
    drill: Drill, question: Question, seen: Observation, outcomes: Sequence[ends.CallOutcome]
) -> Fault | None:
    """Return the fault that the further calls show.

    Hidden state comes first: an answer that depends on earlier calls can look like any other fault.
    """
    complete = len(outcomes) == question.request.answers
    if question.repeated and complete and outcomes[-1] is not outcomes[0]:
        again = compare_call(drill, question.case, question.expected, outcomes[-1]).fault
        if again is not None and again.kind not in (FaultKind.REUSED, FaultKind.TIME):
            return Fault(
                FaultKind.UNREPEATABLE, f"the same call fails when it is repeated: {again.summary}", again.line
            )
        if again is not None:
            return again
    if not question.linear:
        return None
    others = outcomes[1 : 2 if question.added else 3]
    nonlinear = _nonlinear(drill, question, seen, others)
    return nonlinear or _memory_fault_of_any(drill, question.case, question.expected, others)


def compare_call(
    drill: Drill, case: Case, expected: Expected, end: ends.CallOutcome, question: Question | None = None
) -> Observation:
    """Compare the outcome of one call with the expected results."""
    solution = drill.solution
    if not isinstance(end, ends.Returned):
        return Observation(case, expected, end, None, (), not_returned(end), question=question)
    if solution.judge is not None:
        fault = _judged(solution, case, end) or _memory_fault(drill, case, expected, end)
        return Observation(case, expected, end, None, (), fault, question=question)
    got, fault = results(drill, expected, end)
    if got is None:
        return Observation(case, expected, end, None, (), fault, question=question)
    any_dtype = drill.kind.any_dtype or "dtype" in solution.remarks
    with np.errstate(all="ignore"):
        checks = [_compare_part(part, g, any_dtype=any_dtype) for part, g in zip(expected.parts, got, strict=True)]
    wrong = tuple([check is not None for check in checks])
    fault = _first_fault(checks, expected.parts, got)
    fault = drill.kind.fault(drill, case, expected, end.value, got, fault)
    memory_fault = _memory_fault(drill, case, expected, end)
    customs = (
        _customs(solution, expected, end, got) if solution.remarks and fault is None and memory_fault is None else ()
    )
    shown = tuple([None if g is None or g.dtype.kind not in "fiu" else g for g in got])
    return Observation(case, expected, end, shown, wrong, fault or memory_fault, customs, question)


def _judged(solution: Solution, case: Case, end: ends.Returned) -> Fault | None:
    assert solution.judge is not None
    value = end.value
    if solution.answer is not None and isinstance(value, dict):
        value = {**value, "asked": end.asked}
    if value is None:
        return Fault(FaultKind.NOTHING, "the call returns None")
    with authored(solution.path, "judge"):
        message = solution.judge(value, **case.inputs, **case.static)
    return Fault(FaultKind.WRONG, message) if message else None


def _compare_part(part: Part, got: Array | None, *, any_dtype: bool) -> Fault | None:
    """Return the fault of a result. The caller silences NumPy's warnings, because wrong results may be infinite."""
    if got is None:
        return Fault(FaultKind.TYPE, f"{part.name} is not {'an array of numbers' if part.value.ndim else 'a number'}")
    if got.dtype.kind not in "fiu":
        return Fault(FaultKind.TYPE, f"{part.name} has dtype {got.dtype}, but must have {part.dtype}")
    if got.shape != part.value.shape:
        of = f"{part.name[1:]}'s " if part.name.startswith("d") and part.name != "dout" else ""
        return Fault(FaultKind.SHAPE, f"{part.name} must have {of}shape {part.value.shape}, not {got.shape}")
    close = np.abs(got.astype(np.float64, copy=False) - part.value) <= part.tolerance
    if np.count_nonzero(close) < part.value.size:  # equal infinities are right, and so is NaN if NaN is expected
        close |= (got == part.value) | (np.isnan(got) & np.isnan(part.value)) | np.isinf(part.tolerance)
    if np.count_nonzero(close) < part.value.size:
        off = ~close
        where = np.unravel_index(int(np.argmax(off)), off.shape) if off.shape else ()
        if not np.isfinite(got[where]) and np.isfinite(part.value[where]):
            verb = "contains" if got.ndim else "is"
            return Fault(FaultKind.NOT_FINITE, f"{part.name} {verb} {got[where]}, but must be finite")
        if np.isnan(part.value[where]):
            verb = "contains" if got.ndim else "is"
            return Fault(FaultKind.VALUE, f"{part.name} {verb} {got[where]:.4g} where it must be NaN")
        count = "" if not off.shape or off.size == 1 else f" in {int(off.sum())} of {off.size} places"
        return Fault(FaultKind.VALUE, f"{part.name} is wrong{count}")
    if part.dtype.kind == "f" and got.dtype != part.dtype and got.ndim and not any_dtype and got.size:
        return Fault(FaultKind.DTYPE, f"{part.name} is {got.dtype}, but must be {part.dtype}")
    return None


def _first_fault(checks: Sequence[Fault | None], parts: Sequence[Part], got: Sequence[Array | None]) -> Fault | None:
    """Return the first fault of a result. A wrong dtype counts only if all values are right."""
    found = [check for check in checks if check is not None]
    other = next((fault for fault in found if fault.kind is not FaultKind.DTYPE), None)
    if other is not None or not found:
        return other
    named: dict[str, list[str]] = {}
    for check, part, g in zip(checks, parts, got, strict=True):
        if check is not None and g is not None:
            named.setdefault(f"{g.dtype}, but must be {part.dtype}", []).append(f"`{part.name}`")
    words = [f"{' and '.join(names)} {'are' if names[1:] else 'is'} {dtypes}" for dtypes, names in named.items()]
    return Fault(FaultKind.DTYPE, f"all values right; {'; '.join(words)}")


def _memory_fault_of_any(
    drill: Drill, case: Case, expected: Expected, ends_of_calls: Sequence[ends.CallOutcome]
) -> Fault | None:
    """Return the first fault of a further call that breaks a memory rule."""
    returned = (end for end in ends_of_calls if isinstance(end, ends.Returned))
    return next(filter(None, (_memory_fault(drill, case, expected, end) for end in returned)), None)


def _memory_fault(drill: Drill, case: Case, expected: Expected, end: ends.Returned) -> Fault | None:
    """Return the fault of an answer that breaks a memory rule although its numbers are right."""
    solution = drill.solution
    if not drill.kind.keeps_memory_rules:
        return None
    if not (end.changed or end.shared or end.readonly or end.joined or end.reused):
        return None
    names = dict(enumerate(named_arguments(drill, case, expected)))
    accepted = (*solution.may_edit, *(solution.cotangents if "writes-cotangent" in solution.remarks else ()))
    if changed := [i for i in end.changed if names.get(i) not in accepted]:
        name = names.get(changed[0], "it was given")  # the process reports the index, so it may be out of range
        if solution.drive and name in names.values() and name not in {p.name for p in drill.exercise.parameters}:
            # The candidate's own parameter has a name that only the code of the scenario knows.
            return Fault(FaultKind.MUTATED, f"the call changes an argument that comes from `{name}` of the case")
        return Fault(FaultKind.MUTATED, f"the call changes the argument {name}")
    if solution.drive:  # its results are made by the scenario
        return None
    parts = [p.name for p in expected.parts]
    own = {output for output, _ in end.shared}  # they share an argument that both calls were given
    for output in end.reused:
        if output < len(parts) and output not in own and expected.parts[output].value.size:
            return Fault(FaultKind.REUSED, f"{parts[output]} reuses the memory of an earlier call's result")
    if solution.may_alias or "aliases" in solution.remarks:
        return None
    for output, argument in end.shared:
        if output < len(parts) and expected.parts[output].value.size:
            name = names.get(argument, "it was given")
            return Fault(FaultKind.ALIASED, f"{parts[output]} shares memory with the argument {name}")
    for output in end.readonly:
        if output < len(parts) and expected.parts[output].value.size:
            return Fault(FaultKind.ALIASED, f"{parts[output]} is read-only: it is a view that repeats elements")
    for first, second in end.joined:
        if first < len(parts) and second < len(parts):
            return Fault(FaultKind.ALIASED, f"{parts[first]} and {parts[second]} share memory")
    return None


def _customs(
    solution: Solution, expected: Expected, end: ends.Returned, got: Sequence[Array | None]
) -> tuple[str, ...]:
    """Return the names of what the exercise accepts in a right answer although it is a fault elsewhere."""
    items = end.value if isinstance(end.value, tuple | list) else [end.value]
    shown = list(zip(items, expected.parts, strict=False))
    seen = {
        "writes-cotangent": bool(end.changed),
        "aliases": bool(end.shared or end.readonly or end.joined) and not solution.may_alias,
        "extra-axes": any(np.shape(item) != part.value.shape for item, part in shown),
        "dtype": any(g is not None and g.ndim and g.dtype != p.dtype for g, p in zip(got, expected.parts, strict=True)),
    }
    return tuple(name for name in solution.remarks if seen.get(name))


def _costly(seen: Observation) -> Observation:
    """Turn the cost or memory fault of a large case into the fault of its method."""
    fault, bound = seen.fault, seen.case.bound
    if fault is None or fault.kind not in {FaultKind.TOO_SLOW, FaultKind.MEMORY}:
        return seen
    kind, summary = FaultKind.TOO_SLOW, f"{fault.summary} on a large input; the forward takes milliseconds"
    if fault.kind is FaultKind.MEMORY:
        summary = f"{fault.summary} on an input of {sum(np.size(v) for v in seen.case.inputs.values())} numbers"
    if bound is not None and fault.kind is FaultKind.MEMORY and bound.memory:
        kind, summary = FaultKind.TOO_MUCH_MEMORY, f"the call takes too much memory: {bound.because}"
    elif bound is not None and fault.kind is FaultKind.TOO_SLOW and not bound.memory:
        summary = f"{fault.summary}: {bound.because}"
    return replace(seen, fault=Fault(kind, summary, fault.line, fault.code))


def _nonlinear(
    drill: Drill, question: Question, seen: Observation, outcomes: Sequence[ends.CallOutcome]
) -> Fault | None:
    """Return the fault of an answer that is not linear.

    Every VJP satisfies f(g1) + f(g2) = f(g1 + g2), also at kinks. A JVP satisfies it in the tangent.
    """
    expected = seen.expected
    assert seen.got is not None
    answers: list[Sequence[Array]] = [question.added] if question.added else []
    for end in outcomes:
        got, fault = results(drill, expected, end)
        if got is None:
            summary = fault.summary if fault else "there is no answer"
            return Fault(FaultKind.NONLINEAR, f"with another cotangent, {summary}", fault.line if fault else None)
        fitting = [g for g, p in zip(got, expected.parts, strict=True) if g is not None and g.shape == p.value.shape]
        if len(fitting) < len(got):
            return Fault(FaultKind.NONLINEAR, "with another cotangent, a result has another shape")
        answers.append(fitting)
    for first, added, both, part in zip(seen.got, *answers, expected.parts, strict=True):
        assert first is not None
        if not part.linear:
            continue
        with np.errstate(all="ignore"):
            gap = np.abs(first + added - both)
            if (gap <= _LINEAR * part.tolerance).all():  # the usual case; the bound below is only wider
                continue
            eps = float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0
            finite = np.isfinite(added) & np.isfinite(both)
            scale = np.abs(first) + np.abs(added) + np.max(np.abs(added), initial=0.0, where=finite)
            far = gap > _LINEAR * part.tolerance + 4096 * eps * scale
            # A finite derivative is finite for every cotangent. `far` is False for NaN.
            off = far | (np.isfinite(first) & ~finite)
        if off.any():
            return Fault(
                FaultKind.NONLINEAR, f"{part.name} is not linear in the cotangent: f(g1)+f(g2) is not f(g1+g2)"
            )
    return None
