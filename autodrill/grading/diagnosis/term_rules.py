"""Term rules: answers off by one factor in some elements, or by a multiple of one quantity in every row.

A missing or wrong sum, mean or norm changes all elements of a row in proportion to one quantity. These rules describe
the numbers and guess nothing about the code, so they are tried last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.drills.answer_records import Rule
from autodrill.grading.diagnosis.scale_rules import as_text, quantities
from autodrill.grading.diagnosis.similarity import is_comparable, ordinary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["off_by_term"]

_CASES = 2
"""Number of failing cases that must show the term."""

_LENGTH = 3
"""Length of an axis from which proportional numbers are no coincidence."""

_ROOM = 1e-6
"""Largest part of an error that the term may leave unexplained."""

_CLEAR = 1e3
"""The multiple of its tolerance that an error must exceed. Rounding makes a smaller one a multiple of many terms."""

_ITSELF, _ONE = "itself", "1"

_ELEMENTS = 4
"""Number of wrong elements that must have the same factor."""

_VAGUE, _TINY = 1e4, 1e-12
"""The multiple of its tolerance that an element must exceed to give a ratio, and the largest ratio that counts as 0."""


def off_by_term(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of an answer that is off by a factor in places or by a multiple of one quantity, or None.

    Args:
        drill: The exercise.
        failing: Failing observations, the one shown first.
        passing: Passing observations.
    """
    usual = {id(o) for o in ordinary([*failing, *passing], size_one=True)}
    some = [o for o in failing if o is failing[0] or id(o) in usual]
    if drill.solution.drive or drill.kind.on_device or any(o.case.draws for o in some):
        return None
    if not all(map(is_comparable, some)):
        return None
    wrong = sorted({i for o in some for i, off in enumerate(o.wrong) if off})
    wrong.sort(key=lambda i: not failing[0].wrong[i])
    rule = _factor_in_places(some, wrong)
    if rule is not None or not failing[0].wrong[wrong[0]]:
        return rule
    if len(wrong) == 1:
        return _multiple(drill, some, wrong[0])
    # An earlier step is wrong if two results are. Then only a factor is simple enough to be true of both.
    shown = [[_shows(o, i, _ITSELF, o.expected.parts[i].value, None) for o in some] for i in wrong]
    scaled = all(False not in each and each.count(True) >= _CASES for each in shown)
    return _rule(failing[0].expected.parts[wrong[0]].name, _ITSELF, None) if scaled else None


# -- a factor in some elements -----------------------------------------------------------------------------------------


def _factor_in_places(failing: list[Observation], indices: list[int]) -> Rule | None:
    """Return the rule if every wrong element is the right one times one factor, and others are right; or None."""
    ratios, telling, right = [], 0, 0
    for o, index in ((o, i) for o in failing for i in indices):
        part, got = o.expected.parts[index], (o.got or ())[index]
        if got is None or got.shape != part.value.shape:
            return None
        off = np.abs(got - part.value) > part.tolerance
        if np.any(off & (np.abs(part.value) <= _VAGUE * part.tolerance)):
            return None  # a wrong element must be 0
        ratios += (got[off] / part.value[off]).tolist()
        telling += bool(off.any())
        right += bool(np.any(~off & (part.value != 0)))
    if telling < _CASES or right < _CASES or len(ratios) < _ELEMENTS:
        return None
    if not all(math.isclose(ratio, ratios[0], rel_tol=1e-4, abs_tol=1e-9) for ratio in ratios):
        return None
    if math.isclose(ratios[0], 1, rel_tol=1e-3):
        return None  # nearly right: the precision rules explain it
    index = indices[0]
    name = failing[0].expected.parts[index].name
    if abs(ratios[0]) <= _TINY:
        return Rule(
            "zero-in-places",
            f"wherever {name} is wrong, it is 0",
            (
                "what do these elements have in common? for which path from them to the output does your code have no "
                "term?"
            ),
        )
    return Rule(
        "factor-in-places",
        f"wherever {name} is wrong, it is {as_text(ratios[0])} times the right value",
        "what do these elements have in common? how many times does each enter the output, and with which factor?",
    )


# -- a multiple of a quantity in every row -----------------------------------------------------------------------------


def _multiple(drill: Drill, failing: list[Observation], index: int) -> Rule | None:
    """Return the rule if the error divided by a quantity is one number in each slice along an axis, or None.

    The quantity is the right result, 1, an argument, the output or a centred argument.
    """
    at_hand = {id(o): dict(_candidates(drill, o, index)) for o in failing}
    handed = drill.kind.shown_arguments(drill, failing[0].case, failing[0].expected)
    # What the submission receives comes first: a saved output is often a multiple of an input that was not saved.
    names = sorted(at_hand[id(failing[0])], key=lambda name: "`" in name and name.split("`")[1] not in handed)
    for axis in (None, "axis", -1, 0):
        for name in names:
            shown = [_shows(o, index, name, at_hand[id(o)].get(name), _axis_of(o, axis)) for o in failing]
            if False not in shown and shown.count(True) >= _CASES:
                return _rule(failing[0].expected.parts[index].name, name, axis)
    return None


def _axis_of(o: Observation, axis: int | str | None) -> int | None:
    """Return an axis; the value of the option `axis` for a name."""
    chosen = o.case.static.get(axis) if isinstance(axis, str) else axis
    return chosen if type(chosen) is int else None


_SLICES = {
    None: ("", ""),
    "axis": ("each slice along `axis` of ", " along `axis`"),
    -1: ("each row of ", " over a row"),
    0: ("each column of ", " over a column"),
}
"""What the slices along an axis are called, and where a sum over one runs."""


def _rule(part: str, name: str, axis: int | str | None) -> Rule:
    each, where = _SLICES[axis]
    if name == _ITSELF:
        return Rule(
            "unknown-factor",
            f"{each}{part} is right up to a factor",
            "which number scales it: a sum, a count or a norm? over which elements must that number be taken?",
        )
    if name == _ONE:
        return Rule(
            "off-by-constant",
            f"all elements of {each}{part} are off by the same amount",
            f"which sum or mean{where} belongs to the formula, and with which factors inside?",
        )
    return Rule(
        "off-by-term",
        f"{each}{part} is off by a multiple of {name}",
        f"which term contains {name}, and with which coefficient?",
    )


def _candidates(drill: Drill, o: Observation, index: int) -> Iterator[tuple[str, Array]]:
    """Yield the quantities of the result's shape, by name."""
    value = o.expected.parts[index].value
    yield _ITSELF, value
    yield _ONE, np.ones(value.shape)
    for name, quantity in quantities(drill, o).items():
        if quantity.shape == value.shape and quantity.ndim:
            yield name, quantity
    for name, array in o.case.inputs.items():
        raw = np.asarray(array)
        if raw.shape == value.shape and raw.ndim > 1 and raw.dtype.kind == "f":
            for axis, words in ((-1, "row"), (0, "column")):
                yield f"`{name}` minus its {words} mean", raw - raw.mean(axis=axis, keepdims=True)


def _shows(o: Observation, index: int, name: str, quantity: Array | None, axis: int | None) -> bool | None:
    """Whether the error of a result is proportional to a quantity, along an axis or everywhere.

    None if a case cannot say, because the result is right or no slice has enough numbers.
    """
    assert o.got is not None
    part, got = o.expected.parts[index], o.got[index]
    if not o.wrong[index]:
        return None
    if quantity is None or got is None or not np.isfinite(quantity).all() or got.ndim == 0:
        return False
    error, terms = _slices(got - part.value, axis), _slices(quantity, axis)
    room = _slices(np.broadcast_to(part.tolerance, part.value.shape), axis)
    norm = np.sum(terms * terms, axis=-1, keepdims=True)
    share = np.sum(error * terms, axis=-1, keepdims=True) / np.where(norm > 0, norm, 1.0)
    largest = np.max(np.abs(error), axis=-1, keepdims=True, initial=0.0)
    if np.any(np.abs(error - share * terms) > 8 * room + _ROOM * largest):
        return False
    off = np.any(np.abs(error) > _CLEAR * room, axis=-1)
    if name == _ITSELF and np.any(off & (np.abs(share[..., 0] + 1) <= _ROOM)):
        return False  # zeros are not a matter of scale
    many = np.sum(terms != 0, axis=-1) >= _LENGTH
    return True if np.any(off & many) else None


def _slices(array: Array, axis: int | None) -> Array:
    """Return an array with the slices along an axis as its rows, or with all elements as one row."""
    return array.reshape(1, -1) if axis is None else np.moveaxis(array, axis, -1)
