"""Scale rules: answers that are off by a factor or by a term."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.drills.answer_records import Rule
from autodrill.grading.diagnosis.similarity import close
from autodrill.grading.diagnosis.transformations import contributions, hair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["as_text", "constant_factor", "quantities", "stray_factor", "term_without_upstream"]

_NEARLY_ONE = 1e-3
"""A ratio that is closer to 1 than this comes from an inexact answer, not from a factor."""

_VAGUE = 1e-3
"""Tolerance, relative to the largest expected value, above which a result has too few digits for a ratio."""

_POWERS = {
    2: "the right result times the square of",
    1: "the right result times",
    -1: "the right result divided by",
    -2: "the right result divided by the square of",
    0.5: "the right result times the square root of",
    -0.5: "the right result divided by the square root of",
}

_UNEXPLAINED = 0.1
"""If a result is a mean of random draws, a factor may leave this share of the result's error unexplained."""

_DIVIDED = -2
"""An answer that divides by a factor instead of multiplying by it is off by this power of the factor."""


# -- one number for everything -----------------------------------------------------------------------------------------


def constant_factor(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of a factor that is the same in every case, or always the size of an axis; or None.

    Args:
        failing: Failing observations with results to compare.
        passing: Passing observations, which the factor must not contradict.
    """
    ratios = [(o, i, _ratio(o, i)) for o in failing for i, wrong in enumerate(o.wrong) if wrong and _is_telling(o, i)]
    if not ratios or any(r is None for _, _, r in ratios):
        return None
    known = [(o, i, r) for o, i, r in ratios if r is not None]
    right = [(o, i) for o in passing for i in {i for _, i, _ in known}]
    first, index, ratio = known[0]
    part = first.expected.parts[index].name
    if all(math.isclose(r, ratio, rel_tol=1e-4) for _, _, r in known) and not any(
        _would_show(o, i, ratio) for o, i in right
    ):
        return Rule(
            "constant-factor",
            f"{_contribution_to(part, first)} is exactly {as_text(ratio)} times the right value",
            "which line brings in that factor?",
        )
    for name in dict(_sizes(first, index)):
        for power, words in _POWERS.items():
            if all(math.isclose(r, _power(o, i, name, power), rel_tol=1e-4) for o, i, r in known) and not any(
                _would_show(o, i, _power(o, i, name, power)) for o, i in right
            ):
                return Rule(
                    "constant-factor",
                    f"{part} is {words} {name}",
                    "does the forward compute a sum or a mean, and over how many elements?",
                )
    return None


def _is_telling(o: Observation, index: int) -> bool:
    """Whether the expected contribution to a result is not all zeros, and known well enough for a ratio."""
    largest = float(np.max(np.abs(contributions(o)[index]), initial=0.0))
    return largest > 0 and float(np.max(o.expected.parts[index].tolerance)) <= _VAGUE * largest


def _would_show(o: Observation, index: int, factor: float) -> bool:
    """Whether a right result would be wrong with the factor: not if it is nearly 0."""
    return bool(np.any(np.abs((factor - 1) * contributions(o)[index]) > o.expected.parts[index].tolerance))


def _power(o: Observation, index: int, name: str, power: float) -> float:
    size = dict(_sizes(o, index)).get(name, 0)
    return float(size) ** power if size else 0.0


def _ratio(o: Observation, index: int) -> float | None:
    """Return the ratio of a result to the right one if it is one number, or None."""
    assert o.got is not None
    part, got, right = o.expected.parts[index], o.got[index], contributions(o)[index]
    if got is None or got.shape != part.value.shape or not np.isfinite(got).all():
        return None
    mine = got - o.expected.start[index] if o.expected.start else got
    scale = float(np.max(np.abs(right)))
    with np.errstate(all="ignore"):
        ratio = float(np.sum(mine / scale * (right / scale)) / np.sum((right / scale) ** 2))
    room = 1e-4 * abs(ratio) * scale + 8 * part.tolerance
    if (
        not math.isfinite(ratio)
        or ratio == 0
        or abs(ratio - 1) < _NEARLY_ONE
        or not np.all(np.abs(mine - ratio * right) <= room)
    ):
        return None
    return ratio


def _sizes(o: Observation, index: int) -> Iterator[tuple[str, int]]:
    """Yield every possible N of a forgotten 1/N: the sizes of axes, and the numbers of elements of arrays."""
    for name, value in o.case.inputs.items():
        shape = np.shape(value)
        for axis, n in enumerate(shape):
            yield f"the size of axis {axis} of {name}", n
        for axis, n in enumerate(shape[:-3:-1]):  # with batch axes, their index differs between cases
            yield f"the size of the {'second-to-' * axis}last axis of {name}", n
        if len(shape) > 1:
            yield f"the number of elements of {name}", math.prod(shape)
    size = o.expected.parts[index].value.size
    for cotangent in o.expected.cotangents:
        yield "the number of outputs", cotangent.size
        yield "the number of copies of each element", cotangent.size // size if size else 0
        yield "the number of input elements per output", size // cotangent.size if cotangent.size else 0


def _contribution_to(result: str, o: Observation) -> str:
    """Return what to call a result: of a `.grad` that did not start at 0, only the contribution is off."""
    return f"the contribution to {result}" if o.expected.start else result


def as_text(ratio: float) -> str:
    """Return a ratio as a fraction with a small denominator, or else with four digits."""
    from fractions import Fraction

    fraction = Fraction(ratio).limit_denominator(12)
    return str(fraction) if math.isclose(float(fraction), ratio, rel_tol=1e-4) else f"{ratio:.4g}"


# -- a quantity of the case as a factor --------------------------------------------------------------------------------


def stray_factor(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of an argument or output that wrongly multiplies or divides the answer, or None.

    Args:
        drill: The exercise.
        failing: Failing observations with results to compare.
        passing: Passing observations, which the factor must not contradict.
    """
    wrong = sorted({i for o in failing for i, off in enumerate(o.wrong) if off})
    at_hand = {id(o): quantities(drill, o) for o in (*failing, *passing)}
    found = [next(_explaining(i, at_hand, failing, passing), None) for i in wrong]
    if not found or any(f is None for f in found):
        return None
    name, power = found[0] or ("", 0)
    subject = _contribution_to(failing[0].expected.parts[wrong[0]].name, failing[0])
    if power == _DIVIDED:
        return Rule(
            "divided-not-multiplied",
            f"{subject} is divided by {name} instead of multiplied by it",
            "make that value ten times larger: what should happen to the gradient?",
        )
    if power > 0:
        return Rule(
            "stray-factor",
            f"{subject} is multiplied by {name} once too often",
            "derive the gradient on paper: where does that factor come from?",
        )
    return Rule(
        "missing-factor",
        f"{subject} lacks the factor {name}",
        "derive the gradient on paper: which step of your code loses that factor?",
    )


def _explaining(
    index: int, at_hand: dict[int, dict[str, Array]], failing: list[Observation], passing: list[Observation]
) -> Iterator[tuple[str, int]]:
    for name in at_hand[id(failing[0])]:
        for power in (1, -1, _DIVIDED):
            if _explains([_scaled(o, index, at_hand[id(o)].get(name), power, o.got) for o in failing]) and all(
                _scaled(o, index, at_hand[id(o)].get(name), power, None) for o in passing
            ):
                yield name, power


def _explains(scaled: Sequence[bool | None]) -> bool:
    return any(scaled) and all(each is not False for each in scaled)


def _scaled(
    o: Observation, index: int, quantity: Array | None, power: int, got: tuple[Array | None, ...] | None
) -> bool | None:
    """Whether a result is the right contribution times a quantity; for a passing case, whether that changes nothing.

    None if the match proves nothing: the right contribution would match too, or only infinite numbers are wrong.
    """
    part, right = o.expected.parts[index], contributions(o)[index]
    mine = part.value if got is None else got[index]
    if quantity is None or mine is None or mine.shape != part.value.shape or (got is not None and not o.wrong[index]):
        return quantity is not None and mine is not None and mine.shape == part.value.shape
    try:
        with np.errstate(all="ignore"):
            scaled = right * np.broadcast_to(quantity, right.shape).astype(np.float64) ** power
    except ValueError:
        return False
    base = o.expected.start[index] if o.expected.start else 0.0
    tolerance = part.tolerance * (4 + 4 * np.abs(quantity).max(initial=0.0)) + hair(o, scaled)
    if got is not None and part.deviation is not None:
        tolerance = np.minimum(tolerance, _UNEXPLAINED * np.max(np.abs(mine - part.value), initial=0.0))
    if got is not None and close(mine, part.value, np.asarray(tolerance)):
        return None
    if not close(mine, np.asarray(base + scaled), np.asarray(tolerance)):
        return False
    if got is not None and not np.any(np.isfinite(scaled) & (np.abs(mine - part.value) > tolerance)):
        return None  # every number divided by 0 is infinite
    return True


def quantities(drill: Drill, o: Observation) -> dict[str, Array]:
    """Return what can be a factor, by name: inputs, numbers, and the output and cotangent if there is one of each."""
    nodes = bool(o.expected.start)
    named = {f"`{n}.data`" if nodes else f"`{n}`": np.asarray(v, np.float64) for n, v in o.case.inputs.items()}
    if len(o.expected.outputs) == 1 and len(o.expected.cotangents) == 1:
        named["`out.data`" if nodes else "`out`"] = o.expected.outputs[0].astype(np.float64)
        named["`out.grad`" if nodes else "`g`"] = o.expected.cotangents[0].astype(np.float64)
    if drill.solution.saved is not None and not drill.solution.drive and not o.case.draws:
        handed = drill.kind.shown_arguments(drill, o.case, o.expected)
        for name, value in handed.items():
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                named.setdefault(f"`{name}`", value.astype(np.float64))
    for name, value in o.case.static.items():
        if type(value) is float:
            named.setdefault(f"`{name}`", np.asarray(value))
    return named


# -- off by a term -----------------------------------------------------------------------------------------------------


def term_without_upstream(drill: Drill, failing: list[Observation]) -> Rule | None:
    """Return the rule if a result is not 0 although the upstream gradient, or the tangent, is 0; or None.

    A `.grad` must stay as it is, because it may hold contributions of other consumers. It must be a result that is
    wrong in the first case too, which is shown.
    """
    moving = "upstream gradient" if drill.kind.takes_cotangents else drill.kind.moving
    for o in failing:
        if o.got is None or not o.expected.cotangents or any(np.any(c != 0) for c in o.expected.cotangents):
            continue
        for i, (got, part, wrong) in enumerate(zip(o.got, o.expected.parts, o.wrong, strict=True)):
            if not (part.linear and wrong and failing[0].wrong[i]):  # an output of the forward has no upstream gradient
                continue
            # A `.grad` of 0 was overwritten, so there is no extra term.
            if got is None or got.shape != part.value.shape or not np.isfinite(got).all() or not got.any():
                continue
            if o.expected.start:  # the `.grad` may have been multiplied, so there may be no extra term
                return Rule(
                    "term-without-upstream",
                    f"{part.name} changes although the {moving} is 0",
                    f"which line of your code still changes {part.name} if the {moving} is 0?",
                )
            return Rule(
                "term-without-upstream" if drill.kind.takes_cotangents else f"term-without-{moving}",
                f"{part.name} is not 0 although the {moving} is 0",
                f"Which term is not multiplied by the {moving}? Check the parentheses.",
            )
    return None
