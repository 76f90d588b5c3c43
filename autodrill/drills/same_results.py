"""Mutants that compute the same by construction: a transposed vector, the last axis by another number, an equal size.

Some are known from the syntax alone. For others the shapes decide. Such a mutant has a *probe*: the right program that
raises AssertionError where the mutant would compute something else. If the probe passes all cases, so does the mutant.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodrill.drills.syntax_place import Place

__all__ = ["PROBING", "is_same_by_syntax", "probe"]

PROBING = """import numpy as _np


def _flat(array):
    assert _np.ndim(array) < 2
    return array


def _alike(old, new, read):
    assert read(old) == read(new)
    return old


def _one_axis(index, old, new, axes):
    assert old % axes == new % axes
    return index


def _refilled(make):
    def made(*arguments, **options):
        array = make(*arguments, **options)
        assert array.dtype.kind != "b"
        array[...] = _np.nan if array.dtype.kind in "fc" else 99
        return array

    return made


"""
"""The functions that a probe calls. `_refilled` fills an array whose first values are said to be overwritten."""

_SIZES = ("shape", "size", "ndim")
_LIKE = ("zeros_like", "ones_like", "empty_like")
_FILLED = ("zeros", "ones", *_LIKE)
_MORE_AXES = {"expand_dims": 1, "stack": 0, "concatenate": -1}
"""The number of axes that `axis` counts, minus that of the first argument as an array; 0 for other functions."""


def is_same_by_syntax(at: Place, replacement: ast.AST) -> bool:
    """Whether a replacement computes the same for any input: NumPy infers any one negative size in `reshape`."""
    old, new = _number(at.node), _number(replacement)
    place, above = at.node, at.ancestors
    if isinstance(at.parent, ast.UnaryOp) and isinstance(at.parent.op, ast.USub) and old is not None:
        old, new = -old, None if new is None else -new
        place, above = at.parent, at.ancestors[1:]
    if isinstance(above[0], ast.Tuple):
        others, above = above[0].elts, above[1:]
    elif isinstance(above[0], ast.Call):
        others = above[0].args
    else:
        return False
    call = above[0]
    if not isinstance(call, ast.Call) or _called(call) != "reshape" or old is None or new is None or new >= 0:
        return False
    return all((size := _number(other)) is None or size >= 0 for other in others if other is not place)


def probe(at: Place, replacement: ast.AST) -> ast.AST | None:
    """Return what to put in place of a node to probe a replacement, or None if shapes do not decide.

    Args:
        at: The node.
        replacement: What the mutant has in its place.
    """
    return (
        _of_transpose(at.node, replacement)
        or _of_axis(at, replacement)
        or _of_size(at, replacement)
        or _of_filling(at, replacement)
    )


def _of_transpose(old: ast.AST, new: ast.AST) -> ast.AST | None:
    match old, new:
        case _, ast.Attribute(value=value, attr="T") if value is old:
            return _call("_flat", value)
        case ast.Attribute(value=value, attr="T"), _ if value is new:
            return ast.Attribute(_call("_flat", value), "T", ast.Load())
        case ast.BinOp(op=ast.MatMult()), ast.BinOp(op=ast.MatMult()):
            sides = {
                side: _call("_flat", getattr(old, side))
                for side in ("left", "right")
                if getattr(new, side) is not getattr(old, side)
                and getattr(getattr(new, side), "value", None) is getattr(old, side)
            }
            if len(sides) == 1:
                probing = copy.copy(old)
                setattr(probing, *next(iter(sides.items())))
                return probing
    return None


def _of_axis(at: Place, replacement: ast.AST) -> ast.AST | None:
    """Probe a number that means an axis, or the index of a shape: it may count from either end."""
    old, new = _number(at.node), _number(replacement)
    if old is None or new is None:
        return None
    above, sign = at.ancestors, 1
    if isinstance(above[0], ast.UnaryOp) and isinstance(above[0].op, ast.USub):
        above, sign = above[1:], -1
    match above[0]:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape")):
            axes: ast.expr = _call("_np.ndim", array)
        case ast.keyword(arg="axis") | ast.Tuple():
            call = next((a for a in above[1:3] if isinstance(a, ast.Call)), None)
            if call is None or at.keyword != "axis" or not isinstance(call.func, ast.Attribute):
                return None
            is_numpy = isinstance(call.func.value, ast.Name) and call.func.value.id in ("np", "numpy")
            if is_numpy and not call.args:
                return None
            more = ast.Constant(_MORE_AXES.get(call.func.attr, 0))
            axes = ast.BinOp(_call("_np.ndim", call.args[0] if is_numpy else call.func.value), ast.Add(), more)
        case _:
            return None
    return _call("_one_axis", ast.Constant(old), ast.Constant(sign * old), ast.Constant(sign * new), axes)


def _of_size(at: Place, replacement: ast.AST) -> ast.AST | None:
    """Probe another array of which only a size is read."""
    if not isinstance(at.node, ast.Name) or not isinstance(replacement, ast.Name):
        return None
    item = ast.Name("_item", ast.Load())
    match at.parent:
        case ast.Attribute(attr=attr) if attr in _SIZES:
            read: ast.expr = ast.Attribute(item, attr, ast.Load())
            if isinstance(above := at.ancestors[1], ast.Subscript) and above.value is at.parent:
                read = ast.Subscript(read, above.slice, ast.Load())
        case ast.Call(func=ast.Name(id="len")):
            read = _call("len", item)
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _LIKE and first is at.node:
            parts: list[ast.expr] = [ast.Attribute(item, part, ast.Load()) for part in ("shape", "dtype")]
            read = ast.Tuple(parts, ast.Load())
        case _:
            return None
    taken = ast.arguments(posonlyargs=[], args=[ast.arg("_item")], kwonlyargs=[], kw_defaults=[], defaults=[])
    return _call("_alike", at.node, replacement, ast.Lambda(taken, read))


def _of_filling(at: Place, replacement: ast.AST) -> ast.AST | None:
    """Probe whether the first values of an array matter: the probe makes them NaN."""
    names = [getattr(node, "attr", getattr(node, "id", None)) for node in (at.node, replacement)]
    if isinstance(at.parent, ast.Call) and at.parent.func is at.node and isinstance(at.node, ast.expr):
        return _call("_refilled", at.node) if all(name in _FILLED for name in names) else None
    return None


def _number(node: ast.AST) -> int | None:
    """Return the integer that a node writes, or None."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a function, whose name may have a module in front."""
    return ast.Call(ast.parse(name, mode="eval").body, list(arguments), [])
