"""Input class rules: answers that are wrong only for one dtype, layout, class of inputs or size of values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 inputs are arrays

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.diagnosis.similarity import class_of, suffix_of
from autodrill.grading.diagnosis.transformations import contributions

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

__all__ = ["NAN_WHERE_FINITE", "WRONG_SHAPE", "falsy_option", "only_somewhere", "scale_or_layout_rule"]

WRONG_SHAPE = Rule(
    "shape",
    "a gradient must have exactly the shape of its input",
    "print the shape after each step: which is the first shape that you did not expect?",
)
"""The rule of a wrong shape that no other rule explains."""

NAN_WHERE_FINITE = Rule(
    "nan-where-finite",
    "an intermediate value is inf or 0/0, although the right result is finite",
    "which operation gives inf or NaN? make its argument safe first",
)
"""The rule of results that are not finite, although the inputs and the right results are."""

_CONTIGUOUS = Rule(
    "needs-contiguous",
    "the answer is right only for contiguous arrays",
    "does a reshape return a copy that you then write into? does your code assume a memory layout?",
)

_LAYOUTS: tuple[tuple[str, Rule], ...] = (
    (
        "float32",
        Rule(
            "only-float32",
            "the answer is right in float64 but wrong in float32",
            (
                "does your code use a finite difference, with a step too small for float32? does float32 round a "
                "constant to 0?"
            ),
        ),
    ),
    ("not contiguous", _CONTIGUOUS),
    (
        "every size 1",
        Rule(
            "size-one",
            "the answer is wrong when an axis has size 1",
            "does your code treat every axis of size 1 as a broadcast axis?",
        ),
    ),
    (
        "every size 3",
        Rule(
            "square-only", "the answer is wrong only for square arrays", "which axis does your code identify by size?"
        ),
    ),
    (
        "all sizes",
        Rule(
            "square-only", "the answer is wrong only for square arrays", "which axis does your code identify by size?"
        ),
    ),
    (
        "zero cotangent",
        Rule("zero-upstream", "a zero upstream gradient must give a zero gradient", "do you divide by g?"),
    ),
    (
        "out.grad = 0",
        Rule("zero-upstream", "a zero upstream gradient must add 0 to `.grad`", "do you divide by `out.grad`?"),
    ),
    (
        "nothing in .grad yet",
        Rule(
            "first-contribution",
            "the answer is wrong if `.grad` starts at 0",
            "does your code test the value of `.grad`, or multiply `.grad`?",
        ),
    ),
    (
        "equal values, two nodes",
        Rule(
            "equal-is-not-same",
            "two different nodes with equal values are treated as one node",
            "do you compare nodes with `==` or with `is`?",
        ),
    ),
    (
        " is ",
        Rule(
            "repeated-operand",
            "the answer is wrong when two operands are the same object",
            "take x as both operands, and derive dx by hand",
        ),
    ),
    (
        "large",
        Rule(
            "large-only",
            "the answer is right for small arrays but wrong for a large one",
            "which value in your code grows with the size of the array?",
        ),
    ),
)
_ORDINARY = 0.1
"""Magnitude from which values count as ordinary. A right result for smaller values says nothing about ordinary ones."""

_NAMED = 2
"""A message names at most this number of classes."""

_SEVERAL = 2
"""Number of other classes in which an answer must be right before one class is called an exception."""


def scale_or_layout_rule(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule for an answer that fails only for scaled cotangents or only for strided arrays, or None.

    Args:
        drill: The exercise.
        failing: All observations with a fault, the smallest first; never empty.
        passing: All observations without one.
    """
    if all(o.case.scale != 1 for o in failing) and any(o.case.scale == 1 for o in passing):
        return drill.kind.nonlinear_in_scale
    if all(o.case.strided for o in failing) and any(not o.case.strided for o in passing):
        return _CONTIGUOUS
    return None


def only_somewhere(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule for an answer that fails in one kind of case only, or None.

    Args:
        drill: The exercise.
        failing: All observations with a fault, the smallest first; never empty.
        passing: All observations without one.
    """
    if not passing:
        return None
    labels = [suffix_of(o) for o in failing]
    for marker, rule in _LAYOUTS:
        if all(marker in label for label in labels) and _is_typical(marker, failing, passing):
            return rule
    if all(label.endswith(" = 0") for label in labels):
        return drill.kind.zero
    return (
        _kink(failing, passing)
        or _values(failing, passing)
        or (None if drill.solution.drive else _option(failing, passing))  # a scenario's options are not the candidate's
        or _one_class(failing, passing)
    )


def _is_typical(marker: str, failing: list[Observation], passing: list[Observation]) -> bool:
    """Whether a layout causes the fault: other layouts pass, and at most half as many cases of this one as fail."""
    marked = [o for o in passing if marker in suffix_of(o) and _is_nonzero(o)]
    return any(marker not in suffix_of(o) for o in passing) and 2 * len(marked) <= len(failing)


def _kink(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule if only points fail where the forward is not differentiable, at ordinary magnitudes."""
    smooth = [o for o in passing if o.case.smooth]
    if not all(not o.case.smooth for o in failing) or not smooth:
        return None
    if max(map(_magnitude, failing)) > max(map(_magnitude, smooth)):
        return None
    if all(map(_overflows, failing)):
        return None  # no convention gives NaN
    classes = list(dict.fromkeys(map(class_of, failing)))
    if len(classes) > _NAMED:
        return None
    which = "this class" if len(classes) == 1 else "these classes"
    return Rule(
        "at-the-kink",
        f"the answer is wrong only for {which} of inputs: {' and '.join(classes)}",
        "what is special about these inputs, and what does the task say about them?",
    )


def _values(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule if only fractional values fail, only large ones, or only those whose intermediates overflow."""
    if all(_overflows(o) and math.isfinite(_magnitude(o)) for o in failing):
        return NAN_WHERE_FINITE
    informative = [o for o in passing if any(np.size(v) for v in o.case.inputs.values())]
    others = [o for o in informative if class_of(o) not in {class_of(f) for f in failing} and _is_nonzero(o)]
    if informative and all(map(_whole, informative)) and not any(map(_whole, failing)):
        return Rule(
            "whole-numbers-only",
            "the answer is right for integers but wrong for other values, so something is rounded",
            "do you use `int`, `//` or `round`?",
        )
    ordinary = max(map(_magnitude, others), default=0.0)
    least = min(map(_magnitude, failing))
    if ordinary > _ORDINARY and 10 * ordinary < least < math.inf:
        return Rule(
            "large-values",
            "the answer is right for ordinary values but wrong for large ones",
            "which intermediate is clipped, overflows or underflows?",
        )
    return None


def _option(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule if only one value, or one kind of value, of an option such as `axis` fails.

    If this is so of several options, no single one explains the failure.
    """
    nonzero = [o for o in passing if _is_nonzero(o)]
    found = []
    for name in failing[0].case.static:
        wrong = set.intersection(*(_kinds_of(o, name) for o in failing))
        if only := wrong.difference(*(_kinds_of(o, name) for o in nonzero)):
            found.append((name, min(only, key=len)))
    if len(found) == 1:
        name, words = found[0]
        return Rule(
            "one-option",
            f"of the graded cases, only those fail in which `{name}` {words}",
            "how does your code use this option?",
        )
    return falsy_option(failing, nonzero)


def falsy_option(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule if the answer fails only for values of an option that `if` takes for false, such as 0 and ()."""
    for name in failing[0].case.static:
        values = [o.case.static.get(name) for o in failing]
        if any(v is None or v is False or not isinstance(v, int | tuple) or v for v in values):
            continue
        others = [o.case.static.get(name) for o in passing]
        if len(set(values)) > 1 and sum(bool(v) for v in others) >= _SEVERAL:
            return Rule(
                "falsy-option",
                f"the answer is wrong only if `{name}` is 0 or (), which `if` takes for false",
                f"does your code test `if {name}` or `not {name}`? Test `is None`",
            )
    return None


def _kinds_of(o: Observation, name: str) -> set[str]:
    """Return the properties of an option's value in a case, in words."""
    if name not in o.case.static:
        return set()
    value = o.case.static[name]
    if isinstance(value, list | dict):
        return set()  # the steps of a scenario are not an option
    kinds = {f"is {value!r}"}
    if type(value) is int and value > 1:
        kinds.add("is above 1")
    if isinstance(value, tuple):
        kinds.add("is a tuple")
    numbers = value if isinstance(value, tuple) else (value,)
    if any(type(n) is int and n < 0 for n in numbers):
        kinds.add("is negative")
    return kinds


def _is_nonzero(o: Observation) -> bool:
    """Whether a case has any expected contribution other than 0."""
    return any(np.any(c != 0) for c in contributions(o))


def _one_class(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    classes = {class_of(o) for o in failing}
    right = {class_of(o) for o in passing if _is_nonzero(o)}
    if len(classes) > 1 or classes & right or len(right) < _SEVERAL:
        return None
    return Rule(
        "one-class",
        f"the answer is wrong only for this class of inputs: {classes.pop()}",
        "what is special about these inputs?",
    )


def _overflows(o: Observation) -> bool:
    return o.fault is not None and o.fault.kind is FaultKind.NOT_FINITE


def _floats(o: Observation) -> list[Any]:
    return [a for v in o.case.inputs.values() if (a := np.asarray(v)).dtype.kind == "f" and a.size]


def _magnitude(o: Observation) -> float:
    return max((float(np.max(np.abs(a))) for a in _floats(o)), default=0.0)


def _whole(o: Observation) -> bool:
    return all(bool(np.all(a == np.round(a))) for a in _floats(o))
