"""The tape of a computation, as a record: rows in evaluation order, each with primal, tangent and adjoint.

Rows are numbered as in the surveys of the field (Griewank and Walther, 2008; Baydin et al., 2018): of n independent
variables the first is v(1-n) and the last v0, and the operations are v1, v2, ... A constant has no row; it is an
operand of the operations that use it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np

__all__ = ["Constant", "Contribution", "Numbers", "Operand", "Pullback", "Ref", "Row", "Tape", "levelled", "reverse"]

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


Pullback: TypeAlias = "Callable[[Numbers], list[Contribution]]"
"""The function from the adjoint of an operation to its contributions."""


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
        pullbacks: For each operation's number, the function from its adjoint to its contributions.

    Example:
        >>> tape = engine.tape_of(lambda x: x * x, {"x": np.array(3.0)})
        >>> len(tape.rows)
        2
    """

    rows: tuple[Row, ...]
    output: int
    pullbacks: Mapping[int, Pullback] = field(default_factory=dict, repr=False)

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

    def adjoints(self, changed: Callable[[int, Numbers, Contribution], Numbers]) -> dict[int, Numbers]:
        """Return the adjoint of each row in a reverse pass with changed contributions.

        Args:
            changed: Returns the summand to use. It gets the number and the adjoint of the operation's row, and the
                contribution that would be right for that adjoint.
        """

        def pull(number: int, adjoint: Numbers) -> list[Contribution]:
            right = self.pullbacks[number](adjoint) if number in self.pullbacks else []
            return [replace(c, amount=changed(number, adjoint, c)) for c in right]

        adjoints = {row.number: 0 * row.adjoint for row in self.rows}
        adjoints[self.output] = self[self.output].adjoint
        for _ in reverse([row.number for row in self.rows], adjoints, self.output, pull):
            pass
        return adjoints


def reverse(
    numbers: Iterable[int],
    adjoints: dict[int, Numbers],
    output: int,
    pull: Callable[[int, Numbers], list[Contribution]],
) -> Iterator[tuple[int, list[Contribution]]]:
    """Run reverse mode: complete a row's adjoint before it is propagated, and yield its contributions.

    Args:
        numbers: The rows in evaluation order.
        adjoints: The adjoint of each row: the cotangent for the output, and 0 for the others. They are replaced.
        output: The output's row.
        pull: Returns the contributions of a row for its adjoint.
    """
    reached = {output}
    for number in reversed(list(numbers)):
        contributions = pull(number, adjoints[number]) if number in reached else []
        for c in contributions:
            adjoints[c.source] = adjoints[c.source] + c.amount
            reached.add(c.source)
        yield number, contributions


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

    def renaming(pull: Pullback) -> Pullback:
        return lambda g: [replace(c, source=renamed[c.source]) for c in pull(g)]

    pullbacks = {renamed[number]: renaming(pull) for number, pull in tape.pullbacks.items()}
    return Tape(tuple(rows), renamed[tape.output], pullbacks)
