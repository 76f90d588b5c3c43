"""Arithmetic that a person types, evaluated without running code and without ever hanging."""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["ExpressionError", "NoValueError", "evaluate", "parse"]

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
    }
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_ROOT_OF_ATOM = re.compile(r"\bsqrt\s+([\w.]+)(?![\w.]|\s*\()")


class ExpressionError(ValueError):
    """What was typed is not arithmetic that can be evaluated; the message says why in a person's words."""


class NoValueError(ExpressionError):
    """It is arithmetic, but it has no finite real value, or none at these values of its variables."""


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
    plain = _SUPERSCRIPT_RUN.sub(lambda run: "**" + run[0].translate(_SUPERSCRIPTS), text)
    plain = _ROOT_OF_ATOM.sub(r"sqrt(\1)", plain.translate(_AS_ASCII)).replace("^", "**").strip()
    if not plain:
        raise ExpressionError("nothing typed")
    try:
        with warnings.catch_warnings(action="ignore"):  # the parser has remarks on what a person types
            return ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"`{text.strip()}` cannot be read; a product is written with `*`, as in 2*x") from None


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
        value = _value(tree, variables or {})
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


def _value(node: ast.expr, variables: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=bool()):
            raise ExpressionError("only numbers can be computed with")
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.Name(id=name):
            known = ", ".join(f"`{v}`" for v in variables)
            raise ExpressionError(f"`{name}` is unknown" + (f"; the variables are {known}" if known else ""))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, variables)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, variables)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, variables), _value(right, variables))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument, variables))
        case ast.Call(func=ast.Name(id=name)):
            raise ExpressionError(f"`{name}` is not one of the functions {', '.join(_FUNCTIONS)}, of one argument each")
        case ast.Call():
            raise ExpressionError("a product is written with `*`, as in 2*(x + 1)")
        case ast.Tuple():
            raise ExpressionError("one number is wanted; write a decimal point, not a comma")
        case _:
            raise ExpressionError("only numbers, + - * / ^, parentheses and functions can be used")
