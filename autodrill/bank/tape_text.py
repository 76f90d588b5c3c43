"""A tape drawn in text: a row a line in the order of evaluation, the graph at the left, the numbers at the right."""

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
    """Write what each row is computed from, by its number: a variable's name or an operation."""
    write = written_as(names_of(tape))
    return {row.number: row.label or applied(row, write) for row in tape.rows}


def drawn(tape: Tape, width: int, *, adjoints: bool = True, spell: Callable[[str], str] = str) -> list[str]:
    """Draw a tape.

    Args:
        tape: What to draw.
        width: The columns there are; where they are too few the graph is left out, and it is said.
        adjoints: Show what reverse mode finds; without it the drawing can be a question.
        spell: Spells each text with the signs there are.
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
    return [*without, f"(the graph beside it takes {max(map(cells, lines))} columns)"]


def _aligned(rows: list[list[str]]) -> list[str]:
    """Put texts in columns: what is read to the left, the numbers, which have a title, to the right."""
    widths = [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        padded = [
            " " * (width - cells(text)) + text if title else text + " " * (width - cells(text))
            for text, width, title in zip(row, widths, rows[0], strict=True)
        ]
        lines.append(_GAP.join(padded).rstrip())
    return lines
