"""Generic ways to be wrong, as transformations of the right answer: each says what a wrong rule would have given."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 arrays are all this module is about

from autodrill.drills.exercise import Kind
from autodrill.grading.report import FaultKind, Rule
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation

    Array = NDArray[Any]
    Alternative = Callable[["Subject", Observation], "list[Array | None]"]

__all__ = ["Subject", "generic_rule"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The exercise a wrong answer belongs to."""

    exercise: Exercise
    solution: Solution


@dataclass(frozen=True, slots=True)
class Pattern:
    """A wrong rule: its name, its words, and the answer it leads to, one array a part (None where it says nothing)."""

    rule: Rule
    alternative: Alternative


def generic_rule(subject: Subject, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the first generic rule that explains every failing observation, or None.

    Args:
        subject: The exercise.
        failing: Observations with a fault, the smallest first; never empty.
        passing: Observations without one.
    """
    structural = _structural(failing[0])
    if structural is not None:
        return structural
    comparable = [o for o in failing if o.got is not None]
    if len(comparable) == len(failing):
        for pattern in _PATTERNS:
            if all(_explains(pattern, subject, o) for o in comparable):
                return pattern.rule
        rule = _constant_factor(comparable) or _approximate(comparable)
        if rule is not None:
            return rule
    return _only_somewhere(failing, passing)


# -- faults that are their own explanation -----------------------------------------------------------------------------

_STRUCTURAL = {
    FaultKind.NOTHING: Rule("returns-none", "no value is returned on this path", "is there a `return` on every path?"),
    FaultKind.ARITY: Rule("arity", "there must be one gradient an input, in signature order", "count them"),
    FaultKind.TYPE: Rule("type", "results must be NumPy arrays of numbers", "what type is each of your results?"),
    FaultKind.MUTATED: Rule(
        "mutates-input",
        "it writes into memory it was lent",
        "who else holds that array? copy first, or compute a new one",
    ),
    FaultKind.ALIASED: Rule(
        "aliases-input",
        "the result is a view: an engine that accumulates in place would overwrite it",
        "return an array of your own: `.copy()`",
    ),
    FaultKind.NONLINEAR: Rule(
        "nonlinear-in-g",
        "every true VJP is linear in the cotangent: f(g1+g2) = f(g1)+f(g2), yours is not",
        "which operation did you apply to g itself?",
    ),
    FaultKind.UNREPEATABLE: Rule(
        "keeps-state", "the answer depends on an earlier call", "what survives between two calls of your function?"
    ),
    FaultKind.TOO_SLOW: Rule(
        "too-much-work",
        "the work grows far faster than the forward's: a full Jacobian, or finite differences",
        "you need a vector-Jacobian product, not the Jacobian",
    ),
}


def _structural(observation: Observation) -> Rule | None:
    fault = observation.fault
    assert fault is not None
    if fault.kind is FaultKind.DTYPE:
        wider = "64" in fault.summary.split(",")[0]
        return Rule(
            "dtype-upcast" if wider else "dtype",
            "a gradient has the dtype of what it is the gradient of",
            "which constant or cast changed it?" if wider else "what dtype does each step have?",
        )
    return _STRUCTURAL.get(fault.kind)


# -- transformations of the right answer -------------------------------------------------------------------------------


def _again(subject: Subject, observation: Observation, **changes: Any) -> list[Array | None]:
    """The right answer of the same case with another cotangent or other inputs."""
    changed = truth(subject.exercise, subject.solution, replace(observation.case, smooth=False, **changes))
    return [p.value for p in changed.parts]


def _each(change: Callable[[Array], Array | None]) -> Alternative:
    return lambda _, o: [change(p.value) for p in o.truth.parts]


def _upstream_one(subject: Subject, o: Observation) -> list[Array | None]:
    return _again(subject, o, cotangent=1.0) if o.truth.cotangents else []


def _passes_upstream(subject: Subject, o: Observation) -> list[Array | None]:
    if len(o.truth.cotangents) != 1:
        return []
    g = o.truth.cotangents[0].astype(np.float64)
    if subject.exercise.kind is Kind.VALUE:
        return [np.asarray(s + g) for s in o.truth.start]
    return [g for _ in o.truth.parts]


def _zero(subject: Subject, o: Observation) -> list[Array | None]:
    if subject.exercise.kind is Kind.VALUE:
        return [np.asarray(s) for s in o.truth.start]
    return [np.zeros_like(p.value) for p in o.truth.parts]


def _contributions(o: Observation) -> list[Array]:
    start = o.truth.start or (0.0,) * len(o.truth.parts)
    return [p.value - s for p, s in zip(o.truth.parts, start, strict=True)]


def _node(change: Callable[[float, Array], Array]) -> Alternative:
    """A wrong way to add a contribution into `.grad`: from the starting value and the right contribution."""

    def alternative(subject: Subject, o: Observation) -> list[Array | None]:
        if subject.exercise.kind is not Kind.VALUE:
            return []
        return [np.asarray(change(s, c)) for s, c in zip(o.truth.start, _contributions(o), strict=True)]

    return alternative


def _counted_once(subject: Subject, o: Observation) -> list[Array | None]:
    """Operands that are one node: only one of the contributions arrives."""
    if not o.case.alias:
        return []
    one = _again(subject, o, alias=False)
    start = o.truth.start[0]
    first = truth(subject.exercise, subject.solution, replace(o.case, alias=False, smooth=False))
    contribution = float(one[0] or 0) - first.start[0] if one else 0.0
    return [np.asarray(start + contribution)]


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


def _of_positive_upstream(subject: Subject, o: Observation) -> list[Array | None]:
    if len(o.truth.cotangents) != 1 or o.truth.cotangents[0].ndim or subject.solution.forward is None:
        return []
    return _again(subject, o, cotangent=max(float(o.truth.cotangents[0]), 0.0))


def _not_summed(subject: Subject, o: Observation) -> list[Array | None]:
    """The product before it is summed back: recognised by summing what was returned."""
    if o.got is None or not o.truth.outputs:
        return []
    found: list[Array | None] = []
    for got, part in zip(o.got, o.truth.parts, strict=False):
        same = got is not None and got.shape == o.truth.outputs[0].shape and got.shape != part.value.shape
        summed = _sum_to(got, part.value.shape) if same and got is not None else None
        right = summed is not None and _close(summed, part.value, part.tolerance * 8)
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
    return [
        got if got is not None and got.shape != p.value.shape and got.size == p.value.size
        and _close(got.reshape(p.value.shape), p.value, p.tolerance) else None
        for got, p in zip(o.got, o.truth.parts, strict=False)
    ]  # fmt: skip


_PATTERNS = (
    Pattern(
        Rule("assign", "`.grad` is overwritten with `=`: what other consumers added is lost", "use `+=`: who else adds here?"),
        _node(lambda start, c: c + 0 * start),
    ),
    Pattern(
        Rule("counted-once", "a node used twice must receive both contributions", "try z = x op x by hand"),
        _counted_once,
    ),
    Pattern(
        Rule("no-upstream", "the upstream gradient is ignored: this is the local derivative", "chain rule: where is g?"),
        _upstream_one,
    ),
    Pattern(Rule("zero", "nothing arrives: the gradient is 0 everywhere", "which path should it take?"), _zero),
    Pattern(
        Rule("negated", "every sign is the wrong way round", "nudge the input up: which way does the output move?"),
        lambda s, o: _node(lambda start, c: start - c)(s, o) or [-p.value for p in o.truth.parts],
    ),
    Pattern(
        Rule("transposed", "right numbers, wrong layout: it is the transpose", "compare shapes with different sizes"),
        _each(lambda a: a.T if a.ndim >= 2 else None),
    ),
    Pattern(
        Rule("swapped-returns", "the gradients are right but in the other order", "return order follows argument order"),
        _swapped_results,
    ),
    Pattern(
        Rule("own-operand", "each operand's slope is taken from itself instead of the other", "hold one fixed: what scales it?"),
        _swapped_operands,
    ),
    Pattern(
        Rule("not-summed", "broadcasting copied an input, but its copies' gradients are not summed back", "which axes were copied?"),
        _not_summed,
    ),
    Pattern(
        Rule("lost-axis", "right numbers, but an axis of size 1 is lost or added", "keepdims? compare the shapes axis by axis"),
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
        lambda s, o: _node(lambda start, c: start + np.abs(c))(s, o) or [np.abs(p.value) for p in o.truth.parts],
    ),
    Pattern(
        Rule("added-twice", "the contribution is added twice", "how often does the node enter here?"),
        _node(lambda start, c: start + 2 * c),
    ),
    Pattern(
        Rule("multiplies-grad", "`.grad` is multiplied by the contribution instead of added to", "use `+=`"),
        _node(lambda start, c: start * c),
    ),
)  # fmt: skip


def _explains(pattern: Pattern, subject: Subject, o: Observation) -> bool:
    assert o.got is not None
    alternatives = pattern.alternative(subject, o)
    if len(alternatives) != len(o.got):
        return False
    seen = False
    for got, other, part, wrong in zip(o.got, alternatives, o.truth.parts, o.wrong, strict=True):
        if not wrong:
            continue
        if got is None or other is None or got.shape != other.shape:
            return False
        tolerance = part.tolerance if part.tolerance.shape == got.shape else np.max(part.tolerance, initial=0.0)
        if not _close(got, other, np.asarray(tolerance) * 4 + 1e-12):
            return False
        seen = True
    return seen


def _close(got: Array, want: Array, tolerance: Array) -> bool:
    with np.errstate(all="ignore"):
        same = (np.abs(got - want) <= tolerance) | (np.isnan(got) & np.isnan(want)) | (got == want)
    return bool(np.all(same))


# -- one factor for everything -----------------------------------------------------------------------------------------


def _constant_factor(failing: list[Observation]) -> Rule | None:
    """One number, the same in every case or always the size of an axis, by which the answer is off."""
    ratios = [r for o in failing if (r := _ratio(o)) is not None]
    if len(ratios) != sum(_informative(o) for o in failing) or not ratios:
        return None
    if all(math.isclose(r, ratios[0], rel_tol=1e-4) for r in ratios):
        text = _as_text(ratios[0])
        return Rule(
            "constant-factor",
            f"the answer is exactly {text} times what it should be",
            "where does that factor come from?",
        )
    told = [o for o in failing if _ratio(o) is not None]
    for name in dict(_sizes(told[0])):
        for power, words in (
            (1.0, "{} times too large"),
            (-1.0, "{} times too small"),
            (0.5, "√({}) times too large"),
            (-0.5, "√({}) times too small"),
        ):
            if all(
                math.isclose(
                    r, float(dict(_sizes(o)).get(name, 0)) ** power if dict(_sizes(o)).get(name) else 0, rel_tol=1e-4
                )
                for o, r in zip(told, ratios, strict=True)
            ):
                return Rule(
                    "constant-factor",
                    f"the answer is {words.format(name)}",
                    "is it a sum or a mean? over how many?",
                )
    return None  # fmt: skip


def _informative(o: Observation) -> bool:
    return any(np.any(c != 0) for c in _contributions(o))


def _ratio(o: Observation) -> float | None:
    """The one number got / right is, or None; taken over the wrong parts."""
    assert o.got is not None
    ratios: list[float] = []
    start = o.truth.start or (0.0,) * len(o.truth.parts)
    for got, part, wrong, begin in zip(o.got, o.truth.parts, o.wrong, start, strict=True):
        if not wrong:
            continue
        if got is None or got.shape != part.value.shape or not np.isfinite(got).all():
            return None
        right, mine = part.value - begin, got - begin
        scale = float(np.max(np.abs(right), initial=0.0))
        if scale == 0:
            continue
        r = float(np.sum(mine * right) / np.sum(right * right))
        if not np.all(np.abs(mine - r * right) <= 1e-4 * abs(r) * scale + 8 * part.tolerance):
            return None
        ratios.append(r)
    if not ratios or ratios[0] == 0 or not all(math.isclose(r, ratios[0], rel_tol=1e-4) for r in ratios):
        return None
    return ratios[0]


def _sizes(o: Observation) -> Iterator[tuple[str, int]]:
    """The sizes a forgotten 1/N could be: every axis, and every array's number of elements."""
    for name, value in o.case.inputs.items():
        shape = np.shape(value)
        for axis, n in enumerate(shape):
            yield f"the size of axis {axis} of {name}", n
        if len(shape) > 1:
            yield f"the number of elements of {name}", math.prod(shape)
    for cotangent in o.truth.cotangents:
        yield "the number of outputs", cotangent.size
        for part in o.truth.parts:
            if part.value.size and cotangent.size > part.value.size:
                yield "the number of copies", cotangent.size // part.value.size
            elif cotangent.size and cotangent.size < part.value.size:
                yield "the number of elements reduced", part.value.size // cotangent.size


def _as_text(ratio: float) -> str:
    from fractions import Fraction

    fraction = Fraction(ratio).limit_denominator(12)
    return str(fraction) if math.isclose(float(fraction), ratio, rel_tol=1e-4) else f"{ratio:.4g}"


# -- nearly right ------------------------------------------------------------------------------------------------------


def _approximate(failing: list[Observation]) -> Rule | None:
    """An answer that is right to a few digits was computed numerically, or in too small a dtype."""
    errors = []
    for o in failing:
        assert o.got is not None
        for got, part in zip(o.got, o.truth.parts, strict=True):
            if got is None or got.shape != part.value.shape or not np.isfinite(got).all():
                return None
            scale = float(np.max(np.abs(part.value), initial=0.0)) or 1.0
            errors.append(float(np.max(np.abs(got - part.value), initial=0.0)) / scale)
    worst = max(errors, default=1.0)
    if worst > 2e-3:
        return None
    if worst < 1e-6 and all(o.case.dtype == "float64" for o in failing):
        return Rule(
            "low-precision",
            f"right to {worst:.0e} only: a step runs in float32, or this is a finite difference",
            "is every step exact to rounding?",
        )
    return Rule(
        "approximate",
        f"right to {worst:.0e} only, far more than rounding: this is an approximation",
        "finite differences are not a backward: write the derivative",
    )


# -- right except somewhere --------------------------------------------------------------------------------------------

_SOMEWHERE: tuple[tuple[str, Rule], ...] = (
    (
        "float32",
        Rule("only-float32", "right in float64, wrong in float32", "is a step too coarse, or a constant upcast?"),
    ),
    (
        "not contiguous",
        Rule("needs-contiguous", "right only for contiguous arrays", "what do your reshapes assume of memory?"),
    ),
    ("every size 1", Rule("size-one", "wrong when an axis has size 1", "does your code tell size 1 from broadcast?")),
    (" = 0", Rule("empty", "wrong for the value 0 or an empty axis", "what does your code do when there is nothing?")),
    ("zero cotangent", Rule("zero-upstream", "a zero upstream gradient must give zero", "do you divide by g?")),
    (" is ", Rule("repeated-operand", "wrong when both operands are one node", "try z = x op x by hand")),
    ("every size 3", Rule("square-only", "wrong only for square arrays", "which axis does your code guess?")),
)


def _only_somewhere(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    labels = [o.case.label for o in failing]
    for marker, rule in _SOMEWHERE:
        if all(marker in label for label in labels) and any(marker not in o.case.label for o in passing):
            return rule
    if not passing:
        return None
    if all(not o.case.smooth for o in failing) and any(o.case.smooth for o in passing):
        what = labels[0].split(" · ")[0]
        return Rule("at-the-kink", f"wrong only here: {what}", "which convention does the task state for this point?")
    if all(o.fault is not None and o.fault.kind is FaultKind.NOT_FINITE for o in failing):
        return Rule(
            "nan-where-finite",
            "an intermediate is inf or 0/0 although the answer is finite",
            "make the argument safe before the operation",
        )
    classes = {label.split(" · ")[0] for label in labels}
    if len(classes) == 1 and all(o.case.label.split(" · ")[0] not in classes for o in passing):
        return Rule("one-class", f"right elsewhere, wrong for {classes.pop()}", "what is special about these inputs?")
    return None
