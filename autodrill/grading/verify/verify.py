"""Proof of an exercise: its stub and mutants fail, its solution passes, its known mistakes are named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.drills.exercise import read_text
from autodrill.drills.solution_file import solution_path
from autodrill.drills.template import left_to_write
from autodrill.errors import ContentError, InternalError, NoCompilerError, Problem
from autodrill.grading.grade import grade
from autodrill.grading.kernels.gpu_runner import GPU_LIMITS
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.grading.verify.many_programs import FEW_SEEDS, LARGE_SEEDS, Bench
from autodrill.grading.verify.mutation_score import Strength, strength
from autodrill.sandbox.fork_server import own_code_launcher
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.libraries import Framework
from autodrill.sandbox.limits import CHECK_LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from autodrill.drills.exercise import Drill, Exercise, Heading, Solution
    from autodrill.drills.library import Library
    from autodrill.grading.report import Report
    from autodrill.sandbox.launcher import Launcher

__all__ = ["Proof", "check_prerequisites", "prove", "takes_gpu"]

_SHORTEST_LEAK = 12
"""A solution line in a hint gives the solution away if it has at least this number of characters, without spaces."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of proving an exercise.

    Attributes:
        exercise: Its id.
        problems: All problems, each with its place and how to fix it; empty if the exercise is proved.
        mistakes: Number of known mistakes graded.
        seeds: Number of seeds that the solution was graded with.
        mutants: Number of mutants of the solution graded.
        survivors: Number of mutants that pass without being declared equivalent; each is a problem.
        equivalent: Number of mutants that pass and are declared equivalent.
        seconds: Duration.
    """

    exercise: str
    problems: tuple[Problem, ...]
    mistakes: int = 0
    seeds: int = 0
    mutants: int = 0
    survivors: int = 0
    equivalent: int = 0
    seconds: float = 0.0


def takes_gpu(drill: Drill) -> bool:
    """Return whether an exercise can be proved on a GPU: a kernel, or an answer on arrays without a scenario."""
    return drill.kind.on_device or (drill.kind.on_arrays and not drill.solution.drive)


def prove(
    library: Library, exercise: Exercise, *, seeds: int = 5, launcher: Launcher = launch, on_gpu: bool = False
) -> Proof:
    """Prove an exercise: grade its stub, solution, known mistakes and mutants like submissions.

    Args:
        library: The library with its solution.
        exercise: The exercise.
        seeds: Number of seeds that the solution must pass, the first `LARGE_SEEDS` of them with the large cases; a
            surviving mutant passes the first `FEW_SEEDS` of them too.
        launcher: Starts the processes.
        on_gpu: Whether to grade only the stub and the solution, on a GPU: an answer on arrays with CuPy in place of
            NumPy, a kernel on the simulated device and then on the GPU.
    """
    import time

    started = time.perf_counter()
    left = [p for path in (exercise.path, solution_path(exercise)) if path.is_file() for p in _left_to_write(path)]
    if left:
        return Proof(exercise.id, tuple(left), seconds=time.perf_counter() - started)
    try:
        drill = library.drill(exercise)
    except ContentError as error:
        return Proof(exercise.id, error.problems, seconds=time.perf_counter() - started)
    if on_gpu:
        problems = _problems_on_gpu(drill, seeds)
        return Proof(exercise.id, tuple(problems), seeds=seeds, seconds=time.perf_counter() - started)
    strong, solution = Strength(), drill.solution
    try:
        bench = Bench(drill, CHECK_LIMITS, launcher)
    except NoCompilerError as error:
        problem = Problem(str(solution.path), 1, f"the exercise cannot be proved here: {error.message}; {error.hint}")
        return Proof(exercise.id, (problem,), seconds=time.perf_counter() - started)
    with bench:
        problems = [*_stub(bench, drill), *_hints(solution)]
        wrong = _solution(bench, drill, seeds)
        problems += [problem for problem in wrong if problem not in problems]
        if not wrong:  # mistakes and mutants of a wrong solution prove nothing
            strong = strength(bench, drill, seeds=min(seeds, FEW_SEEDS))
            problems += [*_mistakes(bench, solution), *strong.problems]
    return Proof(
        exercise.id,
        tuple(problems),
        mistakes=len(solution.mistakes),
        seeds=seeds,
        mutants=strong.mutants,
        survivors=strong.survivors,
        equivalent=strong.equivalent,
        seconds=time.perf_counter() - started,
    )


def _problems_on_gpu(drill: Drill, seeds: int) -> list[Problem]:
    exercise, solution = drill.exercise, drill.solution
    framework = None if drill.kind.on_device else Framework.CUPY
    limits = CHECK_LIMITS if framework is None else GPU_LIMITS
    name, line = (
        exercise.path.name,
        _line_of(solution.path, rf"def {exercise.defined[0]}\b|class {exercise.defined[0]}\b"),
    )
    problems = []
    with own_code_launcher(framework) as launcher:

        def report(source: str, seed: int) -> Report:
            source = source if framework is None else source.replace("import numpy as np", "import cupy as np")
            submission = Submission(source.encode(), name, name, framework)
            return grade(drill, submission, seed=seed, limits=limits, launcher=launcher, on_gpu=True)

        if report(exercise.stub, 0).verdict is Verdict.PASS:
            problems.append(Problem(str(exercise.path), 1, "the stub passes on the GPU"))
        for seed in range(seeds):
            got = report(solution.source, seed)
            if got.verdict is not Verdict.PASS:
                why = got.detail or (got.failure.summary if got.failure else str(got.verdict))
                words = f"the worked solution does not pass on the GPU with seed {seed}: {why}"
                return [*problems, Problem(str(solution.path), line, words)]
    return problems


def _left_to_write(path: Path) -> list[Problem]:
    return left_to_write(path, read_text(path))


def check_prerequisites(exercises: Sequence[Heading]) -> list[Problem]:
    """Return a problem for each missing prerequisite, and for each cycle."""
    requires = {exercise.id: exercise.requires for exercise in exercises}
    problems = []
    for exercise in exercises:
        wrong = [
            f"the exercise requires `{name}`, which does not exist"
            for name in exercise.requires
            if name not in requires
        ]
        if exercise.id in _reachable(exercise.id, requires):
            wrong.append("the prerequisites of this exercise lead back to the exercise itself")
        line = _line_of(exercise.path, r"# requires\b") if wrong else 1
        problems += [Problem(str(exercise.path), line, message) for message in wrong]
    return problems


def _reachable(exercise: str, requires: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(requires[exercise])
    while waiting:
        name = waiting.pop()
        if name not in found and name in requires:
            found.add(name)
            waiting += requires[name]
    return found


def _stub(bench: Bench, drill: Drill) -> list[Problem]:
    exercise, solution = drill.exercise, drill.solution
    report = bench.report(exercise.stub, 0)
    if report.verdict is Verdict.PASS:
        name = exercise.defined[-1]
        line = _line_of(exercise.path, rf"def {name}\b|class {name}\b")
        return [Problem(str(exercise.path), line, "the stub passes: leave a part for the candidate to write")]
    if report.verdict is Verdict.INTERNAL:
        return [Problem(str(solution.path), 1, f"the exercise contradicts itself: {report.detail}")]
    return []


def _solution(bench: Bench, drill: Drill, seeds: int) -> list[Problem]:
    exercise, solution = drill.exercise, drill.solution
    for seed in range(seeds):
        try:
            found = bench.first_fault(solution.source, [seed], large=LARGE_SEEDS)
        except InternalError as error:
            return [Problem(str(solution.path), 1, f"the exercise contradicts itself: {error.message}")]
        if found is None:
            continue
        name = exercise.defined[0]
        line = _line_of(solution.path, rf"def {name}\b|class {name}\b")
        return [Problem(str(solution.path), line, f"the worked solution does not pass with seed {seed}: {found}")]
    return []


def _mistakes(bench: Bench, solution: Solution) -> list[Problem]:
    problems = []
    for mistake in solution.mistakes:
        report = bench.report(mistake.source, 0)
        named = [r.key for r in report.remarks]
        if report.failure is not None and report.failure.rule is not None:
            named = [report.failure.rule.key]
        caught = report.verdict is not Verdict.PASS
        message = None
        if report.verdict is Verdict.INTERNAL:
            message = f"the mistake `{mistake.key}` cannot be graded: {report.detail}"
        elif report.failure is not None and "NameError" in report.failure.summary:
            message = f"the mistake `{mistake.key}` uses a name that it does not define: {report.failure.summary}"
        elif caught is mistake.remark:
            message = (
                f"the mistake `{mistake.key}` is declared a remark, but it fails"
                if mistake.remark
                else f"the mistake `{mistake.key}` passes: add a case that catches it, or declare it a remark"
            )
        elif mistake.key not in named:
            instead = f"`{named[0]}`" if named else "nothing"
            message = (
                f"the mistake `{mistake.key}` is caught, but the report names {instead}: "
                "add a case that tells the mistake apart from others"
            )
        if message:
            problems.append(Problem(str(solution.path), mistake.line, message))
    return problems


def _hints(solution: Solution) -> list[Problem]:
    """Return a problem for each hint that contains a line of the solution."""
    lines = {_squeezed(line) for line in solution.source.splitlines()}
    giveaways = {
        line for line in lines if len(line) >= _SHORTEST_LEAK and not line.startswith(("def", "import", "from"))
    }
    problems = []
    for stage, hint in enumerate(solution.hints, 1):
        leaked = next((line for line in sorted(giveaways) if line in _squeezed(hint)), None)
        if leaked:
            line = _line_of(solution.path, r"HINTS\b")
            problems.append(
                Problem(str(solution.path), line, f"hint {stage} contains a line of the solution: `{leaked}`")
            )
    return problems


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _line_of(path: Path, pattern: str) -> int:
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"(?m)^(?:{pattern})", text)
    return 1 + text[: found.start()].count("\n") if found else 1
