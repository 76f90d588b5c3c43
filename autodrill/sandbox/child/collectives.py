"""Several ranks in one process: the same program on every rank, synchronised at each collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["in_step"]


class _Waiting(BaseException):
    """A rank waits at a collective without a result. A BaseException, so that `except Exception` does not catch it."""

    def __init__(self, contribution: Any) -> None:
        self.contribution = contribution


class _Rank:
    """One rank's view of the collectives. Those that all ranks have reached return their result; the next one waits."""

    def __init__(self) -> None:
        self.known: list[Any] = []
        self._next = 0

    def start(self) -> None:
        self._next = 0

    def collective(self, contribution: Any) -> Any:
        """Contribute, and return a copy of the result."""
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
    """Run a program once for each rank, with a collective at which all ranks wait for each other.

    There are no threads. A rank that reaches a collective is interrupted. Once every rank has reached it, each is run
    again from its start, with the results so far. The program must therefore be deterministic, and its work before a
    collective is repeated for every later collective.

    Args:
        program: Called as `program(*arguments[rank], collective)`, with copies of the arguments.
        arguments: The arguments of each rank.
        combine: Computes the result for all ranks from the list of contributions: a sum for an all-reduce.
        limit: The largest number of collectives.

    Returns:
        What the program returns on each rank, and the contributions to each collective, by rank.

    Raises:
        RuntimeError: Some ranks end while others wait, which hangs on a real cluster; or there are too many
            collectives.
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
