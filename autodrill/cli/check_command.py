"""`autodrill check`: grade the learner's own file, in well under a second."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from autodrill.cli.options import Device, DeviceOption, Exit, Format, OutputFormat, Packs, WorkName, again, newer_file
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise
    from autodrill.drills.library import Library
    from autodrill.grading.report import Report
    from autodrill.grading.submission import Submission

__all__ = ["check"]


def check(
    name: WorkName = None,
    file: Annotated[Path | None, typer.Option(help="The file to grade, instead of ./NAME.py.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed of the cases. The same seed gives the same cases.")
    ] = None,
    case: Annotated[
        int | None,
        typer.Option(min=0, help="Run only the case with this number. A report's replay line shows the number."),
    ] = None,
    pdb: Annotated[
        bool, typer.Option("--pdb", help="Step through the case in the debugger. This option needs --case.")
    ] = False,
    draw: Annotated[
        bool, typer.Option("--draw", help="Draw the steps of the smallest failing case, with the gradient of each.")
    ] = False,
    device: DeviceOption = Device.CPU,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Grade your file, and name the rule that it breaks.

    The grader compares the results of your code with the reference engine and finite differences. If an answer is
    wrong, the report shows the smallest case that fails. The graded file is --file if you give it, otherwise ./NAME.py,
    otherwise NAME.py in the practice folder. Without a name, it is the exercise file in the current folder, otherwise
    the one that you opened or saved last.

    Exit codes:
      0  right
      1  wrong
      2  no such exercise or file
      3  a fault of the exercise or of autodrill

    Examples:
      autodrill check
      autodrill check mul_backward
      autodrill check ./mul_backward.py
      autodrill check matmul --file answer.py --seed 7
      autodrill check attention_backward --draw
      autodrill check softmax_backward --device cuda
    """
    # The arrays are small. Starting OpenBLAS's thread pool would cost more than all of the grading.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from autodrill.cli.learner_files import find_work
    from autodrill.drills.library import Library
    from autodrill.grading.submission import Submission, names_a_framework, read_file

    library = Library.open(pack or ())
    work = find_work(library, name, file, "check")
    exercise, path = work.exercise, work.path
    source = read_file(path, follow=True)
    saved = path.stat().st_mtime
    on_gpu = device is Device.CUDA
    if on_gpu:
        from autodrill.grading.kernels.gpu_runner import require_gpu

        require_gpu()
    framework = None
    if on_gpu or names_a_framework(source):
        from autodrill.grading.framework_answers import usable_framework

        framework = usable_framework(exercise, source, on_gpu=on_gpu)
    submission = Submission(source, path.name, str(path), framework)
    seed = seed if seed is not None else int.from_bytes(os.urandom(3))
    if pdb and on_gpu:
        raise UsageError("`--pdb` steps through an answer on the CPU", hint="leave `--device cuda` out")
    if pdb:
        _step_through(library, exercise, submission, seed, case)
    from autodrill.sandbox.fork_server import own_code_launcher

    # The fork server starts before this process imports NumPy, so that the two imports overlap.
    with own_code_launcher(submission.framework) as launcher:
        from autodrill.grading.grade import grade
        from autodrill.sandbox.limits import CHECK_LIMITS

        _load_what_follows()
        limits = CHECK_LIMITS
        if submission.framework is not None:
            from autodrill.grading.framework_answers import limits_of

            limits = limits_of(submission.framework)
        drill = library.drill(exercise)
        report = grade(
            drill, submission, seed=seed, only=case, launcher=launcher, limits=limits, draw=draw, on_gpu=on_gpu
        )
    counts = report.verdict != "internal" and case is None
    from autodrill.cli.attempt_log import Logged, log_report

    logged = log_report(report, source, saved=saved) if counts else Logged()
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("check", **report.as_dict())
    else:
        told = f"{logged.review_line}; next: autodrill next" if logged.review_line else logged.problem
        _print(report, work.named, told, None if work.named else newer_file(exercise, path), again(pack))
    raise typer.Exit(_exit_code(report))


def _step_through(
    library: "Library", exercise: "Exercise", submission: "Submission", seed: int, case: int | None
) -> NoReturn:
    if case is None:
        raise UsageError(
            "`--pdb` needs the case to step through", hint="copy the replay line of a report and add `--pdb`"
        )
    if exercise.kind == "kernel":
        raise UsageError(
            "`--pdb` steps through Python, not through a kernel", hint="use `printf` in the kernel instead"
        )
    from autodrill.grading.debug import step_through

    step_through(library.drill(exercise), submission, seed=seed, case=case)
    raise typer.Exit(Exit.DONE)


def _load_what_follows() -> None:
    """Import what saves and shows the report now, while the child process loads NumPy."""
    import autodrill.cli.attempt_log
    import autodrill.practice.store
    import autodrill.render.plain
    import autodrill.render.report_screen  # noqa: F401  loaded for later imports


def _exit_code(report: "Report") -> Exit:
    if report.verdict == "pass":
        return Exit.DONE
    return Exit.INTERNAL if report.verdict == "internal" else Exit.FAILED


def _print(report: "Report", file: Path | None, told: str, newer: Path | None, packs: str) -> None:
    import shlex

    from autodrill.render.plain import Paint, clean, say, symbols_for, width_of
    from autodrill.render.report_screen import report_lines

    paint = Paint.for_stream(sys.stdout, os.environ)
    option = f" --file {shlex.quote(str(file))}" if file is not None else ""
    symbols, width = symbols_for(sys.stdout), width_of(sys.stdout, os.environ)
    for line in report_lines(report, paint, symbols, file_option=option, pack_options=packs, width=width):
        say(line)
    if report.failure is not None and report.failure.tape:
        from autodrill.render.broken_step_screen import tape_lines

        for line in ["", *tape_lines(report.failure.tape, paint, symbols, width)]:
            say(line)
    aside = []
    if report.failure is not None and report.failure.no_tape:
        aside.append(f"there is no tape to draw: {clean(report.failure.no_tape)}")
    if report.output:
        printed = report.output.splitlines()
        count = f"{len(printed)} line{'s' if len(printed) != 1 else ''}"
        aside += [f"your code printed ({count}):", *(f"  {clean(text)[:76]}" for text in printed[:5])]
    if newer is not None:
        aside.append(f"you saved {clean(str(newer))} later than the graded file; to grade the newer file, use --file")
    if report.lost:  # not every system has every layer of the sandbox
        aside.append(f"sandbox layers missing on this machine: {', '.join(report.lost)} (harmless for your own code)")
    dimmed = Paint.for_stream(sys.stderr, os.environ)
    for line in [*aside, told] if told else aside:
        say(dimmed(line, "dim"), err=True)
