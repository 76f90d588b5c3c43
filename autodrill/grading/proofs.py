"""Proving many exercises: with as many processes as there are cores, each with a fork server of its own."""

from __future__ import annotations

import atexit
from contextlib import contextmanager
from typing import TYPE_CHECKING

from autodrill.drills.library import Library
from autodrill.grading.layers import OPEN
from autodrill.grading.pool import pool
from autodrill.grading.proof import prove
from autodrill.grading.server import Server, can_fork
from autodrill.grading.spawn import spawn_fresh

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from autodrill.grading.proof import Proof
    from autodrill.grading.spawn import Spawn

__all__ = ["prove_all"]


def prove_all(library: Library, names: Sequence[str], *, seeds: int, workers: int) -> Generator[Proof]:
    """Prove exercises, and yield what was found in the same order, each as soon as it and those before it are there.

    Args:
        library: Where the exercises are.
        names: Their ids, each of an exercise file that is well formed.
        seeds: See `prove`.
        workers: How many processes to use at most, this one if it is one.
    """
    workers = min(workers, len(names))
    if workers <= 1:
        with _forks() as spawn:
            for name in names:
                yield prove(library, library.find(name), seeds=seeds, spawn=spawn)
        return
    with pool(workers, _begin, library.roots, seeds) as executor:
        yield from executor.map(_continue, names)


@contextmanager
def _forks() -> Iterator[Spawn]:
    """Provide processes as `check` has them, by the quickest way there is."""
    if not can_fork():
        yield spawn_fresh
        return
    with Server(OPEN) as server:
        yield server.spawn


_worker: list[tuple[Library, Spawn, int]] = []
"""What a process of a pool proves with."""


def _begin(roots: Sequence[Path], seeds: int) -> None:
    forks = _forks()
    _worker.append((Library(roots), forks.__enter__(), seeds))
    atexit.register(forks.__exit__, None, None, None)


def _continue(name: str) -> Proof:
    library, spawn, seeds = _worker[0]
    return prove(library, library.find(name), seeds=seeds, spawn=spawn)
