"""Proof of many exercises in parallel processes, each with a fork server of its own."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from autodrill.drills.library import Library
from autodrill.grading.verify.verify import prove
from autodrill.sandbox.fork_server import own_code_launcher
from autodrill.sandbox.worker_pool import pool

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from autodrill.grading.verify.verify import Proof
    from autodrill.sandbox.launcher import Launcher

__all__ = ["prove_all"]


def prove_all(library: Library, names: Sequence[str], *, seeds: int, workers: int) -> Generator[Proof]:
    """Prove exercises, and yield the results in order, each as soon as it and all before it are ready.

    Args:
        library: The library with the exercises.
        names: Their ids. Each exercise file must be well formed.
        seeds: See `prove`.
        workers: Maximum number of processes; 1 means the current process.
    """
    workers = min(workers, len(names))
    if workers <= 1:
        with own_code_launcher() as launcher:
            for name in names:
                yield prove(library, library.find(name), seeds=seeds, launcher=launcher)
        return
    with pool(workers, _begin, library.roots, seeds) as executor:
        yield from executor.map(_continue, names)


_worker: list[tuple[Library, Launcher, int]] = []
"""The library, launcher and seeds of a process of the pool."""


def _begin(roots: Sequence[Path], seeds: int) -> None:
    forks = own_code_launcher()
    _worker.append((Library(roots), forks.__enter__(), seeds))
    atexit.register(forks.__exit__, None, None, None)


def _continue(name: str) -> Proof:
    library, launcher, seeds = _worker[0]
    return prove(library, library.find(name), seeds=seeds, launcher=launcher)
