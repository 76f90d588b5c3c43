"""The debrief after a pass: your answer and the worked solution, what it costs, and what the quiz asks next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.render.exercise_screen import WIDEST_TEXT, code_text, print_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from autodrill.drills.exercise import Exercise, Solution

__all__ = ["print_debrief"]

_SIDE_BY_SIDE = 120
"""The fewest columns at which both answers are shown side by side, if their lines fit."""
_GAP = 3


def print_debrief(
    console: Console, exercise: Exercise, solution: Solution, yours: str, queued: Sequence[str] = ()
) -> None:
    """Print your answer beside the worked solution, the explanation, and the questions that come next.

    Args:
        console: The console. It shows one answer after the other if it is narrow.
        exercise: The exercise.
        solution: Its solution side.
        yours: The file that passed.
        queued: Ids of the questions that the next quiz begins with.
    """
    from rich.table import Table
    from rich.text import Text

    from autodrill.render.plain import clean
    from autodrill.render.terminal_markdown import markdown

    print_head(console, exercise)
    codes = ("yours", _clean(_without_task(yours))), ("worked solution", solution.source)
    widths = [max(map(len, [title, *code.splitlines()])) for title, code in codes]
    if console.width >= max(_SIDE_BY_SIDE, sum(widths) + _GAP):
        room = console.width - sum(widths) - _GAP
        table = Table.grid(padding=(0, _GAP, 0, 0))
        table.add_column(width=widths[0] + min(room, max(0, console.width // 2 - widths[0])), no_wrap=True)
        table.add_column(width=widths[1], no_wrap=True)
        table.add_row(*(Text(title, style="bold") for title, _ in codes))
        table.add_row("", "")
        table.add_row(*(code_text(code) for _, code in codes))
        console.print(table)
    else:
        for title, code in codes:
            console.print(title, style="bold")
            console.print()
            console.print(code_text(code), soft_wrap=True)
            console.print()
    console.print()
    console.print(markdown(solution.explanation), width=min(console.width, WIDEST_TEXT))
    if queued:
        console.print()
        console.print(Text(clean(f"the next quiz begins with: {', '.join(queued)}"), style="bold"))


def _clean(code: str) -> str:
    """Return code without characters that a terminal obeys; its lines stay."""
    from autodrill.render.plain import clean

    return "\n".join(clean(line.expandtabs(4)) for line in code.splitlines())


def _without_task(source: str) -> str:
    """Return a file without its docstring, which repeats the task."""
    import ast

    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):  # a kernel is not Python
        return source.strip("\n")
    if not body or not isinstance(body[0], ast.Expr) or not isinstance(getattr(body[0], "value", None), ast.Constant):
        return source.strip("\n")
    return "\n".join(source.splitlines()[body[0].end_lineno :]).strip("\n")
