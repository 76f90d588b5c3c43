"""Cases, the classes of inputs that they come from, and the arguments that they give to the candidate's code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autodrill.drills.solution_file import authored
from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.authoring import Bound, Given
    from autodrill.drills.exercise import Drill
    from autodrill.drills.source import Parameter

__all__ = [
    "DISTINCT",
    "RANDOM",
    "SCALES",
    "Case",
    "case_of",
    "child_seed",
    "class_of",
    "class_of_entry",
    "in_memory",
    "label_of",
    "named_arguments",
    "plain_label",
]

DISTINCT, RANDOM = "sizes all different", "random values"
"""Labels of the ordinary cases of a class. The small cases made from them drop the label."""

SCALES = (("tiny", 2.0**-100), ("huge", 2.0**40))
"""Unusual sizes of a cotangent. They are powers of 2, so that scaling by them rounds nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs, with cotangents, that a submission is called with.

    Attributes:
        label: The distinguishing property, for the report: "sizes all different", "self is other", "float32".
        inputs: The arguments of `forward` by name: arrays, or the arrays that a scenario made.
        static: Further arguments, which are never differentiated.
        cotangent: A literal for the cotangent, or None to draw it once the output's shape is known.
        scale: The factor of a drawn cotangent: a power of 2, which scales every right answer too.
        seed: The seed of everything drawn later: cotangents and starting gradients.
        smooth: Whether the expected results are compared with finite differences.
        remark: Whether a wrong answer only earns a remark.
        dtype: The dtype of floating arguments: "float64" or "float32".
        strided: Whether arrays are passed non-contiguous.
        alias: Whether one object is passed for several operands: all of them for scalar nodes, a pair for arrays.
        fresh: For scalar nodes, whether `.grad` is still 0 before the call.
        simple: Whether cotangents and starting gradients are small integers, for a readable report.
        large: Whether this is the large case, where finite differences cost too much.
        size: The size that a scenario is called with; 0 for arrays.
        bound: The bound on memory or time, or None.
        draws: The number of calls of an estimator; 0 for other exercises.
        sizes: The dimension symbols of the arrays, with their sizes.
        tail: Whether results far smaller than the cotangent must have a small relative error.
        spoiled: Whether every cotangent or tangent is NaN, which must reach every result that depends on it.
    """

    label: str
    inputs: dict[str, Any]
    static: dict[str, Any] = field(default_factory=dict)
    cotangent: Any = None
    scale: float = 1.0
    seed: int = 0
    smooth: bool = True
    remark: bool = False
    dtype: str = "float64"
    strided: bool = False
    alias: bool = False
    fresh: bool = False
    simple: bool = False
    large: bool = False
    size: int = 0
    bound: Bound | None = None
    draws: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    tail: bool = False
    spoiled: bool = False


def class_of(case: Case) -> tuple[str, str]:
    """Return the class of a case, which all cases of one entry of `CASES` share: the label and the options."""
    return case.label.split(" · ")[0], _frozen(case.static)


def class_of_entry(entry: Given) -> tuple[str, str]:
    """Return the class of an entry of `CASES`."""
    return label_of(entry), _frozen(entry.static)


def _frozen(static: Mapping[str, Any]) -> str:
    return repr(sorted(static.items(), key=lambda item: item[0]))


def label_of(entry: Given) -> str:
    """Return the name of a class of inputs: its author's note, or its shapes and options."""
    if entry.note:
        return entry.note
    shapes = ""
    if any(entry.arrays.values()):
        shapes = ", ".join(f"{name} ({', '.join(map(str, dims))})" for name, dims in entry.arrays.items())
    options = ", ".join(f"{key}={value}" for key, value in entry.static.items())
    return ", ".join(part for part in (shapes, options) if part) or "scalars"


def plain_label(like: Case) -> str:
    """Return the label of a small case like another: without properties that only the larger case has."""
    class_, _, what = like.label.partition(" · ")
    return class_ if what in (DISTINCT, RANDOM, "large", "less than a block", "many") else like.label


def case_of(entry: Given, what: str, inputs: dict[str, Any], rng: np.random.Generator, **changes: Any) -> Case:
    """Return a case of a class of inputs, with the settings of its entry.

    Args:
        entry: The class.
        what: The distinguishing property of the case, or "".
        inputs: The inputs.
        rng: Draws the seed of the case.
        **changes: Fields of `Case`.
    """
    label = label_of(entry)
    settings = {"smooth": entry.smooth, "remark": entry.remark, "tail": entry.tail, "cotangent": entry.values.get("g")}
    text = f"{label} · {what}" if what else label
    return Case(text, inputs, dict(entry.static), seed=child_seed(rng), **{**settings, **changes})


def child_seed(rng: np.random.Generator) -> int:
    """Draw a seed for everything drawn later."""
    return int(rng.integers(2**31))


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
        asked = solution.saved.__code__.co_varnames[: solution.saved.__code__.co_argcount]
        cotangents = {name: values[name] for name in solution.cotangents if name in asked and name in values}
        with authored(solution.path, "saved"):
            values.update(solution.saved(**{**inputs, **case.static, **cotangents}))
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
                    f"return `{parameter.name}` from `saved`, or use that name for an input or option of `CASES`"
                )
            skipped = parameter.name
        elif skipped is not None:
            raise InternalError(
                f"`{drill.exercise.id}` takes `{skipped}` before `{parameter.name}`, but its solution file provides "
                f"only `{parameter.name}`: return `{skipped}` from `saved`"
            )
        else:
            chosen[parameter.name] = values[parameter.name]
    return chosen
