"""Descriptions of compile errors and exceptions, for BROKEN and RAISED frames."""

from __future__ import annotations

import linecache
import tokenize
from io import BytesIO
from typing import TYPE_CHECKING

from . import values, wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = ["broken", "public_names", "raised", "remember_source"]

_TEXT_LIMIT = 2000
_LINE_LIMIT = 300
_NAME_LIMIT = 100
_MAX_NAMES = 50
_UNDECODABLE = (
    "(unicode error) 'utf-8' codec",
    "encoding problem",
    "unknown encoding",
    "is not a text encoding",
    "decoding with '",
)
"""What the compiler says if the file cannot be decoded."""
_OUTER_FRAMES, _INNER_FRAMES = 5, 15  # the two ends of a deep recursion


def remember_source(source: bytes, filename: str) -> None:
    """Put the source into `linecache`, so that tracebacks show its lines although the file cannot be opened."""
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(source).readline)
        text = source.decode(encoding, "replace")
    except (SyntaxError, LookupError, ValueError):  # an unknown codec, one that is no text encoding, or one that fails
        text = source.decode("latin-1")
    lines = [line + "\n" for line in text.split("\n")]
    linecache.cache[filename] = (len(source), None, lines, filename)


def broken(error: BaseException, source: bytes) -> wire.Value:
    """Describe a compile error.

    Args:
        error: The exception of `compile`. ValueError means null bytes, RecursionError and MemoryError mean nesting.
        source: The file.

    Returns:
        (kind, message, line, column, text of the line). Line and column count from 1, and are None if unknown.
    """
    if b"\0" in source:
        before = source[: source.index(b"\0")]
        return ("null bytes", "the file contains a null byte", before.count(b"\n") + 1, None, None)
    if isinstance(error, RecursionError | MemoryError):
        return ("nesting", "the code is nested too deeply to compile", None, None, None)
    if not isinstance(error, SyntaxError):
        return ("syntax", _message(error), None, None, None)
    message = str(error.msg)[:_TEXT_LIMIT]
    line = error.lineno if type(error.lineno) is int and error.lineno > 0 else None
    if any(words in message for words in _UNDECODABLE):
        return ("encoding", f"{message.partition(';')[0]}: save the file as UTF-8", line, None, None)
    if "too many nested" in message or "too many statically nested" in message:
        return ("nesting", message, line, None, None)
    column = error.offset if type(error.offset) is int and error.offset > 0 else None
    text = error.text[:_LINE_LIMIT].rstrip("\r\n") if type(error.text) is str else None
    return ("syntax", message, line, column, text)


def raised(error: BaseException, filename: str) -> wire.Value:
    """Describe an exception of the submission.

    Returns:
        (type name, message, frames, whether it is NotImplementedError, whether it is MemoryError). A frame is (line,
        function, text of the line). Only the submission's frames are included, outermost first.
    """
    frames = list(_frames(error.__traceback__, filename))
    if len(frames) > _OUTER_FRAMES + _INNER_FRAMES:
        frames = frames[:_OUTER_FRAMES] + frames[-_INNER_FRAMES:]
    return (
        values.type_name(error),
        _message(error),
        tuple((line, function, linecache.getline(filename, line).strip()[:_LINE_LIMIT]) for line, function in frames),
        isinstance(error, NotImplementedError),
        isinstance(error, MemoryError),
    )


def public_names(namespace: dict[str, object]) -> tuple[str, ...]:
    """Return the names of the public functions and classes that a file defines, in order."""
    found = (
        name
        for name, value in namespace.items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == namespace.get("__name__")
    )
    return tuple(name[:_NAME_LIMIT] for name, _ in zip(found, range(_MAX_NAMES), strict=False))


def _message(error: BaseException) -> str:
    try:
        return str.__str__(str(error))[:_TEXT_LIMIT]  # an exact str, even if __str__ returned a subclass
    except BaseException as second:
        return f"(its __str__ raised {values.type_name(second)})"


def _frames(traceback: TracebackType | None, filename: str) -> Iterator[tuple[int, str]]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename:
            yield traceback.tb_lineno, code.co_name[:_NAME_LIMIT]
        traceback = traceback.tb_next
