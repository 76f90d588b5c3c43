"""Landlock rulesets: which files a process can open. The C library has no functions for the three system calls.

This is not taken from a package, because the child process cannot import from site-packages (see `seccomp`). A ruleset
restricts everything that the version of the running kernel can restrict. `gaps` names what that version cannot.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["gaps", "make_ruleset", "restrict", "version"]

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_ASK_VERSION = 1
_BENEATH_PATH = 1

_READ_FILE, _READ_DIR = 1 << 2, 1 << 3

# The number of file rights in each version of the interface. They are the lowest bits.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NETWORK_RIGHTS = 2  # from version 4: binding and connecting TCP
_SCOPES = 2  # from version 6: abstract UNIX sockets and signals
_ARRIVED = {2: "linking across folders", 3: "truncating", 4: "TCP", 5: "device control", 6: "signals and sockets"}


def version() -> int:
    """Return the version of the Landlock interface in the kernel.

    Raises:
        OSError: The kernel has no Landlock, or it is disabled.
    """
    return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)


def gaps(known: int) -> str:
    """Return what a version of the interface cannot restrict; empty if it can restrict everything used here."""
    return ", ".join(what for since, what in _ARRIVED.items() if since > known)


def make_ruleset(readable: Iterable[str]) -> int:
    """Make a ruleset that forbids everything except reading the files and folders below some paths.

    Args:
        readable: Files and folders. Those that do not exist are ignored.

    Returns:
        Its descriptor, which the caller closes.

    Raises:
        OSError: The kernel has no Landlock.
    """
    known = version()
    rights = (1 << _FILE_RIGHTS[min(known, max(_FILE_RIGHTS))]) - 1
    network = (1 << _NETWORK_RIGHTS) - 1 if known >= 4 else 0
    scopes = (1 << _SCOPES) - 1 if known >= 6 else 0
    # An older kernel refuses fields that it does not know, unless they are zero. So they are left out.
    fields = (rights, *((network,) if known >= 4 else ()), *((scopes,) if known >= 6 else ()))
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for path in readable:
            _allow(ruleset, path)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def restrict(ruleset: int) -> None:
    """Apply a ruleset to this thread, irrevocably. The thread must have set no-new-privileges.

    Raises:
        OSError: The kernel refuses it.
    """
    _call(_RESTRICT_SELF, ruleset, 0)


def _allow(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        folder = os.path.isdir(path)  # noqa: PTH112  importing pathlib would delay every start
        rights = _READ_FILE | _READ_DIR if folder else _READ_FILE
        _call(_ADD_RULE, ruleset, _BENEATH_PATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    # c_ulong: a variadic function reads whole registers, and the upper half of a C int is undefined.
    wide = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    result = int(_LIBC.syscall(ctypes.c_long(number), *wide))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
