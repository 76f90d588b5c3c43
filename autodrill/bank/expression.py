"""Arithmetic that a person types, evaluated without running code and without ever hanging."""

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
    # Unlike **, it stays in floats, where no power takes long, and refuses to go complex.
    ast.Pow: math.pow,
}
_AS_ASCII = str.maketrans(
    {
        "−": "-",
        "–": "-",  # what phones and word processors make of a minus
        "×": "*",
        "·": "*",
        "⋅": "*",
        "÷": "/",
        "∕": "/",
        "⁄": "/",
        "√": " sqrt ",
        "\u00a0": " ",
        "\u202f": " ",
        "\n": " ",  # a place is then a column
        "\r": " ",
    }
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_ROOT_OF_ATOM = re.compile(r"\bsqrt\s+([\w.]+)(?![\w.]|\s*\()")


class ExpressionError(ValueError):
    """What was typed is not arithmetic that can be evaluated; the message says why in a person's words.

    Attributes:
        span: Where, as the first character and the one after the last of `as_read(text)`, or None.
    """

    def __init__(self, message: str, span: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.span = span


class NoValueError(ExpressionError):
    """It is arithmetic, but it has no finite real value, or none at these values of its variables."""


@dataclass(frozen=True, slots=True)
class Arithmetic(Generic[T]):
    """What typed arithmetic means for one kind of value.

    Attributes:
        number: Makes a value of a number that was typed.
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
    """Return what was typed with the signs of mathematics in the form they are parsed in: `3² × x` is `3**2 * x`."""
    plain = _SUPERSCRIPT_RUN.sub(lambda run: "**" + run[0].translate(_SUPERSCRIPTS), text)
    return _ROOT_OF_ATOM.sub(r"sqrt(\1)", plain.translate(_AS_ASCII)).replace("^", "**").strip()


def parse(text: str) -> ast.expr:
    """Parse typed arithmetic.

    Accepts numbers, `+ - * / ** ^`, parentheses, names and one-argument calls; the Unicode minus, `×`, `·`, `÷`, `√`
    and superscript powers mean what they look like. A decimal comma is refused rather than read as two numbers.

    Args:
        text: What was typed, at most 200 characters.

    Raises:
        ExpressionError: It is empty, too long or not arithmetic.
    """
    if len(text) > _MAX_LENGTH:
        raise ExpressionError(f"longer than {_MAX_LENGTH} characters")
    plain = as_read(text)
    if not plain:
        raise ExpressionError("nothing typed")
    try:
        with warnings.catch_warnings(action="ignore"):  # the parser has remarks on what a person types
            tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        offset = error.offset if isinstance(error, SyntaxError) else None
        span = None if not offset else (offset - 1, offset)
        message = f"`{text.strip()}` cannot be read; a product is written with `*`, as in 2*x"
        raise ExpressionError(message, span) from None
    if not plain.isascii():
        _count_characters(tree, plain.encode())
    return tree


def _count_characters(tree: ast.expr, encoded: bytes) -> None:
    """Make the columns of a tree count characters; the parser counts bytes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.col_offset = len(encoded[: node.col_offset].decode())
            node.end_col_offset = len(encoded[: node.end_col_offset].decode())


def evaluate(expression: ast.expr | str, variables: Mapping[str, float] | None = None) -> float:
    """Evaluate arithmetic in float64.

    Args:
        expression: Typed text, or what `parse` made of it.
        variables: Name to value; a variable hides the constant of the same name.

    Returns:
        A finite float.

    Raises:
        ExpressionError: It uses something unknown.
        NoValueError: It has no finite real value.
    """
    tree = parse(expression) if isinstance(expression, str) else expression
    try:
        value = compute(tree, variables or {}, _FLOATS)
    except ZeroDivisionError:
        raise NoValueError("division by zero") from None
    except OverflowError:
        raise NoValueError("too large a number") from None
    except ExpressionError:
        raise
    except ValueError:
        raise NoValueError("no real value there (a root, logarithm or fractional power of a negative?)") from None
    if not math.isfinite(value):
        raise NoValueError("not a finite number")
    return value


def compute(tree: ast.expr, variables: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:
    """Compute with parsed arithmetic in values of any kind; operands are computed from left to right.

    Args:
        tree: What `parse` made of typed text.
        variables: Name to value; a variable hides the constant of the same name.
        arithmetic: What the operations mean.

    Raises:
        ExpressionError: It uses something unknown; its span is set.
    """

    def value(node: ast.expr) -> T:
        match node:
            case ast.Constant(value=bool()):
                raise _at(node, "only numbers can be computed with")
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
                allowed = ", ".join(arithmetic.functions)
                raise _at(node, f"`{name}` is not one of the functions {allowed}, of one argument each")
            case ast.Call():
                raise _at(node, "a product is written with `*`, as in 2*(x + 1)")
            case ast.Tuple():
                raise _at(node, "one number is wanted; write a decimal point, not a comma")
            case _:
                raise _at(node, "only numbers, + - * / ^, parentheses and functions can be used")

    def applied(node: ast.expr, operation: Callable[..., T], *operands: ast.expr) -> T:
        values = [value(o) for o in operands]
        try:
            return operation(*values)
        except NoValueError as error:
            if error.span is None:  # an operation knows what is wrong, and only this place where
                error.span = _span(node)
            raise

    return value(tree)


def _at(node: ast.expr, message: str) -> ExpressionError:
    return ExpressionError(message, _span(node))


def _span(node: ast.expr) -> tuple[int, int]:
    """Return where a node stands, in characters."""
    return node.col_offset, node.end_col_offset or node.col_offset + 1
