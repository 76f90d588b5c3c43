"""Shape rules: what is wrong with the shape of a result, as far as its numbers prove it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module compares arrays

from autodrill.drills.answer_records import Rule
from autodrill.grading.diagnosis.similarity import close, has_numbers
from autodrill.grading.diagnosis.transformations import again

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Part
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["broadcast_rule", "shape_rule"]

_MOST_AXES = 5
"""Orders and subsets of axes are tried for at most this number of axes."""


def shape_rule(drill: Drill, failing: list[Observation]) -> Rule | None:
    """Return the rule that explains every wrong shape of the failing observations, or None.

    Args:
        drill: The exercise.
        failing: Failing observations, the one shown first. Those without a wrong shape, or with an empty input, say
            nothing.
    """
    odd = [(o, i, got) for o in failing if has_numbers(o) for i, got in _odd(o)]
    if not odd or odd[0][0] is not failing[0]:
        return None
    # If every right result is 0, its numbers are those of any other zeros, and only the order of axes says something.
    telling = any(np.any(o.expected.parts[i].value) for o, i, _ in odd)
    for rule, holds in _RULES if telling else _OF_ZEROS:
        if all(holds(got, o.expected.parts[i]) for o, i, got in odd):
            return replace(rule, because=rule.because.format(odd[0][0].expected.parts[odd[0][1]].name))
    if telling and all(_is_partly_summed(o, i, got) for o, i, got in odd):
        return _partly(odd)
    if telling and all(_is_aligned_left(drill, o, i, got) for o, i, got in odd):
        return _ALIGNED_LEFT
    return None


def broadcast_rule(failing: list[Observation]) -> Rule | None:
    """Return the rule if every wrong shape is one to which the right shape broadcasts, or None."""
    odd = [(o, i, got.shape) for o in failing if has_numbers(o) for i, got in _odd(o)]
    if not odd or not all(_is_broadcast(mine, o.expected.parts[i].value.shape) for o, i, mine in odd):
        return None
    first, index, _ = odd[0]
    return replace(_BROADCAST, because=_BROADCAST.because.format(first.expected.parts[index].name))


def _odd(o: Observation) -> list[tuple[int, Array]]:
    """Return the results with a wrong shape, with their index."""
    pairs = zip(o.got or (), o.expected.parts, strict=False)
    return [(i, got) for i, (got, part) in enumerate(pairs) if got is not None and got.shape != part.value.shape]


# -- the result and the right one --------------------------------------------------------------------------------------


def _is_reordered(got: Array, part: Part) -> bool:
    """Whether the result is the right one with its axes in another order."""
    value = part.value
    if got.ndim != value.ndim or not 1 < got.ndim <= _MOST_AXES or sorted(got.shape) != sorted(value.shape):
        return False
    room = np.max(part.tolerance, initial=0.0)
    orders = itertools.permutations(range(got.ndim))
    return any(v.shape == got.shape and close(got, v, room) for v in (value.transpose(order) for order in orders))


def _is_empty(got: Array, part: Part) -> bool:
    return got.size == 0 and part.value.size > 0


def _is_cut_off(got: Array, part: Part) -> bool:
    """Whether the result is the start of the right one, which is longer."""
    return _is_part_of(got, part.value, part)


def _is_extended(got: Array, part: Part) -> bool:
    """Whether the right result is the start of the result, which is longer."""
    return _is_part_of(part.value, got, part)


def _is_part_of(less: Array, more: Array, part: Part) -> bool:
    if less.ndim != more.ndim or any(n > m for n, m in zip(less.shape, more.shape, strict=True)):
        return False
    room = np.asarray(np.max(part.tolerance, initial=0.0))
    return close(less, more[tuple(slice(n) for n in less.shape)], room)


def _is_summed_too_far(got: Array, part: Part) -> bool:
    """Whether the result is the right one, summed over axes that must stay."""
    value = part.value
    if value.ndim > _MOST_AXES or got.size > value.size:
        return False
    axes = (c for n in range(1, value.ndim + 1) for c in itertools.combinations(range(value.ndim), n))
    for some in axes:
        for kept in (False, True):
            summed = np.asarray(value.sum(axis=some, keepdims=kept))
            room = np.asarray(np.max(part.tolerance, initial=0.0) * max(1, value.size))
            if summed.shape == got.shape and close(got, summed, room):
                return True
    return False


def _is_repeated(got: Array, part: Part) -> bool:
    """Whether the result repeats the right one along further axes, or along axes of size 1."""
    value = part.value
    if got.size < value.size:
        return False
    room = np.asarray(np.max(part.tolerance, initial=0.0))
    shapes = [value.shape]
    if got.ndim > value.ndim and got.ndim <= _MOST_AXES:
        places = itertools.combinations(range(got.ndim), value.ndim)
        shapes = [tuple(value.shape[p.index(i)] if i in p else 1 for i in range(got.ndim)) for p in places]
    for shape in shapes:
        try:
            wide = np.broadcast_to(value.reshape(shape), got.shape)
        except ValueError:
            continue
        if close(got, wide, room):
            return True
    return False


_RULES: tuple[tuple[Rule, Callable[[Array, Part], bool]], ...] = (
    (
        Rule(
            "transposed",
            "the numbers of {} are right, but its axes are in another order",
            "take axes of different sizes, and write down the shape after each step",
        ),
        _is_reordered,
    ),
    (
        Rule(
            "empty-result",
            "{} is empty, although the right result is not",
            "which slice is empty? `a[p:-p]` is empty if p is 0; use `a[p:p + n]`",
        ),
        _is_empty,
    ),
    (
        Rule(
            "cut-off",
            "{} begins with the right numbers, but it ends too early",
            (
                "how do you compute the size of this result? It has the shape of the input; elements that the forward "
                "never reads have the gradient 0"
            ),
        ),
        _is_cut_off,
    ),
    (
        Rule(
            "extended",
            "{} begins with the right numbers, but more numbers follow them",
            "which elements do not belong to the input, such as padding? where must your code cut them off?",
        ),
        _is_extended,
    ),
    (
        Rule(
            "summed-too-far",
            "{} is the right result, summed over an axis that must stay",
            "along which axes was the input copied? Sum over these axes only",
        ),
        _is_summed_too_far,
    ),
    (
        Rule(
            "repeated",
            "{} repeats the right numbers along an axis that the input lacks, or that has size 1 in the input",
            "which step broadcasts? Compare the shapes before and after it",
        ),
        _is_repeated,
    ),
)
"""Each rule with the condition that every wrong shape must meet, in the order in which the rules are tried."""

_OF_ZEROS = _RULES[:2]
"""The rules that need no numbers."""


# -- broadcasting ------------------------------------------------------------------------------------------------------

_PARTLY = {
    (True, False): "a leading axis that broadcasting added is not summed",
    (False, True): "an axis of size 1 that broadcasting stretched is not summed",
    (True, True): "not every axis along which broadcasting copied the input is summed",
}
"""The belief, by two facts: whether some leading axis is not summed, and whether some stretched axis is not summed."""

_ALIGNED_LEFT = Rule(
    "aligned-left",
    "the shapes are aligned from the left, so the wrong axes are summed",
    "NumPy aligns shapes from the right: which axes did broadcasting add, the first or the last ones?",
)

_BROADCAST = Rule(
    "broadcast-too-far",
    "the right shape of {} broadcasts to the returned shape, so an operand probably has an axis too many",
    "where do you add an axis, such as `[:, None]`? must the other operand have that axis too?",
)


def _is_broadcast(mine: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether NumPy broadcasts the right shape to a larger one."""
    extra = len(mine) - len(right)
    return extra >= 0 and all(n in (1, m) for n, m in zip(right, mine[extra:], strict=True))


def _partly(odd: list[tuple[Observation, int, Array]]) -> Rule:
    shapes = [(got.shape, o.expected.parts[i].value.shape) for o, i, got in odd]
    leading = any(len(mine) > len(right) for mine, right in shapes)
    stretched = any(_stretched(mine, right) for mine, right in shapes)
    return Rule("not-summed", _PARTLY[leading, stretched], "along which axes was the input copied?")


def _stretched(mine: tuple[int, ...], right: tuple[int, ...]) -> list[int]:
    """Return the axes of `mine` that must have size 1 but are longer, with the shapes aligned from the right."""
    extra = len(mine) - len(right)
    return [i + extra for i, n in enumerate(right) if n == 1 and mine[i + extra] != 1]


def _is_partly_summed(o: Observation, index: int, got: Array) -> bool:
    """Whether the result is right once it is summed over axes that broadcasting added or stretched."""
    part = o.expected.parts[index]
    right, extra = part.value.shape, got.ndim - part.value.ndim
    if extra < 0 or not o.expected.outputs:
        return False
    axes = (*range(extra), *_stretched(got.shape, right))
    summed = got.sum(axis=axes, keepdims=True)
    return summed.size == math.prod(right) and close(summed.reshape(right), part.value, part.tolerance * 8)


def _is_aligned_left(drill: Drill, o: Observation, index: int, got: Array) -> bool:
    """Whether the result is the gradient before the sum, summed over the last axes instead of the first."""
    part = o.expected.parts[index]
    right = part.value.shape
    if not o.expected.outputs:
        return False
    whole = o.expected.outputs[0].shape
    extra = len(whole) - len(right)
    names = [n for n, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"]
    if extra <= 0 or index >= len(names):
        return False
    try:
        wide = np.broadcast_to(o.case.inputs[names[index]], whole)
        before = again(drill, o, inputs={**o.case.inputs, names[index]: wide})[index]
    except Exception:  # noqa: BLE001 an author's forward need not accept that shape
        return False
    if before is None or before.shape != whole:
        return False
    left = before.sum(axis=tuple(range(len(right), len(whole))))
    stretched = tuple(i for i, n in enumerate(right) if n == 1)
    room = np.asarray(np.max(part.tolerance, initial=0.0) * 8)
    return any(
        mine.shape == got.shape and close(got, mine, room)
        for mine in (left, left.sum(axis=stretched, keepdims=True), left.sum(axis=stretched))
    )
