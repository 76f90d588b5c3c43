"""The tape of a typed expression, recorded on the reference engine."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from autodrill.bank.expression import Arithmetic, ExpressionError, NoValueError, compute, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from autodrill.engine.tracing.tape import Row, Tape

__all__ = ["FUNCTIONS", "trace_expression"]

FUNCTIONS = {
    "abs": "absolute",
    "cos": "cos",
    "exp": "exp",
    "ln": "log",
    "log": "log",
    "relu": "relu",
    "sigmoid": "sigmoid",
    "sin": "sin",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}
"""The functions of an expression, with their names in the engine."""

_BINARY: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "add"),
    ast.Sub: ("-", "subtract"),
    ast.Mult: ("*", "multiply"),
    ast.Div: ("/", "divide"),
    ast.Pow: ("^", "power"),
}


def trace_expression(text: str, point: Mapping[str, float], wrt: str) -> Tape:
    """Evaluate a typed expression at a point and return its tape, with operations in the order that surveys use.

    Args:
        text: Arithmetic for `parse`, with the functions of `FUNCTIONS`.
        point: The independent variables and their values.
        wrt: The variable whose tangent is 1; all other tangents are 0.

    Raises:
        ExpressionError: The text is not arithmetic, uses something unknown, or depends on no variable. The error's span
            is the place.
        NoValueError: The value or a derivative is not finite at the point.
    """
    import numpy as np

    from autodrill import engine
    from autodrill.engine.tracing.recording import tape_of
    from autodrill.engine.tracing.tape import levelled

    tree = parse(text)
    arithmetic = _tensors()

    def f(*values: Any) -> Any:
        result = compute(tree, dict(zip(point, values, strict=True)), arithmetic)
        if not isinstance(result, engine.Tensor):
            raise ExpressionError("the expression depends on no variable")
        return result

    with np.errstate(all="ignore"):  # values that are not finite become a NoValueError instead of a warning
        tape = levelled(tape_of(f, point, tangents={wrt: 1.0}))
    for row in tape.operations:
        if not _derivatives_are_finite(row):
            raise NoValueError(
                f"there is a value at this point, but `{row.operation}` has no derivative at {_values(tape, row)}"
            )
    return tape


def _tensors() -> Arithmetic[Any]:
    """Return arithmetic on the engine's tensors that raises NoValueError if a result is not finite."""
    import numpy as np

    from autodrill import engine

    return Arithmetic(
        number=np.float64,  # like tensors, NumPy constants divide by zero without an exception
        functions={name: _finite(getattr(engine, called), f"{name}(", ")") for name, called in FUNCTIONS.items()},
        binary={
            kind: _finite(getattr(engine, called), "", "", f" {sign} ") for kind, (sign, called) in _BINARY.items()
        },
        negate=engine.negative,
    )


def _finite(operation: Callable[..., Any], opening: str, closing: str, sign: str = "") -> Callable[..., Any]:
    import math

    def apply(*values: Any) -> Any:
        result = operation(*values)
        if not math.isfinite(result):
            shown = sign.join(f"{float(v):g}" for v in values)
            raise NoValueError(f"{opening}{shown}{closing} has no finite real value")
        return result

    return apply


def _derivatives_are_finite(row: Row) -> bool:
    import math

    assert row.tangent is not None
    return math.isfinite(row.tangent) and all(math.isfinite(c.amount) for c in row.contributions)


def _values(tape: Tape, row: Row) -> str:
    return " and ".join(f"{float(tape[source].primal):g}" for source in row.sources)
