"""Putting one case to the loaded code, and the further questions that a right answer invites."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 cotangents are arrays

from autodrill.grading.cases.arguments import arguments
from autodrill.grading.cases.compare import Fault, Observation, answer_budget, ask, examine, results
from autodrill.grading.cases.estimators import mean_of_draws, noise
from autodrill.grading.oracle.expected import added_by, truth
from autodrill.grading.report import FaultKind
from autodrill.sandbox.outcomes import Returned
from autodrill.sandbox.reply_form import Form
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.oracle.expected import Truth
    from autodrill.sandbox.outcomes import CallOutcome
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

    Array = NDArray[Any]

__all__ = ["Question", "observe", "put", "question", "settle"]

_LINEAR = 400
"""How many tolerances f(g1) + f(g2) may be off f(g1 + g2): g2 is a hundred times as large as g1."""

_LARGE_SECONDS = 1.5
"""What the large case may take: a backward takes milliseconds, finite differences take several seconds."""


@dataclass(frozen=True, slots=True)
class Question:
    """A case as it is put, together with the further questions that a right answer to it invites.

    Attributes:
        case: The case.
        truth: What is right for it.
        request: The calls: the case itself, or all draws of an estimator; if `linear`, with another cotangent, unless
            what that adds is known, and with the sum of both; and then, if it is `repeated`, once more with the very
            arguments of the first call, as that left them.
        linear: Whether linearity is asked about.
        added: What the other cotangent adds to each result if the answer to the case itself is right: empty if that
            answer might be right by chance, its cotangent being none that was drawn.
        allowed: How far f(g1) + f(g2) may be off f(g1 + g2) in each result, if both are otherwise right.
        repeated: Whether the first call is made once more.
        strung: What is right, its tolerance, `added` and `allowed`, the elements of all results in one row each; None
            if the request has no form that a right answer has.
    """

    case: Case
    truth: Truth
    request: Request
    linear: bool
    added: tuple[Array, ...]
    allowed: tuple[Array, ...]
    repeated: bool
    strung: tuple[Array, Array, Array, Array] | None


def question(
    exercise: Exercise, solution: Solution, case: Case, known: Truth, *, seconds: float, further: bool = True
) -> Question:
    """Make the request for a case.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        case: The case.
        known: What is right for it.
        seconds: Wall time of each call, unless the case is large.
        further: Whether to ask the further questions, where they make sense. One case of a class is enough for them:
            of the others each is held to what is right for a cotangent of its own. About linearity every case is asked
            in which an answer can be right and yet no derivative: at kinks, where that of either side is right, and
            under a cotangent that was not drawn.
    """
    called = exercise.kind.is_linear and not solution.drive
    pure = called and not case.large and not case.draws
    comparable = called and solution.judge is None  # a judge says right or wrong, and keeps no numbers
    # Of 0 every linear function makes 0, and there is nothing to be added to infinity.
    telling = bool(known.cotangents) and all(np.isfinite(c).all() and np.any(c != 0) for c in known.cotangents)
    doubtful = further or not case.smooth or case.cotangent is not None
    linear = comparable and pure and telling and doubtful
    calls = [Call(arguments(exercise, solution, case, known))]
    added: tuple[Array, ...] = ()
    if linear:
        others = _other_cotangents(case, known)
        more = [tuple(np.asarray(a + b) for a, b in zip(known.cotangents, others, strict=True))]
        if case.cotangent is None:
            added = tuple(added_by(exercise, solution, case, known, others))
        else:
            more.insert(0, others)
        calls += [
            Call(arguments(exercise, solution, case, replace(known, cotangents=each)), watched=False) for each in more
        ]
    calls += [Call(arguments(exercise, solution, case, known, draw), watched=False) for draw in range(1, case.draws)]
    repeated = pure and further
    if repeated:
        calls.append(replace(calls[0], again="writes-cotangent" not in solution.remarks))
    request = call_request(
        calls,
        budget=answer_budget(case, known),
        seconds=_seconds(case, seconds),
        form=Form([part.value.astype(part.dtype) for part in known.parts]) if comparable and not known.absent else None,
    )
    allowed = tuple(_LINEAR * part.tolerance for part in known.parts) if added else ()
    strung = None
    if request.form is not None:
        right, tolerance = [part.value for part in known.parts], [part.tolerance for part in known.parts]
        strung = _strung(right), _strung(tolerance), _strung(added), _strung(allowed)
    return Question(case, known, request, linear, added, allowed, repeated, strung)


def _seconds(case: Case, usual: float) -> float:
    """Wall time of a call."""
    if case.bound is not None and case.bound.seconds:
        return case.bound.seconds
    if case.bound is not None:
        return max(usual, _LARGE_SECONDS)
    return _LARGE_SECONDS if case.large else usual


def put(process: Runner, exercise: Exercise, solution: Solution, what: Case | Question) -> Observation:
    """Put a case; where its answer is right, ask as well whether it is linear and the same again.

    Args:
        process: With the code loaded.
        exercise: The exercise.
        solution: Its solution side.
        what: The case, or the question that was made of it before.
    """
    asked = what
    if not isinstance(asked, Question):
        known = truth(exercise, solution, asked)
        asked = question(exercise, solution, asked, known, seconds=process.limits.seconds)
    (ends,) = process.answers([asked.request])
    return settle(process, exercise, solution, asked, observe(exercise, solution, asked, ends))


def observe(exercise: Exercise, solution: Solution, asked: Question, ends: Sequence[CallOutcome]) -> Observation:
    """Say what the answers to a question show.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        asked: The question.
        ends: How its calls ended, up to the first that did not return.
    """
    if not asked.case.draws and (right := _right(asked, ends)) is not None:
        return right
    return replace(_observed(exercise, solution, asked, ends), asked=asked)


def _observed(exercise: Exercise, solution: Solution, asked: Question, ends: Sequence[CallOutcome]) -> Observation:
    first = ends[0] if not asked.case.draws else mean_of_draws(exercise, solution, asked.truth, ends)
    seen = examine(exercise, solution, asked.case, asked.truth, first)
    if asked.case.large:
        return _costly(seen)
    if asked.case.draws:
        return seen if seen.fault is not None else replace(seen, fault=noise(exercise, solution, asked.truth, ends))
    if seen.fault is not None:
        return seen
    fault = None
    # State is asked for first: what depends on earlier calls looks like anything else.
    if asked.repeated and len(ends) == asked.request.answers and ends[-1] is not ends[0]:
        again = examine(exercise, solution, asked.case, asked.truth, ends[-1]).fault
        fault = again
        if again is not None and again.kind is not FaultKind.REUSED:
            fault = Fault(FaultKind.UNREPEATABLE, f"the same call again: {again.summary}", again.line)
    if fault is None and asked.linear:
        fault = _nonlinear(exercise, solution, asked, seen, ends[1 : 2 if asked.added else 3])
    return replace(seen, fault=fault) if fault is not None else seen


def _right(asked: Question, ends: Sequence[CallOutcome]) -> Observation | None:
    """Say at once what answers show that are right in all; None if they may not be, and each has to be looked at."""
    if len(ends) != asked.request.answers or (asked.repeated and ends[-1] is not ends[0]):
        return None
    if asked.strung is None or not (got := _fitting(ends[0])) or (asked.linear and not asked.added):
        return None
    right, tolerance, added, allowed = asked.strung
    with np.errstate(all="ignore"):
        first = _strung(got)
        if not _everywhere(np.abs(first - right) <= tolerance):
            return None
        if asked.linear:
            if not (more := _fitting(ends[1])):
                return None
            if not _everywhere(np.abs(first + added - _strung(more)) <= allowed):
                return None
    return Observation(asked.case, asked.truth, ends[0], got, (False,) * len(got), None, asked=asked)


def _strung(arrays: Sequence[Array]) -> Array:
    """Return the elements of all arrays in one row."""
    return np.concatenate(arrays, axis=None) if arrays else np.empty(0)


def _everywhere(holds: NDArray[np.bool_]) -> bool:
    """Return whether all of an array is true: for a small one several times faster than asking NumPy for `all`."""
    return bool(np.count_nonzero(holds) == holds.size)


def settle(process: Runner, exercise: Exercise, solution: Solution, asked: Question, seen: Observation) -> Observation:
    """Ask once more where an answer seems not to be linear: what depends on earlier calls looks like anything else."""
    if seen.fault is None or seen.fault.kind is not FaultKind.NONLINEAR or process.finished:
        return seen
    for _ in range(2):  # twice in a row: by now other cases have been put, and what they left may hide the first
        again = ask(process, exercise, solution, asked.case, asked.truth).fault
        if again is not None:
            words = f"the same call again: {again.summary}"
            return replace(seen, fault=Fault(FaultKind.UNREPEATABLE, words, again.line))
    return seen


def _fitting(end: CallOutcome) -> tuple[Array, ...]:
    """Return the arrays of an answer that has the right form, none for any other."""
    if not isinstance(end, Returned) or not end.fitting:
        return ()
    return end.value if isinstance(end.value, tuple) else (end.value,)


def _costly(seen: Observation) -> Observation:
    """A large case that takes too much time or memory is not a slow machine, but a wrong way to compute."""
    fault = seen.fault
    if fault is None or fault.kind not in {FaultKind.TIME, FaultKind.MEMORY}:
        return seen
    bound = seen.case.bound
    summary = f"no answer after {_LARGE_SECONDS:g} s on a large input, where the forward takes milliseconds"
    kind = FaultKind.TOO_SLOW
    if fault.kind is FaultKind.MEMORY:
        summary = f"{fault.summary} on an input of {sum(np.size(v) for v in seen.case.inputs.values())} numbers"
    if bound is not None and fault.kind is FaultKind.MEMORY and bound.memory:
        kind, summary = FaultKind.TOO_MUCH_MEMORY, f"too much memory: {bound.because}"
    elif bound is not None and bound.seconds:
        summary = f"too much time, no answer after {bound.seconds:g} s: {bound.because}"
    return replace(seen, fault=Fault(kind, summary, fault.line, fault.code))


def _other_cotangents(case: Case, known: Truth) -> tuple[Array, ...]:
    """Other cotangents, much larger so that they matter."""
    rng = np.random.default_rng([case.seed, 3])
    return tuple(np.asarray(100 * rng.normal(size=c.shape)).astype(c.dtype) for c in known.cotangents)


def _nonlinear(
    exercise: Exercise, solution: Solution, asked: Question, seen: Observation, ends: Sequence[CallOutcome]
) -> Fault | None:
    """Every true VJP is linear in the cotangent, kinks included: f(g1) + f(g2) = f(g1 + g2); a JVP in the tangent."""
    known = seen.truth
    assert seen.got is not None
    answers: list[Sequence[Array]] = [asked.added] if asked.added else []
    for end in ends:
        got, fault = results(exercise, solution, known, end)
        if got is None:
            summary = fault.summary if fault else "no answer"
            return Fault(FaultKind.NONLINEAR, f"for another cotangent: {summary}", fault.line if fault else None)
        fitting = [g for g, p in zip(got, known.parts, strict=True) if g is not None and g.shape == p.value.shape]
        if len(fitting) < len(got):
            return Fault(FaultKind.NONLINEAR, "for another cotangent it answers in another shape")
        answers.append(fitting)
    for first, added, both, part in zip(seen.got, *answers, known.parts, strict=True):
        assert first is not None
        if not part.linear:
            continue
        with np.errstate(all="ignore"):
            gap = np.abs(first + added - both)
            if (gap <= _LINEAR * part.tolerance).all():  # as nearly always; the rest only forgives more
                continue
            eps = float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0
            finite = np.isfinite(added) & np.isfinite(both)
            scale = np.abs(first) + np.abs(added) + np.max(np.abs(added), initial=0.0, where=finite)
            far = gap > _LINEAR * part.tolerance + 4096 * eps * scale
            # Where the right answer is finite, it is so for every cotangent; a NaN is never far from anything.
            off = far | (np.isfinite(first) & ~finite)
        if off.any():
            return Fault(
                FaultKind.NONLINEAR, f"{part.name} is not linear in the cotangent: f(g1)+f(g2) is not f(g1+g2)"
            )
    return None
