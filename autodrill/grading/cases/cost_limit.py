"""The limit of cost: the processor time that a call on a large input may take, relative to the worked solution."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodrill.errors import InternalError
from autodrill.sandbox.outcomes import Loaded, Returned
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

__all__ = ["FACTOR", "CostLimit", "processor_time", "with_cost_limit"]

FACTOR = 20
"""A call may take this multiple of the processor time of the worked solution or of `_LOOP`, whichever takes longer.

`benchmarks/costs.py` compares the limits with right answers and with answers that cost too much."""

_WALL_SECONDS = 30.0
"""Wall time of a call on a large input. This limit ends only a call that waits, or a call on a machine that is far too
busy."""

_LOOP = """
def loop():
    total = 0.0
    for i in range(1_700_000):
        total += i * 0.5
    return total
"""
"""A limit is at least `FACTOR` times the time of this loop, which is about 0.05 s. A right answer may be an explicit
loop over 100,000 elements. Such a loop takes hundreds of times as long as a solution that calls NumPy."""

_TIMES = 3
"""How often the worked solution and the loop run. The shortest run counts, because a shared core takes up to twice as
long."""

_BUDGET = 1 << 10


def with_cost_limit(
    drill: Drill, calls: Sequence[Call], *, budget: int, answer: Callable[[Any], Any] | None
) -> Request:
    """Return the request of a large case, whose limit is one of processor time.

    Args:
        drill: The exercise.
        calls: See `call_request`.
        budget: See `call_request`.
        answer: See `call_request`.
    """
    request = call_request(calls, budget=budget, seconds=_WALL_SECONDS, answer=answer)
    return replace(request, allowed=CostLimit(drill, request))


class CostLimit:
    """The processor time that a request may take, measured when first needed, and kept.

    The yardsticks run on the machine, and in a process of the kind, that the submission runs in. Therefore the same
    answers exceed the limit on a slow machine and on a fast one.

    Args:
        drill: The exercise.
        request: The request, which the worked solution answers too.
    """

    def __init__(self, drill: Drill, request: Request) -> None:
        self._drill = drill
        self._request = request
        self._by_loop = self._by_solution = 0.0

    def __call__(self, runner: Runner, used: float) -> float:
        """Return the limit in seconds. The worked solution is measured only if the loop alone does not allow enough.

        Args:
            runner: The runner of the submission. The yardsticks run in a sibling of it.
            used: The seconds that the submission has used so far.

        Raises:
            InternalError: The worked solution does not answer.
        """
        if not self._by_loop:
            loop = call_request([Call([])], budget=_BUDGET, seconds=_WALL_SECONDS)
            self._by_loop = FACTOR * _cost(runner, _LOOP.encode(), "loop", None, loop)
        if used > self._by_loop and not self._by_solution:
            drill = self._drill
            solution, scenario = drill.solution.source.encode(), drill.kind.scenario(drill)
            self._by_solution = FACTOR * _cost(runner, solution, drill.exercise.entry, scenario, self._request)
        return max(self._by_loop, self._by_solution)


def _cost(runner: Runner, source: bytes, entry: str, scenario: str | None, request: Request) -> float:
    with runner.sibling(runner.limits) as other:
        other.end_by(math.inf)  # it is not the submission that this takes time of
        loaded = other.load(source, "yardstick.py", entry, scenario)
        if not isinstance(loaded, Loaded):
            raise InternalError(f"the worked solution does not load: {loaded}")
        return min(processor_time(other, request) for _ in range(_TIMES))


def processor_time(runner: Runner, request: Request) -> float:
    """Make the calls of a request, and return the seconds of processor time that they take.

    Args:
        runner: A runner with the code loaded.
        request: A request from `call_request`. Its limit of processor time does not apply.

    Raises:
        InternalError: A call does not return.
    """
    started = runner.processor_time
    (outcomes,) = runner.answers([replace(request, allowed=None)])
    if not isinstance(outcomes[-1], Returned):
        raise InternalError(f"a call whose cost is measured does not return: {outcomes[-1]}")
    return runner.processor_time - started
