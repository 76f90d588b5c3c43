"""Several processes of our own to grade with, each kept on a core together with the candidates' processes it starts."""

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
    """Provide processes, in each of which `begin(*arguments)` is called first; all must be importable by name.

    They end with this process, and at once where the caller is interrupted.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when a worker imports NumPy
    # A worker is started with `-c`, for which the working folder is the first to import from: a file handed in there
    # under a module's name would be run, by whoever grades it.
    os.environ["PYTHONSAFEPATH"] = "1"
    # Spawned: a fork of this process would share its open history, and its threads would be gone.
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
    """Return a core for each worker to stay on with its processes; None where there are too few, or none can be had."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    return [*cores[:workers]] if len(cores) >= workers else [None] * workers


def _begin(
    parent: int, cores: SimpleQueue[int | None], begin: Callable[..., None], arguments: tuple[object, ...]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts all: the parent decides
    if sys.platform == "linux":
        with suppress(ImportError):  # a Python built without ctypes
            from autodrill.sandbox.child.privileges import die_with_parent

            die_with_parent(parent)
    # Worker, fork server and candidate wait for one another most of the time: waking on another core costs more. And
    # none interrupts another: the candidate goes on to its next calls before the worker looks at the answers, so that
    # the core changes hands a few times for a file and not once for every call.
    if (core := cores.get()) is not None:
        os.sched_setaffinity(0, {core})
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    begin(*arguments)
