"""The messages between the two processes: a kind, a length and one value.

frame   kind:u8 length:u64 payload      little-endian; the payload is one value of `wire`

A CALL's payload is of another sort: see `calls`.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from . import wire

__all__ = [
    "HEADER_BYTES",
    "LOST_CHANNEL",
    "STRUCTURE_BYTES",
    "FrameKind",
    "header",
    "pack",
    "read_header",
]

LOST_CHANNEL = 113
"""The exit status of a candidate's process that finds its channel closed under it."""

STRUCTURE_BYTES = 1 << 16
"""What a payload may hold beside the data of an answer."""

PASSED = ("job", "stdout", "stderr", "dump", "status", "marker")
"""The descriptors that a fork server is sent with a request, in order; the marker only where lines are traced."""

MESSAGE_BYTES = 4096
"""What a message to or from a fork server may hold."""

NUMBER = struct.Struct("<q")
"""What a fork server is asked with, the bytes a fork may allocate, and answers with: a process id, an exit status or,
negative, an error."""

_HEADER = struct.Struct("<BQ")
HEADER_BYTES = _HEADER.size


class FrameKind(IntEnum):
    """What a frame is; those below `READY` go to the candidate's process, the others come back."""

    START = 1
    SCENARIO = 2
    LOAD = 3
    CALL = 4
    READY = 10
    LOADED = 11
    NOT_DEFINED = 12
    BROKEN = 13
    RETURNED = 14
    RAISED = 15
    OVERSIZED = 16


_KINDS = {int(kind): kind for kind in FrameKind}


def pack(kind: FrameKind, value: wire.Value) -> bytes:
    """Encode one frame.

    Raises:
        WireError: The value cannot travel.
    """
    out: list[bytes | memoryview] = [b""]
    wire.write(out, value)
    out[0] = _HEADER.pack(kind, sum(map(len, out)))
    return b"".join(out)


def header(kind: FrameKind, length: int) -> bytes:
    """Return what stands before a payload of `length` bytes."""
    return _HEADER.pack(kind, length)


def read_header(header: bytes | bytearray, *, limit: int) -> tuple[FrameKind, int]:
    """Return a frame's kind and the length of its payload in bytes.

    Args:
        header: The first `HEADER_BYTES` bytes of the frame.
        limit: The longest payload the reader will take.

    Raises:
        WireError: The kind is unknown, or the payload longer than `limit`.
    """
    code, length = _HEADER.unpack(header)
    kind = _KINDS.get(code)
    if kind is None:
        raise wire.WireError(f"a frame of unknown kind {code}")
    if length > limit:
        raise wire.WireError(f"a frame of {length} bytes where at most {limit} are accepted")
    return kind, length
