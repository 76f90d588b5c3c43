"""Which files can be opened: a Landlock ruleset, through the three system calls the C library has no names for.

Written here rather than taken from a package for the reason that `seccomp` gives: the process that restricts itself
sees no site-packages. Everything the running kernel's version can govern is governed, so nothing is lost in silence;
what a version does not govern yet is said by `gaps`.
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

# How many rights to files each version of the interface knows; bit i is a right for all i below.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NETWORK_RIGHTS = 2  # from version 4: binding and connecting TCP
_SCOPES = 2  # from version 6: abstract UNIX sockets and signals
_ARRIVED = {2: "linking across folders", 3: "truncating", 4: "TCP", 5: "device control", 6: "signals and sockets"}


def version() -> int:
    """Return the version of the kernel's interface.

    Raises:
        OSError: The kernel has no Landlock, or it is switched off.
    """
    return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)


def gaps(known: int) -> str:
    """Say what a version of the interface does not govern, an empty string if it governs all we ask for."""
    return ", ".join(what for since, what in _ARRIVED.items() if since > known)


def make_ruleset(readable: Iterable[str]) -> int:
    """Make a ruleset that forbids everything it can but reading files and folders below some paths.

    Args:
        readable: Files and folders; those that do not exist are passed over.

    Returns:
        Its descriptor, to be closed by the caller.

    Raises:
        OSError: The kernel has no Landlock.
    """
    known = version()
    rights = (1 << _FILE_RIGHTS[min(known, max(_FILE_RIGHTS))]) - 1
    network = (1 << _NETWORK_RIGHTS) - 1 if known >= 4 else 0
    scopes = (1 << _SCOPES) - 1 if known >= 6 else 0
    # An older kernel is told of no field it does not know: it refuses those that are not zero, and the size tells.
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
    """Put this thread, which must have given up gaining privileges, under a ruleset for good.

    Raises:
        OSError: The kernel does not take it.
    """
    _call(_RESTRICT_SELF, ruleset, 0)


def _allow(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        folder = os.path.isdir(path)  # noqa: PTH112  pathlib is not imported in a process that starts for every check
        rights = _READ_FILE | _READ_DIR if folder else _READ_FILE
        _call(_ADD_RULE, ruleset, _BENEATH_PATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    # c_ulong: a variadic function reads whole registers, and the upper half of an int's is anything.
    wide = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    result = int(_LIBC.syscall(ctypes.c_long(number), *wide))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
