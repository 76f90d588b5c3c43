"""Repair search: the one small change that makes a wrong answer right, which shows the faulty line."""

from __future__ import annotations

import ast
import copy
import itertools
from contextlib import closing
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.drills.mutants import each_mutant
from autodrill.drills.rewrites import REWRITES, Operator
from autodrill.errors import InternalError
from autodrill.grading.cases.case_set import put_once
from autodrill.grading.diagnosis.mutation_messages import BOUNDS, TELLING, line_rule
from autodrill.sandbox.outcomes import Loaded

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.drills.mutants import Mutant
    from autodrill.drills.syntax_place import Place
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.runner import Runner

__all__ = ["is_vague", "repaired", "says_more"]

_TRIES = 1000
"""Number of loads, and of calls in the case shown, that the search may make: see `mutation_search`."""

_CALL_SECONDS = 0.25
"""Time limit of one load or call, a thousand times what it needs."""

_ENDS = 10
"""How often a changed program may end its process, by an endless loop for example, before the search stops."""

_LINES, _MOST = 3, 8
"""The most lines that a message names, and the most changes that are looked at. With more, the place is unclear."""

_LONGEST = 6000
"""A file is searched if it has at most this number of characters."""

_SHOWN_BY_ONE_CALL = {FaultKind.VALUE, FaultKind.SHAPE, FaultKind.NOT_FINITE, FaultKind.WRONG, FaultKind.RAISED}

_VAGUE = {
    "approximate",
    "at-the-kink",
    "factor-in-places",
    "inner-sizes",
    "large-only",
    "large-values",
    "misplaced",
    "missing",
    "nan-where-finite",
    "off-by-constant",
    "off-by-term",
    "one-class",
    "one-option",
    "order",
    "reshape-size",
    "shape",
    "shapes-do-not-align",
    "size-one",
    "square-only",
    "unknown-factor",
    "wrong-where",
    "zero-in-places",
}
"""General rules that describe the results and not the mistake."""

_SMALL = 0.01
"""A constant smaller than this may be an epsilon, a tolerance or the step of a difference quotient."""

_NEARLY_RIGHT = {"approximate", "wrong-where"}
"""Vague rules of answers that are nearly right."""

_LOW = 100.0
"""Size from which a negative constant may take the place of -∞."""


def is_vague(rule: Rule | None) -> bool:
    """Whether a repair would say more than a rule."""
    if rule is None:
        return True
    somewhere = rule.key == "zero" and rule.because.startswith(("in some cases", "where "))
    return not rule.known and (rule.key in _VAGUE or somewhere)


def says_more(repair: Rule, rule: Rule | None) -> bool:
    """Whether the rule of a repair says more than a vague one.

    If an answer is nearly right, that rule says what the error looks like. Only few changes are better.
    """
    return rule is None or rule.key not in _NEARLY_RIGHT or repair.key in TELLING


def repaired(
    runner: Runner,
    drill: Drill,
    source: bytes,
    failing: Sequence[Observation],
    passing: Sequence[Observation],
    *,
    tries: int = _TRIES,
) -> Rule | None:
    """Return the rule of the small changes of a submission that make every small case right, or None.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        drill: The exercise.
        source: The candidate's file.
        failing: All observations with a fault, the one to be shown first; never empty.
        passing: All observations without one, none of them large.
        tries: Number of loads, and of calls in the case shown, before giving up.
    """
    shown = failing[0]
    if runner.finished or runner.has_ranks or drill.kind.on_device or b"torch" in source or b"jax" in source:
        return None
    if shown.fault is None or shown.fault.kind not in _SHOWN_BY_ONE_CALL or shown.case.large:
        return None
    asked = [shown, *(o for o in (*failing[1:], *passing) if not o.case.large)]
    found: list[Mutant] = []
    with closing(_right_ones(runner, drill, source, asked, tries)) as right:
        for mutant in right:
            found.append(mutant)
            if len({each.line for each in found}) > _LINES or len(found) == _MOST:
                break
    return line_rule(found) if 0 < len({each.line for each in found}) <= _LINES else None


def _right_ones(runner: Runner, drill: Drill, source: bytes, asked: list[Observation], tries: int) -> Generator[Mutant]:
    """Yield the changes of a submission that make every case asked right."""
    entry, scenario = runner.called
    changes, left, ended = _changes(source, drill), itertools.count(tries, -2), 0
    while ended < _ENDS:
        with runner.sibling(runner.limits) as other:
            for mutant in changes:
                if _is_other_step(mutant):
                    continue
                if next(left) <= 0:
                    return
                code = mutant.source.encode()
                loaded = other.load(code, drill.exercise.path.name, entry, scenario, seconds=_CALL_SECONDS)
                if isinstance(loaded, Loaded) and all(_is_right(other, drill, o) for o in asked):
                    yield mutant
                if other.finished:
                    ended += 1
                    break
            else:
                return


def _is_other_step(mutant: Mutant) -> bool:
    """Whether a change makes a small constant large: a difference quotient can be exact for a large step."""
    match mutant.old, mutant.new:
        case ast.Constant(value=float() as old), ast.Constant(value=float() as new):
            return 0 < abs(old) < _SMALL <= abs(new)
    return False


def _is_right(runner: Runner, drill: Drill, o: Observation) -> bool:
    if runner.finished:
        return False
    try:
        return put_once(runner, drill, o.case, o.expected, seconds=_CALL_SECONDS).fault is None
    except InternalError:
        return False


def _changes(source: bytes, drill: Drill) -> Iterator[Mutant]:
    """Yield the changes of a file that one small mistake would need; none for a file that is too long or unusual."""
    try:
        text = source.decode()
        if len(text) > _LONGEST:
            return
        for rewrites in ((*REWRITES, *_REPAIRS), _VARIABLES):
            yield from each_mutant(text, cotangents=drill.solution.cotangents, rewrites=rewrites)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


# -- rewrites that only a repair needs ---------------------------------------------------------------------------------


def _unbounded(at: Place) -> Iterator[ast.AST]:
    """Remove a bound, such as that of `clip`, or a branch of `where`."""
    match at.node:
        case ast.Call(func=ast.Name(id="max" | "min")) if _is_divisor(at):
            return  # another length of a chunk can hide any mistake in the chunks
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args) if name in BOUNDS | {"max", "min"}:
            yield from (each for each in args if not isinstance(each, ast.Constant | ast.UnaryOp | ast.Starred))
            if isinstance(at.node.func, ast.Attribute) and name == "clip":
                yield at.node.func.value
        case ast.Call(func=ast.Attribute(attr="where"), args=[_, one, other]):
            yield from (one, other)


def _along_last_axis(at: Place) -> Iterator[ast.AST]:
    """Let a reduction of the whole array work along the last axis."""
    match at.node:
        case ast.Call(func=ast.Attribute(attr="max" | "amax" | "min" | "sum" | "mean"), keywords=[]) as call:
            other = copy.copy(call)
            other.keywords = [ast.keyword("axis", ast.Constant(-1)), ast.keyword("keepdims", ast.Constant(True))]
            yield other
        case ast.Constant(value=int(axis)) if at.keyword == "axis" and not isinstance(axis, bool) and axis >= 0:
            yield ast.UnaryOp(ast.USub(), ast.Constant(1))


def _exact(at: Place) -> Iterator[ast.AST]:
    """Remove a small constant, such as an epsilon or a tolerance, or compare exactly instead of by `isclose`."""
    match at.node:
        case ast.Constant(value=float() as number) if 0 < number < _SMALL:
            yield ast.Constant(0.0)
        case ast.Call(func=ast.Attribute(attr="isclose"), args=[one, other, *_]):
            yield ast.Compare(one, [ast.Eq()], [other])


def _infinite(at: Place) -> Iterator[ast.AST]:
    """Replace a large negative constant by -∞."""
    match at.node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if number >= _LOW:
            yield ast.UnaryOp(ast.USub(), ast.Call(ast.Name("float"), [ast.Constant("inf")], []))


def _times_parameter(at: Place) -> Iterator[ast.AST]:
    """Multiply a result by a parameter, or divide it."""
    if (at.is_result or at.is_contribution) and isinstance(at.node, ast.expr):
        for name in at.parameters:
            yield from (ast.BinOp(at.node, op, ast.Name(name)) for op in (ast.Mult(), ast.Div()))


def _each_contribution(at: Place) -> Iterator[ast.AST]:
    """Let `+=` and `-=` at an array of indices count an index as often as it occurs."""
    match at.node:
        case ast.AugAssign(target=ast.Subscript(value=array, slice=index), op=ast.Add() | ast.Sub() as op, value=value):
            if not isinstance(index, ast.Slice | ast.Constant):
                function = "add" if isinstance(op, ast.Add) else "subtract"
                at_indices = ast.Attribute(ast.Attribute(ast.Name("np"), function), "at")
                yield ast.Expr(ast.Call(at_indices, [array, index, value], []))


def _once_more(at: Place) -> Iterator[ast.AST]:
    """Multiply or divide by a factor once more."""
    match at.node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            factors = (right, left) if isinstance(op, ast.Mult) else (right,)
            yield from (ast.BinOp(at.node, op, each) for each in factors if isinstance(each, ast.Name | ast.Attribute))


def _half_or_double(at: Place) -> Iterator[ast.AST]:
    """Multiply a summand by 2, or divide it by 2."""
    summand = isinstance(at.parent, ast.BinOp) and isinstance(at.parent.op, ast.Add | ast.Sub)
    if summand and isinstance(at.node, ast.expr) and not isinstance(at.node, ast.Constant):
        yield from (ast.BinOp(at.node, op, ast.Constant(2)) for op in (ast.Mult(), ast.Div()))


def _variable(at: Place) -> Iterator[ast.AST]:
    """Replace a variable by another one of the function. `_size` replaces those that are sizes."""
    match at.node:
        case ast.Name(id=name, ctx=ast.Load()):
            function = next((a for a in at.ancestors if isinstance(a, ast.FunctionDef)), None)
            called = isinstance(at.parent, ast.Call) and at.parent.func is at.node
            if function is None or called:
                return
            names = {*_stored(function), *at.parameters} - _sizes(function)
            if name in names:
                yield from (ast.Name(other) for other in sorted(names - {name}))


def _size(at: Place) -> Iterator[ast.AST]:
    """Replace a size by another size of the functions around it."""
    match at.node:
        case ast.Name(id=name, ctx=ast.Load()):
            functions = [a for a in at.ancestors if isinstance(a, ast.FunctionDef)]
            sizes = set[str]().union(*map(_sizes, functions))
            if name in sizes:
                yield from (ast.Name(other) for other in sorted(sizes - {name}))


def _stored(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _sizes(function: ast.FunctionDef) -> set[str]:
    """Return the variables that a function takes from a shape or a length."""
    found = (n for n in ast.walk(function) if isinstance(n, ast.Assign) and _is_size(n.value))
    return set[str]().union(*(_stored(target) for assign in found for target in assign.targets))


def _is_divisor(at: Place) -> bool:
    """Whether the function divides by the variable that gets the value, rounded down: the length of a chunk, say."""
    match at.parent:
        case ast.Assign(targets=[ast.Name(id=name)]):
            function = next((a for a in at.ancestors if isinstance(a, ast.FunctionDef)), None)
            divisions = (n for n in ast.walk(function or at.parent) if isinstance(n, ast.BinOp))
            return any(isinstance(n.op, ast.FloorDiv) and getattr(n.right, "id", "") == name for n in divisions)
    return False


def _is_size(value: ast.expr) -> bool:
    match value:
        case ast.Attribute(attr="shape" | "size") | ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Tuple(elts=items):
            return all(map(_is_size, items))
    return False


_REPAIRS = (
    (Operator.FUNCTION, _unbounded),
    (Operator.AXIS, _along_last_axis),
    (Operator.CONSTANT, _exact),
    (Operator.CONSTANT, _infinite),
    (Operator.ASSIGN, _each_contribution),
    (Operator.OPERAND, _size),
    (Operator.FACTOR, _times_parameter),
    (Operator.FACTOR, _once_more),
    (Operator.FACTOR, _half_or_double),
)
_VARIABLES = ((Operator.OPERAND, _variable),)
