"""The proof of an exercise: the stub fails, the solution passes, every known mistake is caught and named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.errors import ContentError, Problem
from autodrill.grading.explain import Submission
from autodrill.grading.judge import grade, stub_report
from autodrill.grading.report import FaultKind, Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.drills.library import Library

__all__ = ["Proof", "check_prerequisites", "prove"]

_SHORTEST_LEAK = 12
"""Characters, spaces aside, from which a line of the solution in a hint gives it away."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What proving an exercise found.

    Attributes:
        exercise: Its id.
        problems: Everything wrong with it, each with its place and how to mend it; empty if it is proved.
        mistakes: How many known mistakes were put to the grader.
        seeds: How many seeds the solution was graded with.
        seconds: How long it took.
    """

    exercise: str
    problems: tuple[Problem, ...]
    mistakes: int = 0
    seeds: int = 0
    seconds: float = 0.0


def prove(library: Library, exercise: Exercise, *, seeds: int = 5) -> Proof:
    """Prove an exercise by grading its stub, its solution and its mistakes as a candidate's files are graded."""
    import time

    started = time.perf_counter()
    try:
        solution = library.solution(exercise)
    except ContentError as error:
        return Proof(exercise.id, error.problems, seconds=time.perf_counter() - started)
    problems = [*_stub(exercise, solution), *_solution(exercise, solution, seeds), *_hints(exercise, solution)]
    problems += _mistakes(exercise, solution)
    return Proof(exercise.id, tuple(problems), len(solution.mistakes), seeds, time.perf_counter() - started)


def check_prerequisites(exercises: Mapping[str, Exercise]) -> list[Problem]:
    """Find prerequisites that do not exist, and cycles of them."""
    problems = []
    for exercise in exercises.values():
        line = _header_line(exercise, "requires")
        for name in exercise.requires:
            if name not in exercises:
                problems.append(Problem(str(exercise.path), line, f"it requires `{name}`, which does not exist"))
        if exercise.id in _reachable(exercise, exercises):
            problems.append(Problem(str(exercise.path), line, "its prerequisites lead back to itself"))
    return problems


def _reachable(exercise: Exercise, exercises: Mapping[str, Exercise]) -> set[str]:
    found: set[str] = set()
    waiting = list(exercise.requires)
    while waiting:
        name = waiting.pop()
        if name not in found and name in exercises:
            found.add(name)
            waiting += exercises[name].requires
    return found


def _grade(exercise: Exercise, solution: Solution, source: str, seed: int) -> Report:
    handed_in = source.encode()
    report = grade(exercise, solution, Submission(handed_in, exercise.path.name, exercise.path.name), seed=seed)
    return stub_report(exercise, report, handed_in)


def _stub(exercise: Exercise, solution: Solution) -> list[Problem]:
    report = _grade(exercise, solution, exercise.stub, 0)
    if report.verdict is Verdict.PASS:
        return [Problem(str(exercise.path), 1, "the stub passes: leave something to write")]
    if report.verdict is Verdict.INTERNAL:
        return [Problem(str(solution.path), 1, f"the exercise contradicts itself: {report.detail}")]
    if report.failure is None or report.failure.kind is not FaultKind.NOT_IMPLEMENTED:
        found = report.failure.summary if report.failure else report.verdict
        return [Problem(str(exercise.path), 1, f"the stub must say it is not implemented; it gives: {found}")]
    return []


def _solution(exercise: Exercise, solution: Solution, seeds: int) -> list[Problem]:
    for seed in range(seeds):
        report = _grade(exercise, solution, solution.source, seed)
        if report.verdict is Verdict.PASS:
            continue
        line = _line_of(solution, rf"def {exercise.id}\b|class {exercise.id}\b")
        found = report.detail if report.failure is None else f"{report.failure.label}: {report.failure.summary}"
        return [Problem(str(solution.path), line, f"the worked solution does not pass with seed {seed}: {found}")]
    return []


def _mistakes(exercise: Exercise, solution: Solution) -> list[Problem]:
    problems = []
    for mistake in solution.mistakes:
        report = _grade(exercise, solution, mistake.source, 0)
        named = [r.key for r in report.remarks]
        if report.failure is not None and report.failure.rule is not None:
            named = [report.failure.rule.key]
        caught = report.verdict is not Verdict.PASS
        message = None
        if report.verdict is Verdict.INTERNAL:
            message = f"the mistake `{mistake.key}` cannot be graded: {report.detail}"
        elif caught is mistake.remark:
            message = (
                f"`{mistake.key}` is a remark, but it fails"
                if mistake.remark
                else f"the mistake `{mistake.key}` passes: add a case that catches it, or declare it a remark"
            )
        elif mistake.key not in named:
            instead = f"`{named[0]}`" if named else "nothing"
            message = f"the mistake `{mistake.key}` is caught, but named {instead}: add a case that tells them apart"
        if message:
            problems.append(Problem(str(solution.path), mistake.line, message))
    return problems


def _hints(exercise: Exercise, solution: Solution) -> list[Problem]:
    """A hint must not hold a line of the solution."""
    lines = {_squeezed(line) for line in solution.source.splitlines()}
    giveaways = {line for line in lines if len(line) >= _SHORTEST_LEAK and not line.startswith(("def", "import", "from"))}
    problems = []
    for stage, hint in enumerate(solution.hints, 1):
        leaked = next((line for line in sorted(giveaways) if line in _squeezed(hint)), None)
        if leaked:
            line = _line_of(solution, r"HINTS\b")
            problems.append(Problem(str(solution.path), line, f"hint {stage} gives the solution away: `{leaked}`"))
    return problems


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _line_of(solution: Solution, pattern: str) -> int:
    text = solution.path.read_text(encoding="utf-8")
    found = re.search(rf"(?m)^(?:{pattern})", text)
    return 1 + text[: found.start()].count("\n") if found else 1


def _header_line(exercise: Exercise, key: str) -> int:
    text = exercise.path.read_text(encoding="utf-8")
    found = re.search(rf"(?m)^# {key}\b", text)
    return 1 + text[: found.start()].count("\n") if found else 1
