"""The outcomes of loading a submission and of calling it: one record for each way it can end.

Line numbers count from 1 in the submission, and are None if the line is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
    "Overspent",
    "Raised",
    "Returned",
    "Stopped",
    "TimedOut",
    "TracebackFrame",
    "Unreadable",
]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The submission ran and defines the entry."""


@dataclass(frozen=True, slots=True)
class NotDefined:
    """The submission ran, but it does not define the entry as something callable.

    Attributes:
        names: The functions and classes that it defines, in order, at most 50.
        found: The type of a non-callable value with the entry's name; None if the name is not defined.
    """

    names: tuple[str, ...]
    found: str | None = None


class BrokenKind(StrEnum):
    """Why a submission does not compile."""

    SYNTAX = "syntax"
    ENCODING = "encoding"
    NULL_BYTES = "null bytes"
    NESTING = "nesting"
    KERNEL = "kernel"


@dataclass(frozen=True, slots=True)
class Broken:
    """The submission does not compile.

    Attributes:
        kind: Why.
        message: The message of the compiler.
        line: The line of the error, from 1.
        column: The column of the error, from 1.
        text: The text of the line.
    """

    kind: BrokenKind
    message: str
    line: int | None
    column: int | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned.

    Everything except `value` is a claim of the child process: it can lower a mark and never raise one. A claim that the
    process did not make is added if the evidence shows it, with the index `UNKNOWN`. Arguments and outputs count from
    0. The items of a returned tuple, list or dict are its outputs. Anything else is output 0.

    Attributes:
        value: None, bool, int, float, str, bytes, a NumPy array or scalar, or a tuple, list or dict of these. A
            `wire.Opaque` takes the place of a value of any other type, subclasses included.
        changed: The positional arguments whose values, shape, dtype or strides the call changed.
        shared: (output, argument) pairs that share memory.
        joined: (output, output) pairs that share memory.
        readonly: The outputs that cannot be written element by element: not writable, or with overlapping elements.
        reused: The outputs that share memory with the result of the first call after the load, or of a recent one.
        evidence: The bytes of `memory_claims.evidence`, or of `details` if that is not right; empty for a call that is
            not watched.
        asked: How often the scenario asked the parent during the call. This is no claim: the parent has counted.
    """

    value: Any
    changed: tuple[int, ...] = ()
    shared: tuple[tuple[int, int], ...] = ()
    joined: tuple[tuple[int, int], ...] = ()
    readonly: tuple[int, ...] = ()
    reused: tuple[int, ...] = ()
    evidence: bytes = field(default=b"", compare=False, repr=False)
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Oversized:
    """The call returned a value above the reply's budget, or nested too deeply. `what` describes the value."""

    what: str


@dataclass(frozen=True, slots=True)
class TracebackFrame:
    """A frame of a traceback, in the submission."""

    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Raised:
    """The submission raised an exception, which may be SystemExit or KeyboardInterrupt.

    Attributes:
        type: The name of the exception's type.
        message: Its text, at most 2000 characters, control characters included.
        frames: The submission's frames, outermost first. Of a deep recursion only the two ends are kept.
        not_implemented: Whether it is a NotImplementedError, as the unsolved stub raises.
    """

    type: str
    message: str
    frames: tuple[TracebackFrame, ...]
    not_implemented: bool = False

    @property
    def line(self) -> int | None:
        """The innermost line of the submission, None if no frame of the traceback is in it."""
        return self.frames[-1].line if self.frames else None


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The submission asked for more memory than `limit` bytes."""

    limit: int
    line: int | None


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The submission ran longer than `limit` seconds of wall time. The process was killed."""

    limit: float
    line: int | None


@dataclass(frozen=True, slots=True)
class Overspent:
    """The submission used more than `limit` seconds of processor time. The process was killed."""

    limit: float
    line: int | None


@dataclass(frozen=True, slots=True)
class Flooded:
    """The submission printed more than `limit` bytes. The process was killed."""

    limit: int
    line: int | None


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended, or closed its channel, without a reply.

    Attributes:
        how: For example `exit code 0`, `signal SIGSEGV` or `closed its channel`.
        line: The last line of the submission that ran.
    """

    how: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The bytes that came back are not a reply. The process was killed."""

    reason: str


Stopped: TypeAlias = TimedOut | Overspent | Flooded | Died | Unreadable
"""The outcomes after which the process no longer exists."""

LoadOutcome: TypeAlias = Loaded | NotDefined | Broken | Raised | OutOfMemory | Stopped
CallOutcome: TypeAlias = Returned | Oversized | Raised | OutOfMemory | Stopped
