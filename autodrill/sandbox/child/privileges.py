"""What a process may do by being who it is: given up here, and tied to the life of its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import struct

from .confinement import Profile

__all__ = ["adopt_orphans", "die_with_parent", "drop"]

_LIBC = ctypes.CDLL(None, use_errno=True)
# A variadic function reads whole registers, and prctl wants those it does not use to be zero.
_LIBC.prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
_CAPABILITIES_VERSION = 0x2008_0522
_NOBODY = 65534


def adopt_orphans() -> None:
    """Keep whatever this process starts below it: orphans among its descendants become its children."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Be killed when the thread that started this process ends.

    Args:
        parent: The parent's process id as it knew it: if it is already gone, this process leaves at once.

    Raises:
        OSError: The kernel refuses.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def drop(profile: Profile, parent: int) -> str:
    """Give up every privilege, for good.

    Root becomes nobody under `sealed`. Under `open` it stays the owner of its files, without any other power of root's:
    the standard library may lie in its home, where nobody else can read.

    Args:
        profile: The profile.
        parent: See `die_with_parent`, which a change of user undoes.

    Returns:
        Who it runs as, if that needed a change.

    Raises:
        OSError: The kernel refuses; part of it may have been given up.
    """
    note = ""
    if os.geteuid() == 0 or os.getuid() == 0:
        note = _become_nobody() if profile is Profile.SEALED else ""
        if not note:
            _drop_capabilities()
            note = "root without capabilities"
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)
    die_with_parent(parent)
    return note


def _become_nobody() -> str:
    """Return whom it has become, nothing where root is the only user there is, as in some containers."""
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError:
        return ""
    return f"user {_NOBODY}"


def _drop_capabilities() -> None:
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    if _LIBC.capset(header, bytes(24)) != 0:  # two words each of effective, permitted and inheritable ones
        raise _error()


def _prctl(option: int, value: int) -> None:
    if _LIBC.prctl(option, value, 0, 0, 0) != 0:
        raise _error()


def _error() -> OSError:
    error = ctypes.get_errno()
    return OSError(error, os.strerror(error))
