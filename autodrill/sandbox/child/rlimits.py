"""The resources a candidate's process may use, bounded by the system."""

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

__all__ = ["address_space", "bound", "is_tight", "renew_cpu", "spare"]

_OPEN_FILES = 64
_SPARE = 64 << 20
_LITTLE = 1 << 20
_TIGHT = 64 << 20  # below, memory is what is graded: the steps that the heap grows by would count
_NONE = tuple(
    getattr(resource, name)
    for name in ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE")
    if hasattr(resource, name)  # not every system has each
)
_CORES = os.cpu_count() or 1
_IN_ADVANCE = 2  # seconds
_granted = 0


def spare_bytes(memory: int) -> int:
    """Return how much is kept back for a report; where memory is what is graded, too little to be worth taking."""
    return _LITTLE if is_tight(memory) else _SPARE


def is_tight(memory: int) -> bool:
    """Return whether memory is what is graded, so that what Python and NumPy take themselves must not count."""
    return memory < _TIGHT


def spare(size: int = _SPARE) -> Callable[[], object]:
    """Keep address space back, and return a function that gives it free: to report that the rest is used up."""
    if sys.platform != "linux":  # elsewhere address space is not limited
        return bool
    # Memory without access costs nothing but its addresses, and giving it free needs no memory and no limit lifted.
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0).close


def bound(memory: int, used: int | None) -> None:
    """Set the limits.

    Args:
        memory: Bytes of address space the candidate may add. macOS does not enforce it.
        used: Bytes of it that Python and NumPy have already mapped; None where the system does not say.
    """
    if used is not None:
        most = used + spare_bytes(memory) + memory
        if is_tight(memory):
            with suppress(ImportError):  # a Python built without ctypes
                from .malloc_tuning import small_steps

                small_steps()
            # Measured again, with the spare already mapped: since `used` was read, the modules of the layers and a step
            # of the heap (4 MiB) may have been mapped, more than some bounds allow.
            most = (address_space() or used) + memory
        _limit(resource.RLIMIT_AS, most, most)
    for each in _NONE:
        _limit(each, 0, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES)
    _limit(resource.RLIMIT_NPROC, 0, 0)  # root is not held to it


def renew_cpu(seconds: float) -> None:
    """Allow at least `seconds` more on every core; the parent stops a call before that, unless it is gone."""
    global _granted  # noqa: PLW0603  the system's limit is the process's too
    allowed = time.process_time() + seconds * _CORES
    if not isfinite(seconds) or allowed < _granted:
        return
    _granted = ceil(allowed) + _IN_ADVANCE
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    _limit(resource.RLIMIT_CPU, _granted, hard)


def _limit(what: int, soft: int, hard: int) -> bool:
    """Set a limit and return whether that was possible: a platform without it, or with a lower one, stays as it is."""
    try:
        resource.setrlimit(what, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def address_space() -> int | None:
    """Return how many bytes of address space are mapped, where the system says."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
    return pages * resource.getpagesize()
