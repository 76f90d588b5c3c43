"""The worker processes that grade in parallel, each pinned to one core together with its child processes."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.queues import SimpleQueue

__all__ = ["available_cores", "pool"]


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def pool(workers: int, begin: Callable[..., None], *arguments: object) -> Iterator[ProcessPoolExecutor]:
    """Provide worker processes. Each calls `begin(*arguments)` first, which must be picklable.

    They end with this process. If the caller is interrupted, they are killed at once.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when a worker imports NumPy
    # A worker is started with `-c`, which puts the working folder first on the import path. A submission in that folder
    # with the name of a module would be imported, outside the sandbox.
    os.environ["PYTHONSAFEPATH"] = "1"
    # Not forked: a fork would share the open history database, and would lack the threads of this process.
    spawn = get_context("spawn")
    cores = spawn.SimpleQueue()
    for core in _cores(workers):
        cores.put(core)
    with ProcessPoolExecutor(workers, spawn, _begin, (os.getpid(), cores, begin, arguments)) as executor:
        others = set(active_children())
        try:
            yield executor
        except BaseException:
            for process in set(active_children()) - others:
                process.kill()
            raise


def _cores(workers: int) -> list[int | None]:
    """Return a core for each worker, None for all if there are too few cores or the system cannot pin processes."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    return [*cores[:workers]] if len(cores) >= workers else [None] * workers


def _begin(
    parent: int, cores: SimpleQueue[int | None], begin: Callable[..., None], arguments: tuple[object, ...]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts all processes; the parent ends the workers
    if sys.platform == "linux":
        with suppress(ImportError):  # a Python built without ctypes
            from autodrill.sandbox.child.privileges import die_with_parent

            die_with_parent(parent)
    # Worker, fork server and child process mostly wait for one another, and waking on another core costs more. Under
    # SCHED_BATCH none preempts another: the child process makes several calls before the worker reads the replies, so
    # that the core switches between them a few times for each submission and not at every call.
    if (core := cores.get()) is not None:
        os.sched_setaffinity(0, {core})
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    begin(*arguments)
