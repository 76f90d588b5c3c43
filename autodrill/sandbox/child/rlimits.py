"""The resource limits of a child process, which the kernel enforces."""

from __future__ import annotations

import mmap
import os
import resource
import sys
import time
from contextlib import suppress
from math import ceil, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .pinning import Window

__all__ = ["address_space", "bound", "is_tight", "renew_cpu", "spare"]

_OPEN_FILES = 64
_SPARE = 64 << 20
_LITTLE = 1 << 20
_TIGHT = 64 << 20  # below this, memory is what the case tests, and the growth steps of the heap would count
_NONE = tuple(
    getattr(resource, name)
    for name in ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE")
    if hasattr(resource, name)  # some systems lack some of them
)
_FOR_THREADS = 4 << 30  # stacks and heaps of threads, and the memory of a compiler such as that of JAX
_CORES = os.cpu_count() or 1
_IN_ADVANCE = 2  # seconds
_granted = 0


def spare_bytes(memory: int) -> int:
    """Return how much address space to reserve for a report. Under a tight limit it must be small."""
    return _LITTLE if is_tight(memory) else _SPARE


def is_tight(memory: int) -> bool:
    """Return whether a limit grades memory. Then what Python and NumPy take themselves must not count."""
    return memory < _TIGHT


def spare(size: int = _SPARE) -> Callable[[], object]:
    """Reserve address space, and return a function that frees it, so that running out of memory can be reported."""
    if sys.platform != "linux":  # address space is limited on Linux only
        return bool
    # A mapping without access uses only addresses. Freeing it needs no memory and no change of limits.
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0).close


def bound(memory: int, used: int | None, *, threads: bool = False) -> Window | None:
    """Set the limits.

    Args:
        memory: Bytes of address space that the submission may add. macOS does not enforce this limit.
        used: Bytes of address space that Python and NumPy have already mapped; None if unknown.
        threads: Whether threads may be started. The system counts a thread as a process. The bound is then loose.

    Returns:
        Under a tight limit, the addresses that the submission may unmap: see `pinning`. Else None.
    """
    window = None
    memory += _FOR_THREADS if threads else 0
    if used is not None:
        most = used + spare_bytes(memory) + memory
        if is_tight(memory):
            with suppress(ImportError, OSError):  # a Python built without ctypes
                from .pinning import pin

                window = pin()
            # Measured again: since `used` was read, the modules of the layers and a step of the heap (4 MiB) may have
            # been mapped, more than some bounds allow.
            most = (address_space() or used) + spare_bytes(memory) + memory
        _limit(resource.RLIMIT_AS, most, most)
    for each in _NONE:
        _limit(each, 0, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES)
    if not threads:
        _limit(resource.RLIMIT_NPROC, 0, 0)  # has no effect for root
    return window


def renew_cpu(seconds: float) -> None:
    """Allow at least `seconds` more on every core. The parent stops a call earlier, unless the parent has ended."""
    global _granted  # noqa: PLW0603  the limit belongs to the whole process
    allowed = time.process_time() + seconds * _CORES
    if not isfinite(seconds) or allowed < _granted:
        return
    _granted = ceil(allowed) + _IN_ADVANCE
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    _limit(resource.RLIMIT_CPU, _granted, hard)


def _limit(what: int, soft: int, hard: int) -> bool:
    """Set a limit, and return whether that was possible. It is not if the system lacks it or has a lower hard limit."""
    try:
        resource.setrlimit(what, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def address_space() -> int | None:
    """Return how many bytes of address space are mapped, None if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
    return pages * resource.getpagesize()
