"""Which line of the candidate's file runs, written to shared memory: it can still be read when the process is gone."""

from __future__ import annotations

import mmap
import struct
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["MARKER_BYTES", "Marker", "read_marker"]

MARKER_BYTES = 4
_LINE = struct.Struct("<I")


class Marker:
    """The writing end.

    Args:
        descriptor: A file of `MARKER_BYTES` bytes, shared with the parent.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, MARKER_BYTES)

    def call(self, function: Callable[..., Any], arguments: list[Any], filename: str) -> Any:
        """Call a function, recording each line of `filename` before it runs: several times slower in Python code."""

        unwinding = False

        def enter(frame: FrameType, _event: str, _arg: Any) -> Callable[..., Any] | None:
            return step if frame.f_code.co_filename == filename else None

        def step(frame: FrameType, event: str, _arg: Any) -> Callable[..., Any]:
            nonlocal unwinding
            if event == "line":
                unwinding = False
                self._write(frame.f_lineno)
            elif event == "exception":
                unwinding = True  # the frames that return now are not going on: where it was raised is what counts
            elif event == "return" and not unwinding:
                caller = frame.f_back
                if caller is not None and caller.f_code.co_filename == filename:
                    self._write(caller.f_lineno)  # what is left of the line that called
            return step

        sys.settrace(enter)
        try:
            return function(*arguments)
        finally:
            sys.settrace(None)

    def _write(self, line: int | None) -> None:
        _LINE.pack_into(self._memory, 0, line or 0)


def read_marker(raw: bytes) -> int | None:
    """Return the last line recorded, None if there was none."""
    (line,) = _LINE.unpack(raw[:MARKER_BYTES])
    return line or None
