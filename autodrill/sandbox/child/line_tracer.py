"""Tracing the running line of the submission into shared memory, which outlives the process."""

from __future__ import annotations

import mmap
import sys
from typing import TYPE_CHECKING, Any

from .frames import LINE

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["LineTracer"]


class LineTracer:
    """Calls functions, and records their lines.

    Args:
        descriptor: A file of the size of `frames.LINE`, shared with the parent.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, LINE.size)

    def call(self, function: Callable[..., Any], arguments: list[Any], filename: str) -> Any:
        """Call a function, and record each line of `filename` before it runs. Python code runs several times slower."""

        unwinding = False

        def enter(frame: FrameType, _event: str, _arg: Any) -> Callable[..., Any] | None:
            return step if frame.f_code.co_filename == filename else None

        def step(frame: FrameType, event: str, _arg: Any) -> Callable[..., Any]:
            nonlocal unwinding
            if event == "line":
                unwinding = False
                self._write(frame.f_lineno)
            elif event == "exception":
                unwinding = True  # keep the line that raised while the frames return
            elif event == "return" and not unwinding:
                caller = frame.f_back
                if caller is not None and caller.f_code.co_filename == filename:
                    self._write(caller.f_lineno)  # the rest of the calling line
            return step

        sys.settrace(enter)
        try:
            return function(*arguments)
        finally:
            sys.settrace(None)

    def _write(self, line: int | None) -> None:
        LINE.pack_into(self._memory, 0, line or 0)
