"""Submissions: the files to grade, read only if they are regular and of a sensible size."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.sandbox.libraries import Framework

__all__ = ["LARGEST_FILE", "Submission", "handed_in_files", "names_a_framework", "read_file"]

LARGEST_FILE = 256 << 10
"""In bytes. The longest submissions are a tenth of this size."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A candidate's file.

    Attributes:
        source: Its bytes.
        name: Its name in tracebacks.
        path: Its path as the learner gave it.
        framework: The framework that it is written with; None for NumPy. Only one's own file may use one.
    """

    source: bytes
    name: str
    path: str
    framework: Framework | None = None


def names_a_framework(source: bytes) -> bool:
    """Return whether a file may be written with PyTorch, JAX or CuPy. `framework_answers` then says whether it is."""
    return any(name in source for name in (b"torch", b"jax", b"cupy"))


def handed_in_files(paths: Sequence[Path]) -> list[Path]:
    """Return the files to grade. A folder means the `.py` files in it and its subfolders, ordered by path.

    Links are not followed. A folder that cannot be read, or that is a link, is returned itself, so that it is reported
    like a file that cannot be read.

    Raises:
        FileError: A path does not exist, or a folder has no such file.
    """
    if missing := [str(path) for path in paths if not os.path.lexists(path)]:
        raise FileError(f"there is no file `{'`, `'.join(missing)}`")
    found: list[Path] = []
    for path in paths:
        if path.is_symlink() or not path.is_dir():
            found.append(path)
            continue
        inside = sorted(_inside(path))
        if not inside:
            raise FileError(f"there is no .py file in `{path}`")
        found += inside
    return found


def _inside(path: Path) -> list[Path]:
    found: list[Path] = []
    folders = [path]
    while folders:  # not `os.walk`: before Python 3.12 it recurses, and a folder may be a thousand folders deep
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if _is_folder(entry, follow=False):
                        folders.append(Path(entry))
                    elif entry.name.endswith(".py") or _is_folder(entry, follow=True):
                        found.append(Path(entry))
        except OSError:
            found.append(folder)
    return found


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    """Whether it is a folder, or a link to one if links are followed; False if that cannot be found out."""
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:  # a link to itself
        return False


def read_file(path: Path, *, follow: bool) -> bytes:
    """Read a file, without waiting on a pipe or reading a device without end.

    Args:
        path: Its path.
        follow: Whether it may be a symbolic link. Your own may; another person's could lead anywhere.

    Raises:
        FileError: It is missing, unreadable, larger than `LARGEST_FILE` or no regular file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not follow:
            if path.is_symlink():  # for the message; the flag enforces it
                raise FileError(f"`{path}` is a symbolic link", hint="hand in the file itself")
            flags |= getattr(os, "O_NOFOLLOW", 0)
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
