"""Several ranks in one process: the same program on every rank, synchronised at each collective.

The ranks share the process, but no variables: see `PerRank`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["PerRank", "in_step"]


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

        _check_real(contribution)
        self._next += 1
        if self._next > len(self.known):
            raise _Waiting(deepcopy(contribution))
        return deepcopy(self.known[self._next - 1])


def _check_real(contribution: Any) -> None:
    """Check that a rank contributes real numbers: a complex number, a record or an object would count as one number.

    Raises:
        TypeError: It contributes something else.
    """
    import numpy as np

    if isinstance(contribution, list | tuple):
        for part in contribution:
            _check_real(part)
    elif isinstance(contribution, np.ndarray) and contribution.dtype.kind not in "fiub":
        raise TypeError(f"a message holds real numbers, not {contribution.dtype}")


class _Turn:
    """One run of the program on one rank, and what it was lent: each argument with its copy."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self._lent: dict[int, tuple[Any, Any]] = {}

    def lend(self, value: Any) -> Any:
        """Return a copy of an argument. A view would lead to the whole array, which holds the data of all ranks."""
        import numpy as np

        kind = type(value)
        if kind is tuple:
            return tuple([self.lend(item) for item in value])
        if kind not in {np.ndarray, list, dict}:
            return value
        if id(value) not in self._lent:
            copy: Any
            if kind is np.ndarray:
                copy = value.copy(order="K")
                copy.flags.writeable = value.flags.writeable
            elif kind is list:
                copy = [self.lend(item) for item in value]
            else:
                copy = {key: self.lend(item) for key, item in value.items()}
            self._lent[id(value)] = value, copy
        return self._lent[id(value)][1]

    def give_back(self) -> None:
        """Write the copies back, so that a change of an argument is seen."""
        for value, copy in self._lent.values():
            if isinstance(value, list):
                value[:] = copy
            elif isinstance(value, dict):
                value.clear()
                value.update(copy)
            elif value.flags.writeable and value.shape == copy.shape:
                value[...] = copy


_running: list[_Turn] = []
"""The turn that runs; the last one if a program runs ranks of its own."""


class PerRank:
    """The entry of a submission as a scenario calls it. Within `in_step`, each rank calls an entry of its own.

    Every rank runs the file for itself, as on a cluster, and gets copies of its arguments. So a rank learns of the
    data of another only what a collective returns. A rank keeps its variables from one call to the next.

    Args:
        place: Which of the entries of the submission it is.
        loads: The entries of rank 0, which are also called outside `in_step`, and of each further rank so far.
        another: Runs the file once more, and returns its entries.
    """

    def __init__(
        self, place: int, loads: list[list[Callable[..., Any]]], another: Callable[[], list[Callable[..., Any]]]
    ) -> None:
        self._place, self._loads, self._another = place, loads, another

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the entry of the rank that runs."""
        place = self._place
        if not _running:
            return self._loads[0][place](*arguments, **named)
        turn = _running[-1]
        while len(self._loads) <= turn.rank:
            self._loads.append(self._another())
        named = {name: turn.lend(value) for name, value in named.items()}
        return self._loads[turn.rank][place](*map(turn.lend, arguments), **named)


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

    The candidate that the program calls is a `PerRank`. What a candidate changes in its arguments is written back once
    all ranks have ended.

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
        turns = list(map(_Turn, range(len(ranks))))
        for rank, own, turn in zip(ranks, arguments, turns, strict=True):
            rank.start()
            _running.append(turn)
            try:
                results.append(program(*deepcopy(list(own)), rank.collective))
            except _Waiting as reached:
                waiting.append(reached.contribution)
            finally:
                _running.pop()
        if not waiting:
            for turn in turns:
                turn.give_back()
            return results, rounds
        if results:
            raise RuntimeError(f"{len(waiting)} ranks wait at collective {len(rounds) + 1}, {len(results)} have ended")
        rounds.append(waiting)
        combined = combine(waiting)
        for rank in ranks:
            rank.known.append(combined)
    raise RuntimeError(f"more than {limit} collectives")
