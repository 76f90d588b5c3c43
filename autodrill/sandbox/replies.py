"""From a frame of the candidate's process to an outcome, believing nothing about its shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.sandbox.child import values
from autodrill.sandbox.child.frames import FrameKind
from autodrill.sandbox.child.wire import Value, WireError
from autodrill.sandbox.outcomes import (
    Broken,
    BrokenKind,
    Loaded,
    NotDefined,
    OutOfMemory,
    Oversized,
    Raised,
    Returned,
    TracebackFrame,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_call", "read_load"]

_MAX_INDEX = 1 << 31
_MAX_ITEMS = 50
_NAME_LIMIT, _LINE_LIMIT = 200, 300
_TOO_LARGE = re.compile(
    r"a value of too many parts|a value nested more than \d+ deep|a dict with very long keys"
    r"|a (str|bytes) of length \d+"
    r"|an array of shape \([\d, ]*\) and dtype [<>]?\w{1,12} \([\d,.]+ MB\)",
    re.ASCII,
)
"""What `values.OversizedError` says: anything else would be the candidate's words."""


def read_load(kind: FrameKind, value: Value, *, memory: int) -> Loaded | NotDefined | Broken | Raised | OutOfMemory:
    """Read the answer to LOAD.

    Raises:
        WireError: It is not one.
    """
    match kind, value:
        case FrameKind.LOADED, None:
            return Loaded()
        case FrameKind.NOT_DEFINED, (tuple() as names, found):
            found = None if found is None else _text(found, _NAME_LIMIT)
            return NotDefined(tuple(_text(name, _NAME_LIMIT) for name in names[:_MAX_ITEMS]), found)
        case FrameKind.BROKEN, (str() as why, message, line, column, text):
            if why not in set(BrokenKind):
                raise WireError("a file broken in an unknown way")
            return Broken(
                BrokenKind(why),
                _text(message),
                _optional_index(line),
                _optional_index(column),
                None if text is None else _text(text),
            )
        case FrameKind.RAISED, tuple():
            return _read_raised(value, memory)
        case _:
            raise WireError(f"not an answer to a load: {kind.name}")


def read_call(kind: FrameKind, value: Value, *, memory: int) -> Returned | Oversized | Raised | OutOfMemory:
    """Read the answer to CALL.

    Raises:
        WireError: It is not one.
    """
    match kind, value:
        case FrameKind.RETURNED, (result, None):
            return Returned(values.from_wire(result))
        case FrameKind.RETURNED, (result, (changed, shared, joined, readonly, reused)):
            return Returned(
                values.from_wire(result),
                _indexes(changed),
                _pairs(shared),
                _pairs(joined),
                _indexes(readonly),
                _indexes(reused),
            )
        case FrameKind.OVERSIZED, str() if len(value) <= _NAME_LIMIT and _TOO_LARGE.fullmatch(value):
            return Oversized(value)
        case FrameKind.RAISED, tuple():
            return _read_raised(value, memory)
        case _:
            raise WireError(f"not an answer to a call: {kind.name}")


def _read_raised(value: Value, memory: int) -> Raised | OutOfMemory:
    match value:
        case (type_name, message, tuple() as frames, bool() as not_implemented, bool() as out_of_memory):
            shown = tuple(map(_frame, frames[:_MAX_ITEMS]))
            raised = Raised(_text(type_name, _NAME_LIMIT), _text(message), shown, not_implemented)
            return OutOfMemory(memory, raised.line) if out_of_memory else raised
        case _:
            raise WireError("not an exception")


def _frame(value: Value) -> TracebackFrame:
    match value:
        case (line, function, text):
            return TracebackFrame(_index(line), _text(function, _NAME_LIMIT), _text(text, _LINE_LIMIT))
        case _:
            raise WireError("not a frame of a traceback")


def _text(value: Value, limit: int = 2000) -> str:
    """Return a text, cut to as much as an honest process would have sent."""
    if not isinstance(value, str):
        raise WireError("a value where text belongs")
    return value[:limit]


def _index(value: Value) -> int:
    if type(value) is not int or not 0 <= value < _MAX_INDEX:
        raise WireError("a value where an index belongs")
    return value


def _optional_index(value: Value) -> int | None:
    return None if value is None else _index(value)


def _sequence(value: Value) -> Sequence[Value]:
    if not isinstance(value, tuple):
        raise WireError("a value where a tuple belongs")
    return value


def _indexes(value: Value) -> tuple[int, ...]:
    return tuple(_index(item) for item in _sequence(value))


def _pairs(value: Value) -> tuple[tuple[int, int], ...]:
    pairs = []
    for item in _sequence(value):
        match item:
            case (first, second):
                pairs.append((_index(first), _index(second)))
            case _:
                raise WireError("a value where a pair belongs")
    return tuple(pairs)
