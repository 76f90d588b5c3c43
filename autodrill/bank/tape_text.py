"""A tape as text: one line for each row in order of evaluation, with the graph on the left and numbers on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.bank.lanes import lanes
from autodrill.bank.notation import applied, cells, names_of, value, written_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.tracing.tape import Tape

__all__ = ["drawn", "formulas"]

_GAP = "  "


def formulas(tape: Tape) -> dict[int, str]:
    """Return the formula of each row by its number: a variable's name or an operation."""
    write = written_as(names_of(tape))
    return {row.number: row.label or applied(row, write) for row in tape.rows}


def drawn(tape: Tape, width: int, *, adjoints: bool = True, spell: Callable[[str], str] = str) -> list[str]:
    """Return a tape as lines of text.

    Args:
        tape: The tape.
        width: The available columns. If they are too few, a note replaces the graph.
        adjoints: Whether to show the adjoints. Without them the drawing can be a question.
        spell: Converts each text to the characters that the screen can show.
    """
    names, formula = names_of(tape), formulas(tape)
    pushes = tape[tape.output].tangent is not None
    head = ["", "", "", "value", *(["tangent"] if pushes else []), *(["adjoint"] if adjoints else [])]
    rows = [head]
    for lane, row in zip(lanes(tape), tape.rows, strict=True):
        name = names.row(row.number) + (f" = {names.output}" if row.number == tape.output else "")
        tangent = [value(row.tangent)] if pushes else []
        adjoint = [value(row.adjoint)] if adjoints else []
        rows.append([lane, name, formula[row.number], value(row.primal), *tangent, *adjoint])
    rows = [[spell(text) for text in row] for row in rows]
    lines = _aligned(rows)
    if max(map(cells, lines)) <= width:
        return lines
    without = _aligned([row[1:] for row in rows])
    return [*without, f"(with the graph, the table needs {max(map(cells, lines))} columns)"]


def _aligned(rows: list[list[str]]) -> list[str]:
    """Return rows as aligned columns: text to the left, numbers (columns with a title) to the right."""
    widths = [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        padded = [
            " " * (width - cells(text)) + text if title else text + " " * (width - cells(text))
            for text, width, title in zip(row, widths, rows[0], strict=True)
        ]
        lines.append(_GAP.join(padded).rstrip())
    return lines
