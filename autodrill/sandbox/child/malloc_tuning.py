"""Tuning of glibc's heap: large pages for the arrays of a fork, and small steps under a tight memory limit."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["leave_room", "small_steps"]

_LARGE_PAGE = 2 << 20
_ROOM = 128 << 10  # bytes for small objects
_DO_NOT_NEED = 4
_TOP_PAD = -2


class _Heap(ctypes.Structure):
    """The result of `mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    )


def leave_room() -> None:
    """Align the free end of the heap to a large page, and return the used memory behind it to the system.

    Otherwise a fork shares the free pages at the end of the heap with the server, and copies them one small page at a
    time as it writes to them. Without glibc this does nothing.
    """
    libc = ctypes.CDLL(None)
    if sys.platform != "linux" or not hasattr(libc, "malloc_trim"):
        return
    libc.malloc.restype = libc.sbrk.restype = ctypes.c_size_t
    libc.malloc.argtypes = libc.free.argtypes = (ctypes.c_size_t,)
    libc.madvise.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int)
    libc.sbrk.argtypes = (ctypes.c_ssize_t,)
    end = libc.malloc(2 * _LARGE_PAGE)  # larger than any hole, so that it is at the end of the heap
    libc.free(end)
    least = end + 2 * _ROOM  # the filling must be larger than any hole too
    first = least + -least % _LARGE_PAGE
    filling = libc.malloc(first - _ROOM - end)  # never written, so that it takes no memory
    libc.malloc_trim(0)
    last = libc.sbrk(0)
    if filling == end and first < last:  # `malloc_trim` may leave less than a large page
        libc.madvise(first, last - first, _DO_NOT_NEED)


def small_steps() -> None:
    """Make the heap grow in small steps, and use up its free end, so that neither is memory for the submission.

    The heap is trimmed in steps of a large page, so up to 2 MiB remain at its end. They are allocated, and never used.
    Without glibc this does nothing.
    """
    libc = ctypes.CDLL(None)
    if sys.platform != "linux" or not hasattr(libc, "mallopt"):
        return
    libc.mallopt(_TOP_PAD, _ROOM)
    libc.malloc_trim(_ROOM)
    free = _free_end(libc) - _ROOM
    if free > 0:
        libc.malloc(ctypes.c_size_t(free))


def _free_end(libc: ctypes.CDLL) -> int:
    """Return the free bytes at the end of the heap; 0 if this glibc (before 2.33) does not tell them."""
    if not hasattr(libc, "mallinfo2"):
        return 0
    libc.mallinfo2.restype = _Heap
    free: int = libc.mallinfo2().keepcost
    return free
