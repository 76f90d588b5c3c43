"""The notation of the tape's operations and their derivatives: one line of mathematics each."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.engine.tracing.tape import Constant, Ref

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.tracing.tape import Operand, Row, Tape

__all__ = [
    "Names",
    "applied",
    "applied_to",
    "bracketed",
    "cells",
    "names_of",
    "number",
    "pulled",
    "pushed",
    "value",
    "written_as",
    "written_in_numbers",
]

_DOT, _BAR = "\u0307", "\u0304"  # ẋ is a tangent, x̄ an adjoint


@dataclass(frozen=True, slots=True)
class _Notation:
    """The form of an operation and, for each operand, of g times the partial derivative, with operands `{0}`, `{1}`."""

    form: str
    partials: tuple[str, ...]


_NOTATIONS = {
    "add": _Notation("{0} + {1}", ("{g}", "{g}")),
    "subtract": _Notation("{0} − {1}", ("{g}", "-{g}")),
    "multiply": _Notation("{0} × {1}", ("{g} × {1}", "{g} × {0}")),
    "divide": _Notation("{0} / {1}", ("{g} / {1}", "-{g} × {out} / {1}")),
    "power": _Notation("{0}^{1}", ("{g} × {1} × {0}^({1} − 1)", "{g} × {out} × ln {0}")),
    "negative": _Notation("-{0}", ("-{g}",)),
    "absolute": _Notation("|{0}|", ("{g} × sign {0}",)),
    "log": _Notation("ln {0}", ("{g} / {0}",)),
    "exp": _Notation("exp {0}", ("{g} × {out}",)),
    "sqrt": _Notation("sqrt {0}", ("{g} / (2 × {out})",)),
    "sin": _Notation("sin {0}", ("{g} × cos {0}",)),
    "cos": _Notation("cos {0}", ("-{g} × sin {0}",)),
    "tan": _Notation("tan {0}", ("{g} × (1 + {out}^2)",)),
    "tanh": _Notation("tanh {0}", ("{g} × (1 − {out}^2)",)),
    "sigmoid": _Notation("sigmoid {0}", ("{g} × {out} × (1 − {out})",)),
    "relu": _Notation("relu {0}", ("{g} × [{0} > 0]",)),
}


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one tape's values: v-1, v0, v1, ... for its rows and y for its output.

    Attributes:
        letter: The letter of the rows; another one than v if a variable is called v1, for example.
        output: The name of the output; another one than y if a variable is called y.
    """

    letter: str
    output: str

    def row(self, number: int) -> str:
        """Return the name of a row."""
        return f"{self.letter}{number}"

    @staticmethod
    def tangent(name: str) -> str:
        """Return the name of a value's tangent: a dot on its first letter."""
        return name[:1] + _DOT + name[1:]

    @staticmethod
    def adjoint(name: str) -> str:
        """Return the name of a value's adjoint: a bar on its first letter."""
        return name[:1] + _BAR + name[1:]


def names_of(tape: Tape) -> Names:
    """Return names that no variable has."""
    taken = {row.label for row in tape.variables}
    letter = next(c for c in "vwuts" if not any(re.fullmatch(rf"{c}\d*", name) for name in taken) or c == "s")
    return Names(letter, next(c for c in ("y", "f", "z", "out") if c not in taken or c == "out"))


def number(x: float) -> str:
    """Return a number with three decimals, or with four significant digits if it is very small or large."""
    if x == 0:
        return "0"
    text = f"{x:.3f}" if 0.1 <= abs(x) < 1e6 else f"{x:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def value(array: Any) -> str:
    """Return an array as text: a number, a short vector, or its shape."""
    if array is None:
        return ""
    if array.ndim == 0:
        return number(float(array))
    if array.ndim == 1 and array.size <= 3:
        return f"[{', '.join(number(float(x)) for x in array)}]"
    return f"shape {array.shape}"


def cells(text: str) -> int:
    """Return the columns of a text on a terminal, where a combining mark takes none."""
    return sum(not unicodedata.combining(c) for c in text)


def applied(row: Row, write: Callable[[Operand], str]) -> str:
    """Return an operation as text, with operands formatted by `write`."""
    return applied_to(row.operation, [write(o) for o in row.operands])


def applied_to(operation: str, operands: Sequence[str]) -> str:
    """Return an operation as text, with operands as text."""
    notation = _NOTATIONS.get(operation)
    return notation.form.format(*operands) if notation else f"{operation}({', '.join(operands)})"


def pushed(row: Row, seed: Callable[[int], str], write: Callable[[Operand], str], out: str) -> str:
    """Return the tangent of an operation as text: each operand's tangent, from `seed`, times its partial derivative."""
    terms = [
        _term(row, position, seed(operand.number), write, out)
        for position, operand in enumerate(row.operands)
        if isinstance(operand, Ref)
    ]
    return terms[0] + "".join(f" − {t[1:]}" if t.startswith("-") else f" + {t}" for t in terms[1:])


def pulled(row: Row, positions: Sequence[int], seed: str, write: Callable[[Operand], str], out: str) -> str:
    """Return an operation's contribution to an operand's adjoint as text: the adjoint `seed` times the partial."""
    if len(positions) > 1:  # one sum for several uses
        return " + ".join(_term(row, p, seed, write, out) for p in positions)
    term = _term(row, positions[0], seed, write, out)
    return {seed: f"{seed} × 1", f"-{seed}": f"{seed} × (-1)"}.get(term, term)


def _term(row: Row, position: int, seed: str, write: Callable[[Operand], str], out: str) -> str:
    notation = _NOTATIONS.get(row.operation)
    if notation is None:
        return f"{seed} · ∂{row.operation}/∂{write(row.operands[position])}"
    partial = notation.partials[position]
    if row.operation == "power" and position == 0 and isinstance(row.operands[1], Constant):
        left = float(row.operands[1].value) - 1
        partial = "{g} × {1} × {0}" if left == 1 else f"{{g}} × {{1}} × {{0}}^{bracketed(number(left))}"
    return partial.format(*(write(o) for o in row.operands), g=seed, out=out)


def bracketed(text: str) -> str:
    """Return a number for use inside a formula: with parentheses if it is negative."""
    return f"({text})" if text.startswith("-") else text


def written_as(names: Names) -> Callable[[Operand], str]:
    """Return a function that formats operands as names."""
    return lambda o: names.row(o.number) if isinstance(o, Ref) else bracketed(value(o.value))


def written_in_numbers(tape: Tape) -> Callable[[Operand], str]:
    """Return a function that formats operands as values, with parentheses around negative ones."""
    return lambda o: bracketed(value(tape[o.number].primal if isinstance(o, Ref) else o.value))
