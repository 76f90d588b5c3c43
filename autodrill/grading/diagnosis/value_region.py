"""Value regions: the values of an input for which alone an elementwise result is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module compares arrays

from autodrill.grading.diagnosis.similarity import has_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["Region", "value_region"]

_CASES = 2
"""Number of failing cases, and of wrong elements, that must show values at or near 0."""

_NEAR = 1e-3
"""Largest magnitude that counts as nearly 0."""

_RIGHT = 8
"""Number of right elements elsewhere that must show that the value matters."""

_ORDINARY, _BESIDE = 16, 4
"""Number of right elements outside a range of values that show that the range is no coincidence, and the number of them
that must be in cases with wrong elements. There must be at least as many as wrong elements (a quarter of them in such
cases): where most values are wrong, the range is not the fault."""

_AT_ZERO = "does your code divide by this value, or leave out a branch at 0? What is the slope there?"
_NEAR_ZERO = "does your code divide by this value, or add an epsilon to it? What is the right result there?"
_IN_RANGE = "does your code treat such values differently, with a bound, a branch, or a formula that loses digits?"


@dataclass(frozen=True, slots=True)
class Region:
    """Where a result is wrong.

    Attributes:
        part: The name of the result.
        values: The values of an input, in words: "`x` is about 4.5 or more".
        hint: A question about these values.
    """

    part: str
    values: str
    hint: str


def value_region(failing: list[Observation], passing: list[Observation]) -> Region | None:
    """Return the values of an input for which alone a result is wrong, or None.

    Args:
        failing: Failing observations, the one shown first; never empty.
        passing: Passing observations.
    """
    some = [o for o in (*failing, *passing) if _tells(o)]
    if not _tells(failing[0]) or not any(failing[0].wrong):
        return None
    index = next(i for i, off in enumerate(failing[0].wrong) if off)
    for name, given in failing[0].case.inputs.items():
        if np.asarray(given).dtype.kind != "f":
            continue
        pairs = [_at(o, name, index) for o in some]
        if None in pairs:
            continue
        found = [pair for pair in pairs if pair is not None]
        wrong = np.concatenate([values[off] for values, off, _ in found])
        right = np.concatenate([values[~off & shows] for values, off, shows in found])
        beside = np.concatenate([values[~off & shows] for values, off, shows in found if off.any()] or [wrong[:0]])
        words = _condition(wrong, right, beside)
        if words is not None and sum(bool(off.any()) for _, off, _ in found) >= _CASES:
            called = f"`{name}.data`" if failing[0].expected.start else f"`{name}`"
            return Region(failing[0].expected.parts[index].name, f"{called} is {words[0]}", words[1])
    return None


def _tells(o: Observation) -> bool:
    return has_numbers(o) and o.got is not None and not o.case.alias and o.case.scale == 1


def _condition(wrong: Array, right: Array, beside: Array) -> tuple[str, str] | None:
    """Return what is true of the wrong places alone, in words, and the hint.

    Args:
        wrong: The values of an input where the result is wrong.
        right: Those where it is right and not 0.
        beside: The latter in cases that have wrong places too. Only they show a range of values: the cases may differ
            in something else.
    """
    if wrong.size < _CASES or right.size < _RIGHT:
        return None
    if np.all(wrong == 0) and np.sum(right != 0) >= _RIGHT and np.sum(right == 0) <= wrong.size:
        return "0", _AT_ZERO
    largest, has_zero = np.max(np.abs(wrong)), bool(np.any(wrong == 0))
    alike = (np.abs(right) <= largest) & (has_zero | (right != 0))
    if largest <= _NEAR and np.sum(alike) <= wrong.size / 2:
        return "0 or nearly 0" if has_zero else "nearly 0", _NEAR_ZERO
    for change, sign in ((np.asarray, "{}"), (np.abs, "±{}")):
        values, others, near = change(wrong), change(right), change(beside)
        low, high = np.min(values), np.max(values)
        inside, near_inside = (np.sum((each >= low) & (each <= high)) for each in (others, near))
        outside = min(others.size - inside, (near.size - near_inside) * _ORDINARY // _BESIDE)
        if inside <= wrong.size / 2 and outside >= max(_ORDINARY, wrong.size):
            return _range(low, high, others, sign), _IN_RANGE
    return None


def _range(low: float, high: float, others: Array, sign: str) -> str:
    """Return a range of values in words, with an open end where no other value shows a limit."""
    least, most = (sign.format(f"{value:.{2 if abs(value) < 100 else 4}g}") for value in (low, high))
    if np.all(others <= high):
        return f"about {least} or beyond" if sign != "{}" else f"about {least} or more"
    if np.all(others >= low):
        return f"about {most} or less"
    return f"between about {least} and {most}" if least != most else f"about {least}"


def _at(o: Observation, name: str, index: int) -> tuple[Array, Array, Array] | None:
    """Return the values of an input, where the result is wrong, and where it is not 0; None if their shapes differ.

    A right result of 0 shows nothing: its cotangent may be 0.
    """
    value = np.asarray(o.case.inputs.get(name, np.zeros(0)), np.float64)
    part, got = o.expected.parts[index], (o.got or ())[index]
    if got is None or value.shape != part.value.shape or got.shape != value.shape:
        return None
    with np.errstate(all="ignore"):
        off = ~(np.abs(got - part.value) <= part.tolerance)
    return value.ravel(), off.ravel(), part.value.ravel() != 0
