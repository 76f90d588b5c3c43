"""Putting one case to the loaded code, and the further questions that a right answer invites."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 cotangents are arrays

from autodrill.drills.exercise import Kind
from autodrill.grading.ask import arguments
from autodrill.grading.observe import Fault, answer_budget, ask, examine
from autodrill.grading.report import FaultKind
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from autodrill.drills.cases import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation
    from autodrill.grading.process import Runner
    from autodrill.grading.truth import Truth

__all__ = ["put"]

_LARGE_SECONDS = 1.5
"""What the large case may take: a backward takes milliseconds, finite differences take several seconds."""


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
    observation = ask(process, exercise, solution, case, known, seconds=_LARGE_SECONDS if case.large else None)
    fault = observation.fault
    if case.large and fault is not None and fault.kind in (FaultKind.TIME, FaultKind.MEMORY):
        summary = f"no answer after {_LARGE_SECONDS:g} s on a large input, where the forward takes milliseconds"
        if fault.kind is FaultKind.MEMORY:
            summary = f"{fault.summary} on an input of {sum(np.size(v) for v in case.inputs.values())} numbers"
        return replace(observation, fault=Fault(FaultKind.TOO_SLOW, summary, fault.line, fault.code))
    if observation.fault is None and exercise.kind is Kind.BACKWARD and not solution.drive and not case.large:
        # Asked before and after: what depends on earlier calls would look like anything else in between.
        fault = (
            _changeable(process, exercise, solution, observation)
            or _nonlinear(process, exercise, solution, observation)
            or _changeable(process, exercise, solution, observation)
        )
        if fault is not None and fault.kind is FaultKind.NONLINEAR and not process.finished:
            fault = _changeable(process, exercise, solution, observation) or fault
        if fault is not None:
            return replace(observation, fault=fault)
    return observation


def _nonlinear(process: Runner, exercise: Exercise, solution: Solution, seen: Observation) -> Fault | None:
    """Every true VJP is linear in the cotangent, kinks included: f(g1) + f(g2) = f(g1 + g2)."""
    known = seen.truth
    assert seen.got is not None
    if not known.cotangents or not all(np.isfinite(c).all() for c in known.cotangents):
        return None
    rng = np.random.default_rng([seen.case.seed, 3])
    others = tuple(np.asarray(100 * rng.normal(size=c.shape)).astype(c.dtype) for c in known.cotangents)
    sums = tuple(np.asarray(a + b) for a, b in zip(known.cotangents, others, strict=True))
    answers = []
    for cotangents in (others, sums):
        end = process.call(
            arguments(exercise, solution, seen.case, replace(known, cotangents=cotangents)),
            budget=answer_budget(known),
        )
        again = examine(exercise, solution, seen.case, known, end)
        if again.got is None:
            summary = again.fault.summary if again.fault else "no answer"
            return Fault(
                FaultKind.NONLINEAR, f"for another cotangent: {summary}", again.fault.line if again.fault else None
            )
        if any(g is None or g.shape != p.value.shape for g, p in zip(again.got, known.parts, strict=True)):
            return Fault(FaultKind.NONLINEAR, "for another cotangent it answers in another shape")
        answers.append(again.got)
    for first, second, both, part in zip(seen.got, *answers, known.parts, strict=True):
        assert first is not None
        assert second is not None
        assert both is not None
        eps = float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0
        with np.errstate(all="ignore"):
            finite = np.isfinite(second) & np.isfinite(both)
            scale = np.abs(first) + np.abs(second) + np.max(np.abs(second), initial=0.0, where=finite)
            far = np.abs(first + second - both) > 400 * part.tolerance + 4096 * eps * scale
            # Where the right answer is finite, it is so for every cotangent; a NaN is never far from anything.
            off = far | (np.isfinite(first) & ~finite)
        if off.any():
            return Fault(
                FaultKind.NONLINEAR, f"{part.name} is not linear in the cotangent: f(g1)+f(g2) is not f(g1+g2)"
            )
    return None


def _changeable(process: Runner, exercise: Exercise, solution: Solution, seen: Observation) -> Fault | None:
    again = ask(process, exercise, solution, seen.case, seen.truth)
    if again.fault is not None:
        return Fault(FaultKind.UNREPEATABLE, f"the same call again: {again.fault.summary}", again.fault.line)
    return None
