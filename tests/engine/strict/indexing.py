"""Reading and writing by index on the strict device: integer arrays wrap, a mask makes the host wait."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.strict.array import StrictArray, hold, unwrap
from tests.engine.strict.ledger import ledger

__all__ = ["getitem", "scatter", "setitem"]


def _part(part: Any) -> Any:
    """Return one part of an index as NumPy takes it."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        for end in (part.start, part.stop, part.step):
            if end is not None and not isinstance(end, (int, np.integer)):
                raise TypeError("slice indices must be integers or None or have an __index__ method")
        return part
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if isinstance(part, (int, np.integer)):
        return int(part)
    if type(part) is not StrictArray:  # CuPy copies lists and NumPy's arrays to the device
        ledger.uploads += 1
    array = np.asarray(unwrap(part, host=True))
    if array.size == 0 and isinstance(part, (list, tuple)):
        array = array.astype(np.int32)
    if array.dtype.kind not in "biu":
        raise IndexError(f"arrays used as indices must be of integer or boolean type. (actual: {array.dtype.type})")
    return array


def _prepared(shape: tuple[int, ...], index: Any) -> tuple[tuple[Any, ...], bool]:
    """Return an index for NumPy, with the integer arrays wrapped, and whether it has arrays."""
    parts = [_part(part) for part in (index if isinstance(index, tuple) else (index,))]
    masks = [p for p in parts if isinstance(p, np.ndarray) and p.dtype.kind == "b"]
    if len(masks) > 1:
        raise ValueError("CuPy does not support more than one boolean array in an index")
    if masks:
        ledger.wait("mask")
    used = [
        p.ndim if isinstance(p, np.ndarray) and p.dtype.kind == "b" else 0 if p is None or p is Ellipsis else 1
        for p in parts
    ]
    axis = 0
    for k, part in enumerate(parts):
        if part is Ellipsis:
            axis = len(shape) - sum(used[k + 1 :])
            continue
        if isinstance(part, np.ndarray) and part.dtype.kind != "b" and 0 <= axis < len(shape) and shape[axis]:
            parts[k] = np.asarray(part % shape[axis])
        axis += used[k]
    return tuple(parts), any(isinstance(part, np.ndarray) for part in parts)


def getitem(array: StrictArray, index: Any) -> Any:
    """Return `array[index]`: a view, or a copy if the index has arrays."""
    whole, advanced = _prepared(array.shape, index)
    ledger.launch()
    host = unwrap(array)
    if advanced:
        return hold(np.array(host[whole]))
    return hold(host[whole] if Ellipsis in whole else host[(*whole, Ellipsis)], array)


def _values(value: Any) -> Any:
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return value
    if type(value) is StrictArray:
        return unwrap(value)
    if isinstance(value, np.ndarray) and value.shape == ():
        return value
    raise TypeError(f"Unsupported type {type(value)} in a write")


def setitem(array: StrictArray, index: Any, value: Any) -> None:
    """Write `array[index] = value`; of values for one element the first is kept."""
    whole, advanced = _prepared(array.shape, index)
    ledger.launch()
    host, values = unwrap(array), np.asarray(_values(value))
    if values.dtype.kind == "c" and host.dtype.kind != "c":
        values = values.real
    if not advanced or any(isinstance(part, np.ndarray) and part.dtype.kind == "b" for part in whole):
        host[whole] = values
        return
    places = np.arange(host.size).reshape(host.shape)[whole]
    # NumPy drops leading axes of length 1 of the values, and so does CuPy.
    while values.ndim > places.ndim and values.shape[0] == 1:
        values = values[0]
    written = np.broadcast_to(values, places.shape)
    host.flat[places.reshape(-1)[::-1]] = written.reshape(-1)[::-1]


_ATOMIC = {
    "add": "ilefdIL",
    "maximum": "ilfdIL",
    "minimum": "ilfdIL",
}
"""The dtypes for which CuPy has atomic operations, by ufunc."""


def scatter(name: str, array: StrictArray, index: Any, value: Any) -> None:
    """Apply `ufunc.at`, as `cupyx.scatter_add` and its like do."""
    dtypes = _ATOMIC.get(name)
    if dtypes is None:
        raise NotImplementedError(f"`cupy_{name}.at` is not supported yet")
    whole, advanced = _prepared(array.shape, index)
    if advanced and array.dtype.char.replace("q", "l").replace("Q", "L") not in dtypes:
        raise TypeError(f"cupy.{name}.at does not support {array.dtype}")
    ledger.launch()
    with np.errstate(all="ignore"):
        getattr(np, name).at(unwrap(array), whole, _values(value))
