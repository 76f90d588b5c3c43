"""Unpacking of a returned value: one array per expected result, or the fault that explains why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 results are arrays

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.sandbox import outcomes as ends
from autodrill.sandbox.child.wire import Opaque

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected, Part
    from autodrill.drills.exercise import Drill

    Array = NDArray[Any]

__all__ = ["not_returned", "results"]

_TYPES = {
    **{name: f"a {name}" for name in ("generator", "map", "zip", "filter", "set", "frozenset", "range", "matrix")},
    "MaskedArray": "a masked array",
    "builtin_function_or_method": "a function",
    "complex": "complex",
    "dict_values": "the values of a dict",
    "function": "a function",
    "longdouble": "a longdouble",
    **{f"ndarray of dtype {each}": f"an array of dtype {each}" for each in ("float128", "float96", "object")},
}
"""What a report calls a value that is not a result, by the name of its type."""


def results(drill: Drill, expected: Expected, end: ends.CallOutcome) -> tuple[list[Array | None] | None, Fault | None]:
    """Unpack what a call returned.

    Returns:
        One array per expected result, None for what is not an array; or None, and the fault.
    """
    solution = drill.solution
    if not isinstance(end, ends.Returned):
        return None, not_returned(end)
    if end.value is None:
        return None, Fault(FaultKind.NOTHING, "the call returns None")
    value = drill.kind.results(drill, end.value)
    if isinstance(value, Fault):
        return None, value
    if solution.answer is not None and isinstance(value, dict):
        value = {**value, "asked": end.asked}
    names = [p.name for p in expected.parts]
    if solution.wants_dict and not isinstance(value, dict):
        wanted = ", ".join(f"`{n}`" for n in names)
        return None, Fault(FaultKind.TYPE, f"the call must return a dict with the keys {wanted}")
    if isinstance(value, dict) and (solution.results or solution.drive):
        missing = [n for n in names if n not in value]
        if missing:
            return None, Fault(FaultKind.ARITY, f"the returned dict has no key `{missing[0]}`")
        items: Sequence[Any] = [value[n] for n in names]
    elif isinstance(value, tuple | list) and not (len(names) == 1 and _numbers(value)):
        items = value
    else:
        items = [value]
    if expected.absent:
        items, fault = _without_absent(expected, items)
        if fault is not None:
            return None, fault
    if len(items) != len(names):
        wanted = f"{len(names)} results ({', '.join(names)})" if len(names) > 1 else f"one result ({names[0]})"
        count = "1 result" if len(items) == 1 else f"{len(items)} results"
        count = "a dict" if isinstance(value, dict) else _known_type(value) or count
        return None, Fault(FaultKind.ARITY, f"the call returns {count}, but must return {wanted}")
    for name, item in zip(names, items, strict=True):
        if item is None:
            return None, Fault(FaultKind.NOTHING, f"{name} is None")
        if type(item) is not np.ndarray and (type_name := _known_type(item)) is not None:
            return None, Fault(FaultKind.TYPE, f"{name} is {type_name}, but must be a plain array of numbers")
    got = [_as_array(item) for item in items]
    if "extra-axes" in solution.remarks:
        got = [_without_extra_axes(g, part) for g, part in zip(got, expected.parts, strict=True)]
    return got, None


def _known_type(value: Any) -> str | None:
    """Return what to call a value of a type of Python or NumPy, None for any other: its name may be forged."""
    return _TYPES.get(value.type_name) if isinstance(value, Opaque) else None


def _without_extra_axes(got: Array | None, part: Part) -> Array | None:
    """Return a result in the expected shape if only axes of size 1 differ."""
    if got is None or got.size != part.value.size or np.squeeze(got).shape != np.squeeze(part.value).shape:
        return got
    return got.reshape(part.value.shape)


def _without_absent(expected: Expected, items: Sequence[Any]) -> tuple[Sequence[Any], Fault | None]:
    """Remove the results that must be None: a `Function` returns one gradient for each argument of its forward."""
    wanted = len(expected.parts) + len(expected.absent)
    outputs = sum(not part.linear for part in expected.parts)
    if len(items) != wanted:
        words = f"backward returns {len(items) - outputs} gradients for {wanted - outputs} arguments of forward"
        return items, Fault(FaultKind.ARITY, f"{words}: return None for an argument without a gradient")
    for place in expected.absent:
        if items[place] is not None:
            return items, Fault(
                FaultKind.TYPE, f"gradient {place - outputs} must be None: its argument has no gradient"
            )
    return [item for place, item in enumerate(items) if place not in expected.absent], None


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(v) in (int, float) or _numpy_number(v) for v in value)


def _numpy_number(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.ndim == 0 and value.dtype.kind in "fiu"


def _as_array(item: Any) -> Array | None:
    if type(item) is np.ndarray:
        return item
    if isinstance(item, np.ndarray | np.generic):
        return np.asarray(item)
    if type(item) in (int, float) or _numbers(item):
        return np.asarray(item, dtype=np.float64) if _fits(item) else None
    return None


def _fits(item: Any) -> bool:
    """Whether Python integers fit a float64."""
    values = item if isinstance(item, list) else [item]
    return all(not isinstance(v, int) or abs(v) < 10**300 for v in values)


def not_returned(end: ends.CallOutcome | ends.LoadOutcome) -> Fault:
    """Return the fault of a call that did not return, or of a file that does not load for the call."""
    match end:
        case ends.Raised(not_implemented=True):
            return Fault(FaultKind.NOT_IMPLEMENTED, "not implemented yet", end.line, _code(end))
        case ends.Raised(type="SystemExit" | "KeyboardInterrupt"):
            return Fault(
                FaultKind.RAISED, f"the call raises {end.type} instead of returning a result", end.line, _code(end)
            )
        case ends.Raised():
            from autodrill.grading.kernels.device_faults import DEVICE_FAULTS

            if end.type in DEVICE_FAULTS:
                return Fault(FaultKind.DEVICE, f"{end.type}: {end.message}", end.line, _code(end))
            message = f"{end.type}: {end.message}" if end.message else end.type
            return Fault(FaultKind.RAISED, message, end.line, _code(end))
        case ends.Oversized(what=what):
            return Fault(FaultKind.TYPE, f"the call returns {what}, far more than expected")
        case ends.OutOfMemory(limit=limit, line=line):
            return Fault(FaultKind.MEMORY, f"the call asks for more than {limit >> 20} MiB of memory", line)
        case ends.TimedOut(limit=limit, line=line):
            return Fault(FaultKind.TIME, f"no answer after {limit:g} s", line)
        case ends.Overspent(limit=limit, line=line):
            return Fault(FaultKind.TOO_SLOW, f"the call takes more than {limit:.1f} s of processor time", line)
        case ends.Flooded(limit=limit, line=line):
            return Fault(FaultKind.OUTPUT, f"the call prints more than {limit >> 10} KiB", line)
        case ends.Died(how=how, line=line):
            return Fault(FaultKind.DIED, f"the call ended its process ({how}) instead of returning a result", line)
        case ends.NotDefined() | ends.Broken():
            return Fault(FaultKind.MISSING, "the file no longer defines the function when it is loaded a second time")
        case ends.Unreadable():  # the candidate's code could choose the reason's text, so it is not shown
            return Fault(FaultKind.DIED, "the child process sent a reply that cannot be read")
        case _:
            raise TypeError(f"not a failed call: {end!r}")


def _code(end: ends.Raised) -> str:
    return end.frames[-1].text.strip() if end.frames else ""
