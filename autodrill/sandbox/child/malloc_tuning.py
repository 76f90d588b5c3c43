"""Where the large arrays of a fork will lie: in memory nobody has touched, which comes in large pages."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["leave_room", "small_steps"]

_LARGE_PAGE = 2 << 20
_ROOM = 128 << 10  # bytes for the small things of this process
_DO_NOT_NEED = 4
_TOP_PAD = -2


def leave_room() -> None:
    """Let the free end of the heap reach a large page of its own soon, and give back what was used beyond.

    What is free there but was used before is shared with every fork: copied for it, small page by small page, as it is
    written to, though nobody wants what it holds. Where the C library is not glibc, nothing is done.
    """
    libc = ctypes.CDLL(None)
    if sys.platform != "linux" or not hasattr(libc, "malloc_trim"):
        return
    libc.malloc.restype = libc.sbrk.restype = ctypes.c_size_t
    libc.malloc.argtypes = libc.free.argtypes = (ctypes.c_size_t,)
    libc.madvise.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int)
    libc.sbrk.argtypes = (ctypes.c_ssize_t,)
    end = libc.malloc(2 * _LARGE_PAGE)  # no hole is so large: it lies at the end, if in the heap at all
    libc.free(end)
    least = end + 2 * _ROOM  # what fills the gap is too large for a hole too
    first = least + -least % _LARGE_PAGE
    filling = libc.malloc(first - _ROOM - end)  # never touched, it takes no memory
    libc.malloc_trim(0)
    last = libc.sbrk(0)
    if filling == end and first < last:  # it trims by large pages, and may leave what is less
        libc.madvise(first, last - first, _DO_NOT_NEED)


def small_steps() -> None:
    """Let the heap grow by little more than is asked for, and give back what it has grown by already beyond that.

    Where the C library is not glibc, nothing is done.
    """
    libc = ctypes.CDLL(None)
    if sys.platform == "linux" and hasattr(libc, "mallopt"):
        libc.mallopt(_TOP_PAD, _ROOM)
        libc.malloc_trim(_ROOM)
