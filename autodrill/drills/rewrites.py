"""Rewrites: small changes that make right code wrong. Each takes a node of a syntax tree and yields replacements."""

from __future__ import annotations

import ast
import copy
import itertools
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.drills.syntax_place import Place

    Rewrite = Callable[[Place], Iterator[ast.AST]]

__all__ = ["REWRITES", "Operator"]

_Node = TypeVar("_Node", bound=ast.AST)


class Operator(StrEnum):
    """The kinds of changes, each named after a common mistake."""

    SIGN = "sign"
    FACTOR = "factor"
    SWAP = "swap"
    TRANSPOSE = "transpose"
    AXIS = "axis"
    SUM = "missing sum"
    TERM = "missing term"
    ASSIGN = "assign"
    COMPARISON = "comparison"
    CONDITION = "condition"
    OPERAND = "operand"
    UPSTREAM = "upstream"
    OFF_BY_ONE = "off by one"
    CONSTANT = "constant"
    COPY = "copy"
    ORDER = "order"
    FUNCTION = "function"
    STATEMENT = "statement"


_OPPOSITE: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.MatMult: ast.Mult,
}
_ORDERED = (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_PAIRS = (
    ("max", "min"),
    ("maximum", "minimum"),
    ("argmax", "argmin"),
    ("any", "all"),
    ("ones", "zeros"),
    ("ones_like", "zeros_like"),
    ("sum", "mean"),
    ("exp", "log"),
    ("sin", "cos"),
)
_OTHER_NAME = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_RESHAPING = ("reshape", "astype", "ravel", "squeeze", "flatten")


def _sign(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
            yield _opposite(at.node)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield operand
    if at.is_result and isinstance(at.node, ast.expr):
        yield ast.UnaryOp(ast.USub(), at.node)


def _factor(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.MatMult(), right=right):
            yield from (left, right, _opposite(at.node))
        case ast.BinOp(left=left, op=ast.Div()):
            yield from (left, _opposite(at.node))
        case ast.BinOp(left=left, op=ast.Pow()):
            yield left
        case ast.AugAssign(op=ast.Mult() | ast.Div()):
            yield _opposite(at.node)
    if (at.is_result or at.is_contribution) and isinstance(at.node, ast.expr):
        yield ast.BinOp(ast.Constant(2), ast.Mult(), at.node)


def _swap(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.BinOp(left=left, op=ast.Sub() | ast.Div() | ast.MatMult() | ast.Pow(), right=right):
            yield _with(at.node, left=right, right=left)
        case ast.Call(args=items):
            alike = (i for i, (a, b) in enumerate(itertools.pairwise(items)) if type(a) is type(b))
            yield from (_with(at.node, args=_exchanged(items, i)) for i in alike)
        case ast.Tuple(elts=items) if isinstance(at.parent, ast.Return):
            yield from (_with(at.node, elts=_exchanged(items, i)) for i in range(len(items) - 1))
        case ast.Dict(values=items) if isinstance(at.parent, ast.Return):
            yield from (_with(at.node, values=_exchanged(items, i)) for i in range(len(items) - 1))


def _transpose(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Attribute(value=array, attr="T"):
            yield array
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            if not _is_transposed(left):
                yield _with(at.node, left=ast.Attribute(left, "T"))
            if not _is_transposed(right):
                yield _with(at.node, right=ast.Attribute(right, "T"))
    if at.is_result and isinstance(at.node, ast.BinOp | ast.Call):
        yield ast.Attribute(at.node, "T")


def _axis(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.keyword(arg="axis", value=value) if not isinstance(value, ast.Constant) or value.value is not None:
            yield _with(at.node, value=ast.Constant(None))
        case ast.Constant(value=int(axis)) if at.keyword == "axis" and not isinstance(axis, bool):
            yield from (ast.Constant(axis + 1), ast.Constant(axis - 1))
        case ast.Constant(value=bool(keepdims)) if at.keyword == "keepdims":
            yield ast.Constant(not keepdims)


def _sum(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Call(func=ast.Attribute(value=owner, attr="sum" | "mean" as name) as function, args=args):
            is_numpy = isinstance(owner, ast.Name) and owner.id in ("np", "numpy")
            yield args[0] if is_numpy else owner
            yield _with(at.node, func=_with(function, attr=_OTHER_NAME[name]))


def _term(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (left, right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from (left, ast.UnaryOp(ast.USub(), right))


def _assign(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.AugAssign(target=target, value=value):
            yield ast.Assign([target], value, lineno=at.node.lineno)
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            yield ast.AugAssign(target, ast.Add(), value)


def _comparison(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Compare(ops=[op]) if type(op) in _NEGATED:
            yield _with(at.node, ops=[_NEGATED[type(op)]()])
        case ast.Compare(ops=[op]):
            yield from (_with(at.node, ops=[other()]) for other in _ORDERED if not isinstance(op, other))


def _condition(at: Place) -> Iterator[ast.AST]:
    if isinstance(at.parent, ast.If | ast.IfExp | ast.While) and at.node is at.parent.test:
        yield ast.Constant(False)
        if not isinstance(at.parent, ast.While):  # an endless loop shows no more than a skipped one
            yield ast.Constant(True)
    if isinstance(at.parent, ast.comprehension) and at.node in at.parent.ifs:
        yield from (ast.Constant(False), ast.Constant(True))
    match at.node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BoolOp(op=op, values=values):
            yield _with(at.node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from values


def _operand(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Name(id=name, ctx=ast.Load()) if name in at.parameters and not _is_asked_for_its_dtype(at):
            yield from (_with(at.node, id=other) for other in at.parameters if other != name)
        case ast.Attribute(attr="data"):
            yield _with(at.node, attr="grad")
        case ast.Attribute(attr="grad"):
            yield _with(at.node, attr="data")


def _upstream(at: Place) -> Iterator[ast.AST]:
    described = isinstance(at.parent, ast.Attribute) and at.parent.attr in ("shape", "ndim", "size", "dtype")
    match at.node:
        case ast.Name(id=name, ctx=ast.Load()) if name in at.cotangents and not described:
            yield ast.BinOp(at.node, ast.Pow(), ast.Constant(0))  # ones of its shape and dtype, for numbers and arrays
        case ast.Attribute(value=ast.Name(id="out"), attr="grad", ctx=ast.Load()):
            yield ast.Constant(1.0)


def _off_by_one(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1))
        case ast.expr() as bound if _bounds(at) and not isinstance(bound, ast.Constant | ast.Starred):
            yield from (ast.BinOp(bound, op, ast.Constant(1)) for op in (ast.Add(), ast.Sub()))


def _constant(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Constant(value=bool(truth)):
            yield ast.Constant(not truth)
        case ast.Constant(value=int() | float() as number):
            swapped = [type(number)(1 - number)] if number in (0, 1) else []
            is_negated = isinstance(at.parent, ast.UnaryOp) and isinstance(at.parent.op, ast.USub)
            negated = [-number] if number and not is_negated else []  # `--1` is `1`, which `sign` makes of `-1`
            yield from map(ast.Constant, [*swapped, number + 1, *negated])


def _copy(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Call(func=ast.Attribute(value=array, attr="copy"), args=[]):
            yield array
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="array" | "copy"), args=[array, *_]):
            yield array


def _order(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Call(func=ast.Name(id="reversed" | "sorted"), args=[items]):
            yield items
        case ast.Subscript(value=items, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            yield items


def _function(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _OTHER_NAME and _is_called(at):
            field = "id" if isinstance(at.node, ast.Name) else "attr"
            yield _with(at.node, **{field: _OTHER_NAME[name]})
        case ast.Call(func=ast.Attribute(value=array, attr=name)) if name in _RESHAPING:
            yield array
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np")), args=[argument, _, *_]):
            yield argument
        case ast.Call(args=[argument], keywords=[]) if not isinstance(at.parent, ast.Expr):
            if not isinstance(argument, ast.Constant | ast.Starred):
                yield argument


def _statement(at: Place) -> Iterator[ast.AST]:
    match at.node:
        case ast.Expr(value=ast.Constant()) | ast.FunctionDef() | ast.ClassDef() | ast.Nonlocal() | ast.Global():
            return
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return
        case ast.Assign(targets=[ast.Name() | ast.Tuple() as target], value=value):
            read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
            if not read & {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}:
                return  # the only binding: without it, the mutant would just raise a NameError
    if isinstance(at.node, ast.stmt):
        yield ast.Pass()


def _with(node: _Node, **changes: Any) -> _Node:
    other = copy.copy(node)
    for field, value in changes.items():
        setattr(other, field, value)
    return other


def _opposite(node: ast.BinOp | ast.AugAssign) -> ast.AST:
    return _with(node, op=_OPPOSITE[type(node.op)]())


def _exchanged(items: list[ast.expr], first: int) -> list[ast.expr]:
    return [*items[:first], items[first + 1], items[first], *items[first + 2 :]]


def _is_transposed(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "T"


def _bounds(at: Place) -> bool:
    """Whether the node is a bound of a slice or of a range."""
    match at.parent:
        case ast.Slice(lower=lower, upper=upper):
            return at.node in (lower, upper)
        case ast.Call(func=ast.Name(id="range") | ast.Attribute(attr="arange"), args=args):
            return at.node in args
    return False


def _is_asked_for_its_dtype(at: Place) -> bool:
    """Whether only the dtype of a parameter is used: all floating inputs of a case share one dtype."""
    return isinstance(at.parent, ast.Attribute) and at.parent.attr == "dtype"


def _is_called(at: Place) -> bool:
    return isinstance(at.parent, ast.Call) and at.parent.func is at.node


REWRITES: tuple[tuple[Operator, Rewrite], ...] = (
    (Operator.SIGN, _sign),
    (Operator.FACTOR, _factor),
    (Operator.SWAP, _swap),
    (Operator.TRANSPOSE, _transpose),
    (Operator.AXIS, _axis),
    (Operator.SUM, _sum),
    (Operator.TERM, _term),
    (Operator.ASSIGN, _assign),
    (Operator.COMPARISON, _comparison),
    (Operator.CONDITION, _condition),
    (Operator.OPERAND, _operand),
    (Operator.UPSTREAM, _upstream),
    (Operator.OFF_BY_ONE, _off_by_one),
    (Operator.CONSTANT, _constant),
    (Operator.COPY, _copy),
    (Operator.ORDER, _order),
    (Operator.FUNCTION, _function),
    (Operator.STATEMENT, _statement),
)
"""All rewrites. If two give the same program, the mutant gets the operator of the first."""
