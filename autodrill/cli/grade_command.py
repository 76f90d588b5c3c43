"""`autodrill grade`: grade other people's files, in sealed processes."""

import os
import secrets
import sys
from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.exits import Exit
from autodrill.cli.options import ExerciseName
from autodrill.errors import FileError, UnconfinedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.grading.batch import Task
    from autodrill.grading.report import Report
    from autodrill.grading.submission import Submission

__all__ = ["GradeFormat", "grade"]


class GradeFormat(StrEnum):
    """How grades are written."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"


def grade(
    name: ExerciseName,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="The files to grade; a folder stands for the .py files in it.", show_default=False
        ),
    ],
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the cases, for replaying; fresh if not given, and not to be guessed."),
    ] = None,
    pack: Annotated[Path | None, typer.Option(help="A folder with exercises/ and solutions/ of your own.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes to grade with; as many as there are cores if not given.")
    ] = None,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Grade even where this system cannot seal the files' processes.")
    ] = False,
    output_format: Annotated[
        GradeFormat, typer.Option("--output-format", help="text, one JSON document, JUnit XML or GitHub annotations.")
    ] = GradeFormat.TEXT,
) -> None:
    """Grade other people's files, each in a sealed process of its own.

    Such a process can open no file, start nothing and send nothing; `autodrill doctor` says whether that holds here,
    and where it does not nothing is graded. Nothing a file prints or says in an exception is shown: it could tell a
    hidden case. Kernels are graded with --unconfined only.

    Exit code 0: all pass; 1: some do not; 2: no such exercise or file, or not to be sealed; 3: autodrill is at fault.

    Examples: autodrill grade mul_backward handed_in; autodrill grade matmul_backward a.py --output-format json
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from autodrill.drills.library import Library
    from autodrill.grading.batch import Task, grade_all, useful_workers
    from autodrill.grading.submission import Submission, handed_in_files

    if sys.platform != "linux" and not unconfined:
        raise UnconfinedError(
            "other people's files are only graded on Linux, where their processes can be sealed",
            hint="use Linux, WSL2 or a container; `--unconfined` grades files whose authors you trust",
        )
    packs = (pack,) if pack else ()
    seed = seed if seed is not None else secrets.randbits(53)  # exact in any JSON reader, and not to be guessed
    exercise = Library.open(packs).find(name)
    if exercise.kind == "kernel" and not unconfined:
        raise UnconfinedError(
            "a kernel is machine code, which the sealed profile lets nobody load: other people's are not graded",
            hint="use a virtual machine and `--unconfined`, or `autodrill check`, for kernels whose authors you trust",
        )
    task = Task(exercise.id, packs, seed)
    files = list(handed_in_files(files))
    workers = workers or useful_workers(len(files))
    if unconfined:
        task = replace(task, confinement=replace(task.confinement, required=frozenset()))
    handed_in = [_read(path, task) for path in files]
    readable = [each for each in handed_in if isinstance(each, Submission)]
    reports: list[Report] = []
    with closing(grade_all(task, readable, workers)) as graded:
        for each in handed_in:
            reports.append(next(graded) if isinstance(each, Submission) else each)
            if output_format is GradeFormat.TEXT:
                _say(reports[-1])
    _conclude(task, reports, output_format)
    raise typer.Exit(_exit_code(reports))


def _read(path: Path, task: "Task") -> "Submission | Report":
    """Read a file, or report what it is instead of one: the others are graded all the same."""
    from autodrill.drills.answer_records import FaultKind
    from autodrill.grading.report import Failure, Report, Verdict
    from autodrill.grading.submission import Submission, read_file

    try:
        return Submission(read_file(path, follow=False), path.name, str(path))
    except FileError as error:
        failure = Failure(FaultKind.MISSING, error.message)
        return Report(task.exercise, str(path), Verdict.ERROR, task.seed, failure=failure)


def _say(report: "Report") -> None:
    from autodrill.render.console import symbols_for
    from autodrill.render.grades import grade_line
    from autodrill.render.plain import Paint, say

    say(grade_line(report, Paint.for_stream(sys.stdout, os.environ), symbols_for(sys.stdout)))


def _conclude(task: "Task", reports: "Sequence[Report]", output_format: GradeFormat) -> None:
    """Write what is written once all are graded; the summary of a text goes to standard error."""
    from autodrill.render.grades import github_lines, junit_document, summary
    from autodrill.render.plain import Paint, say, write

    match output_format:
        case GradeFormat.TEXT:
            lost = {layer: why for report in reports for layer, why in report.lost.items()}
            for layer, why in lost.items():
                say(f"not enforced here: {layer}: {why}", err=True)
            say(Paint.for_stream(sys.stderr, os.environ)(summary(reports, task.seed), "dim"), err=True)
        case GradeFormat.JSON:
            from autodrill.render.document import write_document

            write_document("grade", exercise=task.exercise, seed=task.seed, reports=[r.as_dict() for r in reports])
        case GradeFormat.JUNIT:
            write(sys.stdout, junit_document(reports))
        case GradeFormat.GITHUB:
            for line in github_lines(reports):
                say(line)


def _exit_code(reports: "Sequence[Report]") -> Exit:
    verdicts = {str(report.verdict) for report in reports}
    if "internal" in verdicts:
        return Exit.INTERNAL
    return Exit.DONE if verdicts <= {"pass"} else Exit.FAILED
