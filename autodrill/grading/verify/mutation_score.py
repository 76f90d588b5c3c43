"""Mutation score of an exercise's cases: the mutants of its solution that pass, and cases that would catch them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from autodrill.drills.mutants import mutants
from autodrill.errors import InternalError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill, Solution
    from autodrill.drills.mutants import Mutant
    from autodrill.grading.verify.many_programs import Bench

__all__ = ["Strength", "excuse", "strength"]


@dataclass(frozen=True, slots=True)
class Strength:
    """The results of a solution's mutants.

    Attributes:
        mutants: Number of mutants, without those that compute the same by construction.
        equivalent: Number of mutants that pass and are declared equivalent.
        survivors: Number of mutants that pass without such a declaration.
        problems: The survivors, and declarations about mutants that do not pass.
    """

    mutants: int = 0
    equivalent: int = 0
    survivors: int = 0
    problems: tuple[Problem, ...] = ()


def strength(bench: Bench, drill: Drill, *, seeds: int) -> Strength:
    """Grade every mutant of a right solution.

    A mutant that is declared equivalent is graded under one seed only, to find out whether the declaration is stale. A
    mutant that passes does not count if its probe passes too: see `autodrill.drills.same_results`.
    """
    file = drill.solution.path.read_text(encoding="utf-8")
    problems: list[Problem] = []
    argued: set[str] = set()
    made = mutants(drill.solution.source, cotangents=drill.solution.cotangents, given=drill.exercise.stub)
    same = equivalent = survivors = 0
    for mutant in made:
        argument = excuse(drill.solution, mutant)
        excused = argument is not None
        try:
            if bench.first_fault(mutant.source, range(1 if excused else seeds)):
                continue
            if mutant.probe and not bench.first_fault(mutant.probe, range(seeds)):
                same += 1
                continue
            if argument is not None:
                argued.add(argument)
                equivalent += 1
                continue
            survivors += 1
            wrong = _survived(mutant, _catch(bench, drill.solution))
        except InternalError as error:
            wrong = f"the mutant `{mutant.key}` cannot be graded: {error.message}"
        problems.append(Problem(str(drill.solution.path), _line_in(file, drill.solution.source, mutant.line), wrong))
    stale = [key for key in drill.solution.equivalent if key not in argued]
    line = 1 + file[: file.find("\nEQUIVALENT") + 1].count("\n")
    problems += [
        Problem(str(drill.solution.path), line, f"`EQUIVALENT` lists `{key}`, but no mutant needs this entry")
        for key in stale
    ]
    return Strength(len(made) - same, equivalent, survivors, tuple(problems))


def excuse(solution: Solution, mutant: Mutant) -> str | None:
    """Return the key that declares a mutant equivalent, or None; one ending in `...` matches a prefix."""
    keys = (k for k in solution.equivalent if k.endswith("...") and mutant.key.startswith(k.removesuffix("...")))
    return mutant.key if mutant.key in solution.equivalent else next(keys, None)


def _survived(mutant: Mutant, catch: str | None) -> str:
    advice = f"add cases with {catch}, which the mutant fails" if catch else "add a case that catches it"
    return f"the mutant `{mutant.key}` passes: {advice}, or say in `EQUIVALENT` why the mutant computes the same result"


def _catch(bench: Bench, solution: Solution) -> str | None:
    """Return the kind of case, often missing from batteries, that the mutant loaded last fails and the solution passes.

    Every probe is marked as not smooth, because it may be at a kink.
    """
    failing = {}
    for words, case in _probes(bench):
        try:
            if words not in failing and bench.fault_of(case):
                failing[words] = case
        except (InternalError, RuntimeError):  # the exercise cannot answer the probe, or the process ended
            continue
    if not failing or bench.first_fault(solution.source, ()):
        return None
    return next((words for words, case in failing.items() if not bench.fault_of(case)), None)


def _probes(bench: Bench) -> Iterator[tuple[str, Case]]:
    import numpy as np

    changes: dict[str, Callable[[Any], Any]] = {
        "values of exactly 0": lambda v: v * 0,
        "negative values": lambda v: -np.abs(v),
        "ties": np.round,
        "large values": lambda v: v * 1000.0,
        "tiny values": lambda v: v * 1e-200,
    }
    for case in bench.cases(0):
        if case.large or case.size:
            continue
        plain = replace(case, smooth=False)
        for words, change in changes.items():
            with np.errstate(all="ignore"):  # an input may be infinite
                floats = {n: change(np.asarray(v)) for n, v in case.inputs.items() if np.asarray(v).dtype.kind == "f"}
            yield words, replace(plain, inputs=case.inputs | floats)
        yield "an infinite cotangent", replace(plain, cotangent=np.inf)


def _line_in(file: str, source: str, line: int) -> int:
    """Return the line of the solution file that is line `line` of the source cut out of it."""
    for node in ast.parse(source).body:
        if node.end_lineno is not None and node.lineno <= line <= node.end_lineno:
            text = "\n".join(source.split("\n")[node.lineno - 1 : node.end_lineno])
            return 1 + file[: max(0, file.find(text))].count("\n") + line - node.lineno
    return 1
