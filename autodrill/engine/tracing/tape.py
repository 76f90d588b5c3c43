"""The tape of a computation, as a record: rows in evaluation order, each with primal, tangent and adjoint.

Rows are numbered as in the surveys of the field (Griewank and Walther, 2008; Baydin et al., 2018): of n independent
variables the first is v(1-n) and the last v0, and the operations are v1, v2, ... A constant has no row; it is an
operand of the operations that use it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Constant", "Contribution", "Numbers", "Operand", "Ref", "Row", "Tape", "levelled"]

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


@dataclass(frozen=True, slots=True)
class Ref:
    """An operand that is a row of the tape, given by its number."""

    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """An operand that is a constant."""

    value: Numbers


Operand: TypeAlias = Ref | Constant


@dataclass(frozen=True, slots=True, eq=False)
class Contribution:
    """The summand that reverse mode adds to the adjoint of an operand when it processes an operation.

    Attributes:
        source: The number of the operand's row.
        positions: The positions of the operand. There are several if one value is used more than once and the backward
            returns the sum, as the closures of `Value` do.
        amount: The summand, of the operand's shape.
    """

    source: int
    positions: tuple[int, ...]
    amount: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One value of the tape: an independent variable or the result of an operation.

    Attributes:
        number: Its subscript: at most 0 for an independent variable.
        operation: The primitive's name; empty for an independent variable.
        label: The name of an independent variable; empty for an operation.
        operands: The operands of the operation.
        primal: The value.
        tangent: The derivative of the value in the direction of the given tangents; None if there are none.
        adjoint: The derivative of `cotangent · output` with respect to this value.
        contributions: The summands that the row adds to the adjoints of its operands.
    """

    number: int
    operation: str
    label: str
    operands: tuple[Operand, ...]
    primal: Numbers
    tangent: Numbers | None
    adjoint: Numbers
    contributions: tuple[Contribution, ...]

    @property
    def sources(self) -> tuple[int, ...]:
        """The numbers of the operands' rows, in the operands' order, each once."""
        return tuple(dict.fromkeys(o.number for o in self.operands if isinstance(o, Ref)))


@dataclass(frozen=True, slots=True, eq=False)
class Tape:
    """The record of one computation: rows for the variables, then for the operations, and the output's number.

    Attributes:
        rows: The rows, in evaluation order.
        output: The number of the output's row.

    Example:
        >>> tape = engine.tape_of(lambda x: x * x, {"x": np.array(3.0)})
        >>> len(tape.rows)
        2
    """

    rows: tuple[Row, ...]
    output: int

    def __getitem__(self, number: int) -> Row:
        return self.rows[number - self.rows[0].number]

    @property
    def variables(self) -> tuple[Row, ...]:
        """The rows of the independent variables."""
        return tuple(row for row in self.rows if row.number <= 0)

    @property
    def operations(self) -> tuple[Row, ...]:
        """The rows of the operations."""
        return tuple(row for row in self.rows if row.number > 0)


def levelled(tape: Tape) -> Tape:
    """Return the tape in the order of the surveys: by distance from the variables, then in evaluation order."""
    depth: dict[int, int] = {row.number: 0 for row in tape.variables}
    for row in tape.operations:
        depth[row.number] = 1 + max(depth[source] for source in row.sources)
    order = sorted(tape.operations, key=lambda row: depth[row.number])
    renamed = {row.number: row.number for row in tape.variables}
    renamed.update({row.number: number for number, row in enumerate(order, 1)})
    rows = [
        replace(
            row,
            number=renamed[row.number],
            operands=tuple(Ref(renamed[o.number]) if isinstance(o, Ref) else o for o in row.operands),
            contributions=tuple(replace(c, source=renamed[c.source]) for c in row.contributions),
        )
        for row in [*tape.variables, *order]
    ]
    return Tape(tuple(rows), renamed[tape.output])
