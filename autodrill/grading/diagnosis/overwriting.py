"""Overwriting: answers in which one contribution to an element replaces the others instead of being added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import Rule
from autodrill.grading.diagnosis.transformations import again, hair, has_upstream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["overwritten"]

_CASES, _MOST_GROUPS = 4, 64
"""Number of failing and of passing cases that are computed group by group, and the largest number of groups."""

_RULE = Rule(
    "overwritten",
    "several contributions reach one element, and only one of them counts",
    "which line assigns where it must add (`+=`)? which elements does the loop visit twice?",
)

_DIAGONAL = Rule(
    "own-place-only",
    "each place of the result depends only on the same place of g",
    "which other places of the output does this input change? Where does your code use their part of g?",
)


def overwritten(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule if every wrong element holds a single one of its contributions, or None.

    A contribution comes from one element of g, from one index of its first axis, or from one position in its last two
    axes. An element with a single contribution must be right, unless the same group alone counts everywhere. If each
    place holds the contribution of the same place of g, nothing is overwritten, and another rule says so.

    Args:
        drill: The exercise.
        failing: Failing observations with results to compare; the first is shown.
        passing: Passing observations: in them no element has two contributions.
    """
    for axes in ("all", "first", "last two"):
        wrong, right = ([o for o in some if _count(drill, o, axes)][:_CASES] for some in (failing, passing))
        if any(o is failing[0] for o in wrong) and not all(o.case.simple for o in wrong):
            parts = {i for o in wrong for i, off in enumerate(o.wrong) if off}
            if all(_explains(drill, o, axes, parts) for o in (*wrong, *right)):
                diagonal = all(_is_diagonal(drill, o, axes, parts) for o in wrong)
                return _DIAGONAL if diagonal else _RULE
    return None


def _count(drill: Drill, o: Observation, axes: str) -> int:
    """Return the number of groups of elements of g, or 0 if they cannot be used."""
    if not has_upstream(drill, o) or o.case.alias or o.got is None:
        return 0
    shape = o.expected.cotangents[0].shape
    least = {"all": 1, "first": 2, "last two": 3}[axes]
    count = int(np.prod({"all": shape, "first": shape[:1], "last two": shape[-2:]}[axes]))
    return count if len(shape) >= least and 1 < count <= _MOST_GROUPS else 0


def _groups(g: Array, axes: str) -> Iterator[Array]:
    """Yield g with all but one group of its elements set to 0."""
    shape = {"all": g.shape, "first": g.shape[:1], "last two": g.shape[-2:]}[axes]
    for index in np.ndindex(shape):
        place = (..., *index) if axes == "last two" else index
        part = np.zeros_like(g)
        part[place] = g[place]
        yield part


def _is_diagonal(drill: Drill, o: Observation, axes: str, parts: set[int]) -> bool:
    """Whether each element, or each row, holds the contribution of the same element or row of g."""
    assert o.got is not None
    g = o.expected.cotangents[0]
    depth = {"all": g.ndim, "first": 1, "last two": 0}[axes]
    shape = g.shape[:depth]
    if not depth or any(o.expected.parts[i].value.shape[:depth] != shape for i in parts):
        return False
    single = [again(drill, o, cotangent=part) for part in _groups(g, axes)]
    for place, each in zip(np.ndindex(shape), single, strict=True):
        for i in parts:
            part, got, own = o.expected.parts[i], o.got[i], each[i]
            room = np.max(4 * part.tolerance + hair(o, part.value), initial=0.0)
            if got is None or own is None or not np.all(np.abs(got[place] - own[place]) <= room):
                return False
    return True


def _explains(drill: Drill, o: Observation, axes: str, parts: set[int]) -> bool:
    assert o.got is not None
    single = [again(drill, o, cotangent=part) for part in _groups(o.expected.cotangents[0], axes)]
    for i in parts:
        part, got = o.expected.parts[i], o.got[i]
        found = [each[i] for each in single]
        if got is None or got.shape != part.value.shape or any(each is None for each in found):
            return False
        if np.any(np.isfinite(part.value) & ~np.isfinite(got)):
            return False  # NaN comes from no contribution
        contributions = np.stack([each for each in found if each is not None])
        room = 4 * part.tolerance + hair(o, part.value)
        off = np.abs(got - part.value) > room
        if o.wrong[i] and not off.any():
            return False  # an error this small comes from no contribution that is left out
        several = (np.abs(contributions) > room).sum(axis=0) > 1
        if several.any() and any((np.abs(each - got) <= room).all() for each in contributions):
            continue  # one group alone counts, everywhere
        one_of_them = ((np.abs(contributions - got) <= room) & (np.abs(contributions) > room)).any(axis=0)
        if np.any(off & ~(several & one_of_them)) or np.any(several & ~one_of_them):
            return False
    return True
