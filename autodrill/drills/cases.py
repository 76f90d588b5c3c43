"""The cases of an exercise for a seed, and smaller cases of the same class for the report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.array_cases import large_case, scaled_cases
from autodrill.drills.authoring import Given, Scenario
from autodrill.drills.case import Case, child_seed, class_of, class_of_entry
from autodrill.drills.solution_file import authored
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.drills.kind import Kind

__all__ = ["battery", "case_at", "small_cases"]


def battery(drill: Drill, seed: int) -> list[Case]:
    """Return all cases of one grading run; the same seed gives the same cases.

    Each entry of `CASES` gives an ordinary case first: different sizes and random values. Its special cases follow:
    float32, non-contiguous, sizes 1 and 0, a zero cotangent, repeated operands. The cases with unusual cotangents and
    the large cases come last.
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
        # The deviation of an estimator may need far more memory than its inputs, so its author sets the sizes.
        large = [e for e in given if e.symbols and e.bound is None and (not e.draws or isinstance(e.large, dict))]
        if large and kind.large_case and not solution.drive:
            cases.append(large_case(max(large, key=_costliness), rng))
        cases += [large_case(entry, rng) for entry in given if entry.bound is not None]
    return cases


def case_at(cases: Sequence[Case], index: int) -> Case:
    """Return a case by its index.

    Raises:
        UsageError: There is no such case.
    """
    if not 0 <= index < len(cases):
        raise UsageError(f"there is no case {index}: this exercise has cases 0 to {len(cases) - 1}")
    return cases[index]


def small_cases(drill: Drill, like: Case, seed: int) -> Iterator[Case]:
    """Yield cases of the same class as `like`, smallest and simplest first: the report shows the first that fails."""
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
    """Whether a class of inputs has neither options nor values of its own.

    A zero cotangent then shows nothing that the first class does not show.
    """
    return entry.smooth and not entry.static and not entry.values


def _costliness(entry: Given) -> tuple[bool, int]:
    """Return a sort key: how much finite differences cost for a class of inputs.

    Sizes that the author has set count first, then the number of axes that an array lacks and another has. An
    elementwise function has no such axes, and finite differences of it are cheap.
    """
    unlike = sum(symbol not in dims for symbol in entry.symbols for dims in entry.arrays.values())
    return isinstance(entry.large, dict), unlike
