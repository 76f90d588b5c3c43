"""The frames between the two processes, and the other constants that both must agree on.

    frame   kind:u8 length:u64 payload      little-endian

The payload is one value, encoded by `wire`. Only the payload of CALL is encoded by `call_codec`.
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
"""The exit status of a child process whose channel was closed by its submission."""

STRUCTURE_BYTES = 1 << 16
"""The bytes that a payload may hold besides the data of a reply."""

PASSED = ("job", "stdout", "stderr", "dump", "status", "line")
"""The descriptors that a fork server receives for each fork, in order; `line` only if lines are traced."""

MESSAGE_BYTES = 4096
"""The longest message to or from a fork server."""

NUMBER = struct.Struct("<q")
"""A message of a fork server. Its request is the bytes that a fork may allocate; its replies are a process id or a
negative error number, and later an exit status."""

LINE = struct.Struct("<I")
"""The running line in shared memory, 0 before the first one."""

_HEADER = struct.Struct("<BQ")
HEADER_BYTES = _HEADER.size


class FrameKind(IntEnum):
    """The kind of a frame. Those below READY go to the child process, the others come from it."""

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
        WireError: The value cannot be encoded.
    """
    out: list[bytes | memoryview] = [b""]
    wire.write(out, value)
    out[0] = _HEADER.pack(kind, sum(map(len, out)))
    return b"".join(out)


def header(kind: FrameKind, length: int) -> bytes:
    """Return the header of a frame whose payload has `length` bytes."""
    return _HEADER.pack(kind, length)


def read_header(header: bytes | bytearray, *, limit: int) -> tuple[FrameKind, int]:
    """Return a frame's kind and the length of its payload in bytes.

    Args:
        header: The first `HEADER_BYTES` bytes of the frame.
        limit: The longest accepted payload, in bytes.

    Raises:
        WireError: The kind is unknown, or the payload longer than `limit`.
    """
    code, length = _HEADER.unpack(header)
    kind = _KINDS.get(code)
    if kind is None:
        raise wire.WireError(f"a frame of unknown kind {code}")
    if length > limit:
        raise wire.WireError(f"a frame of {length} bytes; at most {limit} are accepted")
    return kind, length
