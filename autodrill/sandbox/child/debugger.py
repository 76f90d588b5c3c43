"""A call under pdb, stopped at the first line of the submission."""

from __future__ import annotations

import bdb
import pdb  # noqa: T100  # this is the debugger the learner asked for
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["debug"]


def debug(function: Callable[..., Any], arguments: list[Any], filename: str) -> Any:
    """Call a function on the terminal, under pdb from the first line of `filename` that runs.

    Raises:
        BaseException: Any exception of the call, after pdb has stopped where it was raised; `bdb.BdbQuit` for `quit`.
    """
    debugger = pdb.Pdb(nosigint=True, skip=[f"{__package__}.*"])

    def enter(frame: FrameType, _event: str, _arg: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != filename:
            return None
        debugger.set_trace(frame)
        return debugger.trace_dispatch

    sys.settrace(enter)
    try:
        return function(*arguments)
    except bdb.BdbQuit:
        raise
    except Exception as error:
        sys.settrace(None)
        below = error.__traceback__.tb_next if error.__traceback__ is not None else None  # without this frame
        traceback.print_exception(error.with_traceback(below))
        debugger.reset()
        debugger.interaction(None, error.__traceback__)
        raise
    finally:
        sys.settrace(None)
