"""Bench: grades many programs for one exercise, with one computation of the expected results."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from autodrill.grading.cases.case_set import CaseSet, put_case
from autodrill.grading.diagnosis.explain import comparisons
from autodrill.grading.diagnosis.known_mistakes import KnownMistakes, SpareRunner
from autodrill.grading.grade import grade, start_runner
from autodrill.grading.submission import Submission
from autodrill.sandbox import outcomes as ends
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.limits import CHECK_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.report import Report
    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.runner import Limits, Runner

__all__ = ["FEW_SEEDS", "LARGE_SEEDS", "Bench", "Found"]

FEW_SEEDS = 5
"""The number of seeds under which finite differences are taken and mutants are graded. The worked solution may have to
pass more."""

LARGE_SEEDS = 4
"""The number of seeds under which the worked solution must pass the large cases. Its cost is the same under each seed,
but its rounding errors and its results are not. Each further seed makes `verify --all` about 4 % slower."""


@dataclass(frozen=True, slots=True)
class Found:
    """The first case that a program fails, and its fault.

    Attributes:
        label: The label of the case; empty if the program cannot be loaded.
        summary: The fault.
        seen: The observation of the case, or None.
    """

    label: str
    summary: str
    seen: Observation | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        rows = () if self.seen is None else comparisons(self.seen)
        wrong = [f"{row.name} expected {row.expected or 'something else'}, got {row.got}" for row in rows if row.wrong]
        return ": ".join(filter(None, (self.label, "; ".join([self.summary, *wrong]))))


class Bench:
    """A bench that puts the cases of `grade` to one program after another.

    Use it as a context manager: it holds two processes. If a program ends its process, the next one starts another.

    Args:
        drill: The exercise.
        limits: Limits of its processes.
        launcher: Starts them.
    """

    def __init__(self, drill: Drill, limits: Limits = CHECK_LIMITS, launcher: Launcher = launch) -> None:
        self._drill = drill
        self._limits = limits
        self._launcher = launcher
        self._runner = start_runner(drill, limits, launcher)
        self._spare = SpareRunner(lambda: self._runner.sibling(limits), self._runner.device)
        self._known = KnownMistakes(drill, self._spare)
        self._case_sets: dict[int, CaseSet] = {}

    def report(self, source: str, seed: int) -> Report:
        """Grade a program in a process of its own, with an explanation: see `grade`."""
        name = self._drill.exercise.path.name
        return grade(
            self._drill,
            Submission(source.encode(), name, name),
            seed=seed,
            runner=self._runner.sibling(self._limits),
            limits=self._limits,
            case_set=self._of(seed),
            known=self._known,
        )

    def first_fault(self, source: str, seeds: Iterable[int], *, large: int = 1) -> Found | None:
        """Return the first fault that makes `grade` fail a program under one of the seeds, or None if there is none.

        Args:
            source: The program.
            seeds: The seeds.
            large: Large cases are put only under seeds below this number, because their cost is the same under each.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        exercise, scenario = self._drill.exercise, self._drill.kind.scenario(self._drill)
        loaded = self._alive().load(source.encode(), exercise.path.name, exercise.entry, scenario)
        if not isinstance(loaded, ends.Loaded):
            return Found("", f"the program cannot be loaded: {type(loaded).__name__}")
        return next((found for seed in seeds if (found := self._under(seed, large=seed < large))), None)

    def fault_of(self, case: Case) -> Found | None:
        """Return the fault of the program loaded last in a case of the caller, or None.

        Raises:
            InternalError: The exercise contradicts itself.
            RuntimeError: That program ended its process.
        """
        fault = put_case(self._runner, self._drill, case).fault
        return None if fault is None else Found(case.label, fault.summary)

    def cases(self, seed: int) -> list[Case]:
        """The battery of a seed."""
        return self._of(seed).cases

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._runner.close()
        self._spare.close()

    def _alive(self) -> Runner:
        if self._runner.finished:
            self._runner = self._runner.sibling(self._limits)
        return self._runner

    def _of(self, seed: int) -> CaseSet:
        if seed not in self._case_sets:
            # Finite differences cover every partial derivative under seed 0, one direction under the next few, and then
            # they tell nothing new about the exercise.
            checks = {"thorough": seed == 0, "differences": seed < FEW_SEEDS}
            self._case_sets[seed] = CaseSet(self._drill, seed, self._limits, **checks)
        return self._case_sets[seed]

    def _under(self, seed: int, *, large: bool) -> Found | None:
        graded = [i for i, case in enumerate(self.cases(seed)) if not case.remark and (large or not case.large)]
        with closing(self._of(seed).put(self._runner, graded)) as observations:
            for _, seen in observations:
                if seen.fault is not None:
                    return Found(seen.case.label, seen.fault.summary, seen)
        return None
