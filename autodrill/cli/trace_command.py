"""`autodrill trace`: forward and reverse mode of an expression, written out line by line or drawn."""

import keyword
import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.options import Format, OutputFormat
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from autodrill.bank.expression import ExpressionError
    from autodrill.engine.tracing.tape import Tape

__all__ = ["Picture", "trace"]

_EXAMPLE = 'for example `autodrill trace "ln(x1) + x1*x2 - sin(x2)" x1=2 x2=5`'


class Picture(StrEnum):
    """The pictures of a tape."""

    TABLE = "table"
    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"


def trace(
    expression: Annotated[str, typer.Argument(metavar="EXPRESSION", help="A formula in quotes.", show_default=False)],
    point: Annotated[
        list[str], typer.Argument(metavar="NAME=VALUE...", help="Each variable and its value.", show_default=False)
    ],
    wrt: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The variable whose tangent is 1. The default is the first variable."),
    ] = None,
    picture: Annotated[
        Picture | None, typer.Option(help="Draw the tape as a table or as a graph, instead of printing the traces.")
    ] = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Trace an expression in forward and reverse mode.

    An expression consists of variables, numbers, + - * / ^, parentheses, and the functions abs cos exp ln relu sigmoid
    sin sqrt tan tanh.

    Examples:
      autodrill trace "ln(x1) + x1*x2 - sin(x2)" x1=2 x2=5
      autodrill trace "w*x + b" w=2 x=3 b=1 --wrt b
      autodrill trace "x*exp(x)" x=1 --picture svg > tape.svg
    """
    values = _values(point)
    seed = next(iter(values)) if wrt is None else wrt
    if seed not in values:
        choices = ", ".join(f"`{v}`" for v in values)
        raise UsageError(f"`{seed}` is not a variable of this expression", hint=f"with `--wrt`, name one of {choices}")
    tape = _tape(expression, values, seed)
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document
        from autodrill.render.tape_views import as_json

        drawn = None if picture is None else "\n".join(_drawn(tape, picture, expression))
        write_document("trace", expression=expression, point=values, wrt=seed, **as_json(tape), picture=drawn)
        return
    from autodrill.render.plain import say

    for line in _written(tape) if picture is None else _drawn(tape, picture, expression):
        say(line)


def _values(point: list[str]) -> dict[str, float]:
    """Read the NAME=VALUE arguments. A value can be arithmetic, such as `x=pi/2`."""
    from autodrill.bank.expression import ExpressionError, as_read, evaluate

    values: dict[str, float] = {}
    for given in point:
        name, sign, text = (part.strip() for part in given.partition("="))
        if not sign or not name.isidentifier() or keyword.iskeyword(name):
            raise UsageError(f"`{given}` is not of the form NAME=VALUE", hint=_EXAMPLE)
        if name in values:
            raise UsageError(f"`{name}` has two values", hint="give each variable one value")
        try:
            values[name] = evaluate(text)
        except ExpressionError as error:
            raise UsageError(f"the value of `{name}`: {_pointed_at(as_read(text), error)}", hint=_EXAMPLE) from None
    return values


def _tape(expression: str, values: dict[str, float], seed: str) -> "Tape":
    from autodrill.bank.expression import ExpressionError, NoValueError, as_read
    from autodrill.bank.traced_expression import FUNCTIONS, trace_expression

    try:
        return trace_expression(expression, values, seed)
    except NoValueError as error:
        raise UsageError(_pointed_at(as_read(expression), error), hint="choose another point") from None
    except ExpressionError as error:
        allowed = f"use numbers, + - * / ^, parentheses, {', '.join(values)}, and the functions {', '.join(FUNCTIONS)}"
        raise UsageError(_pointed_at(as_read(expression), error), hint=allowed) from None


def _pointed_at(text: str, error: "ExpressionError") -> str:
    """Return the error message, and below it the text with the place marked."""
    from autodrill.render.plain import ascii_only, in_ascii

    if error.span is None:
        return str(error)
    start, end = error.span
    before, place, after = text[:start], text[start:end], text[end:]
    if ascii_only(sys.stderr):
        before, place, after = in_ascii(before), in_ascii(place), in_ascii(after)
    return f"{error}\n\n  {before}{place}{after}\n  {' ' * len(before)}{'^' * max(len(place), 1)}"


def _written(tape: "Tape") -> list[str]:
    from autodrill.render.plain import Paint, ascii_only, width_of
    from autodrill.render.trace_tables import lines_of, traces

    width, plain = width_of(sys.stdout, os.environ), ascii_only(sys.stdout)
    paint = Paint.for_stream(sys.stdout, os.environ)
    lines: list[str] = []
    for title, steps in traces(tape):
        lines += ["", paint(title, "bold"), *(f"  {line}" for line in lines_of(steps, width - 2, ascii_only=plain))]
    return lines[1:]


def _drawn(tape: "Tape", picture: Picture, expression: str) -> list[str]:
    from autodrill.render.diagram import as_svg
    from autodrill.render.plain import ascii_only, clean, width_of
    from autodrill.render.tape_views import as_dot, as_mermaid, table

    match picture:
        case Picture.TABLE:
            return table(tape, width_of(sys.stdout, os.environ), ascii_only=ascii_only(sys.stdout))
        case Picture.SVG:
            text = as_svg(tape, f"The tape of {clean(expression)}")
        case Picture.DOT:
            text = as_dot(tape)
        case Picture.MERMAID:
            text = as_mermaid(tape)
    return text.splitlines()
