"""Grading of one submission: put every case, compare each answer with the expected results, explain a failure.

Python code runs in a child process, a kernel on a device.
"""

from __future__ import annotations

import time
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.exercise import starting_file
from autodrill.errors import InternalError, NoCompilerError
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.report import FATAL, Basis, Failure, Remark, Report, Verdict
from autodrill.sandbox import outcomes as ends
from autodrill.sandbox.child.confinement import ConfinementStatus
from autodrill.sandbox.launcher import Launcher, launch
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill, Exercise, Solution
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.diagnosis.known_mistakes import KnownMistakes
    from autodrill.grading.submission import Submission
    from autodrill.sandbox.limits import Limits

__all__ = ["grade", "start_on_gpu", "start_runner"]


def grade(
    drill: Drill,
    submission: Submission,
    *,
    seed: int,
    only: int | None = None,
    runner: Runner | None = None,
    keep_runner: bool = False,
    launcher: Launcher = launch,
    limits: Limits = CHECK_LIMITS,
    case_set: CaseSet | None = None,
    known: KnownMistakes | None = None,
    draw: bool = False,
    on_gpu: bool = False,
) -> Report:
    """Grade a submission, and explain a failure on the smallest case that shows it.

    Args:
        drill: The exercise.
        submission: The file.
        seed: Seed of the cases.
        only: Index of the only case to put, or None for all.
        runner: A runner started before, to save its start-up time; `grade` closes it.
        keep_runner: Whether to leave `runner` open for the next submission.
        launcher: Starts a process if there is no `runner`.
        limits: Limits of time, memory and output.
        case_set: The cases of this seed under these limits, if they are made already.
        known: The known mistakes, with their answers to the cases of `case_set`.
        draw: Whether a failure has the tape of its case.
        on_gpu: Whether a kernel must run on a GPU. If the GPU does not work, the verdict is `internal`, not a remark.

    Returns:
        The report. Its verdict is `internal` if the exercise or autodrill is at fault. A file that is still the stub
        is "not implemented yet", whatever the stub does.

    Raises:
        UsageError: If the battery has no case `only`, or this system cannot hold a candidate's process.
    """
    started = time.perf_counter()
    exercise = drill.exercise
    cases = case_set or CaseSet(drill, seed, limits)
    report = Report(exercise.id, submission.path, Verdict.PASS, seed)
    if runner is None:
        cases.make_ahead(only)  # the fork server starts meanwhile
    opened = runner or start_runner(drill, limits, launcher)
    with nullcontext(opened) if keep_runner else opened as started_runner:
        try:
            report = _grade(started_runner, cases, known, submission, report, only, draw=draw)
        except InternalError as error:
            report = replace(report, verdict=Verdict.INTERNAL, detail=error.message)
        output, device = started_runner.stdout, started_runner.device
        if submission.framework is not None and submission.framework.on_gpu:
            from autodrill.grading.kernels.gpu_runner import ON_GPU

            device = ON_GPU
        confinement_status = started_runner.confinement_status or ConfinementStatus()
    if drill.kind.on_device and report.verdict is Verdict.PASS:
        report, device = _on_gpu_too(cases, known, submission, report, only, device, on_gpu=on_gpu)
    if report.failure is not None and _is_stub(exercise, submission):
        words = "not implemented yet: the file is unchanged"
        failure = replace(report.failure, kind=FaultKind.NOT_IMPLEMENTED, summary=words, rule=None)
        report = replace(report, verdict=Verdict.FAIL, failure=failure)
    if report.failure is not None and report.failure.kind is FaultKind.RAISED and submission.framework is None:
        from autodrill.grading.framework_answers import refusal_of

        words = refusal_of(exercise, submission.source, report.failure.summary)
        if words:
            report = replace(report, failure=replace(report.failure, kind=FaultKind.LIBRARY, summary=words, rule=None))
    if report.failure is not None and not _has_line(submission, report.failure.line):
        report = replace(report, failure=replace(report.failure, line=None, code=""))
    return replace(
        report,
        output=output,
        seconds=time.perf_counter() - started,
        layers=tuple(map(str, confinement_status.held)),
        lost={str(layer): why for layer, why in confinement_status.lost.items()},
        device=device,
    )


def _on_gpu_too(
    case_set: CaseSet,
    known: KnownMistakes | None,
    submission: Submission,
    report: Report,
    only: int | None,
    device: str,
    *,
    on_gpu: bool,
) -> tuple[Report, str]:
    """Grade a kernel that passed on the simulated device on the GPU too, if there is one; return the devices too."""
    from autodrill.grading.kernels.gpu_runner import ON_GPU

    gpu = start_on_gpu(case_set.drill.exercise, case_set.limits) if device != ON_GPU else None
    if gpu is None:
        return report, device
    with gpu:
        try:
            return _grade(gpu, case_set, known, submission, report, only), f"{device} and {gpu.device}"
        except InternalError as error:  # not the kernel's fault: for example, a driver too old for cupy
            if on_gpu:
                return replace(report, verdict=Verdict.INTERNAL, detail=error.message), device
            remark = Remark("no-gpu", f"the kernel did not run on the GPU: {error.message[:200]}")
            return replace(report, remarks=(*report.remarks, remark)), device


def _grade(
    runner: Runner,
    case_set: CaseSet,
    known: KnownMistakes | None,
    submission: Submission,
    report: Report,
    only: int | None,
    *,
    draw: bool = False,
) -> Report:
    drill = case_set.drill
    exercise, solution = drill.exercise, drill.solution
    until = time.monotonic() + case_set.limits.total
    runner.end_by(until)
    entry, scenario = exercise.entry, drill.kind.scenario(drill)
    if submission.framework is not None:
        from autodrill.grading.framework_answers import loading

        entry, scenario = loading(drill, submission.source, submission.framework)
    loaded = runner.load(submission.source, submission.name, entry, scenario)
    if not isinstance(loaded, ends.Loaded):
        return _not_loaded(report, exercise, loaded)
    chosen = case_set.chosen(only)
    if only is None and submission.framework is not None and submission.framework.on_gpu:
        # Large cases and bounds measure processor time and memory of the host.
        chosen = [i for i in chosen if not case_set.cases[i].large and case_set.cases[i].bound is None]
    seen: list[tuple[int, Observation]] = []
    with closing(case_set.put(runner, chosen)) as observations:
        for index, observation in observations:
            seen.append((index, observation))
            if time.monotonic() > until:
                seen[-1] = index, _too_long(observation, case_set.limits)
                break
            if observation.fault is not None and observation.fault.kind in FATAL:
                break
    failing = [(i, o) for i, o in seen if o.fault is not None and not o.tolerated]
    passed = sum(o.fault is None for _, o in seen)
    report = replace(report, cases=len(chosen), passed=passed, basis=_basis(solution, seen))
    if not failing:
        remarks = (*_remarks(runner, case_set, known, submission, seen), *_customs(solution, submission, seen))
        traffic = _traffic(runner, case_set) if only is None and drill.kind.on_device else ()
        own = (*_reaching_out(submission), *_differentiates(submission))
        return replace(report, remarks=(*own, *remarks, *traffic))
    if _is_stub(exercise, submission):  # it needs no explanation, and a kernel's takes seconds
        first = failing[0][1].fault
        assert first is not None
        return replace(report, verdict=Verdict.FAIL, failure=Failure(first.kind, "", line=first.line, code=first.code))
    failure = _explain(runner, case_set, known, submission, seen, failing, draw=draw)
    verdict = {FaultKind.TIME: Verdict.TIMEOUT}.get(failure.kind, Verdict.FAIL)
    return replace(report, verdict=verdict, failure=failure)


def _too_long(observation: Observation, limits: Limits) -> Observation:
    from autodrill.drills.answer_records import Fault

    fault = observation.fault
    if fault is not None and fault.kind is not FaultKind.TIME:
        return observation
    words = f"the file and all its calls together take more than {limits.total:g} s"
    return replace(observation, fault=Fault(FaultKind.TIME, words, None if fault is None else fault.line))


def _basis(solution: Solution, seen: list[tuple[int, Observation]]) -> Basis:
    if solution.judge is not None:
        return Basis.JUDGE
    if solution.forward is None:
        return Basis.ANSWER
    return Basis.ORACLES if any(o.case.smooth and o.case.dtype == "float64" for _, o in seen) else Basis.ENGINE


def _not_loaded(report: Report, exercise: Exercise, end: ends.LoadOutcome) -> Report:
    verdict = Verdict.TIMEOUT if isinstance(end, ends.TimedOut) else Verdict.ERROR
    return replace(report, verdict=verdict, failure=_load_failure(exercise, end))


def _load_failure(exercise: Exercise, end: ends.LoadOutcome) -> Failure:
    match end:
        case ends.NotDefined(found=found, names=names):
            missing = next((n for n in exercise.entry.split() if n.partition(".")[0] not in names), exercise.entry)
            if found is not None:
                return Failure(FaultKind.MISSING, f"`{missing}` is a {found}, not a function")
            instead = f"; it defines {', '.join(f'`{n}`' for n in names[:3])}" if names else ""
            return Failure(FaultKind.MISSING, f"the file defines no `{missing}`{instead}")
        case ends.Broken(kind=ends.BrokenKind.KERNEL):
            return Failure(FaultKind.COMPILE, end.message, line=end.line, code=(end.text or "").strip())
        case ends.Broken():
            summary = end.message if end.kind is ends.BrokenKind.SYNTAX else f"{end.kind}: {end.message}"
            return Failure(FaultKind.SYNTAX, summary, line=end.line, code=(end.text or "").strip())
        case ends.Raised():
            summary = f"the file raises {end.type}" + (f": {end.message}" if end.message else "")
            code = end.frames[-1].text.strip() if end.frames else ""
            return Failure(FaultKind.RAISED, summary, line=end.line, code=code)
        case ends.TimedOut():
            return Failure(FaultKind.TIME, f"loading the file takes more than {end.limit:g} s", line=end.line)
        case ends.Flooded():
            summary = f"loading the file prints more than {end.limit >> 10} KiB"
            return Failure(FaultKind.OUTPUT, summary, line=end.line)
        case ends.OutOfMemory():
            summary = f"loading the file takes more than {end.limit >> 20} MiB of memory"
            return Failure(FaultKind.MEMORY, summary, line=end.line)
        case ends.Died():
            return Failure(FaultKind.DIED, f"the file ended its process ({end.how}) during loading", line=end.line)
        case ends.Unreadable():
            return Failure(FaultKind.DIED, "the child process sent a reply that cannot be read")
        case ends.Loaded() | ends.Overspent():
            raise TypeError(f"not a failed load: {end!r}")


def _explain(
    runner: Runner,
    case_set: CaseSet,
    known: KnownMistakes | None,
    submission: Submission,
    seen: list[tuple[int, Observation]],
    failing: list[tuple[int, Observation]],
    *,
    draw: bool = False,
) -> Failure:
    import numpy as np

    # Imported here, because a right answer needs no diagnosis.
    from autodrill.grading.diagnosis.explain import explain
    from autodrill.grading.diagnosis.known_mistakes import KnownMistakes

    with np.errstate(all="ignore"):  # wrong results may be infinite
        known = known or KnownMistakes(case_set.drill)
        failure = explain(runner, case_set, known, seen, failing, submission.source, draw=draw)
    if failure.rule is None or failure.rule.known or failure.line is not None:
        return failure  # no line to look for
    from autodrill.grading.diagnosis.source_causes import with_cause

    return with_cause(failure, submission.source.decode("utf-8", "replace"), case_set.drill.solution.source)


def _remarks(
    runner: Runner,
    case_set: CaseSet,
    known: KnownMistakes | None,
    submission: Submission,
    seen: list[tuple[int, Observation]],
) -> tuple[Remark, ...]:
    """Return the remarks on an accepted answer that is wrong only in cases that allow it."""
    tolerated = [(i, o) for i, o in seen if o.tolerated]
    if not tolerated:
        return ()
    failure = _explain(runner, case_set, known, submission, seen, tolerated)
    if failure.rule is None:
        return (Remark("remark", f"{failure.label}: {failure.summary}"),)
    return (Remark(failure.rule.key, failure.rule.hint),)


def _customs(solution: Solution, submission: Submission, seen: list[tuple[int, Observation]]) -> tuple[Remark, ...]:
    """Return the remarks on an accepted answer that follows a custom which the exercise only remarks on."""
    if not solution.remarks:
        return ()
    from autodrill.drills.customs import CUSTOMS, old_names

    found = {name for _, o in seen for name in o.customs}
    old = old_names(submission.source.decode("utf-8", "replace")) if "old-numpy" in solution.remarks else []
    which = f": {', '.join(f'`np.{name}`' for name in old)}"
    return tuple(
        Remark(name, CUSTOMS[name] + (which if name == "old-numpy" else ""))
        for name in solution.remarks
        if name in found or (name == "old-numpy" and old)
    )


def _differentiates(submission: Submission) -> tuple[Remark, ...]:
    """Return the remark on an accepted answer that lets its framework differentiate."""
    if submission.framework is None:
        return ()
    from autodrill.grading.framework_answers import remark_of

    found = remark_of(submission.source, submission.framework)
    return () if found is None else (Remark(*found),)


def _traffic(runner: Runner, case_set: CaseSet) -> tuple[Remark, ...]:
    """Return the remarks on the memory traffic of a kernel that has passed on the simulated device."""
    from autodrill.grading.kernels.simulator_runner import KernelRunner
    from autodrill.grading.kernels.traffic import traffic_remarks

    return traffic_remarks(runner, case_set) if isinstance(runner, KernelRunner) and not runner.finished else ()


def _reaching_out(submission: Submission) -> tuple[Remark, ...]:
    """Return the remark on an accepted answer that may reach into what is counted in its own process."""
    from autodrill.grading.reaching_out import may_reach_out, reach_of

    reach = reach_of(submission.source) if may_reach_out(submission.source) else ""
    return (Remark("reaches-out", f"{reach}: read the file"),) if reach else ()


def _is_stub(exercise: Exercise, submission: Submission) -> bool:
    words = submission.source.decode("utf-8", "replace").split()
    return words in (exercise.stub.split(), starting_file(exercise).split())


def _has_line(submission: Submission, line: int | None) -> bool:
    """Return whether a file has a line, or ends before it. The number may come from the file's own process."""
    return line is None or 1 <= line <= len(submission.source.splitlines()) + 1


def start_runner(drill: Drill, limits: Limits, launcher: Launcher = launch) -> Runner:
    """Start a runner for a submission of the user's own, and return at once.

    A kernel runs on the simulated device, which names its faults. It runs on a GPU only if there is no compiler.

    Args:
        drill: The exercise.
        limits: Limits of the process.
        launcher: Starts the process; a kernel's process is always a fresh one.

    Raises:
        NoCompilerError: The exercise asks for a kernel, and this machine has neither a C++ compiler nor a GPU.
        UsageError: This system cannot hold a candidate's process.
    """
    if not drill.kind.on_device:
        return Runner.start(limits, launcher=launcher)
    from autodrill.grading.kernels.simulator_runner import KernelRunner

    try:
        return KernelRunner.for_exercise(drill.exercise, limits)
    except NoCompilerError:
        if (gpu := start_on_gpu(drill.exercise, limits)) is None:
            raise
        return gpu


def start_on_gpu(exercise: Exercise, limits: Limits) -> Runner | None:
    """Start a runner for a kernel of the user's own on the GPU, or return None if there is none."""
    from autodrill.grading.kernels.gpu_runner import GpuRunner, has_gpu

    return GpuRunner.for_exercise(exercise, limits) if has_gpu() else None
