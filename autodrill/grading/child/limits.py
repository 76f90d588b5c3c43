"""What the candidate's process gives up before it reads their first byte.

Resource limits and the tie to the parent stand here; a system-call filter belongs in `confine` too, after them.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from functools import partial
from math import ceil, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["confine", "renew_cpu", "tie_to_parent"]

_OPEN_FILES = 64
_SPARE = 64 << 20  # address space kept back so that running out of memory can still be reported
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CORES = os.cpu_count() or 1


def tie_to_parent(parent: int) -> None:
    """Ask Linux to kill this process when the thread that started it ends, and to keep what it starts below it.

    Elsewhere CPU time is what bounds an orphan.

    Args:
        parent: The process id of the parent as it knew it: if it is already gone, this process leaves at once.
    """
    if sys.platform != "linux":
        return
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(_PR_SET_CHILD_SUBREAPER, 1)  # orphans among its descendants stay its descendants, and are found by that
    if os.getppid() != parent:
        os._exit(0)


def confine(memory: int) -> Callable[[], object]:
    """Give up what no exercise needs.

    Args:
        memory: Bytes of address space the candidate may add to what Python and NumPy have already mapped. macOS does
            not enforce it.

    Returns:
        A function that makes the last of the address space usable, to report that the rest is used up.
    """
    spare_memory: Callable[[], object] = bool  # where nothing is kept back there is nothing to do
    used = _address_space()
    if used is not None:
        all_of_it = used + memory + _SPARE
        if _limit(resource.RLIMIT_AS, used + memory, all_of_it):
            # Bound now, as there may be no memory to make so much as a tuple in when it is called.
            spare_memory = partial(resource.setrlimit, resource.RLIMIT_AS, (all_of_it, all_of_it))
    _limit(resource.RLIMIT_CORE, 0, 0)
    _limit(resource.RLIMIT_FSIZE, 0, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES)
    if os.getuid() != 0:  # root is not held to it
        _limit(resource.RLIMIT_NPROC, 0, 0)
    return spare_memory


def renew_cpu(seconds: float) -> None:
    """Allow `seconds` more on every core; the parent's clock stops a call first, unless there is no parent any more."""
    if not isfinite(seconds):
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = used.ru_utime + used.ru_stime + seconds * _CORES
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    _limit(resource.RLIMIT_CPU, ceil(allowed) + 1, hard)


def _limit(what: int, soft: int, hard: int) -> bool:
    """Set a limit and return whether that was possible: a platform without it, or with a lower one, stays as it is."""
    try:
        resource.setrlimit(what, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def _address_space() -> int | None:
    """Return how many bytes of address space are mapped, where the system says."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
    return pages * resource.getpagesize()
