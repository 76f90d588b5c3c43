"""How loading a candidate's file, or one call of it, can end: records, one for each way.

Lines count from 1 in the candidate's file and are None where they could not be found out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

__all__ = [
    "Broken",
    "BrokenKind",
    "CallOutcome",
    "Died",
    "Flooded",
    "LoadOutcome",
    "Loaded",
    "NotDefined",
    "OutOfMemory",
    "Oversized",
    "Raised",
    "Returned",
    "Stopped",
    "TimedOut",
    "TracebackFrame",
    "Unreadable",
]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The file ran and defines the entry."""


@dataclass(frozen=True, slots=True)
class NotDefined:
    """The file ran and does not define the entry as something that can be called.

    Attributes:
        names: The functions and classes it does define, in order, at most 50.
        found: The type of what has the entry's name and is not callable; None if nothing has it.
    """

    names: tuple[str, ...]
    found: str | None = None


class BrokenKind(StrEnum):
    """Why a file does not compile."""

    SYNTAX = "syntax"
    ENCODING = "encoding"
    NULL_BYTES = "null bytes"
    NESTING = "nesting"
    KERNEL = "kernel"


@dataclass(frozen=True, slots=True)
class Broken:
    """The file does not compile.

    Attributes:
        kind: Why.
        message: The compiler's words.
        line: Where, from 1.
        column: Where in the line, from 1.
        text: The line.
    """

    kind: BrokenKind
    message: str
    line: int | None
    column: int | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned.

    All but `value` is the candidate's process speaking of itself: it may lower a mark, never raise one. Arguments and
    outputs count from 0; the items of a returned tuple, list or dict are its outputs, anything else is output 0.

    Attributes:
        value: None, bool, int, float, str, bytes, NumPy array, NumPy scalar, or a tuple, list or dict of these; a
            `wire.Opaque` stands for anything of another type, subclasses included.
        changed: Positional arguments that are no longer what they were: values, shape, dtype or strides.
        shared: (output, argument) pairs that share memory.
        joined: (output, output) pairs that share memory.
        readonly: Outputs that cannot be written element by element: not writable, or their elements overlap.
        reused: Outputs that share memory with what an earlier call returned.
    """

    value: Any
    changed: tuple[int, ...] = ()
    shared: tuple[tuple[int, int], ...] = ()
    joined: tuple[tuple[int, int], ...] = ()
    readonly: tuple[int, ...] = ()
    reused: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Oversized:
    """The call returned something larger than the answer's budget, or nested too deep; `what` describes it."""

    what: str


@dataclass(frozen=True, slots=True)
class TracebackFrame:
    """A frame of a traceback in the candidate's file."""

    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception left the candidate's code, SystemExit and KeyboardInterrupt included.

    Attributes:
        type: The name of the exception's type.
        message: Its text, at most 2000 characters, control characters as they came.
        frames: The candidate's own frames, outermost first; of a deep recursion only its two ends.
        not_implemented: Whether it is a NotImplementedError, as the untouched stub raises.
    """

    type: str
    message: str
    frames: tuple[TracebackFrame, ...]
    not_implemented: bool = False

    @property
    def line(self) -> int | None:
        """The innermost line of the candidate's file, None if the exception passed through none."""
        return self.frames[-1].line if self.frames else None


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The candidate's code asked for more memory than `limit` bytes."""

    limit: int
    line: int | None


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The candidate's code ran longer than `limit` seconds of wall time; the process was stopped."""

    limit: float
    line: int | None


@dataclass(frozen=True, slots=True)
class Flooded:
    """The candidate's code printed more than `limit` bytes; the process was stopped."""

    limit: int
    line: int | None


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended, or stopped listening, without an answer.

    Attributes:
        how: For example `exit code 0`, `signal SIGSEGV` or `closed its channel`.
        line: The last line of the candidate's that ran.
    """

    how: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What came back is not an answer at all; the process was stopped."""

    reason: str


Stopped: TypeAlias = TimedOut | Flooded | Died | Unreadable
"""Ends after which the process is gone."""

LoadOutcome: TypeAlias = Loaded | NotDefined | Broken | Raised | OutOfMemory | Stopped
CallOutcome: TypeAlias = Returned | Oversized | Raised | OutOfMemory | Stopped
