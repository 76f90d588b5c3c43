"""Reading a file that was handed in: nothing but a regular file of a sensible size, whatever stands at its path."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from autodrill.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LARGEST_FILE", "read_file"]

LARGEST_FILE = 256 << 10
"""Bytes; the longest answer of anybody's takes a tenth of it."""


def read_file(path: Path, *, follow: bool) -> bytes:
    """Read a file, and never wait for one that is a pipe, nor read on in one that has no end.

    Args:
        path: Its path.
        follow: Whether it may be a symbolic link: one's own may, somebody else's could lead anywhere.

    Raises:
        FileError: It is missing, unreadable, larger than `LARGEST_FILE` or no regular file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    if not follow:
        if path.is_symlink():  # said by name here; the flag is what keeps it true
            raise FileError(f"`{path}` is a symbolic link", hint="hand in the file itself")
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise FileError(f"`{path}` cannot be read: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileError(f"`{path}` is not a file")
        with open(descriptor, "rb", closefd=False) as file:
            source = file.read(LARGEST_FILE + 1)
    finally:
        os.close(descriptor)
    if len(source) > LARGEST_FILE:
        raise FileError(f"`{path}` is larger than {LARGEST_FILE >> 10} KiB", hint="hand in the exercise's file alone")
    return source
