"""The child's end of the job channel. It works whatever the submission has done to the process."""

from __future__ import annotations

import os
import sys
from collections import deque
from typing import Any

from . import frames, values, wire
from .frames import FrameKind

__all__ = ["Channel"]

_READ_BYTES = 1 << 16
_MAX_REQUEST = 1 << 40  # the parent is trusted


class Channel:
    """The socket to the parent.

    Args:
        descriptor: Its descriptor. The caller owns it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._process = os.getpid()
        self._waiting = b""
        self._later: deque[tuple[FrameKind, Any]] = deque()

    def receive(self) -> tuple[FrameKind, Any]:
        """Wait for a frame from the parent. The process ends when the parent closes the channel.

        The payload of a CALL frame is returned undecoded, for `frames.unpack_call`.
        """
        return self._later.popleft() if self._later else self._next()

    def ask(self, value: Any) -> Any:
        """Ask the exercise's `answer`, which runs in the parent, and return what it returns.

        Raises:
            OversizedError: The value is too large.
        """
        self.send(FrameKind.ASKED, values.to_wire(value, limit=frames.STRUCTURE_BYTES // 2))
        return values.from_wire(self.await_answer())

    def await_answer(self) -> wire.Value:
        """Wait for the answer to what was sent."""
        while (frame := self._next())[0] is not FrameKind.ANSWER:
            self._later.append(frame)  # the parent sends calls ahead
        answer: wire.Value = frame[1]
        return answer

    def _next(self) -> tuple[FrameKind, Any]:
        while len(self._waiting) < frames.HEADER_BYTES:
            self._waiting += self._read()
        kind, length = frames.read_header(self._waiting[: frames.HEADER_BYTES], limit=_MAX_REQUEST)
        payload = self._take(length)
        return kind, payload if kind is FrameKind.CALL else wire.decode(payload, max_items=length)

    def _take(self, length: int) -> bytes | bytearray:
        end = frames.HEADER_BYTES + length
        if len(self._waiting) >= end:
            payload, self._waiting = self._waiting[frames.HEADER_BYTES : end], self._waiting[end:]
            return payload
        rest = bytearray(length)  # a long frame is read in place, without copies
        there = len(self._waiting) - frames.HEADER_BYTES
        rest[:there], self._waiting = self._waiting[frames.HEADER_BYTES :], b""
        left = memoryview(rest)[there:]
        while left:
            left = left[self._read_into(left) :]
        return rest

    def send(self, kind: FrameKind, value: wire.Value, limit: int = frames.STRUCTURE_BYTES) -> None:
        """Send a frame, after flushing what was printed.

        Args:
            kind: Its kind.
            value: Its payload.
            limit: The longest payload in bytes. In place of a longer one, OVERSIZED is sent.
        """
        frame = frames.pack(kind, value)
        if len(frame) - frames.HEADER_BYTES > limit:
            frame = frames.pack(FrameKind.OVERSIZED, "a value with too many parts")
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:  # noqa: S112  the submission may have closed or replaced it
                continue
        if os.getpid() != self._process:  # a process that the submission has forked: its parent sends the reply
            os._exit(0)
        left = memoryview(frame)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            os._exit(frames.LOST_CHANNEL)

    def _read(self) -> bytes:
        try:
            part = os.read(self._descriptor, _READ_BYTES)
        except OSError:
            os._exit(frames.LOST_CHANNEL)
        return part or os._exit(0)  # the parent has closed it; exit handlers of the submission must not run

    def _read_into(self, place: memoryview) -> int:
        try:
            count = os.readv(self._descriptor, [place])
        except OSError:
            os._exit(frames.LOST_CHANNEL)
        return count or os._exit(0)
