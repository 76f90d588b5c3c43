"""A tape as a table for the terminal, as JSON values, and as text for Graphviz and Mermaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.tape import Ref
from autodrill.render.lanes import lanes
from autodrill.render.notation import applied, cells, names_of, value, written_as
from autodrill.render.trace import spelled

if TYPE_CHECKING:
    from autodrill.engine.tape import Contribution, Operand, Row, Tape

__all__ = ["as_dot", "as_json", "as_mermaid", "formulas", "label", "table"]

_GAP = "  "


def formulas(tape: Tape) -> dict[int, str]:
    """Write what each row is computed from, by its number: a variable's name or an operation."""
    write = written_as(names_of(tape))
    return {row.number: row.label or applied(row, write) for row in tape.rows}


def table(tape: Tape, width: int, *, ascii_only: bool = False, adjoints: bool = True) -> list[str]:
    """Draw a tape: a row a line in the order of evaluation, the graph at the left, the numbers at the right.

    Args:
        tape: What to draw.
        width: The columns there are; where they are too few the graph is left out, and it is said.
        ascii_only: Spell everything in ASCII.
        adjoints: Show what reverse mode finds; without it the drawing can be a question.
    """
    names, formula = names_of(tape), formulas(tape)
    pushes = tape[tape.output].tangent is not None
    head = ["", "", "", "value", *(["tangent"] if pushes else []), *(["adjoint"] if adjoints else [])]
    rows = [head]
    for drawn, row in zip(lanes(tape), tape.rows, strict=True):
        name = names.row(row.number) + (f" = {names.output}" if row.number == tape.output else "")
        tangent = [value(row.tangent)] if pushes else []
        adjoint = [value(row.adjoint)] if adjoints else []
        rows.append([drawn, name, formula[row.number], value(row.primal), *tangent, *adjoint])
    rows = [[spelled(text, ascii_only) for text in row] for row in rows]
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


def as_dot(tape: Tape) -> str:
    """Write a tape as a graph for Graphviz."""
    lines = ["digraph tape {", "  rankdir=LR;", '  node [shape=box, style=rounded, fontname="monospace"];']
    for row in tape.rows:
        text = "\\n".join(line.replace("\\", r"\\").replace('"', r"\"") for line in label(tape, row))
        more = ", penwidth=2" if row.number == tape.output else ""
        lines.append(f'  "{row.number}" [label="{text}"{more}];')
    lines += [f'  "{source}" -> "{row.number}";' for row in tape.rows for source in row.sources]
    return "\n".join([*lines, "}"])


def as_mermaid(tape: Tape) -> str:
    """Write a tape as a Mermaid flowchart, which GitHub and many others show as a picture."""
    identity = {row.number: f"n{place}" for place, row in enumerate(tape.rows)}
    lines = ["flowchart LR"]
    for row in tape.rows:
        text = "<br/>".join(_mermaid_text(line) for line in label(tape, row))
        lines.append(f'  {identity[row.number]}["{text}"]')
    lines += [f"  {identity[source]} --> {identity[row.number]}" for row in tape.rows for source in row.sources]
    lines.append(f"  style {identity[tape.output]} stroke-width:3px")
    return "\n".join(lines)


def _mermaid_text(text: str) -> str:
    """Spell what Mermaid would take for markup by its entities."""
    for sign, entity in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(sign, entity)
    return text


def label(tape: Tape, row: Row) -> list[str]:
    """What stands in a node: its formula, value, tangent and adjoint."""
    names = names_of(tape)
    name = names.row(row.number)
    first = f"{name} = {formulas(tape)[row.number]}"
    lines = [f"{names.output} = {first}" if row.number == tape.output else first, f"= {value(row.primal)}"]
    if row.tangent is not None:
        lines.append(f"{names.tangent(name)} = {value(row.tangent)}")
    return [*lines, f"{names.adjoint(name)} = {value(row.adjoint)}"]


def as_json(tape: Tape) -> dict[str, Any]:
    """Return a tape as JSON values: every row with its operands, primal, tangent, adjoint and contributions.

    Numbers are in full precision; an operand is the number of a row, or a constant.
    """
    names, formula = names_of(tape), formulas(tape)
    rows = [
        {
            "number": row.number,
            "name": names.row(row.number),
            "label": row.label or None,
            "operation": row.operation or None,
            "formula": formula[row.number],
            "operands": [_operand(o) for o in row.operands],
            "primal": row.primal.tolist(),
            "tangent": None if row.tangent is None else row.tangent.tolist(),
            "adjoint": row.adjoint.tolist(),
            "contributions": [_contribution(c) for c in row.contributions],
        }
        for row in tape.rows
    ]
    return {"rows": rows, "output": tape.output}


def _operand(operand: Operand) -> dict[str, Any]:
    return {"row": operand.number} if isinstance(operand, Ref) else {"constant": operand.value.tolist()}


def _contribution(contribution: Contribution) -> dict[str, Any]:
    amount = contribution.amount
    return {"to": contribution.source, "operands": list(contribution.positions), "amount": amount.tolist()}
