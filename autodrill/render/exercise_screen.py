"""Exercises on the terminal: the task and the solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.exercise import kind_named
from autodrill.render.plain import DIFFICULTY_COLOURS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from autodrill.drills.exercise import Exercise, Solution

__all__ = ["WIDEST_TEXT", "code_text", "print_head", "print_solution", "print_task"]

WIDEST_TEXT = 100
"""The columns of the longest line of text. Longer lines are hard to read."""


def print_task(console: Console, exercise: Exercise, options: str = "") -> None:
    """Print the task and the stub. The commands below them have these options."""
    from rich.text import Text

    from autodrill.render.terminal_markdown import markdown

    print_head(console, exercise)
    console.print(markdown(exercise.task))
    console.print()
    stub = exercise.stub.partition('"""')[2].partition('"""')[2].strip("\n")
    _print_code(console, stub)
    console.print()
    if conventions := kind_named(exercise.kind).conventions:
        console.print(conventions, style="dim")
    commands = [f"autodrill {verb} {exercise.id}{options}" for verb in ("open", "check")]
    console.print(Text(f"{commands[0]}, edit the file, then {commands[1]}", style="dim"))


def print_solution(console: Console, exercise: Exercise, solution: Solution) -> None:
    """Print the worked solution and the explanation."""
    from autodrill.render.terminal_markdown import markdown

    print_head(console, exercise)
    _print_code(console, solution.source)
    console.print()
    console.print(markdown(solution.explanation), width=min(console.width, WIDEST_TEXT))


def _print_code(console: Console, code: str) -> None:
    """Print code without breaking its lines, so that it can be copied from a terminal of any width."""
    console.print(code_text(code), soft_wrap=True)


def code_text(code: str) -> Text:
    """Return code with its colours."""
    from rich.syntax import Syntax

    text = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(code)
    text.rstrip()
    return text


def print_head(console: Console, exercise: Exercise) -> None:
    """Print the line with the name, the difficulty, the minutes and the topics."""
    from rich.text import Text

    colour = {"amber": "yellow"}.get(found := DIFFICULTY_COLOURS[exercise.difficulty], found)
    head = Text(exercise.id, style="bold")
    head.append("  ")
    head.append(exercise.difficulty, style=colour)
    head.append(f"  {exercise.minutes} min  {', '.join(exercise.topics)}", style="dim")
    console.print(head)
    console.print()
