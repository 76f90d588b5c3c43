"""`autodrill interview`: a timed mock interview, and its report."""

# No `from __future__ import annotations`: typer evaluates the annotations at run time.

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.options import Exit, Format, OutputFormat, now, open_store
from autodrill.errors import FileError, UnknownNameError, UsageError
from autodrill.practice.interview_plan import LENGTHS, Level, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.cli.watching import Watching
    from autodrill.practice.interview_log import Interview, InterviewState
    from autodrill.practice.interview_plan import Plan
    from autodrill.practice.store import Store

__all__ = ["interview"]

_clock = time.monotonic


def interview(
    number: Annotated[
        int | None,
        typer.Argument(
            metavar="[ID]", help="The number of an interview, for --report and --export.", show_default=False
        ),
    ] = None,
    role: Annotated[Role, typer.Option(help="The job that the interview is for.")] = Role.RESEARCH_ENGINEER,
    level: Annotated[Level, typer.Option(help="The seniority that the interview is for.")] = Level.MID,
    minutes: Annotated[
        int, typer.Option(help="The length: 15, 30 or 45 minutes. An interview of 15 minutes has no exercise.")
    ] = 30,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed asks the same questions, without those that recent interviews asked."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would be asked, and ask nothing.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Print the report of an interview, by default of the last one.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report to a new file.md or file.html.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List your interviews.")] = False,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Take a timed mock interview.

    It asks questions by the role and the level, follow-ups on the weakest answers, and in 30 or 45 minutes an exercise.
    Type your answers or say them aloud. Nothing is revealed until the end. Then you see each answer beside yours, tick
    the key points you made, and get a report. Each answer is rated as in the quiz, so what you missed comes back soon.

    What you type is saved within a second. Ctrl-C pauses the interview and its clock; the same command resumes it.

    Examples:
      autodrill interview --role post-training --level senior --minutes 45
      autodrill interview --plan --seed 7
      autodrill interview --report
      autodrill interview --report 3 --export interview-3.html
    """
    if minutes not in LENGTHS:
        raise UsageError(f"an interview cannot take {minutes} minutes", hint="use `--minutes 15`, `30` or `45`")
    if sum((plan, listed, report or export is not None)) > 1:
        raise UsageError("`--plan`, `--list` and `--report` do not go together", hint="use one of them")
    if export is not None and export.suffix not in {".md", ".html"}:
        raise UsageError(f"`{export}` is neither Markdown nor HTML", hint="end its name in `.md` or `.html`")
    if number is not None and not (report or export):
        raise UsageError(
            f"the number {number} says which report to print", hint=f"`autodrill interview --report {number}` prints it"
        )
    as_json = output_format is OutputFormat.JSON
    if plan:
        _print_plan(role, level, minutes, seed, as_json=as_json)
    elif listed:
        _print_list(as_json=as_json)
    elif report or export is not None:
        _print_report(number, export, as_json=as_json)
    else:
        _take(role, level, minutes, seed, as_json=as_json)


def _plan(store: "Store | None", role: Role, level: Level, minutes: int, seed: int | None) -> "Plan":
    """Return a plan from the bank, and from the exercises that can be graded on this machine."""
    from autodrill.bank.question_files import load_questions
    from autodrill.drills.library import Library
    from autodrill.grading.kernels.compiler import find_compiler
    from autodrill.practice.interview_log import InterviewLog
    from autodrill.practice.interview_plan import make_plan

    recent = InterviewLog(store).recent() if store else ()
    seed = int.from_bytes(os.urandom(3)) if seed is None else seed
    kernels = find_compiler() is not None
    exercises = [heading for heading in Library.open().headings() if kernels or heading.kind != "kernel"]
    return make_plan(load_questions(), exercises, role, level, minutes, seed, recent)


@contextlib.contextmanager
def _history() -> "Iterator[Store | None]":
    """Open the history if there is one, so that commands that only read work in a read-only folder."""
    from autodrill.folders import history_file

    if not history_file(os.environ).exists():
        yield None
        return
    with open_store() as store:
        yield store


def _print_plan(role: Role, level: Level, minutes: int, seed: int | None, *, as_json: bool) -> None:
    from autodrill.render.interview_screen import plan_lines
    from autodrill.render.plain import Paint, say, width_of

    with _history() as store:
        made = _plan(store, role, level, minutes, seed)
    if as_json:
        from autodrill.render.document import write_document

        write_document("interview", plan=made.as_json())
        return
    for line in plan_lines(made, Paint.for_stream(sys.stdout, os.environ), width_of(sys.stdout, os.environ)):
        say(line)


def _print_list(*, as_json: bool) -> None:
    from autodrill.practice.interview_log import InterviewLog
    from autodrill.practice.interview_report import report_of
    from autodrill.render.interview_screen import list_lines
    from autodrill.render.plain import Paint, say

    with _history() as store:
        log = InterviewLog(store) if store else None
        taken = [(each, log.state(each)) for each in log.interviews()] if log else []
    results = []
    for each, state in taken:
        made = report_of(each, state)
        results.append(f"{made.right} of {made.of} points" if state.closed == "complete" else state.closed or "paused")
    if as_json:
        from autodrill.render.document import write_document

        listed = [
            {"id": each.id, "at": each.at.isoformat(), "result": result, "plan": each.plan.as_json()}
            for (each, _), result in zip(taken, results, strict=True)
        ]
        write_document("interview", interviews=listed)
        return
    interviews = [each for each, _ in taken]
    for line in list_lines(zip(interviews, results, strict=True), Paint.for_stream(sys.stdout, os.environ)):
        say(line)
    if not taken:
        say("there is no interview yet")
        say("next: autodrill interview", err=True)


def _print_report(number: int | None, export: Path | None, *, as_json: bool) -> None:
    """Print or write the report of an interview."""
    from autodrill.practice.interview_log import InterviewLog
    from autodrill.practice.interview_report import report_of

    with _history() as store:
        log = InterviewLog(store) if store else None
        taken = log.interviews() if log else []
        found = [each for each in taken if number in {None, each.id}][-1:]
        if not found and number is not None:
            known = [str(each.id) for each in taken[-3:]]
            raise UnknownNameError("interview", str(number), known, hint="`autodrill interview --list` lists them")
        if not found or log is None:
            raise UsageError("there is no interview yet", hint="`autodrill interview` starts one")
        state = log.state(found[0])
    if not state.closed:
        raise UsageError(
            f"interview {found[0].id} is not finished, and its report would reveal the answers",
            hint="`autodrill interview` resumes it",
        )
    made = report_of(found[0], state)
    if export is not None:
        from autodrill.render.interview_document import as_html, as_markdown

        _write_new(export, (as_html if export.suffix == ".html" else as_markdown)(made))
    if as_json:
        from autodrill.render.document import write_document

        write_document("interview", report=made.as_json())
    elif export is not None:
        from autodrill.render.plain import clean, say

        say(f"report written to {clean(str(export))}")
    else:
        _say_report(found[0], state)


def _say_report(taken: "Interview", state: "InterviewState", *, brief: bool = False) -> None:
    from autodrill.practice.interview_report import report_of
    from autodrill.render.interview_screen import report_lines
    from autodrill.render.plain import Paint, say, symbols_for, width_of

    paint, symbols = Paint.for_stream(sys.stdout, os.environ), symbols_for(sys.stdout)
    made, width = report_of(taken, state), width_of(sys.stdout, os.environ)
    for line in report_lines(made, paint, symbols, width, brief=brief):
        say(line)


def _write_new(path: Path, text: str) -> None:
    """Write a file that does not exist yet; an incomplete one is removed.

    Raises:
        FileError: It exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8", errors="backslashreplace") as stream:
            try:
                stream.write(text)
                stream.flush()
            except OSError:
                path.unlink()
                raise
    except FileExistsError:
        raise FileError(f"`{path}` already exists", hint="give another name, or delete that file") from None
    except OSError as error:
        raise FileError(
            f"`{path}` cannot be written: {error.strerror}", hint="name a file in a writable folder"
        ) from None


def _take(role: Role, level: Level, minutes: int, seed: int | None, *, as_json: bool) -> None:
    """Take an interview, or resume the one that is not finished."""
    from autodrill.cli.keyboard import terminal_keyboard_works

    if as_json or not sys.stdout.isatty() or not terminal_keyboard_works():
        raise UsageError(
            "an interview needs a terminal",
            hint="`autodrill interview --plan` prints what would be asked, `--report` the last report",
        )
    from autodrill.cli.frame import Frame
    from autodrill.cli.interview_start import start
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.practice.interview_log import InterviewLog
    from autodrill.render.plain import Paint, say, symbols_for

    paint, symbols = Paint.for_stream(sys.stdout, os.environ), symbols_for(sys.stdout)
    with _alone(), open_store() as store:
        log = InterviewLog(store)
        recorder = None
        code = Exit.DONE
        try:
            with TerminalKeyboard() as keyboard, Frame(sys.stdout, keyboard) as frame:
                recorder = start(
                    log, lambda: _plan(store, role, level, minutes, seed), keyboard, frame, paint, symbols, _clock, now
                )
                if recorder is not None:
                    from autodrill.bank.question_files import load_questions
                    from autodrill.cli.interview_marking import Marking
                    from autodrill.cli.interview_session import InterviewSession
                    from autodrill.drills.library import Library

                    bank = {question.id: question for question in load_questions()}
                    coding = _coding(store, recorder.interview)
                    InterviewSession(recorder, bank, keyboard, frame, paint, symbols, coding).run()
                    exercises = Library.open().paths
                    Marking(recorder, store, bank, keyboard, frame, paint, symbols, now, exercises).run()
        except KeyboardInterrupt:
            code = Exit.INTERRUPTED
        except EOFError:  # the terminal is gone
            code = Exit.DONE
        if recorder is not None and recorder.state.closed:
            taken = recorder.interview
            _say_report(taken, recorder.state, brief=True)
            say(f"every answer: autodrill interview --report {taken.id}", err=True)
            say(f"to keep it: autodrill interview --report {taken.id} --export interview-{taken.id}.html", err=True)
        elif recorder is not None:
            _say_paused(recorder.interview, recorder.state, recorder.left)
    raise typer.Exit(code)


@contextlib.contextmanager
def _alone() -> "Iterator[None]":
    """Keep a second process out, whose clock and answers would mix with those of the first.

    Raises:
        FileError: The lock cannot be written.
        UsageError: An interview runs in another process. A process that is killed leaves no lock.
    """
    import fcntl

    from autodrill.folders import home

    path = home(os.environ) / "interviews" / "lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("w")
    except OSError as error:
        raise FileError(
            f"`{path}` cannot be written: {error.strerror}", hint="set `AUTODRILL_HOME` to a writable folder"
        ) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                "an interview is running in another terminal", hint="go on there, or pause it with Ctrl-C"
            ) from None
        yield


def _say_paused(taken: "Interview", state: "InterviewState", left: float) -> None:
    from autodrill.render.interview_screen import clock
    from autodrill.render.plain import say, width_of, wrapped

    where = "its questions are over" if state.ended else f"{clock(max(left, 0))} left"
    text = f"interview {taken.id} is paused, {where}; everything you typed is saved"
    say(wrapped(text, width_of(sys.stderr, os.environ)), err=True)
    say("to go on: autodrill interview", err=True)


def _coding(store: "Store", taken: "Interview") -> "Callable[[str], contextlib.AbstractContextManager[Watching]]":
    """Return what opens a fresh file for the exercise of an interview, with the grader that watches it."""

    @contextlib.contextmanager
    def coding(name: str) -> "Iterator[Watching]":
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from autodrill.cli.learner_files import Work, write_stub
        from autodrill.drills.library import Library
        from autodrill.folders import home
        from autodrill.sandbox.fork_server import own_code_launcher

        library = Library.open()
        exercise = library.find(name)
        path = home(os.environ) / "interviews" / str(taken.id) / f"{name}.py"
        write_stub(exercise, path)
        # The fork server starts before this process imports NumPy, so that the two imports overlap.
        with own_code_launcher() as launcher:
            from autodrill.cli.watching import Watching
            from autodrill.grading.warm_grader import WarmGrader

            with WarmGrader(library, launcher, taken.plan.seed) as grader:
                yield Watching(Work(exercise, path, path), grader, store)

    return coding
