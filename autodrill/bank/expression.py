"""Typed arithmetic, evaluated without executing code and in bounded time."""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Arithmetic", "ExpressionError", "NoValueError", "as_read", "compute", "evaluate", "parse"]

T = TypeVar("T")

_MAX_LENGTH = 200

_CONSTANTS: dict[str, float] = {"pi": math.pi, "π": math.pi, "e": math.e}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "cos": math.cos,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
}
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    # Unlike `**`, math.pow stays in floats, so no power takes long, and it rejects complex results.
    ast.Pow: math.pow,
}
_AS_ASCII = str.maketrans(
    {
        "−": "-",
        "–": "-",  # phones and word processors write it for a minus
        "×": "*",
        "·": "*",
        "⋅": "*",
        "÷": "/",
        "∕": "/",
        "⁄": "/",
        "√": " sqrt ",
        "\u00a0": " ",
        "\u202f": " ",
        "\n": " ",  # so that a place is a column
        "\r": " ",
    }
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_ROOT_OF_ATOM = re.compile(r"\bsqrt\s+([\w.]+)(?![\w.]|\s*\()")


class ExpressionError(ValueError):
    """The text is not arithmetic that can be evaluated. The message is for the person who typed it.

    Attributes:
        span: The place in `as_read(text)`, as the first character and the one after the last, or None.
    """

    def __init__(self, message: str, span: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.span = span


class NoValueError(ExpressionError):
    """The text is arithmetic, but it has no finite real value at these values of its variables."""


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[T]):
    """The meaning of typed arithmetic for one type of value.

    Attributes:
        number: Converts a typed number to a value.
        functions: The functions of one argument, by name.
        binary: The operations between two values.
        negate: The minus sign.
    """

    number: Callable[[float], T]
    functions: Mapping[str, Callable[[T], T]]
    binary: Mapping[type[ast.operator], Callable[[T, T], T]]
    negate: Callable[[T], T]


_FLOATS: Arithmetic[float] = Arithmetic(float, _FUNCTIONS, _BINARY, operator.neg)


def as_read(text: str) -> str:
    """Return typed text with mathematical signs as the parser reads them: `3² × x` becomes `3**2 * x`."""
    plain = _SUPERSCRIPT_RUN.sub(lambda run: "**" + run[0].translate(_SUPERSCRIPTS), text)
    return _ROOT_OF_ATOM.sub(r"sqrt(\1)", plain.translate(_AS_ASCII)).replace("^", "**").strip()


def parse(text: str) -> ast.expr:
    """Parse typed arithmetic.

    The grammar has numbers, `+ - * / ** ^`, parentheses, names and calls with one argument. The Unicode minus, `×`,
    `·`, `÷`, `√` and superscript powers are read as they look. A decimal comma is an error, not two numbers.

    Args:
        text: The typed text, at most 200 characters.

    Raises:
        ExpressionError: The text is empty, too long or not arithmetic.
    """
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"the text is longer than {_MAX_LENGTH} characters; shorten it")
    plain = as_read(text)
    if not plain:
        raise ExpressionError("the text is empty; type a number or a formula")
    try:
        with warnings.catch_warnings(action="ignore"):  # the parser warns about texts such as `2or 3`
            tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        offset = error.offset if isinstance(error, SyntaxError) else None
        span = None if not offset else (offset - 1, offset)
        message = f"`{text.strip()}` is not valid arithmetic; write a product with `*`, as in 2*x"
        raise ExpressionError(message, span) from None
    if not plain.isascii():
        _count_characters(tree, plain.encode())
    return tree


def _count_characters(tree: ast.expr, encoded: bytes) -> None:
    """Convert the columns of a tree from bytes, which the parser counts, to characters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.col_offset = len(encoded[: node.col_offset].decode())
            node.end_col_offset = len(encoded[: node.end_col_offset].decode())


def evaluate(expression: ast.expr | str, variables: Mapping[str, float] | None = None) -> float:
    """Evaluate arithmetic in float64.

    Args:
        expression: Typed text, or the result of `parse`.
        variables: The values by name; a variable hides the constant of the same name.

    Returns:
        A finite float.

    Raises:
        ExpressionError: The expression uses something unknown.
        NoValueError: The expression has no finite real value.
    """
    tree = parse(expression) if isinstance(expression, str) else expression
    try:
        value = compute(tree, variables or {}, _FLOATS)
    except ZeroDivisionError:
        raise NoValueError("the expression divides by zero") from None
    except OverflowError:
        raise NoValueError("the value of the expression is too large") from None
    except ExpressionError:
        raise
    except ValueError:
        raise NoValueError("there is no real value; check roots, logarithms and powers of negative numbers") from None
    if not math.isfinite(value):
        raise NoValueError("the value of the expression is not finite")
    return value


def compute(tree: ast.expr, variables: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:
    """Evaluate parsed arithmetic in values of any type, with operands from left to right.

    Args:
        tree: The result of `parse`.
        variables: The values by name; a variable hides the constant of the same name.
        arithmetic: The meaning of the operations.

    Raises:
        ExpressionError: The expression uses something unknown; the error's span is set.
    """

    def value(node: ast.expr) -> T:
        match node:
            case ast.Constant(value=bool()):
                raise _at(node, "use numbers, not True or False")
            case ast.Constant(value=int() | float() as number):
                return arithmetic.number(float(number))
            case ast.Name(id=name) if name in variables:
                return variables[name]
            case ast.Name(id=name) if name in _CONSTANTS:
                return arithmetic.number(_CONSTANTS[name])
            case ast.Name(id=name):
                known = ", ".join(f"`{v}`" for v in variables)
                raise _at(node, f"`{name}` is unknown" + (f"; the variables are {known}" if known else ""))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return applied(node, arithmetic.negate, operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return value(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in arithmetic.binary:
                return applied(node, arithmetic.binary[type(op)], left, right)
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in arithmetic.functions:
                return applied(node, arithmetic.functions[name], argument)
            case ast.Call(func=ast.Name(id=name)):
                if name in arithmetic.functions:
                    raise _at(node, f"`{name}` takes exactly one argument")
                raise _at(node, f"no function `{name}`; the functions are {', '.join(arithmetic.functions)}")
            case ast.Call():
                raise _at(node, "write a product with `*`, as in 2*(x + 1)")
            case ast.Tuple():
                raise _at(node, "type one number, with a decimal point and not a comma")
            case _:
                raise _at(node, "use only numbers, + - * / ^, parentheses and functions")

    def applied(node: ast.expr, operation: Callable[..., T], *operands: ast.expr) -> T:
        values = [value(o) for o in operands]
        try:
            return operation(*values)
        except NoValueError as error:
            if error.span is None:  # the operation knows the error, but not its place
                error.span = _span(node)
            raise

    return value(tree)


def _at(node: ast.expr, message: str) -> ExpressionError:
    return ExpressionError(message, _span(node))


def _span(node: ast.expr) -> tuple[int, int]:
    """Return the place of a node, in characters."""
    return node.col_offset, node.end_col_offset or node.col_offset + 1
