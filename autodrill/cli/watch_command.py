"""`autodrill watch`: the verdict on a file, each time it is saved."""

# No `from __future__ import annotations`: typer evaluates the annotations at run time.

import os
import select
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.options import Exit, Format, OutputFormat, Packs, WorkName, again, now, open_store
from autodrill.errors import FileError, StoreError

if TYPE_CHECKING:
    from autodrill.cli.learner_files import Work
    from autodrill.cli.watching import Watching
    from autodrill.drills.library import Library
    from autodrill.grading.warm_grader import WarmGrader

__all__ = ["watch"]


def watch(
    name: WorkName = None,
    file: Annotated[Path | None, typer.Option(help="The file to grade, instead of ./NAME.py.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed of the cases. The same seed gives the same cases.")
    ] = None,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Grade your file each time you save it.

    Leave the command running beside your editor. It shows the verdict of `check` at every save, and the keys that work
    now. Each attempt is logged as `check` logs it. If there is no file yet, the command writes the stub. The file of a
    solved exercise that is due becomes blank again; `u` brings your old answer back.

    Without a name, it watches the exercise file in the current folder, otherwise the one that you opened or saved last.
    If you have no file at all, it starts the next exercise.

    If the output is not a terminal, the command prints one line for each verdict, as text or as JSON. Ctrl-C ends it.

    Examples:
      autodrill watch
      autodrill watch mul_backward
      autodrill watch ./mul_backward.py
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from autodrill.cli.blank_again import blank_again, blank_notice
    from autodrill.cli.keyboard import terminal_keyboard_works
    from autodrill.cli.learner_files import note_opened
    from autodrill.drills.library import Library
    from autodrill.render.plain import clean, say
    from autodrill.sandbox.fork_server import own_code_launcher

    library = Library.open(pack or ())
    work, fresh = _begin(library, name, file)
    kept = blank_again(work.exercise, work.path) if file is None else None
    note_opened(work.path)
    # The fork server starts before this process imports NumPy, so that the two imports overlap.
    with own_code_launcher() as launcher:
        from autodrill.cli.watching import Watching
        from autodrill.grading.warm_grader import WarmGrader

        seed = int.from_bytes(os.urandom(3)) if seed is None else seed
        in_a_frame = sys.stdout.isatty() and terminal_keyboard_works() and output_format is not OutputFormat.JSON
        with WarmGrader(library, launcher, seed, draw=in_a_frame) as grader, ExitStack() as stack:
            store = None
            with suppress(StoreError):  # the first attempt to log says so, and the verdict is shown all the same
                store = stack.enter_context(open_store())
            watching = Watching(work, grader, store)
            if in_a_frame:
                _in_a_frame(watching, library, grader, notice=_notice(work, again(pack)) if fresh else "", kept=kept)
            else:
                if kept is not None:
                    say(clean(blank_notice(work.exercise, kept)), err=True)
                _line_by_line(watching, grader, as_json=output_format is OutputFormat.JSON)


def _begin(library: "Library", name: str | None, file: Path | None) -> "tuple[Work, bool]":
    """Return the work that is meant, and whether its file was written just now."""
    from autodrill.cli.learner_files import find_work, work_for

    try:
        return find_work(library, name, file, "watch"), False
    except FileError:
        if file is not None or (name is not None and (os.sep in name or name.endswith(".py"))):
            raise
    if name is None:
        from autodrill.practice.progress import next_exercise, progress

        names = [heading.id for heading in library.headings()]
        with open_store() as store:
            name = next_exercise(names, progress(store, now())) or names[0]
    return work_for(library.find(name))


def _notice(work: "Work", packs: str) -> str:
    from autodrill.cli.learner_files import prediction_offer

    return "; ".join(part for part in (f"new file: {work.path}", prediction_offer(work.exercise, packs)) if part)


def _in_a_frame(
    watching: "Watching", library: "Library", grader: "WarmGrader", *, notice: str, kept: "Path | None"
) -> None:
    """Watch in a frame. Afterwards, print the last verdict, because the frame is gone."""
    from autodrill.cli.frame import Frame
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.cli.watch_session import WatchSession
    from autodrill.render.plain import Paint, say, symbols_for
    from autodrill.render.watch_screen import verdict_summary

    paint, symbols = Paint.for_stream(sys.stdout, os.environ), symbols_for(sys.stdout)
    try:
        with TerminalKeyboard() as keyboard, Frame(sys.stdout, keyboard) as frame:
            WatchSession(watching, library, grader, keyboard, frame, paint, symbols, notice=notice, kept=kept).run()
        code = Exit.DONE
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    if watching.report is not None:
        say(verdict_summary(watching.report, symbols))
        if watching.logged.review_line:
            say(watching.logged.review_line, err=True)
    raise typer.Exit(code)


def _line_by_line(watching: "Watching", grader: "WarmGrader", *, as_json: bool) -> None:
    """Print a line for each verdict until Ctrl-C, or until the reader of a pipe has gone."""
    from autodrill.render.plain import clean, flush, say

    say(f"watching {clean(str(watching.work.path))}; Ctrl-C ends", err=True)
    while True:
        if watching.step() and watching.waited == 0:
            for line in _news(watching, as_json=as_json):
                say(line)
            flush(sys.stdout)
            if watching.logged.problem:
                say(watching.logged.problem, err=True)
        select.select([grader.fileno()], [], [], watching.file.interval)


def _news(watching: "Watching", *, as_json: bool) -> list[str]:
    """Return the line about the last save."""
    from autodrill.render.document import as_json as written
    from autodrill.render.document import document
    from autodrill.render.plain import Paint, clean, symbols_for
    from autodrill.render.watch_screen import verdict_summary

    problem, report = watching.file.problem or watching.error, watching.report
    at = f"{now().astimezone():%H:%M:%S}"
    if problem is not None:
        fields = {"kind": type(problem).__name__, "message": problem.message, "hint": problem.hint}
        return [written(document("watch", error=fields)) if as_json else f"{at} error: {clean(problem.message)}"]
    if report is None:
        return []
    if as_json:
        return [written(document("watch", report=report.as_dict()))]
    colour = "green" if report.verdict == "pass" else "red"
    paint = Paint.for_stream(sys.stdout, os.environ)
    return [f"{at} {paint(verdict_summary(report, symbols_for(sys.stdout)), colour)}"]
