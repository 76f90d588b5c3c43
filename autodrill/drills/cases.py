"""The cases an exercise is graded on, by a seed, and smaller ones like any of them for the report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.array_cases import large_case, scaled_cases
from autodrill.drills.author_code import authored
from autodrill.drills.authoring import Given, Scenario
from autodrill.drills.case import Case, child_seed, class_of, class_of_entry
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.drills.kind import Kind

__all__ = ["battery", "case_at", "small_cases"]


def battery(drill: Drill, seed: int) -> list[Case]:
    """Return every case of one grading run; the same seed gives the same cases.

    Random shapes and values come first, so that a report of "case 3" is an ordinary one; special classes
    (size 1, square, empty, float32, strided, zero cotangent, repeated operands) follow, the large case is last.
    """
    import numpy as np

    kind, solution = drill.kind, drill.solution
    rng = np.random.default_rng(seed)
    cases: list[Case] = []
    with authored(solution.path, "CASES"):
        for entry in solution.cases:
            if isinstance(entry, Scenario):
                cases += [_from_scenario(entry, size, child_seed(rng), kind) for size in entry.sizes]
            else:
                cases += kind.cases(entry, rng, zero=not cases or not _differs_in_shape_alone(entry))
        cases += scaled_cases(drill, rng)
        given = [e for e in solution.cases if isinstance(e, Given) and e.large]
        # What an estimator's draws deviate by may take far more than its inputs: its author says how large.
        large = [e for e in given if e.symbols and e.bound is None and (not e.draws or isinstance(e.large, dict))]
        if large and kind.large_case and not solution.drive:
            cases.append(large_case(max(large, key=_costliness), rng))
        cases += [large_case(entry, rng) for entry in given if entry.bound is not None]
    return cases


def case_at(cases: Sequence[Case], index: int) -> Case:
    """Return the case of that index in a battery.

    Raises:
        UsageError: If there is none.
    """
    if not 0 <= index < len(cases):
        raise UsageError(f"there is no case {index}: this exercise has cases 0 to {len(cases) - 1}")
    return cases[index]


def small_cases(drill: Drill, like: Case, seed: int) -> Iterator[Case]:
    """Yield cases of the same class as `like`, smallest and plainest first, for finding the smallest that fails."""
    import numpy as np

    rng = np.random.default_rng(seed)
    with authored(drill.solution.path, "CASES"):
        for entry in drill.solution.cases:
            if isinstance(entry, Scenario):
                if entry.note != like.label:
                    continue
                for size in range(1, like.size + 1):
                    for _ in range(12):
                        yield _from_scenario(entry, size, child_seed(rng), drill.kind)
            elif class_of_entry(entry) == class_of(like):
                yield from drill.kind.smaller(entry, like, rng)


def _from_scenario(entry: Scenario, size: int, seed: int, kind: Kind) -> Case:
    import numpy as np

    made = entry.make(np.random.default_rng(seed), size)
    inputs = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
    static = {name: value for name, value in made.items() if name not in inputs}
    case = Case(entry.note, inputs, static, cotangent=1.0, seed=seed, size=size, simple=True)
    case = replace(case, dtype="float32") if kind.single_precision else case
    return case if entry.bound is None else replace(case, large=True, bound=entry.bound)


def _differs_in_shape_alone(entry: Given) -> bool:
    """Whether a class of inputs has no options and no values of its own: what is 0 in the first class is 0 in it."""
    return entry.smooth and not entry.static and not entry.values


def _costliness(entry: Given) -> tuple[bool, int]:
    """Whether its author says how large, and how many axes of one array the others lack: a derivative that is cheap to
    find numerically has none.
    """
    unlike = sum(symbol not in dims for symbol in entry.symbols for dims in entry.arrays.values())
    return isinstance(entry.large, dict), unlike
