"""Wrong rules as transformations of the right answer: each says what somebody who followed it would have returned."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 arrays are all this module is about

from autodrill.drills.exercise import Kind
from autodrill.grading.report import Rule
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation

    Array = NDArray[Any]
    Alternative = Callable[["Subject", Observation], "list[Array | None]"]

__all__ = ["PATTERNS", "Pattern", "Subject", "close", "contributions"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The exercise a wrong answer belongs to."""

    exercise: Exercise
    solution: Solution


@dataclass(frozen=True, slots=True)
class Pattern:
    """A wrong rule: its name, its words, and the answer it leads to.

    Attributes:
        rule: What to say.
        alternative: One array a part, None for a part it says nothing of; an empty list if it does not apply.
    """

    rule: Rule
    alternative: Alternative


def contributions(o: Observation) -> list[Array]:
    """What the case should have added: the right answer less what `.grad` held before."""
    start = o.truth.start or (0.0,) * len(o.truth.parts)
    return [p.value - s for p, s in zip(o.truth.parts, start, strict=True)]


def close(got: Array, want: Array, tolerance: Array) -> bool:
    """Whether two arrays agree everywhere, NaN with NaN and infinity with infinity."""
    with np.errstate(all="ignore"):
        same = (np.abs(got - want) <= tolerance) | (np.isnan(got) & np.isnan(want)) | (got == want)
    return bool(np.all(same))


def _again(subject: Subject, o: Observation, **changes: Any) -> list[Array | None]:
    """The right answer of the same case with another cotangent or other inputs."""
    changed = truth(subject.exercise, subject.solution, replace(o.case, smooth=False, **changes))
    return [p.value for p in changed.parts]


def _each(change: Callable[[Array], Array | None]) -> Alternative:
    """A change of the contribution, whatever `.grad` held before."""

    def alternative(_: Subject, o: Observation) -> list[Array | None]:
        changed = [change(c) for c in contributions(o)]
        if not o.truth.start:
            return changed
        return [None if c is None else np.asarray(s + c) for s, c in zip(o.truth.start, changed, strict=True)]

    return alternative


def _node(change: Callable[[float, Array, float], Array]) -> Alternative:
    """A wrong way to add into `.grad`: from the starting value, the right contribution and `out.grad`."""

    def alternative(subject: Subject, o: Observation) -> list[Array | None]:
        if subject.exercise.kind is not Kind.VALUE:
            return []
        g = float(o.truth.cotangents[0])
        return [np.asarray(change(s, c, g)) for s, c in zip(o.truth.start, contributions(o), strict=True)]

    return alternative


def _has_upstream(subject: Subject, o: Observation) -> bool:
    """Whether the candidate was handed one cotangent."""
    return len(o.truth.cotangents) == 1 and not subject.solution.drive


def _upstream_one(subject: Subject, o: Observation) -> list[Array | None]:
    return _again(subject, o, cotangent=1.0) if _has_upstream(subject, o) else []


def _passes_upstream(subject: Subject, o: Observation) -> list[Array | None]:
    if not _has_upstream(subject, o):
        return []
    g = o.truth.cotangents[0].astype(np.float64)
    return [np.asarray(s + g) for s in o.truth.start] or [g for _ in o.truth.parts]


def _of_positive_upstream(subject: Subject, o: Observation) -> list[Array | None]:
    if not _has_upstream(subject, o) or o.truth.cotangents[0].ndim:
        return []
    return _again(subject, o, cotangent=max(float(o.truth.cotangents[0]), 0.0))


def _without_slice(axis: int, index: int) -> Alternative:
    """The answer if one row or column of the cotangent is never used."""

    def alternative(subject: Subject, o: Observation) -> list[Array | None]:
        if not _has_upstream(subject, o) or o.truth.cotangents[0].ndim < 2:
            return []
        g = o.truth.cotangents[0].copy()
        if g.shape[axis]:
            np.moveaxis(g, axis, 0)[index] = 0
        return _again(subject, o, cotangent=g)

    return alternative


def _counted_once(subject: Subject, o: Observation) -> list[Array | None]:
    """Operands that are one node: only one of the contributions arrives."""
    if not o.case.alias:
        return []
    apart = truth(subject.exercise, subject.solution, replace(o.case, alias=False, smooth=False))
    return [np.asarray(o.truth.start[0] + float(apart.parts[0].value) - apart.start[0])]


def _swapped_operands(subject: Subject, o: Observation) -> list[Array | None]:
    names = [n for n, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"]
    if len(names) != 2 or o.case.alias:
        return []
    a, b = (np.asarray(o.case.inputs[n]) for n in names)
    try:
        if a.shape == b.shape:
            return _again(subject, o, inputs={**o.case.inputs, names[0]: b, names[1]: a})
        # Each factor taken for the other, in the only way that keeps the output's shape: both of its shape.
        shape = np.broadcast_shapes(a.shape, b.shape)
        if o.truth.outputs[0].shape != shape:
            return []
        inputs = {names[0]: a, names[1]: np.broadcast_to(a, shape)}
        other = {names[1]: b, names[0]: np.broadcast_to(b, shape)}
        return [
            _again(subject, o, inputs={**o.case.inputs, **inputs})[0],
            _again(subject, o, inputs={**o.case.inputs, **other})[1],
        ]
    except Exception:  # noqa: BLE001 an alternative that cannot be computed explains nothing
        return []


def _swapped_results(_: Subject, o: Observation) -> list[Array | None]:
    values: list[Array | None] = [p.value for p in o.truth.parts]
    return values[::-1] if len(values) == 2 else []


def _not_summed(_: Subject, o: Observation) -> list[Array | None]:
    """The product before it is summed back: recognised by summing what was returned."""
    if o.got is None or not o.truth.outputs:
        return []
    found: list[Array | None] = []
    for got, part in zip(o.got, o.truth.parts, strict=False):
        same = got is not None and got.shape == o.truth.outputs[0].shape and got.shape != part.value.shape
        summed = _sum_to(got, part.value.shape) if same and got is not None else None
        right = summed is not None and close(summed, part.value, part.tolerance * 8)
        found.append(got if right else None)
    return found


def _sum_to(array: Array, shape: tuple[int, ...]) -> Array | None:
    extra = array.ndim - len(shape)
    if extra < 0:
        return None
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1 and array.shape[i + extra] != 1)
    summed = array.sum(axis=axes, keepdims=True)
    return summed.reshape(shape) if summed.size == math.prod(shape) else None


def _lost_axes(_: Subject, o: Observation) -> list[Array | None]:
    """Right numbers with axes of size 1 dropped or added."""
    if o.got is None:
        return []
    found: list[Array | None] = []
    for got, part in zip(o.got, o.truth.parts, strict=False):
        value = part.value
        same = got is not None and got.shape != value.shape and got.size == value.size
        right = same and got is not None and close(got.reshape(value.shape), value, part.tolerance)
        found.append(got if right else None)
    return found


PATTERNS = (
    Pattern(
        Rule(
            "assign",
            "`.grad` is overwritten: what other consumers added before is lost",
            "use `+=`: who else adds here?",
        ),
        _node(lambda start, c, _: c + 0 * start),
    ),
    Pattern(
        Rule("counted-once", "a node used twice must receive both contributions", "try z = x op x by hand"),
        _counted_once,
    ),
    Pattern(
        Rule(
            "no-upstream", "the upstream gradient is ignored: this is the local derivative", "chain rule: where is g?"
        ),
        _upstream_one,
    ),
    Pattern(
        Rule("zero", "nothing arrives: what is added is 0", "which line should give this input its gradient?"),
        _each(np.zeros_like),
    ),
    Pattern(
        Rule("negated", "the sign is the wrong way round", "nudge the input up: which way does the output move?"),
        _each(np.negative),
    ),
    Pattern(
        Rule("transposed", "right numbers, wrong layout: it is the transpose", "compare shapes with different sizes"),
        _each(lambda a: a.T if a.ndim >= 2 else None),
    ),
    Pattern(
        Rule(
            "swapped-returns", "the gradients are right but in the other order", "return order follows argument order"
        ),
        _swapped_results,
    ),
    Pattern(
        Rule(
            "own-operand",
            "each operand's slope is taken from itself instead of the other",
            "hold one fixed: what scales it?",
        ),
        _swapped_operands,
    ),
    Pattern(
        Rule(
            "not-summed",
            "broadcasting copied an input, but its copies' gradients are not summed back",
            "which axes were copied?",
        ),
        _not_summed,
    ),
    Pattern(
        Rule(
            "lost-axis",
            "right numbers, but an axis of size 1 is lost or added",
            "keepdims? compare the shapes axis by axis",
        ),
        _lost_axes,
    ),
    Pattern(
        Rule("identity", "the upstream gradient is passed on unchanged", "what is the slope of this operation?"),
        _passes_upstream,
    ),
    Pattern(
        Rule("relu-of-upstream", "a negative upstream gradient is discarded", "who said it may be?"),
        _of_positive_upstream,
    ),
    Pattern(
        Rule("absolute", "the magnitude is right, the sign is lost", "may a gradient be negative here?"),
        _each(np.abs),
    ),
    Pattern(
        Rule("added-twice", "the contribution is added twice", "how often does the node enter here?"),
        _node(lambda start, c, _: start + 2 * c),
    ),
    Pattern(
        Rule("multiplies-grad", "`.grad` is multiplied by the contribution instead of added to", "use `+=`"),
        _node(lambda start, c, _: start * c),
    ),
    Pattern(
        Rule(
            "scales-grad",
            "what `.grad` held before is multiplied by `out.grad` too",
            "only the new contribution is scaled: where do the brackets end?",
        ),
        _node(lambda start, c, g: start * g + c),
    ),
    *(
        Pattern(
            Rule("skips-slice", f"the {which} of g is never used", "off by one? where do your loops and slices end?"),
            _without_slice(axis, index),
        )
        for which, axis, index in (
            ("last row", 0, -1),
            ("first row", 0, 0),
            ("last column", -1, -1),
            ("first column", -1, 0),
        )
    ),
)
"""In the order they are tried: the first that explains every failure, and contradicts no success, is named."""
