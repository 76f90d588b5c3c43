"""A tape as a table for the terminal, as JSON values, and as Graphviz and Mermaid source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.bank.notation import names_of, value
from autodrill.bank.tape_text import drawn, formulas
from autodrill.engine.tracing.tape import Ref
from autodrill.render.trace_tables import spelled

if TYPE_CHECKING:
    from autodrill.engine.tracing.tape import Contribution, Operand, Row, Tape

__all__ = ["as_dot", "as_json", "as_mermaid", "label", "table"]


def table(tape: Tape, width: int, *, ascii_only: bool = False) -> list[str]:
    """Return a tape with all its numbers as lines of text.

    Args:
        tape: The tape.
        width: The available columns. If they are too few, a note replaces the graph.
        ascii_only: Whether to spell everything in ASCII.
    """
    return drawn(tape, width, spell=lambda text: spelled(text, ascii_only))


def as_dot(tape: Tape) -> str:
    """Return a tape as a Graphviz graph."""
    lines = ["digraph tape {", "  rankdir=LR;", '  node [shape=box, style=rounded, fontname="monospace"];']
    for row in tape.rows:
        text = "\\n".join(line.replace("\\", r"\\").replace('"', r"\"") for line in label(tape, row))
        more = ", penwidth=2" if row.number == tape.output else ""
        lines.append(f'  "{row.number}" [label="{text}"{more}];')
    lines += [f'  "{source}" -> "{row.number}";' for row in tape.rows for source in row.sources]
    return "\n".join([*lines, "}"])


def as_mermaid(tape: Tape) -> str:
    """Return a tape as a Mermaid flowchart, which GitHub renders as a picture."""
    identity = {row.number: f"n{place}" for place, row in enumerate(tape.rows)}
    lines = ["flowchart LR"]
    for row in tape.rows:
        text = "<br/>".join(_mermaid_text(line) for line in label(tape, row))
        lines.append(f'  {identity[row.number]}["{text}"]')
    lines += [f"  {identity[source]} --> {identity[row.number]}" for row in tape.rows for source in row.sources]
    lines.append(f"  style {identity[tape.output]} stroke-width:3px")
    return "\n".join(lines)


def _mermaid_text(text: str) -> str:
    """Replace Mermaid's markup characters by entities."""
    for sign, entity in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(sign, entity)
    return text


def label(tape: Tape, row: Row) -> list[str]:
    """Return the lines of a node: its formula, value, tangent and adjoint."""
    names = names_of(tape)
    name = names.row(row.number)
    first = f"{name} = {formulas(tape)[row.number]}"
    lines = [f"{names.output} = {first}" if row.number == tape.output else first, f"= {value(row.primal)}"]
    if row.tangent is not None:
        lines.append(f"{names.tangent(name)} = {value(row.tangent)}")
    return [*lines, f"{names.adjoint(name)} = {value(row.adjoint)}"]


def as_json(tape: Tape) -> dict[str, Any]:
    """Return a tape as JSON values: every row with its operands, primal, tangent, adjoint and contributions.

    Numbers have full precision. An operand is the number of a row, or a constant.
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
