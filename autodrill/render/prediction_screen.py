"""The case of a prediction as plain lines, and the right gradients."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 it shows arrays

from autodrill.grading.cases.hand_case import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from autodrill.grading.cases.hand_case import HandCase

__all__ = ["given_lines", "gradient_lines", "value_text"]


def given_lines(found: HandCase, width: int) -> Iterator[str]:
    """Yield what the code would receive, each argument as in `x = ...`; see `_value_lines` for arrays."""
    yield from _named(found.given, width)


def gradient_lines(found: HandCase, width: int) -> Iterator[str]:
    """Yield every right gradient."""
    yield from _named({name: gradient for name, _, gradient in found.gradients}, width)


def value_text(value: Any) -> str:
    """Return a value as Python writes it, with fractions where they are exact."""
    if isinstance(value, np.ndarray):
        if value.ndim:
            return f"[{', '.join(map(value_text, value))}]"
        value = value[()]
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | int | np.number):
        return number_text(float(value)) or f"{float(value):.4g}"
    if isinstance(value, tuple):
        inside = ", ".join(map(value_text, value))
        return f"({inside}{',' if len(value) == 1 else ''})"
    return repr(value)


def _named(values: Mapping[str, Any], width: int) -> Iterator[str]:
    longest = max(map(len, values), default=0)
    for name, value in values.items():
        head = f"  {name:<{longest}} = "
        for line in _value_lines(value, width - len(head)):
            yield from textwrap.wrap(head + line, width, subsequent_indent=" " * (len(head) + 1))
            head = " " * len(head)


def _value_lines(value: Any, width: int) -> list[str]:
    """Return a value in one line. An array of three axes or more, or one that does not fit, has a line for each row."""
    text = value_text(value)
    if (
        not isinstance(value, np.ndarray)
        or value.size == 0
        or value.ndim < 2
        or (value.ndim == 2 and len(text) <= width)
    ):
        return [text]
    return _rows(value)


def _rows(value: np.ndarray[Any, Any]) -> list[str]:
    """Return the rows of an array, in the brackets of NumPy."""
    if value.ndim < 2:
        return [value_text(value)]
    lines: list[str] = []
    for number, part in enumerate(value, 1):
        rows = _rows(part)
        rows[-1] += "," if number < len(value) else "]"
        lines += rows
    return ["[" + lines[0], *(" " + line for line in lines[1:])]
