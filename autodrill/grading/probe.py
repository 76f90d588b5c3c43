"""Putting one case to the loaded code, and the further questions that a right answer invites."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 cotangents are arrays

from autodrill.drills.exercise import Kind
from autodrill.grading.ask import arguments
from autodrill.grading.observe import Fault, answer_budget, ask, examine, results
from autodrill.grading.report import FaultKind
from autodrill.grading.request import call_request
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.cases import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation
    from autodrill.grading.outcome import CallOutcome
    from autodrill.grading.process import Runner
    from autodrill.grading.request import Request
    from autodrill.grading.truth import Truth

    Array = NDArray[Any]

__all__ = ["Question", "observe", "put", "question", "settle"]

_LARGE_SECONDS = 1.5
"""What the large case may take: a backward takes milliseconds, finite differences take several seconds."""


@dataclass(frozen=True, slots=True)
class Question:
    """A case as it is put, together with the further questions that a right answer to it invites.

    Attributes:
        case: The case.
        truth: What is right for it.
        request: The calls: the case itself; if `linear`, with another cotangent and with the sum of both; and then, if
            it is `repeated`, once more with the very arguments of the first call, as that left them.
        linear: Whether linearity is asked about.
        repeated: Whether the first call is made once more.
    """

    case: Case
    truth: Truth
    request: Request
    linear: bool
    repeated: bool


def question(exercise: Exercise, solution: Solution, case: Case, known: Truth, *, seconds: float) -> Question:
    """Make the request for a case.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        case: The case.
        known: What is right for it.
        seconds: Wall time of each call, unless the case is large.
    """
    repeated = exercise.kind is Kind.BACKWARD and not solution.drive and not case.large
    comparable = repeated and solution.judge is None  # a judge says right or wrong, and keeps no numbers
    linear = comparable and bool(known.cotangents) and all(np.isfinite(c).all() for c in known.cotangents)
    calls = [arguments(exercise, solution, case, known)]
    if linear:
        more = (replace(known, cotangents=cotangents) for cotangents in _more_cotangents(case, known))
        calls += [arguments(exercise, solution, case, each) for each in more]
    if repeated:
        calls.append(calls[0])
    request = call_request(
        calls,
        budget=answer_budget(known),
        seconds=_LARGE_SECONDS if case.large else seconds,
        again=frozenset({len(calls) - 1} if repeated else ()),
    )
    return Question(case, known, request, linear, repeated)


def put(process: Runner, exercise: Exercise, solution: Solution, case: Case, known: Truth | None = None) -> Observation:
    """Put a case; where its answer is right, ask as well whether it is linear and the same again.

    Args:
        process: With the code loaded.
        exercise: The exercise.
        solution: Its solution side.
        case: The case.
        known: What is right for it, if that is known already.
    """
    known = truth(exercise, solution, case) if known is None else known
    asked = question(exercise, solution, case, known, seconds=process.limits.seconds)
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
    seen = examine(exercise, solution, asked.case, asked.truth, ends[0])
    if asked.case.large:
        return _costly(seen)
    if seen.fault is not None or not asked.repeated:
        return seen
    fault = None
    # State is asked for first: what depends on earlier calls looks like anything else.
    if len(ends) == asked.request.answers and ends[-1] is not ends[0]:
        again = examine(exercise, solution, asked.case, asked.truth, ends[-1]).fault
        fault = again and Fault(FaultKind.UNREPEATABLE, f"the same call again: {again.summary}", again.line)
    if fault is None and asked.linear:
        fault = _nonlinear(exercise, solution, seen, ends[1:3])
    return replace(seen, fault=fault) if fault is not None else seen


def settle(process: Runner, exercise: Exercise, solution: Solution, asked: Question, seen: Observation) -> Observation:
    """Ask once more where an answer seems not to be linear: what depends on earlier calls looks like anything else."""
    if seen.fault is None or seen.fault.kind is not FaultKind.NONLINEAR or process.finished:
        return seen
    again = ask(process, exercise, solution, asked.case, asked.truth).fault
    if again is None:
        return seen
    return replace(seen, fault=Fault(FaultKind.UNREPEATABLE, f"the same call again: {again.summary}", again.line))


def _costly(seen: Observation) -> Observation:
    """A large case that takes too much time or memory is not a slow machine, but a wrong way to compute."""
    fault = seen.fault
    if fault is None or fault.kind not in {FaultKind.TIME, FaultKind.MEMORY}:
        return seen
    summary = f"no answer after {_LARGE_SECONDS:g} s on a large input, where the forward takes milliseconds"
    if fault.kind is FaultKind.MEMORY:
        summary = f"{fault.summary} on an input of {sum(np.size(v) for v in seen.case.inputs.values())} numbers"
    return replace(seen, fault=Fault(FaultKind.TOO_SLOW, summary, fault.line, fault.code))


def _more_cotangents(case: Case, known: Truth) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Other cotangents, much larger so that they matter, and their sums with the case's own."""
    rng = np.random.default_rng([case.seed, 3])
    others = tuple(np.asarray(100 * rng.normal(size=c.shape)).astype(c.dtype) for c in known.cotangents)
    return others, tuple(np.asarray(a + b) for a, b in zip(known.cotangents, others, strict=True))


def _nonlinear(exercise: Exercise, solution: Solution, seen: Observation, ends: Sequence[CallOutcome]) -> Fault | None:
    """Every true VJP is linear in the cotangent, kinks included: f(g1) + f(g2) = f(g1 + g2)."""
    known = seen.truth
    assert seen.got is not None
    answers = []
    for end in ends:
        got, fault = results(exercise, solution, known, end)
        if got is None:
            summary = fault.summary if fault else "no answer"
            return Fault(FaultKind.NONLINEAR, f"for another cotangent: {summary}", fault.line if fault else None)
        if any(g is None or g.shape != p.value.shape for g, p in zip(got, known.parts, strict=True)):
            return Fault(FaultKind.NONLINEAR, "for another cotangent it answers in another shape")
        answers.append(got)
    for first, second, both, part in zip(seen.got, *answers, known.parts, strict=True):
        assert first is not None
        assert second is not None
        assert both is not None
        with np.errstate(all="ignore"):
            gap = np.abs(first + second - both)
            if (gap <= 400 * part.tolerance).all():  # as nearly always; the rest only forgives more
                continue
            eps = float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0
            finite = np.isfinite(second) & np.isfinite(both)
            scale = np.abs(first) + np.abs(second) + np.max(np.abs(second), initial=0.0, where=finite)
            far = gap > 400 * part.tolerance + 4096 * eps * scale
            # Where the right answer is finite, it is so for every cotangent; a NaN is never far from anything.
            off = far | (np.isfinite(first) & ~finite)
        if off.any():
            return Fault(
                FaultKind.NONLINEAR, f"{part.name} is not linear in the cotangent: f(g1)+f(g2) is not f(g1+g2)"
            )
    return None
