"""Precision rules: answers with too few digits, and answers that replace NaN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.drills.answer_records import Rule
from autodrill.errors import InternalError
from autodrill.grading.diagnosis.transformations import again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["CRUDEST", "errors", "half_precision", "hidden_nan", "nearly_right"]

CRUDEST = 2e-3
"""The largest relative error that an approximation or a small dtype explains. A larger one means a wrong formula."""

_HALF, _SINGLE = 11, 24
"""Significant bits of a float16 and of a float32."""

_FINEST_SINGLE, _CRUDEST_SINGLE = 1e-8, 1e-6
"""Relative errors that a single step in float32 leaves in a float64 result."""

_NOISIER = 100.0
"""If the relative error in float32 is this many times the error in float64, rounding causes both errors. A cut-off
series has about the same error in both dtypes."""

_NOTHING = 1e-12
"""Size of a result, relative to the largest of its case, up to which the result is 0 except for rounding."""

_NEARER = 8.0
"""If the error against the right results is this many times the error against the results of rounded inputs, rounding
of the inputs explains the fault."""


def hidden_nan(drill: Drill, failing: list[Observation]) -> Rule | None:
    """Return the rule of an answer that is wrong only if the cotangents or tangents are NaN, or None.

    Such a case is put only if every other one passed, except a large one.
    """
    if not failing[0].case.spoiled:
        return None
    return Rule(
        "hides-nan",
        f"a NaN in the {drill.kind.moving} does not reach every result that depends on the {drill.kind.moving}",
        "which step replaces NaN by a number? Training would then go on as if nothing had happened",
    )


def half_precision(drill: Drill, failing: list[Observation]) -> Rule | None:
    """Return the rule of an answer computed in float16 or bfloat16, or None.

    Either every wrong result has few significant bits, or it is right for inputs rounded to few. Results that are not
    finite and scaled cotangents are left out, because they may exceed the range of a float16.
    """
    shown = [o for o in failing if o.case.scale == 1 and _comparable(o)]
    shown = [o for o in shown if not o.case.large] or shown  # long rows have results below the range of a float16
    if not shown or not all(map(_is_near, shown)):
        return None
    if not all(_has_few_bits(o, _HALF) for o in shown) and not all(_is_of_half_inputs(drill, o) for o in shown):
        return None
    return Rule(
        "half-precision",
        "computed in half precision: the results are right to three digits at most",
        "which step has fewer bits than its input, such as a cast to float16?",
    )


def nearly_right(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of an answer that is right to a few digits only, or None."""
    double = [o for o in failing if o.case.dtype == "float64"] or failing
    found = [error for o in double for error in errors(o)]
    if not all(_comparable(o) for o in double):
        return None
    worst = max(found, key=lambda error: error.relative, default=None)
    only_single = double[0].case.dtype == "float32" and any(o.case.dtype == "float64" for o in passing)
    # An answer that is right in float64 has no wrong formula.
    if worst is None or not 0 < worst.relative <= (4 if only_single else 1) * CRUDEST:
        return None
    digits = max(1, math.floor(-math.log10(worst.relative)))
    because, hint = _look(failing, double, passing, worst.relative)
    return Rule(
        "approximate",
        f"right to {digits} digits only, worst in {worst.place}; the likely cause is {because}",
        hint,
    )


def _look(
    failing: list[Observation], double: list[Observation], passing: list[Observation], worst: float
) -> tuple[str, str]:
    """Return what loses the digits, in words, and the hint."""
    if double[0].case.dtype == "float64":
        single = [o for o in failing if o.case.dtype == "float32" and not o.case.large]
        if all(_has_few_bits(o, _SINGLE) for o in double):
            return "a step in float32", "which step has fewer bits than its input, such as a cast to float32?"
        noise = max((e.relative for o in single for e in errors(o)), default=0.0)
        if noise > _NOISIER * worst or not all(map(_comparable, single)):
            return (
                "a difference of nearly equal numbers, such as a difference quotient",
                "where do two nearly equal numbers cancel? Derive the slope instead of measuring it",
            )
        if not single and _FINEST_SINGLE < worst < _CRUDEST_SINGLE:
            return (
                "a step in float32, a series cut off or an added epsilon",
                "which step has fewer bits than its input, or leaves something out?",
            )
    elif not any(o.case.dtype == "float64" for o in passing):  # a kernel, which has no half precision
        return (
            "a small term left out or added, such as an epsilon",
            "which term is left out or added? How large is that term in this case?",
        )
    elif worst > 2.0 ** -(_HALF + 3):  # float64 is right, so nothing is left out
        return "a step in half precision", "which step has fewer bits than its input, such as a cast to float16?"
    return (
        "a series cut off, too few iterations or an added epsilon",
        "which term is left out or added? How large is that term in this case?",
    )


# -- what an observation shows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Error:
    """The largest error of a wrong result, relative to its largest expected value, and where it is."""

    relative: float
    place: str


def _comparable(o: Observation) -> bool:
    return o.got is not None and all(
        got is not None and got.shape == part.value.shape and bool(np.isfinite(got).all())
        for got, part in zip(o.got, o.expected.parts, strict=True)
    )


def errors(o: Observation) -> Iterator[_Error]:
    """Yield the largest error of each wrong result; none if a result cannot be compared."""
    if not _comparable(o):
        return
    overall = max((float(np.max(np.abs(part.value), initial=0.0)) for part in o.expected.parts), default=0.0)
    for got, value, name in _pairs(o, wrong=True):
        if value.size:
            off = np.abs(got - value)
            where = np.unravel_index(int(np.argmax(off)), off.shape)
            place = f"{name}[{', '.join(map(str, where))}]" if where else name
            largest = float(np.max(np.abs(value)))
            scale = largest if largest > _NOTHING * overall else overall  # what is 0 but for rounding has no scale
            yield _Error(float(off[where]) / (scale or 1.0), place)


def _pairs(o: Observation, *, wrong: bool = False) -> Iterator[tuple[Array, Array, str]]:
    """Yield each result, or each wrong one, with the expected one and its name."""
    assert o.got is not None
    for got, part, off in zip(o.got, o.expected.parts, o.wrong, strict=True):
        if got is not None and (off or not wrong):
            yield got.astype(np.float64), part.value, part.name


def _is_near(o: Observation) -> bool:
    """Whether the results are those of a right answer in low precision: not exact, and not of another formula."""
    worst = max((error.relative for error in errors(o)), default=0.0)
    return 0 < worst < 2.0 ** -(_HALF - 5)


def _has_few_bits(o: Observation, bits: int) -> bool:
    """Whether every element of the wrong results has at most so many significant bits, unlike the expected results."""
    pairs = list(_pairs(o, wrong=True)) if _comparable(o) else []
    return bool(pairs) and all(
        np.array_equal(got, _rounded(got, bits)) and not np.array_equal(value, _rounded(value, bits))
        for got, value, _ in pairs
    )


def _is_of_half_inputs(drill: Drill, o: Observation) -> bool:
    """Whether the wrong results are right for inputs and cotangents rounded to half precision."""
    return any(_matches(drill, o, change) for change in (_half_elements, _half_scaled))


def _matches(drill: Drill, o: Observation, change: Callable[[Array], Array]) -> bool:
    floats = {name: np.asarray(v) for name, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"}
    changes: dict[str, Any] = {"inputs": {**o.case.inputs, **{name: change(v) for name, v in floats.items()}}}
    if len(o.expected.cotangents) == 1:
        changes["cotangent"] = change(o.expected.cotangents[0])
    try:
        others = again(drill, o, **changes)
    except InternalError:
        return False
    return all(
        other is not None
        and other.shape == got.shape
        and np.max(np.abs(got - other)) <= np.max(np.abs(got - value)) / _NEARER
        for (got, value, _), other, off in zip(_pairs(o), others, o.wrong, strict=True)
        if off
    )


def _half_elements(array: Array) -> Array:
    """Round each element to 11 bits, as a float16 of unlimited range does."""
    return _rounded(np.asarray(array, np.float64), _HALF)


def _half_scaled(array: Array) -> Array:
    """Round an array to float16 after scaling its largest element to 1, so that small elements lose more bits."""
    array = np.asarray(array, np.float64)
    largest = float(np.max(np.abs(array), initial=0.0))
    power = math.frexp(largest)[1] if math.isfinite(largest) else 0
    return np.ldexp(np.ldexp(array, -power).astype(np.float16).astype(np.float64), power)


def _rounded(array: Array, bits: int) -> Array:
    """Round to so many significant bits."""
    mantissa, exponent = np.frexp(array)
    return np.asarray(np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits))
