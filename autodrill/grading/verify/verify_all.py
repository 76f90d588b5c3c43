"""Proof of many exercises in parallel processes, each with a fork server of its own."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from autodrill.drills.library import Library
from autodrill.errors import InternalError
from autodrill.grading.verify.verify import prove
from autodrill.sandbox.fork_server import own_code_launcher
from autodrill.sandbox.worker_pool import LostItem, work_through

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from autodrill.grading.verify.verify import Proof

__all__ = ["prove_all"]

_SECONDS = 3600.0
"""Wall time of a proof; the longest takes a minute."""


def prove_all(
    library: Library, names: Sequence[str], *, seeds: int, workers: int, on_gpu: bool = False
) -> Generator[Proof]:
    """Prove exercises, and yield the results in order, each as soon as it and all before it are ready.

    Args:
        library: The library with the exercises.
        names: Their ids. Each exercise file must be well formed.
        seeds: See `prove`.
        workers: Maximum number of processes; 1 means the current process.
        on_gpu: See `prove`.
    """
    workers = min(workers, len(names))
    if workers <= 1:
        with own_code_launcher() as launcher:
            for name in names:
                yield prove(library, library.find(name), seeds=seeds, launcher=launcher, on_gpu=on_gpu)
        return
    proofs = work_through(names, workers, _begin, library.roots, seeds, on_gpu, seconds=_SECONDS)
    with closing(proofs):
        for name, proof in zip(names, proofs, strict=True):
            if isinstance(proof, LostItem):
                raise InternalError(f"`{name}` cannot be proved: {proof.why}")
            yield proof


@contextmanager
def _begin(roots: Sequence[Path], seeds: int, on_gpu: bool) -> Iterator[Callable[[str], Proof]]:
    library = Library(roots)
    with own_code_launcher() as launcher:
        yield lambda name: prove(library, library.find(name), seeds=seeds, launcher=launcher, on_gpu=on_gpu)
