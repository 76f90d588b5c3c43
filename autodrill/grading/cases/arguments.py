"""How a case is put to the candidate's code: which arguments, in which order, through which scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 arguments are arrays

from autodrill.drills.author_code import authored
from autodrill.drills.customs import OLD_NUMPY
from autodrill.drills.exercise import Kind
from autodrill.errors import InternalError
from autodrill.grading.cases.drivers import drive_for
from autodrill.grading.kernels.launch import launched, not_written_yet, shown_launch
from autodrill.sandbox.runner import Arg, Layout, SameAs

if TYPE_CHECKING:
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Exercise, Parameter, Solution
    from autodrill.grading.oracle.expected import Truth

__all__ = ["arguments", "named_arguments", "scenario_source", "shown_arguments"]


def scenario_source(exercise: Exercise, solution: Solution) -> str | None:
    """The source of what puts the candidate's code to work in its own process; None to call it directly."""
    source = solution.drive or drive_for(exercise.kind, len(solution.cotangents))
    if "old-numpy" in solution.remarks:
        return OLD_NUMPY + (source or "def drive(candidate, *arguments):\n    return candidate(*arguments)\n")
    return source


def arguments(exercise: Exercise, solution: Solution, case: Case, truth: Truth, draw: int = 0) -> list[Any]:
    """Return what `Runner.call` is given for a case, for an estimator at one of its draws.

    Raises:
        InternalError: If the stub asks for something the exercise does not provide.
    """
    if exercise.kind is Kind.VALUE and not solution.drive:
        data = [float(v) for v in case.inputs.values()]
        out, g = float(truth.outputs[0]), float(truth.cotangents[0])
        return [data, list(truth.start), case.alias, out, g, dict(case.static)]
    if exercise.kind is Kind.KERNEL:
        return launched(exercise, solution, named_arguments(exercise, solution, case, truth), truth)
    layout = Layout.STRIDED if case.strided else Layout.C
    named = named_arguments(exercise, solution, case, truth, draw)
    given: list[Any] = [Arg(v, layout) if isinstance(v, np.ndarray) else v for v in named.values()]
    if case.alias:
        places: dict[int, int] = {}
        for place, name in enumerate(named):
            if name in case.inputs and (first := places.setdefault(id(case.inputs[name]), place)) != place:
                given[place] = SameAs(first)
    return given


def named_arguments(exercise: Exercise, solution: Solution, case: Case, truth: Truth, draw: int = 0) -> dict[str, Any]:
    """The arguments by the names of the parameters they go to, in order.

    A parameter's name decides what it gets: a cotangent or tangent, an input or option of the case, `out`,
    `<input>_shape`, or what the exercise's `saved` computes. An optional parameter that nothing is known about keeps
    its default. A kernel is given the dimension symbols of the case too, and an array to write to for each result that
    nothing else provides. Where the candidate writes a forward as well, the cotangents stand before what it is handed.
    """
    known: dict[str, Any] = dict(case.sizes) if exercise.kind is Kind.KERNEL else {}
    for name, value in case.inputs.items():
        array = np.asarray(value)
        known[name] = array.astype(case.dtype) if array.dtype.kind == "f" else array
        known[f"{name}_shape"] = array.shape
    known.update(case.static)
    known.update(zip(solution.cotangents, truth.cotangents, strict=False))
    if truth.outputs:
        known["out"] = truth.outputs[0] if len(truth.outputs) == 1 else truth.outputs
    if solution.saved is not None:
        with authored(solution.path, "saved"):
            known.update(solution.saved(**{name: known[name] for name in case.inputs}, **case.static))
    if solution.sample is not None and case.draws:
        rng = np.random.default_rng([case.seed, 4, draw])
        with authored(solution.path, "sample"):
            known.update(solution.sample(rng, **{name: known[name] for name in case.inputs}, **case.static))
    if exercise.kind is Kind.KERNEL:
        known = {part.name: not_written_yet(part) for part in truth.parts} | known
    if solution.drive or not exercise.kind.has_forward:
        return _matched(solution.drive_parameters if solution.drive else exercise.parameters, known, exercise)
    cotangents = {name: known[name] for name in solution.cotangents}
    return {**cotangents, **_matched(exercise.parameters, known, exercise)}


def _matched(parameters: tuple[Parameter, ...], known: dict[str, Any], exercise: Exercise) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    skipped = None
    for parameter in parameters:
        if parameter.name not in known:
            if not parameter.optional:
                raise InternalError(
                    f"`{exercise.id}` asks for `{parameter.name}`, which its solution file does not provide"
                )
            skipped = parameter.name
        elif skipped is not None:
            raise InternalError(
                f"`{exercise.id}` provides `{parameter.name}` but not `{skipped}`, which stands before it"
            )
        else:
            chosen[parameter.name] = known[parameter.name]
    return chosen


def shown_arguments(exercise: Exercise, solution: Solution, case: Case, truth: Truth) -> dict[str, Any]:
    """What a report shows as given: for scalar nodes their values and starting gradients, else the arguments."""
    if exercise.kind is Kind.KERNEL:
        named = named_arguments(exercise, solution, case, truth)
        results = {part.name for part in truth.parts}
        return {n: v for n, v in named.items() if n not in results} | shown_launch(solution, named)
    if exercise.kind is not Kind.VALUE or solution.drive:
        return named_arguments(exercise, solution, case, truth)
    nodes = list(case.inputs)[: 1 if case.alias else None]
    shown: dict[str, Any] = {f"{name}.data": case.inputs[name] for name in nodes}
    shown.update((part.name, start) for part, start in zip(truth.parts, truth.start, strict=True))
    return {**shown, "out.grad": float(truth.cotangents[0])}
