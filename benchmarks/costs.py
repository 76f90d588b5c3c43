"""What large cases may cost, against right and wrong answers. Run `python -m benchmarks.costs [EXERCISE...]`.

A row is a large case or a bounded one: the limit, the worked solution, the most expensive right answer, and the
cheapest answer that costs too much. Right answers are those of tests/corpus/answers. Answers that cost too much are
those whose only fault is that, among the known mistakes and the files of tests/corpus.

Seconds are processor time, measured as in grading. MiB are the least allowance with which an answer returns if the heap
grows in small steps. In grading it grows by whole large pages, so the factor of a right answer takes only the large
pages that a limit holds. A factor below 3 is marked with `!`, and then the exit code is 1.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.library import Library
from autodrill.errors import InternalError
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.cases.cost_limit import processor_time
from autodrill.sandbox import launcher as launching
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.outcomes import Loaded, Returned
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.exercise import Drill
    from autodrill.sandbox.launcher import Launcher

CORPUS = Path(__file__).parents[1] / "tests" / "corpus"
SEED = 20_261
MARGIN = 3
TIMES = 3
"""How often a right answer runs; the least time counts, as for the yardsticks."""
LARGE_PAGE = 2
"""MiB."""
LONGEST = 20.0
"""Wall time in seconds after which an answer counts as expensive enough."""
TOO_MUCH = {FaultKind.TOO_SLOW, FaultKind.TOO_MUCH_MEMORY, FaultKind.MEMORY}


@dataclass(frozen=True, slots=True)
class Answer:
    """A file, by a name for the table, and whether it is known to be right."""

    name: str
    source: bytes
    right: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: the limit and the costs are seconds or MiB."""

    case: str
    unit: str
    limit: float
    solution: float
    right: tuple[float, str]
    wrong: tuple[float, str] | None

    @property
    def factors(self) -> tuple[float, float | None]:
        """By how much the limit exceeds the most expensive right answer, and the cheapest wrong one the limit."""
        usable = self.limit // LARGE_PAGE * LARGE_PAGE if self.unit == "MiB" else self.limit
        return usable / self.right[0], None if self.wrong is None else self.wrong[0] / self.limit


def answers(drill: Drill) -> Iterator[Answer]:
    """Yield the right answers of an exercise, and those that may cost too much."""
    name = drill.exercise.id
    for kind in ("right", "wrong"):
        for path in sorted((CORPUS / "answers" / name / kind).glob("*.py")):
            yield Answer(f"{kind}/{path.stem}", path.read_bytes(), right=kind == "right")
    for mistake in drill.solution.mistakes:
        yield Answer(f"mistake {mistake.key}", mistake.source.encode(), right=False)
    attacks = sorted((CORPUS / "attacks" / "gaming").glob("*.py")) if name == "mul_broadcast_backward" else []
    for path in [*attacks, *sorted((CORPUS / "evasions").glob("*.py"))]:
        source = path.read_bytes()
        if path in attacks or source.startswith(f"# exercise: {name}\n".encode()):
            yield Answer(path.stem, source, right=False)


def costs_too_much(case_set: CaseSet, answer: Answer, launcher: Launcher) -> set[int]:
    """Return the large cases where the cost of an answer is its first fault."""
    drill = case_set.drill
    with Runner.start(CHECK_LIMITS, launcher=launcher) as runner:
        if not _loads(runner, drill, answer):
            return set()
        for index, seen in case_set.put(runner, range(len(case_set.cases))):
            if seen.fault is not None:
                return {index} if seen.fault.kind in TOO_MUCH and seen.case.large else set()
    return set()


def seconds(case_set: CaseSet, index: int, answer: Answer, launcher: Launcher) -> float:
    """Return the processor time of an answer in a case; infinity if it does not return within `LONGEST`."""
    request = replace(case_set.question(index).request, seconds=LONGEST)
    with Runner.start(CHECK_LIMITS, launcher=launcher) as runner:
        assert _loads(runner, case_set.drill, answer)
        try:
            return min(processor_time(runner, request) for _ in range(TIMES if answer.right else 1))
        except InternalError:
            return float("inf")


def mebibytes(case_set: CaseSet, index: int, answer: Answer, launcher: Launcher) -> float:
    """Return the least allowance in MiB with which an answer returns, to within 5 %."""
    request = replace(case_set.question(index).request, allowed=None)
    low, high = 1 << 16, 1 << 30
    while high > 1.05 * low:
        middle = int((low * high) ** 0.5)
        try:
            with Runner.start(CHECK_LIMITS, launcher=launcher) as first:
                assert _loads(first, case_set.drill, answer)
                runner, loaded = first.loaded_sibling(middle)
            with runner:
                fits = isinstance(loaded, Loaded) and all(
                    isinstance(outcome, Returned) for outcomes in runner.answers([request]) for outcome in outcomes
                )
        except InternalError:  # the scenario does not fit
            fits = False
        low, high = (low, middle) if fits else (middle, high)
    return high / (1 << 20)


def _start_with_small_steps(server: ForkServer) -> None:
    """Start a fork server whose heap, and that of its forks, does not grow by large pages."""
    usual = launching._environment
    environment = usual()
    environment["GLIBC_TUNABLES"] = environment["GLIBC_TUNABLES"].replace("hugetlb=1", "hugetlb=0")
    launching._environment = lambda: environment
    try:
        server.start()
    finally:
        launching._environment = usual


def _loads(runner: Runner, drill: Drill, answer: Answer) -> bool:
    return isinstance(runner.load(answer.source, "answer.py", drill.exercise.entry, drill.kind.scenario(drill)), Loaded)


def rows(drill: Drill, launcher: Launcher, small_steps: Launcher) -> Iterator[Row]:
    """Measure the large cases of an exercise, those with a bound on memory in processes of `small_steps`."""
    case_set = CaseSet(drill, SEED)
    large = [index for index, case in enumerate(case_set.cases) if case.large]
    if not large:
        return
    solution = Answer("solution", drill.solution.source.encode(), right=True)
    known = [solution, *answers(drill)]
    too_much = {a.name: costs_too_much(case_set, a, launcher) for a in known if not a.right}
    for index in large:
        case = case_set.cases[index]
        bounded = case.bound is not None and case.bound.memory > 0
        measure, unit, by = (mebibytes, "MiB", small_steps) if bounded else (seconds, "s", launcher)
        measured = {a.name: measure(case_set, index, a, by) for a in known if a.right or index in too_much[a.name]}
        right = max((measured[a.name], a.name) for a in known if a.right)
        wrong = min(((measured[a.name], a.name) for a in known if a.name in measured and not a.right), default=None)
        title = f"{drill.exercise.id}: {case.label}"
        if bounded:
            limit = case_set.allowance(index) / (1 << 20)
        else:
            allowed = case_set.question(index).request.allowed
            assert allowed is not None
            with Runner.start(CHECK_LIMITS, launcher=launcher) as runner:
                limit = allowed(runner, math.inf)  # so that the worked solution is measured too
        yield Row(title, unit, limit, measured["solution"], right, wrong)


def line(row: Row) -> str:
    """Return a row as text."""
    above, below = row.factors
    text = f"{row.case[:62]:62} {row.limit:7.2f} {row.unit:3} {row.solution:8.3f} "
    text += f"{row.right[0]:8.3f} {above:6.1f}{'!' if above < MARGIN else ' '} "
    if row.wrong is None or below is None:
        return f"{text}{'-':>8} {'-':>6}   {row.right[1]}"
    return f"{text}{row.wrong[0]:8.2f} {below:6.1f}{'!' if below < MARGIN else ' '}  {row.right[1]} / {row.wrong[1]}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exercise", nargs="*", help="exercises to measure; by default all")
    chosen = parser.parse_args().exercise
    machine = os.uname()
    print(f"{machine.sysname} {machine.release} {machine.machine}, Python {sys.version.split()[0]}")
    print(f"{'case':62} {'limit':>7} {'':3} {'solution':>8} {'right':>8} {'times':>6}  {'wrong':>8} {'times':>6}")
    library = Library.open(environ={})
    low = False
    with ForkServer() as server, ForkServer() as small_steps:
        _start_with_small_steps(small_steps)
        for heading in library.headings():
            drill = library.drill(library.find(heading.id))
            if drill.kind.on_device or (chosen and heading.id not in chosen):
                continue
            for row in rows(drill, server.launch, small_steps.launch):
                print(line(row), flush=True)
                low |= any(factor is not None and factor < MARGIN for factor in row.factors)
    sys.exit(low)


if __name__ == "__main__":
    main()
