"""Values as short text for a report: one line, made from numbers only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 it shows arrays

from autodrill.sandbox.child.wire import Opaque

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["compared", "pair", "short"]

_LONGEST = 60
_MOST_SHOWN = 64
"""Elements of the largest array that is written out."""


def compared(want: NDArray[Any], got: NDArray[Any] | None) -> tuple[str, str]:
    """Return an expected array and a result as short text: their shapes if these differ."""
    if got is None:
        return short(want), "not numbers"
    if got.shape != want.shape:
        return f"shape {want.shape}", f"shape {got.shape}"
    return pair(want, got)


def short(value: Any, digits: int = 4) -> str:
    """Return a value in one line of at most 60 characters."""
    text = _text(value, digits)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def pair(want: NDArray[Any], got: NDArray[Any]) -> tuple[str, str]:
    """Return two arrays of one shape as short text, with enough digits to differ."""
    for digits in (4, 7, 10, 17):
        texts = _text(want, digits), _text(got, digits)
        if texts[0] != texts[1]:
            break
    if max(map(len, texts)) <= _LONGEST and want.size <= _MOST_SHOWN:
        return texts
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(np.float64) - want)
        off[(got == want) | (np.isnan(got) & np.isnan(want))] = 0  # equal infinities differ by NaN
    worst = np.unravel_index(int(np.nanargmax(np.where(np.isfinite(off), off, np.inf))), want.shape)
    place = f"[{', '.join(map(str, worst))}]"
    return f"{_number(want[worst], 6)} at {place}", f"{_number(got[worst], 6)} at {place}"


def _text(value: Any, digits: int) -> str:
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return f"empty, shape {value.shape}"
        dtype = "" if value.dtype in (np.float64, np.int64) else f" {value.dtype}"
        return _nested(value, digits) + dtype
    if isinstance(value, np.generic | int | float) and not isinstance(value, bool):
        return _number(value, digits)
    if isinstance(value, list | tuple):
        inside = ", ".join(_text(v, digits) for v in value[:40])
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_text(v, digits)}" for k, v in list(value.items())[:40]) + "}"
    if isinstance(value, Opaque):
        return f"a {value.type_name}"
    return repr(value)[: _LONGEST + 1]


def _nested(array: NDArray[Any], digits: int) -> str:
    if array.ndim == 0:
        return _number(array[()], digits)
    if array.size > _MOST_SHOWN:
        return f"shape {array.shape}"
    return f"[{', '.join(_nested(a, digits) for a in array)}]"


def _number(value: Any, digits: int) -> str:
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    return f"{float(value):.{digits}g}"
