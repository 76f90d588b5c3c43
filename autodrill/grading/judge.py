"""Grading one file: put every case, hold each answer against both oracles, explain the smallest failure."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.cases import battery
from autodrill.errors import InternalError
from autodrill.grading import outcome as ends
from autodrill.grading.ask import scenario_source
from autodrill.grading.explain import Submission, explain
from autodrill.grading.probe import put
from autodrill.grading.process import Limits, Runner
from autodrill.grading.report import Failure, FaultKind, Remark, Report, Verdict

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation

__all__ = ["CHECK_LIMITS", "Submission", "grade", "stub_report"]

CHECK_LIMITS = Limits(seconds=2.0, memory=1 << 30, output=1 << 20)
"""What one's own code gets: long enough for any honest answer on these sizes, short enough to wait for."""

_FATAL = {FaultKind.TIME, FaultKind.MEMORY, FaultKind.OUTPUT, FaultKind.DIED}


def grade(
    exercise: Exercise,
    solution: Solution,
    submission: Submission,
    *,
    seed: int,
    only: int | None = None,
    runner: Runner | None = None,
    limits: Limits = CHECK_LIMITS,
) -> Report:
    """Grade a file and say what is wrong with it, on the smallest input that shows it.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        submission: The file.
        seed: Seed of the cases.
        only: Put only the case of this index of the battery.
        runner: A process already started for this file, to save its start-up time; it is closed.
        limits: Limits of time, memory and output.

    Returns:
        The report; its verdict is `internal` where the exercise or autodrill is at fault.
    """
    started = time.perf_counter()
    report = Report(exercise.id, submission.path, Verdict.PASS, seed)
    with runner or Runner.start(limits) as process:
        try:
            report = _grade(process, exercise, solution, submission, report, only, limits)
        except InternalError as error:
            report = replace(report, verdict=Verdict.INTERNAL, detail=error.message)
        report = replace(report, output=process.stdout, seconds=time.perf_counter() - started)
    return report


def _grade(
    process: Runner,
    exercise: Exercise,
    solution: Solution,
    submission: Submission,
    report: Report,
    only: int | None,
    limits: Limits,
) -> Report:
    loaded = process.load(submission.source, submission.name, exercise.id, scenario_source(exercise, solution))
    if not isinstance(loaded, ends.Loaded):
        return _not_loaded(report, exercise, loaded)
    cases = battery(exercise, solution, report.seed)
    if only is not None and not 0 <= only < len(cases):
        raise InternalError(f"there is no case {only}: this exercise has cases 0 to {len(cases) - 1}")
    chosen = list(enumerate(cases)) if only is None else [(only, cases[only])]
    seen: list[tuple[int, Observation]] = []
    for index, case in chosen:
        if seen and case.large and any(o.fault for _, o in seen):
            continue
        observation = put(process, exercise, solution, case)
        seen.append((index, observation))
        if observation.fault is not None and (process.finished or observation.fault.kind in _FATAL):
            break
        if observation.fault is not None and observation.fault.kind is FaultKind.NOT_IMPLEMENTED:
            break
    failing = [(i, o) for i, o in seen if o.fault is not None and not o.case.remark]
    report = replace(report, cases=len(chosen), passed=sum(o.fault is None for _, o in seen))
    if not failing:
        return replace(report, remarks=_remarks(process, exercise, solution, seen, limits))
    failure = explain(process, exercise, solution, seen, failing, limits)
    verdict = {FaultKind.TIME: Verdict.TIMEOUT}.get(failure.kind, Verdict.FAIL)
    return replace(report, verdict=verdict, failure=failure)


def _not_loaded(report: Report, exercise: Exercise, end: ends.LoadOutcome) -> Report:
    verdict, kind, line, code = Verdict.ERROR, FaultKind.RAISED, None, ""
    match end:
        case ends.NotDefined(names=names, found=found):
            kind = FaultKind.MISSING
            if found is not None:
                summary = f"`{exercise.id}` is a {found}, not a function"
            else:
                instead = f"; it defines {', '.join(f'`{n}`' for n in names[:3])}" if names else ""
                summary = f"the file defines no `{exercise.id}`{instead}"
        case ends.Broken(kind=why, message=message, line=line, text=text):
            kind, code = FaultKind.SYNTAX, (text or "").strip()
            summary = f"{message}" if why is ends.BrokenKind.SYNTAX else f"{why}: {message}"
        case ends.Raised(type=name, message=message):
            line, code = end.line, end.frames[-1].text.strip() if end.frames else ""
            summary = f"the file raises {name}: {message}" if message else f"the file raises {name}"
        case ends.TimedOut(limit=limit, line=line):
            verdict, kind, summary = Verdict.TIMEOUT, FaultKind.TIME, f"loading the file takes more than {limit:g} s"
        case ends.Flooded(limit=limit, line=line):
            kind, summary = FaultKind.OUTPUT, f"loading the file prints more than {limit >> 10} KiB"
        case ends.OutOfMemory(limit=limit, line=line):
            kind, summary = FaultKind.MEMORY, f"loading the file takes more than {limit >> 20} MiB of memory"
        case ends.Died(how=how, line=line):
            kind, summary = FaultKind.DIED, f"the file ended its process ({how}) while it was loaded"
        case ends.Unreadable(reason=reason):
            kind, summary = FaultKind.DIED, f"what came back is not an answer: {reason}"
        case _:
            raise TypeError(f"not a way for a file to fail: {end!r}")
    return replace(report, verdict=verdict, failure=Failure(kind, summary, line=line, code=code))


def _remarks(
    process: Runner, exercise: Exercise, solution: Solution, seen: list[tuple[int, Observation]], limits: Limits
) -> tuple[Remark, ...]:
    """Say what is worth knowing about an accepted answer that is wrong only where the exercise forgives it."""
    forgiven = [(i, o) for i, o in seen if o.fault is not None and o.case.remark]
    if not forgiven:
        return ()
    failure = explain(process, exercise, solution, seen, forgiven, limits)
    if failure.rule is None:
        return (Remark("remark", f"{failure.label}: {failure.summary}"),)
    return (Remark(failure.rule.key, failure.rule.hint),)


def stub_report(exercise: Exercise, report: Report, source: bytes) -> Report:
    """Call a file that is still the stub what it is, whatever the stub does when it is run."""
    if report.verdict is Verdict.PASS or source.decode("utf-8", "replace").split() != exercise.stub.split():
        return report
    words = "not implemented yet: the file is still as it was given"
    failure = report.failure or Failure(FaultKind.NOT_IMPLEMENTED, words)
    return replace(report, verdict=Verdict.FAIL, failure=replace(failure, kind=FaultKind.NOT_IMPLEMENTED, summary=words))


