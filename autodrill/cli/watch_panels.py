"""The panels of `watch`: the lines that its frame shows for a verdict, hints, the solution, the tape and the keys."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from autodrill.cli.help_commands import STAGES
from autodrill.drills.answer_records import FaultKind
from autodrill.render.watch_screen import verdict_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from autodrill.cli.bindings import Binding
    from autodrill.cli.watching import Watching
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.report import Report
    from autodrill.render.plain import Paint, Symbols

__all__ = ["draw_key", "give_up", "hints", "keys", "solution", "tape", "verdict"]

_WIDEST_TEXT = 80


def verdict(watching: Watching, packs: str, paint: Paint, symbols: Symbols, width: int) -> list[str]:
    """Return the verdict on the file, or why there is none. The commands in it have the options `packs`."""
    problem = watching.file.problem
    if problem is not None:
        return [paint(problem.message, "amber", "bold"), "", "Save the file again to go on."]
    if watching.error is not None:
        hint = [f"hint: {watching.error.hint}"] if watching.error.hint else []
        return [paint(f"error: {watching.error.message}", "red", "bold"), "", *hint]
    if watching.report is None:
        return [paint("The file is being checked.", "dim")]
    named = watching.work.named
    if watching.report.failure is not None and watching.report.failure.kind is FaultKind.NOT_IMPLEMENTED:
        return _not_begun(watching, paint, symbols, width)
    lines = verdict_lines(
        watching.report,
        watching.earlier,
        watching.praise,
        paint,
        symbols,
        width=width,
        file_option=f" --file {shlex.quote(str(named))}" if named else "",
        pack_options=packs,
    )
    return [*lines, *([f"  {watching.logged.review_line}"] if watching.logged.review_line else [])]


def _not_begun(watching: Watching, paint: Paint, symbols: Symbols, width: int) -> list[str]:
    """Return the task of a file without an answer."""
    from autodrill.render.console import lines_for_frame
    from autodrill.render.terminal_markdown import markdown

    assert watching.report is not None
    head = verdict_lines(watching.report, None, "", paint, symbols, width=width)
    task = markdown(watching.work.exercise.task)
    return [*head, "", *lines_for_frame(lambda console: console.print(task), min(width, _WIDEST_TEXT), colour=paint.on)]


def hints(worked: Solution, seen: int, paint: Paint, width: int) -> list[str]:
    """Return the first `seen` hints."""
    from autodrill.render.console import lines_for_frame
    from autodrill.render.terminal_markdown import markdown

    def show(console: Console) -> None:
        for number, text in enumerate(worked.hints[:seen], 1):
            console.print(f"hint {number} of {len(STAGES)}: {STAGES[number - 1]}", style="bold")
            console.print(markdown(text))
            console.print()

    return lines_for_frame(show, min(width, _WIDEST_TEXT), colour=paint.on)


def solution(
    exercise: Exercise, worked: Solution, yours: str, queued: Sequence[str], paint: Paint, width: int
) -> list[str]:
    """Return the worked solution as `autodrill solution` prints it; after a pass, the debrief."""
    from autodrill.render.console import lines_for_frame
    from autodrill.render.debrief_screen import print_debrief
    from autodrill.render.exercise_screen import print_solution

    if yours:
        return lines_for_frame(
            lambda console: print_debrief(console, exercise, worked, yours, queued), width, colour=paint.on
        )
    return lines_for_frame(lambda console: print_solution(console, exercise, worked), width, colour=paint.on)


def give_up(hints_seen: int, paint: Paint) -> list[str]:
    """Return the question whether to give up."""
    return [
        paint("Give up?", "bold"),
        "",
        "The worked solution is shown, and the exercise comes back soon.",
        f"A hint gives away less: {hints_seen} of {len(STAGES)} used.",
    ]


def draw_key(report: Report | None) -> str:
    """Return the word for the key that draws the tape of a verdict; empty if there is no tape to draw."""
    steps = () if report is None or report.failure is None else report.failure.tape
    if any(step.broken for step in steps):
        return "wrong step"
    # The tape of a single operation says no more than the verdict.
    return "draw" if sum(bool(step.operation) for step in steps) > 1 else ""


def tape(report: Report, paint: Paint, symbols: Symbols, width: int) -> list[str]:
    """Return the failing case with its tape, as `autodrill check --draw` prints it."""
    from autodrill.render.broken_step_screen import tape_lines
    from autodrill.render.report_screen import headline

    assert report.failure is not None
    head = f"{symbols.no} {report.exercise}: {headline(report.failure)}"
    return [paint(head, "red", "bold"), "", *tape_lines(report.failure.tape, paint, symbols, width)]


def keys(bindings: Sequence[Binding], paint: Paint) -> list[str]:
    """Return what each key does."""
    longest = max(len(key.shown) for key in bindings)
    return [f"  {paint(f'{key.shown:<{longest}}', 'bold')}  {key.help}" for key in bindings]
