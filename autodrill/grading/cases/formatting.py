"""Short text of arguments and results for reports: numbers only, never the text of a candidate's object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 it shows arrays

from autodrill.sandbox.child.wire import Opaque

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["pair", "short"]

_LONGEST = 60


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
    if max(map(len, texts)) <= _LONGEST:
        return texts
    with np.errstate(all="ignore"):
        off = np.abs(got.astype(np.float64) - want)
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
    if array.size > 64:
        return f"shape {array.shape}"
    return f"[{', '.join(_nested(a, digits) for a in array)}]"


def _number(value: Any, digits: int) -> str:
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    return f"{float(value):.{digits}g}"
