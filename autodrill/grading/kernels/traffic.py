"""Remarks on how a right kernel uses memory, as the simulated device counts it: sectors, banks and bytes.

A remark names the floor, and the count of the worked solution if that is above the floor. It never fails an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253  it runs where expected results are

from autodrill.grading.report import Remark
from autodrill.sandbox.outcomes import Loaded, Returned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.case_set import CaseSet
    from autodrill.grading.kernels.simulator_runner import KernelRunner

__all__ = ["Traffic", "traffic_of", "traffic_remarks"]

_WORTH = 2.0
"""A count of this many times the floor earns a remark, if it is also the next factor above the worked solution's."""
_WORSE = 1.5
_MOST_BYTES = 1 << 12


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the device counts in one launch; the fields are those of the struct in device_traffic.h."""

    bytes_read: int
    load_at: int
    load_sectors: int
    load_least: int
    store_at: int
    store_sectors: int
    store_least: int
    bank_at: int
    bank_ways: int


def traffic_of(runner: KernelRunner, case_set: CaseSet) -> tuple[Traffic, int] | None:
    """Return what the loaded kernel moves in the first case, and the bytes of its inputs; None if it cannot be counted.

    The counts come from the candidate's process, so they are claims.
    """
    drill, question = case_set.drill, case_set.question(0)
    launch, results, bare, *values = drill.kind.arguments(drill, question.case, question.expected)
    end = runner.call([(*launch, True), results, bare, *values], budget=_MOST_BYTES)
    if not isinstance(end, Returned) or not isinstance(end.value, np.ndarray) or end.value.shape != (9,):
        return None
    inputs = [v for i, v in enumerate(values) if i not in results and isinstance(v, np.ndarray) and v.ndim]
    return Traffic(*map(int, end.value)), sum(4 * v.size for v in inputs)


def traffic_remarks(runner: KernelRunner, case_set: CaseSet) -> tuple[Remark, ...]:
    """Return the remarks on the traffic of the loaded kernel, which has passed all cases."""
    counted = traffic_of(runner, case_set)
    if counted is None:
        return ()
    mine, inputs = counted
    if not any(_findings(runner, mine, None, inputs)):
        return ()
    theirs = _of_solution(runner, case_set.drill, case_set)
    return tuple(_findings(runner, mine, theirs, inputs))


def _of_solution(runner: KernelRunner, drill: Drill, case_set: CaseSet) -> Traffic | None:
    with runner.sibling(runner.limits) as other:
        loaded = other.load(drill.solution.source.encode(), drill.exercise.path.name, drill.exercise.entry)
        counted = traffic_of(other, case_set) if isinstance(loaded, Loaded) else None
    return None if counted is None else counted[0]


def _findings(runner: KernelRunner, mine: Traffic, theirs: Traffic | None, inputs: int) -> Iterator[Remark]:
    def worse(name: str, floor: float) -> bool:
        count, other = getattr(mine, name), getattr(theirs, name, 0)
        return bool(count >= _WORTH * max(floor, 1) and count > _WORSE * other)

    def line(at: int) -> str:
        found = runner.line_of(at)
        return "a line" if found is None else f"line {found}"

    for name, what in (("load", "loads"), ("store", "stores")):
        at, least = getattr(mine, f"{name}_at"), getattr(mine, f"{name}_least")
        sectors = getattr(mine, f"{name}_sectors")
        if at and sectors - least > 2 and worse(f"{name}_sectors", least):
            words = f"{line(at)}: a warp {what} {sectors} sectors of 32 bytes, where {least} suffice"
            yield Remark(f"uncoalesced-{what}", words)
    if mine.bank_at and worse("bank_ways", 1):
        yield Remark("bank-conflict", f"{line(mine.bank_at)}: a {mine.bank_ways}-way bank conflict in shared memory")
    if inputs and mine.bytes_read >= 2 * _WORTH * inputs and worse("bytes_read", inputs):
        other = "" if theirs is None else f"; the worked solution reads {_times(theirs.bytes_read, inputs)}"
        yield Remark("reads-again", f"loads of {_times(mine.bytes_read, inputs)} the bytes that the inputs have{other}")


def _times(count: int, inputs: int) -> str:
    return f"{count / inputs:.1f} times"
