"""`autodrill grade`: grade other people's files in the sealed sandbox."""

import os
import secrets
import signal
import sys
from contextlib import closing, suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.options import Device, DeviceOption, ExerciseName, Exit, Packs
from autodrill.errors import FileError, UnconfinedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from autodrill.drills.exercise import Drill
    from autodrill.grading.batch import Task
    from autodrill.grading.report import Report

__all__ = ["GradeFormat", "grade"]


class GradeFormat(StrEnum):
    """The output formats of `autodrill grade`."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    JUNIT = "junit"
    GITHUB = "github"


def grade(
    name: ExerciseName,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="The files to grade. A folder means all .py files in it.", show_default=False
        ),
    ],
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="The seed of the cases. Give the seed of a run to repeat it. The default is unpredictable."
        ),
    ] = None,
    device: DeviceOption = Device.CPU,
    pack: Packs = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="The number of parallel processes. The default is one per core.")
    ] = None,
    unconfined: Annotated[
        bool,
        typer.Option(
            "--unconfined",
            help="Grade even if this system cannot enforce the sandbox. Use this option only if you trust the authors.",
        ),
    ] = False,
    output_format: Annotated[
        GradeFormat,
        typer.Option(
            "--output-format",
            help="Text, one JSON document, a line of JSON per file, JUnit XML, or GitHub annotations.",
        ),
    ] = GradeFormat.TEXT,
) -> None:
    """Grade other people's files in a sealed sandbox.

    Each file runs in its own process, which cannot open files, start processes or use the network. If this system
    cannot enforce these limits, the command grades nothing, and `autodrill doctor` shows the reason. The command hides
    printed text and exception messages of a graded file, because they could reveal hidden cases. Kernels and
    --device cuda need --unconfined.

    The formats text, jsonl and github write each verdict as soon as it is made. If the run is interrupted, json and
    junit contain the verdicts made until then.

    Exit codes:
      0  all files pass
      1  some files fail
      2  no such exercise or file, or no sandbox on this system
      3  a fault of autodrill or of the exercise

    Examples:
      autodrill grade mul_backward submissions
      autodrill grade matmul_backward a.py --output-format json
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from autodrill.drills.library import Library
    from autodrill.grading.batch import Task, grade_all, useful_workers
    from autodrill.grading.submission import handed_in_files

    if sys.platform != "linux" and not unconfined:
        raise UnconfinedError(
            "the sandbox for other people's files needs Linux",
            hint="use Linux, WSL2 or a Linux container, or add `--unconfined` if you trust the authors",
        )
    packs = tuple(pack or ())
    seed = seed if seed is not None else secrets.randbits(53)  # exact in any JSON reader, and unpredictable
    exercise = Library.open(packs).find(name)
    if exercise.kind == "kernel" and not unconfined:
        raise UnconfinedError(
            "a kernel is machine code, which the sealed sandbox cannot load",
            hint="in a virtual machine, or if you trust the authors, add `--unconfined`",
        )
    if device is Device.CUDA:
        _check_gpu(Library.open(packs).drill(exercise), unconfined=unconfined)
    task = Task(exercise.id, packs, seed, on_gpu=device is Device.CUDA)
    files = list(handed_in_files(files))
    workers = workers or useful_workers(len(files))
    if unconfined:
        task = replace(task, confinement=replace(task.confinement, required=frozenset()))
    reports: list[Report] = []
    _end_like_an_interrupt()
    try:
        with closing(grade_all(task, files, workers)) as graded:
            for report in graded:
                reports.append(report)
                _write(report, output_format)
    except KeyboardInterrupt:
        _conclude(task, reports, output_format, left=len(files) - len(reports))
        raise
    _conclude(task, reports, output_format)
    raise typer.Exit(_exit_code(reports))


def _end_like_an_interrupt() -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does, so that the verdicts made are kept.

    A CI job that takes too long is ended with SIGTERM, and a terminal that closes sends SIGHUP, often several of them.
    After the first one, the others must not interrupt what is written. `nohup` ignores SIGHUP, and that must stay so.
    """
    ending = [signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # Windows has no SIGHUP
        ending.append(signal.SIGHUP)

    def interrupt(number: int, frame: "FrameType | None") -> None:
        for each in ending:
            signal.signal(each, lambda *_: None)  # with SIG_IGN, Python complains of a signal that has come already
        signal.default_int_handler(number, frame)

    for each in ending:
        signal.signal(each, interrupt)


def _check_gpu(drill: "Drill", *, unconfined: bool) -> None:
    """Check that an exercise can be graded on a GPU, and that there is one.

    Raises:
        UsageError: It cannot, or there is none.
        UnconfinedError: The user has not allowed processes without limits, which the GPU's driver needs.
    """
    from autodrill.drills.framework_stub import check_takes_frameworks
    from autodrill.grading.kernels.gpu_runner import require_gpu
    from autodrill.sandbox.libraries import Framework

    require_gpu()
    if not drill.kind.on_device:
        check_takes_frameworks(drill, Framework.CUPY)
    if not unconfined:
        raise UnconfinedError(
            "the driver of a GPU cannot work in the sealed sandbox",
            hint="in a virtual machine, or if you trust the authors, add `--unconfined`",
        )


def _write(report: "Report", output_format: GradeFormat) -> None:
    """Write what a format says of one file, so that it is not lost if this process is killed."""
    from autodrill.render.document import as_json, document
    from autodrill.render.grades import github_lines, grade_line, hanging
    from autodrill.render.plain import Paint, flush, say, symbols_for, width_of, write_utf8

    match output_format:
        case GradeFormat.TEXT:
            line = grade_line(report, Paint.for_stream(sys.stdout, os.environ), symbols_for(sys.stdout))
            on_terminal = sys.stdout is not None and sys.stdout.isatty()
            for row in hanging(line, width_of(sys.stdout, os.environ, most=sys.maxsize)) if on_terminal else [line]:
                say(row)
        case GradeFormat.JSONL:
            say(as_json(document("grade", report=report.as_dict())))
        case GradeFormat.GITHUB:
            write_utf8(sys.stdout)
            for line in github_lines([report]):
                say(line)
        case GradeFormat.JSON | GradeFormat.JUNIT:
            return
    flush(sys.stdout)


def _conclude(
    task: "Task", reports: "Sequence[Report]", output_format: GradeFormat, *, left: int | None = None
) -> None:
    """Write the output that follows the last grade; the summary of the text format goes to standard error.

    Args:
        task: The settings of the run.
        reports: The reports made.
        output_format: The format.
        left: How many files an interrupted run did not grade; None if the run is complete.
    """
    from autodrill.render.grades import junit_document, summary
    from autodrill.render.plain import Paint, say, write, write_utf8

    match output_format:
        case GradeFormat.TEXT:
            lost = {layer: why for report in reports for layer, why in report.lost.items()}
            words = summary(reports, task.seed)
            if left is not None:
                words = f"interrupted: {words}; {left} not graded"
            with suppress(FileError):  # standard error is on a full disk; the exit code speaks of the files alone
                for layer, why in lost.items():
                    say(f"sandbox layer missing on this machine: {layer} ({why})", err=True)
                say(Paint.for_stream(sys.stderr, os.environ)(words, "dim"), err=True)
        case GradeFormat.JSON:
            from autodrill.render.document import write_document

            every = [report.as_dict() for report in reports]
            write_document("grade", exercise=task.exercise, seed=task.seed, complete=left is None, reports=every)
        case GradeFormat.JUNIT:
            write_utf8(sys.stdout)
            write(sys.stdout, junit_document(reports))
        case GradeFormat.JSONL | GradeFormat.GITHUB:
            pass


def _exit_code(reports: "Sequence[Report]") -> Exit:
    verdicts = {str(report.verdict) for report in reports}
    if "internal" in verdicts:
        return Exit.INTERNAL
    return Exit.DONE if verdicts <= {"pass"} else Exit.FAILED
