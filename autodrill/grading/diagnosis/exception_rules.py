"""Naming the rule behind an exception: what its type and message say of shapes, axes, indices and kinds of objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule

if TYPE_CHECKING:
    from autodrill.sandbox.outcomes import Raised

__all__ = ["raised_rule"]

_ALIGN = Rule(
    "shapes-do-not-align",
    "NumPy aligns shapes from the right, and these two do not fit",
    "which axis is missing? `keepdims=True` or `None` keeps its place with size 1",
)
_NONE = Rule(
    "none-value",
    "something is None there: an option left out, or a call that returns nothing",
    "who should have given it a value, and in which case did nobody?",
)
_KINDS = Rule(
    "operand-kinds",
    "an operator meets a kind of object it is not defined for",
    "is each side a number, an array, a tuple, a list or a node?",
)
_NOT_ITERABLE = Rule(
    "not-iterable",
    "one value stands where a sequence of values is needed",
    "print it: is it what you mean to go through, or only its length, or one element?",
)
_NOT_INTEGER = Rule(
    "integer-needed",
    "a shape, an axis or a position is made of integers, and this is something else",
    "which argument is it, and what does it hold? check their order",
)
_AXIS_TWICE = Rule("axis-twice", "an axis is named twice", "print the axes: which of them are one and the same?")
_ARGUMENTS = Rule(
    "call-arguments",
    "a call does not give what the function asks for",
    "how many arguments does it take, in which order, under which names?",
)

_RAISED: tuple[tuple[str, str, Rule], ...] = (
    (
        "ValueError",
        r"non-broadcastable output",
        Rule(
            "in-place-shape",
            "an in-place operation cannot change the shape of its left side",
            "which of the two should have the larger shape? does an axis need `keepdims=True`?",
        ),
    ),
    ("ValueError|IndexError", r"could not be broadcast|could not broadcast", _ALIGN),
    (
        "ValueError",
        r"more dimensions than allowed",
        Rule(
            "too-many-axes",
            "the array has more axes than the shape it is broadcast to",
            "was an axis put back that had never been lost?",
        ),
    ),
    (
        "ValueError",
        r"^matmul: .*does not have enough dimensions",
        Rule("matrix-needs-axes", "a matrix product needs at least one axis on each side", "what became of the axes?"),
    ),
    (
        "ValueError",
        r"^matmul: |not aligned",
        Rule("inner-sizes", "the inner sizes of a matrix product must agree", "write the shape under each factor"),
    ),
    (
        "ValueError",
        r"cannot reshape array",
        Rule(
            "reshape-size",
            "a reshape keeps the number of elements: too much was summed here, or too little",
            "print the shape just before the reshape",
        ),
    ),
    ("ValueError", r"duplicate value in 'axis'|repeated axis", _AXIS_TWICE),
    (
        "ValueError",
        r"axes don't match array",
        Rule("transpose-axes", "a transpose lists every axis exactly once", "how many axes has the array there?"),
    ),
    (
        "ValueError",
        r"cannot select an axis to squeeze",
        Rule("squeeze", "only an axis of size 1 can be squeezed out", "must that axis be summed first?"),
    ),
    (
        "ValueError",
        r"truth value of an array|truth value of an empty array",
        Rule(
            "array-truth",
            "an array is neither true nor false as a whole",
            "which question did you mean: is it None? are any true? are all? or element by element?",
        ),
    ),
    (
        "ValueError",
        r"read-only",
        Rule("read-only", "the array may not be written to", "is it a view that repeats elements? copy it first"),
    ),
    (
        "ValueError",
        r"math domain error|expected a .*positive input",
        Rule("math-domain", "the function is not defined for that argument", "for which inputs can it get there?"),
    ),
    (
        "ValueError",
        r"values to unpack",
        Rule("unpacking", "there are not as many values as names for them", "print what you take apart"),
    ),
    (
        "IndexError",
        r"out of bounds|out of range",
        Rule(
            "index-out-of-range",
            "an index points past the end",
            "how long is it there, and what does the index run over?",
        ),
    ),
    (
        "IndexError",
        r"too many indices",
        Rule("too-many-indices", "there are more indices than axes", "was an axis lost before?"),
    ),
    (
        "IndexError",
        r"integer \(or boolean\)|only integers, slices|valid indices",
        Rule(
            "float-index",
            "an index is an integer, a slice or a mask, and this is something else",
            "which array holds the positions, and which the values?",
        ),
    ),
    ("IndexError", r"shape mismatch", _ALIGN),
    (
        "AxisError",
        "",
        Rule("no-such-axis", "the array has no such axis at that point", "how many axes are left by then?"),
    ),
    ("TypeError|AttributeError", r"'?NoneType'?", _NONE),
    ("TypeError", r"for \^", Rule("caret", "`^` is exclusive or in Python", "how is a power written?")),
    (
        "TypeError",
        r"converted to a scalar index|an integer is required|interpreted as an integer|must be (an integer|integers)",
        _NOT_INTEGER,
    ),
    (
        "TypeError",
        r"arrays can be converted to Python scalars|only length-1 arrays",
        Rule(
            "scalar-needed",
            "one number is needed, and this is an array of several",
            "a function of `math`, `float` or `len` of the wrong thing? NumPy's functions take arrays",
        ),
    ),
    ("TypeError", r"not iterable|non-iterable|must be an iterable|not reversible|not a sequence", _NOT_ITERABLE),
    (
        "TypeError",
        r"has no len\(\)|len\(\) of unsized object",
        Rule("no-length", "a single number has no length", "which array is it whose rows you mean to count?"),
    ),
    (
        "TypeError",
        r"not callable",
        Rule("not-callable", "something that is no function is called", "is a `*` missing before that bracket?"),
    ),
    (
        "TypeError",
        r"not subscriptable|does not support item assignment",
        Rule("not-subscriptable", "what stands before the `[` has no elements to pick", "what kind of object is it?"),
    ),
    ("TypeError", r"positional argument|keyword argument|required argument", _ARGUMENTS),
    (
        "TypeError",
        r"unsupported operand|bad operand type|not supported (between|for)|can't multiply sequence",
        _KINDS,
    ),
    (
        "UFuncTypeError|_UFunc\\w*Error|UFuncNoLoopError",
        r"did not contain a loop|No loop matching|operand type",
        _KINDS,
    ),
    (
        "UFuncTypeError|_UFunc\\w*Error",
        "",
        Rule(
            "in-place-dtype",
            "an in-place operation cannot change the dtype of its left side",
            "what dtype was the array made with?",
        ),
    ),
    (
        "AttributeError",
        r"has no attribute",
        Rule(
            "no-such-attribute",
            "what stands before the dot has no such attribute",
            "what kind of object is it: a number, a tuple, an array, a node? is the name spelled right?",
        ),
    ),
    (
        "NameError|UnboundLocalError",
        "",
        Rule("unknown-name", "nothing has been given that name by then", "a typo? an import? a path that skips it?"),
    ),
    (
        "ModuleNotFoundError|ImportError",
        "",
        Rule(
            "not-to-import",
            "an answer may import NumPy and the standard library, whatever else is installed",
            "which function of NumPy or `math` does the same, or can be written with a few of them?",
        ),
    ),
    ("KeyError", "", Rule("no-such-key", "the dict has no such key by then", "who should have put it there?")),
    (
        "ZeroDivisionError",
        "",
        Rule("divides-by-zero", "it divides by a value that may be 0", "can the slope be written without a division?"),
    ),
    (
        "OverflowError",
        "",
        Rule("overflow", "a value is too large for a float", "which argument grows, and need it? try large inputs"),
    ),
    (
        "RecursionError",
        "",
        Rule("recursion", "the recursion does not end, or is too deep", "which call remembers where it has been?"),
    ),
    (
        "AssertionError",
        "",
        Rule("own-assertion", "an assertion of your code does not hold", "what did you take for granted about inputs?"),
    ),
)
"""Type, message and rule in the order they are tried; both patterns are regular, and the type is matched whole."""


def raised_rule(end: Raised) -> Rule | None:
    """Return the rule that an exception in the candidate's code stands for, or None if its kind says too little."""
    return next(
        (rule for kind, text, rule in _RAISED if re.fullmatch(kind, end.type) and re.search(text, end.message)), None
    )
