"""Several ranks: the same program on every rank, synchronised at each collective.

What the program calls is an entry in the process of the rank, `rank_calls.OtherProcess`, or in this one, `PerRank`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["PerRank", "in_step", "plain", "running"]


class _Waiting(BaseException):
    """A rank waits at a collective without a result. A BaseException, so that `except Exception` does not catch it."""

    def __init__(self, contribution: Any) -> None:
        self.contribution = contribution


class _Rank:
    """One rank's view of the collectives. Those that all ranks have reached return their result; the next one waits.

    Attributes:
        known: The results of the collectives so far.
        calls: The calls of entries in another process so far.
    """

    def __init__(self) -> None:
        self.known: list[Any] = []
        self.calls: list[Any] = []
        self._next = 0

    def start(self) -> None:
        self._next = 0

    def collective(self, contribution: Any) -> Any:
        """Contribute, and return a copy of the result."""
        from copy import deepcopy

        contribution = _plain(contribution)
        self._next += 1
        if self._next > len(self.known):
            raise _Waiting(deepcopy(contribution))
        return deepcopy(self.known[self._next - 1])


def _plain(contribution: Any) -> Any:
    """Return what a rank contributes, without what an object may carry besides its numbers.

    A complex number, a record, an object or a long integer would count as one number. The attributes of a subclass and
    the metadata of a dtype would not count at all.

    Raises:
        TypeError: It contributes something else than real numbers, or lists and tuples of them.
    """
    import numpy as np

    if isinstance(contribution, list | tuple):
        return (list if isinstance(contribution, list) else tuple)(map(_plain, contribution))
    if isinstance(contribution, np.ndarray | np.generic) and contribution.dtype.kind in "fiub":
        plain = np.empty(np.shape(contribution), np.dtype(contribution.dtype.str))
        plain[...] = contribution
        return plain if isinstance(contribution, np.ndarray) else plain[()]
    if type(contribution) is str:  # the name of the collective; it has no size
        return contribution
    if isinstance(contribution, float):
        return float(contribution)
    if isinstance(contribution, int) and int(contribution).bit_length() < 64:
        return contribution if isinstance(contribution, bool) else int(contribution)
    kind = contribution.dtype if isinstance(contribution, np.ndarray) else type(contribution).__name__
    raise TypeError(f"a message holds real numbers, not {kind}")


def plain(value: Any) -> Any:
    """Return a message or a result as plain data, as a collective and `np.array` take it.

    A subclass becomes its base, and an iterator a list. What has `__array__` becomes an array.
    """
    import numpy as np

    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if isinstance(value, tuple):
        return tuple([plain(item) for item in tuple.__iter__(value)])
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.generic | bool | int | float | complex | str | bytes) or value is None:
        return value
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if hasattr(value, "__iter__") and not isinstance(value, type):
        return [plain(item) for item in value]
    return value


class Turn:
    """One run of the program on one rank.

    Attributes:
        rank: The rank.
        ranks: How many ranks there are.
        calls: The calls of entries in another process, those of earlier runs included.
        reached: How many of them this run has reached.
        changes: Arguments that such a call has changed, with what they are after it.
    """

    def __init__(self, rank: int, ranks: int, calls: list[Any]) -> None:
        self.rank, self.ranks, self.calls = rank, ranks, calls
        self.reached = 0
        self.changes: list[tuple[Any, Any]] = []
        self._lent: dict[int, tuple[Any, Any]] = {}

    def lend(self, value: Any) -> Any:
        """Return a copy of an argument. A view would lead to the whole array, which holds the data of all ranks."""
        import numpy as np

        kind = type(value)
        if kind is tuple:
            return tuple([self.lend(item) for item in value])
        if kind not in {np.ndarray, list, dict}:
            return _taking_plain(value) if callable(value) else value
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
        for value, after in self.changes:
            _change(value, after)
        for value, copy in self._lent.values():
            if isinstance(value, list):
                value[:] = copy
            elif isinstance(value, dict):
                value.clear()
                value.update(copy)
            elif value.flags.writeable and value.shape == copy.shape:
                value[...] = copy


def _taking_plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the scenario that takes what it would be sent from another process."""

    def call(*arguments: Any, **named: Any) -> Any:
        return function(*map(plain, arguments), **{name: plain(value) for name, value in named.items()})

    return call


def _change(value: Any, after: Any) -> None:
    """Make a value equal to what it is after a call, in place as far as it can be changed in place."""
    import numpy as np

    if type(value) is np.ndarray:
        if value.flags.writeable and type(after) is np.ndarray and value.shape == after.shape:
            value[...] = after
    elif type(value) is list and type(after) is list and len(value) != len(after):
        value[:] = after
    elif type(value) in {list, tuple} and type(after) in {list, tuple}:
        for index, (item, new) in enumerate(zip(value, after, strict=False)):
            _change(item, new)
            if type(value) is list and not _changes_in_place(item, new):
                value[index] = new
    elif type(value) is dict and type(after) is dict:
        if value.keys() != after.keys():
            value.clear()
            value.update(after)
        for key, new in after.items():
            _change(value[key], new)
            if not _changes_in_place(value[key], new):
                value[key] = new


def _changes_in_place(value: Any, after: Any) -> bool:
    """Whether `_change` makes a value equal to another one: not an array of another shape or dtype, nor a number."""
    import numpy as np

    kind = type(value)
    if kind is not type(after):
        return False
    if kind is np.ndarray:
        return bool(value.shape == after.shape and value.dtype == after.dtype)
    if kind is tuple:
        return len(value) == len(after) and all(map(_changes_in_place, value, after))
    return kind in {list, dict}


_running: list[Turn] = []
"""The turn that runs; the last one if a program runs ranks of its own."""


def running() -> Turn | None:
    """Return the turn that runs; None outside `in_step`."""
    return _running[-1] if _running else None


class PerRank:
    """The entry of a submission as a scenario calls it. Within `in_step`, each rank calls an entry of its own.

    Every rank runs the file for itself, as on a cluster, and gets copies of its arguments. A rank keeps its variables
    from one call to the next. But the ranks share this process, so a file can send numbers through it. It is used under
    a debugger, and to find out whether a wrong answer does that.

    Args:
        place: Which of the entries of the submission it is.
        loads: The entries of rank 0, which are also called outside `in_step`, and of each further rank so far.
        another: Returns the entries of another rank. It runs the file once more, unless the ranks share a module.
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
    collective is repeated for every later collective. The process of a rank only waits: it makes each call once.

    What a candidate changes in its arguments is written back once all ranks have ended.

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
        turns = [Turn(index, len(ranks), rank.calls) for index, rank in enumerate(ranks)]
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
