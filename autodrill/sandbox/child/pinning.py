"""Pinning: what is mapped when a memory bound is set stays mapped.

RLIMIT_AS counts what is mapped. A submission that unmaps the code of a library it does not need gains as many bytes:
the BLAS alone takes 23 MiB. Therefore the filter of system calls lets it change only one range of addresses. That range
is empty when the bound is set, and the kernel puts into it everything that is mapped later.

Linux 6.10 can seal mappings (`mseal`). The filter needs no newer kernel than the other layers do.
"""

from __future__ import annotations

import ctypes
import mmap
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .malloc_tuning import small_steps

__all__ = ["Window", "pin"]

_MAP_FIXED_NOREPLACE = 0x100000
_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED_NOREPLACE


@dataclass(frozen=True, slots=True)
class Window:
    """The range of addresses that may be unmapped, moved and protected: `low` <= address < `high`.

    Attributes:
        low: The highest address that was mapped below the window.
        high: The lowest address that is mapped above the window.
        heap: The end of the heap, which may not shrink below it. glibc would crash if it could not grow from there.
    """

    low: int
    high: int
    heap: int


def pin() -> Window:
    """Fill the holes between what is mapped above the heap, so that later mappings are in one window.

    Otherwise the kernel would put them into the holes, where a program could not unmap them again.

    Raises:
        OSError: The mappings cannot be read.
    """
    ranges = _mapped()
    gaps = [(end, start) for (_, end), (start, _) in pairwise(ranges)]
    low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    for end, start in gaps:
        if high <= end < start:
            libc.mmap(end, start - end, 0, _FLAGS, -1, 0)  # an older kernel ignores the last flag: the hole is free
    # Only now, because the steps above leave free memory in the heap, which nothing would count.
    small_steps()
    libc.sbrk.restype = ctypes.c_size_t
    libc.sbrk.argtypes = (ctypes.c_ssize_t,)
    heap = libc.sbrk(0)
    return Window(max(low, heap), high, heap)


def _mapped() -> list[tuple[int, int]]:
    """Return the start and the end of every mapping below the stack, in order. The stack keeps the hole below it."""
    found = []
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.endswith("[stack]"):
            break
        start, _, end = line.partition(" ")[0].partition("-")
        found.append((int(start, 16), int(end, 16)))
    return found
