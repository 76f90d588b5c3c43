"""Several ranks in one process: the same program on every rank, in step at each collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["in_step"]


class _Waiting(BaseException):
    """A rank has reached a collective whose result is not known yet; no `except Exception` may hold it up."""

    def __init__(self, contribution: Any) -> None:
        self.contribution = contribution


class _Rank:
    """One rank's view of the collectives: those all ranks have reached give their result, the next one waits."""

    def __init__(self) -> None:
        self.known: list[Any] = []
        self._next = 0

    def start(self) -> None:
        self._next = 0

    def collective(self, contribution: Any) -> Any:
        """Contribute and return what came of it: a fresh copy each time."""
        from copy import deepcopy

        self._next += 1
        if self._next > len(self.known):
            raise _Waiting(deepcopy(contribution))
        return deepcopy(self.known[self._next - 1])


def in_step(
    program: Callable[..., Any],
    arguments: Sequence[Sequence[Any]],
    combine: Callable[[list[Any]], Any],
    limit: int = 1000,
) -> tuple[list[Any], list[list[Any]]]:
    """Run a program once a rank, with a collective on which all ranks wait for each other.

    There are no threads: a rank that reaches a collective is set aside and, once every rank has, run from its
    start again with the results so far. So a program must do the same each time it is run on the same arguments, and
    what it does between two collectives costs once for every collective after it.

    Args:
        program: Called as `program(*arguments[rank], collective)`. Of arrays and lists it gets fresh copies.
        arguments: Each rank's.
        combine: Makes the result, the same for every rank, of the list of contributions: a sum for an all-reduce.
        limit: Collectives before it is taken for endless.

    Returns:
        What the program returns on each rank, and the contributions to each collective, by rank.

    Raises:
        RuntimeError: Some ranks end while others wait: a real cluster would hang.
    """
    from copy import deepcopy

    ranks = [_Rank() for _ in arguments]
    rounds: list[list[Any]] = []
    while len(rounds) < limit:
        results, waiting = [], []
        for rank, own in zip(ranks, arguments, strict=True):
            rank.start()
            try:
                results.append(program(*deepcopy(list(own)), rank.collective))
            except _Waiting as reached:
                waiting.append(reached.contribution)
        if not waiting:
            return results, rounds
        if results:
            raise RuntimeError(f"{len(waiting)} ranks wait at collective {len(rounds) + 1}, {len(results)} have ended")
        rounds.append(waiting)
        combined = combine(waiting)
        for rank in ranks:
            rank.known.append(combined)
    raise RuntimeError(f"more than {limit} collectives")
