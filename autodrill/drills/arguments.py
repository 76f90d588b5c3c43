"""The arguments of a case: the value of each parameter of the candidate's code, and its layout in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.drills.solution_file import authored
from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill, Parameter

__all__ = ["in_memory", "named_arguments"]


def named_arguments(
    drill: Drill, case: Case, expected: Expected, draw: int = 0, known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the arguments by parameter name, in the order of the parameters.

    The name of a parameter decides its value: a cotangent or tangent, an input or option of the case, `out`,
    `<input>_shape`, or a result of the exercise's `saved` or `sample`. An optional parameter with another name keeps
    its default. If the candidate also writes a forward, the cotangents come first.

    Args:
        drill: The exercise.
        case: The case.
        expected: Its expected results.
        draw: For an estimator, the index of the draw.
        known: Further values by name; all others take precedence.

    Raises:
        InternalError: A required parameter has no value.
    """
    import numpy as np

    solution = drill.solution
    values: dict[str, Any] = dict(known or {})
    for name, value in case.inputs.items():
        array = np.asarray(value)
        values[name] = array.astype(case.dtype) if array.dtype.kind == "f" else array
        values[f"{name}_shape"] = array.shape
    values.update(case.static)
    values.update(zip(solution.cotangents, expected.cotangents, strict=False))
    if expected.outputs:
        values["out"] = expected.outputs[0] if len(expected.outputs) == 1 else expected.outputs
    inputs = {name: values[name] for name in case.inputs}
    if solution.saved is not None:
        with authored(solution.path, "saved"):
            values.update(solution.saved(**inputs, **case.static))
    if solution.sample is not None and case.draws:
        rng = np.random.default_rng([case.seed, 4, draw])
        with authored(solution.path, "sample"):
            values.update(solution.sample(rng, **inputs, **case.static))
    if solution.drive:
        return _matched(drill, solution.drive_parameters, values)
    matched = _matched(drill, drill.exercise.parameters, values)
    if not drill.kind.has_forward:
        return matched
    return {**{name: values[name] for name in solution.cotangents}, **matched}


def in_memory(case: Case, named: Mapping[str, Any]) -> list[Any]:
    """Return arguments as `Runner.call` takes them: arrays in the layout of the case, and aliases if it has them."""
    import numpy as np

    from autodrill.sandbox.runner import Arg, Layout, SameAs

    layout = Layout.STRIDED if case.strided else Layout.C
    given: list[Any] = [Arg(v, layout) if isinstance(v, np.ndarray) else v for v in named.values()]
    if case.alias:
        places: dict[int, int] = {}
        for place, name in enumerate(named):
            if name in case.inputs and (first := places.setdefault(id(case.inputs[name]), place)) != place:
                given[place] = SameAs(first)
    return given


def _matched(drill: Drill, parameters: tuple[Parameter, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    skipped = None
    for parameter in parameters:
        if parameter.name not in values:
            if not parameter.optional:
                raise InternalError(
                    f"`{drill.exercise.id}` takes `{parameter.name}`, which its solution file does not provide: "
                    "return it from `saved`, or name an input or option of `CASES`"
                )
            skipped = parameter.name
        elif skipped is not None:
            raise InternalError(
                f"`{drill.exercise.id}` takes `{skipped}` before `{parameter.name}`, but its solution file provides "
                f"only the second: return `{skipped}` from `saved`"
            )
        else:
            chosen[parameter.name] = values[parameter.name]
    return chosen
