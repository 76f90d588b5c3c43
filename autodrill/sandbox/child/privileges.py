"""The privileges of a process: user, capabilities, and its tie to the life of its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import struct

from .confinement import Profile

__all__ = ["adopt_orphans", "die_with_parent", "drop"]

_LIBC = ctypes.CDLL(None, use_errno=True)
# A variadic function reads whole registers, and prctl requires unused arguments to be zero.
_LIBC.prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
_CAPABILITIES_VERSION = 0x2008_0522
_NOBODY = 65534


def adopt_orphans() -> None:
    """Make orphans among the descendants of this process its children, so that they stay its descendants."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Have this process killed when the thread that started it ends.

    Args:
        parent: The process id of the parent, as the parent knows it. If it has already ended, this process exits.

    Raises:
        OSError: The kernel refuses.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def drop(profile: Profile, parent: int) -> str:
    """Give up every privilege, irrevocably.

    Under `sealed`, root becomes the user 65534 (nobody). Under `open`, root keeps the user and loses its capabilities:
    the standard library may be in a folder that only root can read.

    Args:
        profile: The profile.
        parent: See `die_with_parent`. A change of user resets it, so it is called again.

    Returns:
        The user, if it was root before; else empty.

    Raises:
        OSError: The kernel refuses. Some privileges may already have been given up.
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
    """Return the new user; empty if there is no user but root, as in some containers."""
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except OSError:
        return ""
    return f"user {_NOBODY}"


def _drop_capabilities() -> None:
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    if _LIBC.capset(header, bytes(24)) != 0:  # effective, permitted and inheritable sets, two words each
        raise _error()


def _prctl(option: int, value: int) -> None:
    if _LIBC.prctl(option, value, 0, 0, 0) != 0:
        raise _error()


def _error() -> OSError:
    error = ctypes.get_errno()
    return OSError(error, os.strerror(error))
