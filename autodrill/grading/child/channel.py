"""The candidate's end of the job channel: one frame at a time, whatever the candidate has done to the process."""

from __future__ import annotations

import contextlib
import os
import sys

from . import frames, wire
from .frames import Kind

__all__ = ["Channel"]

_MAX_REQUEST = 1 << 40  # the parent is trusted; its frames are bounded by its own memory


class Channel:
    """The socket to the parent.

    Args:
        descriptor: Its descriptor; it stays the caller's.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._process = os.getpid()

    def receive(self) -> tuple[Kind, wire.Value]:
        """Wait for a frame of the parent's, which is trusted; the process ends when the parent closes the channel."""
        kind, length = frames.read_header(self._read(frames.HEADER_BYTES), limit=_MAX_REQUEST)
        return kind, wire.decode(self._read(length), max_items=length)

    def send(self, kind: Kind, value: wire.Value, limit: int = frames.STRUCTURE_BYTES) -> None:
        """Send a frame, after all that was printed; a payload above `limit` bytes is reported as oversized instead."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):  # the candidate may have closed or replaced it
                stream.flush()
        if os.getpid() != self._process:  # a fork of the candidate's that came back to us: one answer is enough
            os._exit(0)
        frame = frames.pack(kind, value)
        if len(frame) - frames.HEADER_BYTES > limit:
            frame = frames.pack(Kind.OVERSIZED, "a value of too many parts")
        left = memoryview(frame)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            os._exit(frames.LOST_CHANNEL)

    def _read(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            try:
                part = os.read(self._descriptor, min(count, 1 << 20))
            except OSError:
                os._exit(frames.LOST_CHANNEL)
            if not part:
                os._exit(0)  # the parent closed; no exit handler of the candidate's runs
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
