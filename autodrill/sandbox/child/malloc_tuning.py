"""Tuning of memory: large pages for a fork server and its forks, and small steps under a tight memory limit."""

from __future__ import annotations

import ctypes
import mmap
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["collapse", "gather_arenas", "leave_room", "small_steps"]

_LARGE_PAGE = 2 << 20
_COLLAPSE = 25
_ARENA = 1 << 20
_ARENAS = 16
_SMALL_OBJECT = 512  # the largest that Python takes from its arenas
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


def gather_arenas() -> list[bytes]:
    """Let Python map the arenas of its small objects side by side, before libraries are mapped between them.

    Returns:
        An object in each arena. An arena without objects would be unmapped.
    """
    overhead = sys.getsizeof(b"")
    objects = [bytes(_SMALL_OBJECT - overhead) for _ in range(_ARENAS * _ARENA // _SMALL_OBJECT)]
    return objects[:: _ARENA // _SMALL_OBJECT // 2]


def collapse() -> None:
    """Move the memory in use to large pages, so that a fork copies one entry of a page table in place of 512.

    A large page that would be more than half empty is left out. Without Linux 6.1 this does nothing.
    """
    libc = ctypes.CDLL(None)
    if sys.platform != "linux" or not hasattr(libc, "mincore"):
        return
    libc.mincore.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_char_p)
    libc.madvise.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int)
    count = _LARGE_PAGE // mmap.PAGESIZE
    held = ctypes.create_string_buffer(count)
    for start, end in _own_memory():
        for page in range(start + -start % _LARGE_PAGE, end - _LARGE_PAGE + 1, _LARGE_PAGE):
            if libc.mincore(page, _LARGE_PAGE, held) == 0 and 2 * held.raw.count(b"\1") >= count:
                libc.madvise(page, _LARGE_PAGE, _COLLAPSE)


def _own_memory() -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each mapping of memory that is neither shared nor a part of a file."""
    with suppress(OSError):
        for line in Path("/proc/self/maps").read_text(encoding="ascii").splitlines():
            addresses, access, _, _, inode, *_ = line.split()
            if access == "rw-p" and inode == "0":
                start, end = addresses.split("-")
                yield int(start, 16), int(end, 16)


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
