"""Calls of an author's functions: an exception there is a fault of the exercise, never of the submission."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from autodrill.errors import AutodrillError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["authored", "line_in"]


@contextmanager
def authored(path: Path, name: str) -> Iterator[None]:
    """Convert exceptions of the author's function `name`, from the solution file at `path`.

    Raises:
        InternalError: The block raised an exception that is not an `AutodrillError`.
    """
    try:
        yield
    except AutodrillError:
        raise
    except Exception as error:
        place = f"{path.name}, line {line_in(error, path)}"
        raise InternalError(f"the exercise's `{name}` raises {type(error).__name__}: {error} ({place})") from error


def line_in(error: BaseException, path: Path) -> int:
    """Return the innermost line of the file at `path` in an exception's traceback, or 1 if there is none."""
    line, step = 1, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            line = step.tb_lineno
        step = step.tb_next
    return line
