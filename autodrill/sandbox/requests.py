"""The requests to a child process, and the strict reading of its replies as outcomes.

A reply is written by the process that runs the submission, so its shape is checked before anything is made of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from autodrill.sandbox.child import frames, values
from autodrill.sandbox.child.frames import STRUCTURE_BYTES, FrameKind
from autodrill.sandbox.child.memory_claims import DETAILS, SUMS, checksum, right_evidence, sent_arrays
from autodrill.sandbox.child.wire import Value, WireError
from autodrill.sandbox.outcomes import (
    Broken,
    BrokenKind,
    CallOutcome,
    Loaded,
    LoadOutcome,
    NotDefined,
    OutOfMemory,
    Oversized,
    Raised,
    Returned,
    TracebackFrame,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.sandbox.meters import Meter, ProcessorBudget
    from autodrill.sandbox.runner import Runner

__all__ = [
    "UNKNOWN",
    "Call",
    "Request",
    "call_request",
    "load_request",
    "read_call",
    "read_load",
]

_MAX_INDEX = 1 << 31
UNKNOWN = _MAX_INDEX
"""In place of the index of an argument: one of them, it is unknown which."""
_MAX_ITEMS = 50
_NAME_LIMIT, _LINE_LIMIT = 200, 300
_TOO_LARGE = re.compile(
    r"a value with too many parts|a value nested more than \d+ deep|a dict with very long keys"
    r"|a (str|bytes) of length \d+"
    r"|an array of shape \([\d, ]*\) and dtype [<>]?\w{1,12} \([\d,.]+ MB\)",
    re.ASCII,
)
"""The messages of `values.OversizedError`. Any other text would be the submission's own words."""


@dataclass(frozen=True, slots=True)
class Request:
    """A frame to send, and what its replies may be.

    Attributes:
        frame: The bytes to send.
        size: Bytes of the frame once the child process has expanded repeated data.
        answers: How many replies come back. After the first call that does not return, no more come.
        seconds: Wall time for each reply.
        limit: Bytes that the payload of each reply may have.
        read: Reads a reply.
        answer: Answers what a scenario asks during a call: a function of one value of `Returned.value`'s types.
        checksums: The checksum of the arguments of each call; None if the call is not watched.
        allowed: Returns the processor time in seconds that all replies together may take, in a process like that of
            the runner that it is given, and given the time used so far: see `meters.ProcessorBudget`. None: no limit
            but that of wall time.
    """

    frame: bytes
    size: int
    answers: int
    seconds: float
    limit: int
    read: Callable[..., LoadOutcome | CallOutcome]
    answer: Callable[[Any], Any] | None = None
    checksums: Sequence[int | None] = ()
    allowed: Callable[[Runner, float], float] | None = None

    def budget(self, runner: Runner, meter: Meter) -> ProcessorBudget | None:
        """Return the processor time that a runner's process may take from now on; None without a limit."""
        if (allowed := self.allowed) is None:
            return None
        from autodrill.sandbox.meters import ProcessorBudget

        return ProcessorBudget(meter, lambda used: allowed(runner, used))

    def with_silenced_claims(self, index: int, outcome: Returned, earlier: int | None) -> Returned:
        """Add the claims that the evidence of a call shows and the child process did not make.

        Args:
            index: The index of the call.
            outcome: Its outcome.
            earlier: The `total` of the first result after the load; None if this is the first.
        """
        taken = self.checksums[index]
        if taken is None:
            return outcome
        own = sent_arrays(outcome.value)
        if outcome.evidence == right_evidence(taken, own, earlier or 0):
            return outcome
        said = DETAILS.unpack(outcome.evidence) if len(outcome.evidence) == DETAILS.size else ()
        right = SUMS.unpack(right_evidence(said[0] if said else taken, own, earlier or 0))
        changed = not said or said[0] != taken
        shared, reused = [a != b for a, b in zip_longest(said[1:], right)]
        reused = reused and earlier is not None
        told = bool(outcome.shared or outcome.joined or outcome.readonly or outcome.reused)
        return replace(
            outcome,
            changed=outcome.changed or ((UNKNOWN,) if changed else ()),
            shared=outcome.shared if told or reused or not shared else ((0, UNKNOWN),),
            reused=outcome.reused if told or not reused else (0,),
        )


def load_request(
    source: bytes | None, filename: str, entry: str, seconds: float, *, shares_module: bool = False
) -> Request:
    """Return the request to run a file: see `Runner.load`.

    Args:
        source: The file. None leaves it to the processes of the ranks.
        filename: Its name.
        entry: What is called.
        seconds: Wall time.
        shares_module: Whether all ranks of a scenario run the same module.
    """
    frame = frames.pack(FrameKind.LOAD, (source, filename, entry, shares_module, float(seconds)))
    return Request(frame, len(frame), 1, seconds, STRUCTURE_BYTES, read_load)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the entry.

    Attributes:
        args: Its positional arguments: see `Runner.call`.
        again: Whether it receives instead the very objects that the first call received, as that call left them.
        watched: Whether the child process reports changed arguments and shared memory.
    """

    args: Sequence[Any]
    again: bool = False
    watched: bool = True


def call_request(
    calls: Sequence[Call], *, budget: int, seconds: float, answer: Callable[[Any], Any] | None = None
) -> Request:
    """Return the request to call the entry several times, one call after another.

    Args:
        calls: The calls. An argument that several calls have in common is sent once.
        budget: Bytes of data that each reply may hold.
        seconds: Wall time for each call.
        answer: See `Request`.

    Raises:
        TypeError: An argument cannot be sent.
    """
    own, places = values.calls_to_wire([call.args for call in calls])
    checksums = [
        checksum(frames.built(own, each)) if call.watched else None for each, call in zip(places, calls, strict=True)
    ]
    specs = list(map(frames.CallSpec, places, (call.again for call in calls), checksums))
    frame = frames.pack_call(own, specs, budget, seconds)
    size = len(frame) + sum(map(frames.repeated_bytes, own))
    return Request(frame, size, len(calls), seconds, budget + STRUCTURE_BYTES, read_call, answer, checksums)


def read_load(kind: FrameKind, value: Value, *, memory: int) -> Loaded | NotDefined | Broken | Raised | OutOfMemory:
    """Read the reply to a LOAD frame.

    Raises:
        WireError: It is not a reply to a LOAD frame.
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
            raise WireError(f"not a reply to a load: {kind.name}")


def read_call(kind: FrameKind, value: Value, *, memory: int) -> Returned | Oversized | Raised | OutOfMemory:
    """Read a reply to a CALL frame.

    Raises:
        WireError: It is not a reply to a CALL frame.
    """
    match kind, value:
        case FrameKind.RETURNED, (result, None, bytes() as evidence):
            return Returned(values.from_wire(result), evidence=evidence)
        case FrameKind.RETURNED, (result, (changed, shared, joined, readonly, reused), bytes() as evidence):
            return Returned(
                values.from_wire(result),
                _indexes(changed),
                _pairs(shared),
                _pairs(joined),
                _indexes(readonly),
                _indexes(reused),
                evidence,
            )
        case FrameKind.OVERSIZED, str() if len(value) <= _NAME_LIMIT and _TOO_LARGE.fullmatch(value):
            return Oversized(value)
        case FrameKind.RAISED, tuple():
            return _read_raised(value, memory)
        case _:
            raise WireError(f"not a reply to a call: {kind.name}")


def _read_raised(value: Value, memory: int) -> Raised | OutOfMemory:
    match value:
        case (type_name, message, tuple() as frames, bool() as not_implemented, bool() as out_of_memory):
            shown = tuple(map(_read_frame, frames[:_MAX_ITEMS]))
            raised = Raised(_text(type_name, _NAME_LIMIT), _text(message), shown, not_implemented)
            return OutOfMemory(memory, raised.line) if out_of_memory else raised
        case _:
            raise WireError("not an exception")


def _read_frame(value: Value) -> TracebackFrame:
    match value:
        case (line, function, text):
            return TracebackFrame(_index(line), _text(function, _NAME_LIMIT), _text(text, _LINE_LIMIT))
        case _:
            raise WireError("not a frame of a traceback")


def _text(value: Value, limit: int = 2000) -> str:
    """Return a text, cut to the longest that an honest child process sends."""
    if not isinstance(value, str):
        raise WireError("a value in place of a text")
    return value[:limit]


def _index(value: Value) -> int:
    if type(value) is not int or not 0 <= value < _MAX_INDEX:
        raise WireError("a value in place of an index")
    return value


def _optional_index(value: Value) -> int | None:
    return None if value is None else _index(value)


def _sequence(value: Value) -> Sequence[Value]:
    if not isinstance(value, tuple):
        raise WireError("a value in place of a tuple")
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
                raise WireError("a value in place of a pair")
    return tuple(pairs)
