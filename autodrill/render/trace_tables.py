"""The three traces of a tape, as surveys of the field print them: forward primal, forward tangent, reverse adjoint."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.notation import (
    applied,
    bracketed,
    cells,
    names_of,
    pulled,
    pushed,
    value,
    written_as,
    written_in_numbers,
)
from autodrill.render.plain import in_ascii

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.tracing.tape import Numbers, Tape

__all__ = ["Step", "adjoint_trace", "lines_of", "primal_trace", "spelled", "tangent_trace", "traces"]

_GAP = "  "


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a trace: `v2 = v-1 × v0 = 2 × 5 = 10`.

    Attributes:
        name: The name of the result.
        formula: Its formula in names.
        numbers: Its formula in numbers; empty if it would repeat the value.
        value: The result.
    """

    name: str
    formula: str
    numbers: str
    value: str


def primal_trace(tape: Tape) -> list[Step]:
    """Return the steps of the evaluation: variables first, output last."""
    names = names_of(tape)
    by_name, in_numbers = written_as(names), written_in_numbers(tape)
    return [
        *(_step(names.row(row.number), row.label, "", row.primal) for row in tape.variables),
        *(
            _step(names.row(row.number), applied(row, by_name), applied(row, in_numbers), row.primal)
            for row in tape.operations
        ),
        _step(names.output, names.row(tape.output), "", tape[tape.output].primal),
    ]


def tangent_trace(tape: Tape) -> list[Step]:
    """Return the steps that push the tangents forward; none if the tape has no tangents."""
    names = names_of(tape)
    by_name, in_numbers = written_as(names), written_in_numbers(tape)
    steps = []
    for row in tape.rows:
        if row.tangent is None:
            return []
        dotted = names.tangent(names.row(row.number))
        if row.number <= 0:
            steps.append(_step(dotted, names.tangent(row.label), "", row.tangent))
            continue
        formula = pushed(row, lambda k: names.tangent(names.row(k)), by_name, names.row(row.number))
        numbers = pushed(row, lambda k: bracketed(value(tape[k].tangent)), in_numbers, bracketed(value(row.primal)))
        steps.append(_step(dotted, formula, numbers, row.tangent))
    last = tape[tape.output]
    assert last.tangent is not None
    return [*steps, _step(names.tangent(names.output), names.tangent(names.row(last.number)), "", last.tangent)]


def adjoint_trace(tape: Tape) -> list[Step]:
    """Return the steps that pull the output's adjoint back, from the last operation to the first.

    The adjoint of a value with several uses is the sum of one contribution from each use.
    """
    names = names_of(tape)
    by_name, in_numbers = written_as(names), written_in_numbers(tape)

    def bar(k: int) -> str:
        return names.adjoint(names.row(k))

    last = tape[tape.output]
    steps = [_step(bar(last.number), names.adjoint(names.output), "", _seed(tape))]
    sofar: dict[int, Numbers] = {last.number: _seed(tape)}
    for row in reversed(tape.operations):
        for c in row.contributions:
            formula = pulled(row, c.positions, bar(row.number), by_name, names.row(row.number))
            adjoint, out = bracketed(value(row.adjoint)), bracketed(value(row.primal))
            numbers = pulled(row, c.positions, adjoint, in_numbers, out)
            before = sofar.get(c.source)
            if before is not None:
                joined = " − " if formula.startswith("-") else " + "
                formula = bar(c.source) + joined + formula.removeprefix("-")
                joined = " − " if numbers.startswith("-") else " + "
                numbers = value(before) + joined + numbers.removeprefix("-")
            sofar[c.source] = c.amount if before is None else before + c.amount
            steps.append(_step(bar(c.source), formula, numbers, sofar[c.source]))
    steps += [_step(names.adjoint(row.label), bar(row.number), "", row.adjoint) for row in tape.variables]
    return steps


def traces(tape: Tape) -> list[tuple[str, list[Step]]]:
    """Return the traces of a tape, each with its title."""
    names = names_of(tape)
    seeds = [
        f"{names.tangent(row.label)} = {value(row.tangent)}"
        for row in tape.variables
        if row.tangent is not None and row.tangent.any()
    ]
    found = [
        ("Forward primal trace", primal_trace(tape)),
        (f"Forward tangent trace, {', '.join(seeds) or 'all seeds 0'}", tangent_trace(tape)),
        (f"Reverse adjoint trace, {names.adjoint(names.output)} = {value(_seed(tape))}", adjoint_trace(tape)),
    ]
    return [(title, steps) for title, steps in found if steps]


def lines_of(steps: Sequence[Step], width: int, *, ascii_only: bool = False) -> list[str]:
    """Return steps in columns; if the formulas in numbers do not fit, they are left out.

    Args:
        steps: The steps of one trace.
        width: The available columns.
        ascii_only: Whether to spell everything in ASCII, such as `vbar1` for v̄1.
    """
    rows = [[spelled(t, ascii_only) for t in (s.name, s.formula, s.numbers, s.value)] for s in steps]
    for shown in ((0, 1, 2, 3), (0, 1, 3)):
        lines = [_joined([row[k] for k in shown], [max(cells(r[k]) for r in rows) for k in shown]) for row in rows]
        if max(map(cells, lines), default=0) <= width:
            break
    else:
        lines = [line for row in rows for line in (f"{row[0]} = {row[1]}", f"{_GAP}= {row[3]}")]
    return lines


def spelled(text: str, ascii_only: bool) -> str:
    """Return a text unchanged, or in ASCII with `*` for products and `-` for minus."""
    return in_ascii(text.replace("×", "*").replace("−", "-")) if ascii_only else text


def _joined(texts: Sequence[str], widths: Sequence[int]) -> str:
    parts = [texts[0] + " " * (widths[0] - cells(texts[0]))]
    for text, width in zip(texts[1:], widths[1:], strict=True):
        shown = f" = {text}" if text else ""
        parts.append(shown + " " * (width + 3 - cells(shown) if width else 0))
    return "".join(parts).rstrip()


def _step(name: str, formula: str, numbers: str, result: Numbers) -> Step:
    """Return a step. Its formula in numbers is dropped if it repeats the value or contains arrays."""
    text = value(result)
    numbers = re.sub(r"^\((-[^()]*)\)(?!\^)", r"\1", numbers)  # leading brackets around a negative number
    return Step(name, formula, "" if numbers == text or result.ndim else numbers, text)


def _seed(tape: Tape) -> Numbers:
    """Return the cotangent of the output, which is its adjoint because the output has no consumers."""
    return tape[tape.output].adjoint
