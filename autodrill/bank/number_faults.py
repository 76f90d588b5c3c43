"""What is wrong with a number, as a teacher would say it: swapped, sign, factor, unit, order of magnitude, percent."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["fault", "names_unit"]

_WORDS = {2.0: "twice", 0.5: "half", 1 / 3: "a third of", 0.25: "a quarter of"}
_FACTORS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 12.0, 16.0, 1.5, math.pi, 2 * math.pi, math.e, math.sqrt(2))
_NAMES = {math.pi: "π", 2 * math.pi: "2π", math.e: "e", math.sqrt(2): "√2"}
_UNIT = re.compile(r"\s*[-+−]?[\d.]+(?:e[-+]?\d+)?\s*(?:%|[kKMGTP]?i?B|bytes?|bits?|[kMGT]?FLOPs?|[nmµu]?s)\s*")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_ROUNDING = 1e-6
"""The least relative error that tells two numbers apart here; exact counts have a smaller tolerance."""
_CLOSE = 0.02
"""A relative error that rounding explains."""
_FAR = 5.0
"""A factor that is more a matter of magnitude than of percent."""
_COUNTED = 3
"""The least count at which a difference of 1 says more than the factor."""


def names_unit(typed: str) -> bool:
    """Say whether a typed number is followed by a unit, such as `3 MiB` or `5 %`."""
    return _UNIT.fullmatch(typed) is not None


def fault(got: float, want: float, tolerance: float, others: Mapping[str, float]) -> str:
    """Return what is wrong with a number, as a predicate.

    Args:
        got: The wrong number.
        want: The right number.
        tolerance: The relative error accepted; absolute if `want` is 0.
        others: The other right numbers of the question, by label.
    """
    near = max(tolerance, _ROUNDING)
    for label, value in others.items():
        if math.isclose(got, value, rel_tol=near) and value != want:
            return f"is the value of {label}"
    if want == 0:
        return "is not right: the value is 0"
    if got == 0:
        return "is not right: the value is not 0"
    if math.isclose(got, -want, rel_tol=near):
        return "has the right size and the wrong sign"
    sign = ", and the sign is wrong" if got * want < 0 else ""
    size = " in size" if want < 0 or sign else ""
    return _by_factor(abs(got), abs(want), near, size) + sign


def _by_factor(got: float, want: float, near: float, size: str) -> str:
    """Compare two positive numbers."""
    ratio, larger = got / want, max(got, want) / min(got, want)
    direction = f"too {'large' if got > want else 'small'}{size}"
    if math.isinf(larger):
        return f"is far {direction}"
    whole = got == round(got) and want == round(want)
    if whole and abs(got - want) == 1 and want >= _COUNTED:
        return f"is 1 {direction}"
    if (unit := _unit(larger, near)) is not None:
        return f"is {unit[0]} {direction}: {unit[1]}"
    for factor in _FACTORS:
        if math.isclose(larger, factor, rel_tol=near):
            if size or (word := _word(ratio)) is None:
                return f"is {direction} by the factor {_NAMES.get(factor, f'{factor:g}')}"
            return f"is {word} the right value"
    if want != 1 and math.isclose(got * want, 1, rel_tol=near):
        return "is 1 divided by the right value"
    if want != 1 and math.isclose(got, want * want, rel_tol=near):
        return "is the square of the right value"
    if want != 1 and math.isclose(got * got, want, rel_tol=near):
        return "is the square root of the right value"
    if larger >= _FAR:
        orders = round(math.log10(larger))
        magnitude = f", {orders} orders of magnitude" if orders > 1 else ""
        return f"is {direction} by a factor of about {float(f'{larger:.2g}'):g}{magnitude}"
    share = abs(ratio - 1)
    digits = "; keep more digits" if share <= _CLOSE and near > _ROUNDING else ""
    allowed = f" (tolerance {100 * near:g} %)" if near > _ROUNDING else ""
    return f"is {100 * share:.2g} % {direction}{digits}{allowed}"


def _unit(larger: float, near: float) -> tuple[str, str] | None:
    """Return the factor and the likely confusion of units behind it."""
    for power in range(1, 5):
        if math.isclose(larger, 1.024**power, rel_tol=min(near, 1e-3)):
            return f"{100 * (larger - 1):.2g} %", "a unit counts 1024 for 1000, such as MiB for MB"
        if math.isclose(larger, 1024.0**power, rel_tol=min(near, 1e-3)):
            return f"{1024**power} times", "check a unit, such as KiB for MiB"
    if math.isclose(larger, 8, rel_tol=near):
        return "8 times", "check bits and bytes"
    power = round(math.log10(larger))
    if power and math.isclose(larger, 10.0**power, rel_tol=near):
        what = "check for a percentage or the decimal point" if power < 3 else "check a unit or the decimal point"
        return f"{10**power} times" if power < 6 else f"10{str(power).translate(_RAISED)} times", what
    return None


def _word(ratio: float) -> str | None:
    return next((word for value, word in _WORDS.items() if math.isclose(ratio, value, rel_tol=1e-2)), None)
