"""Exception rules: the rule behind an exception, by its type and message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule

if TYPE_CHECKING:
    from autodrill.sandbox.requests import Raised

__all__ = ["raised_rule"]

_ALIGN = Rule(
    "shapes-do-not-align",
    "NumPy aligns shapes from the right, and these two are incompatible",
    "which axis is missing? `keepdims=True` or `None` keeps it with size 1",
)
_NONE = Rule(
    "none-value",
    "a value is None: an option was left out, or a call returned nothing",
    "where should it get its value, and in which case does it get none?",
)
_KINDS = Rule(
    "operand-kinds",
    "an operator is not defined for the type of one of its operands",
    "is each side a number, an array, a tuple, a list or a node?",
)
_NOT_ITERABLE = Rule(
    "not-iterable",
    "a single value is used where a sequence is needed",
    "print it: is it the sequence that you mean, or only its length or one element?",
)
_NOT_INTEGER = Rule(
    "integer-needed",
    "a shape, an axis or an index must consist of integers, and this one does not",
    "which argument is it, and what does it hold? check the order of the arguments",
)
_AXIS_TWICE = Rule("axis-twice", "an axis is given twice", "print the axes: which two are the same?")
_ARGUMENTS = Rule(
    "call-arguments",
    "a call does not match the signature of the function",
    "how many arguments does it take, in which order, with which names?",
)

_RAISED: tuple[tuple[str, str, Rule], ...] = (
    (
        "ValueError",
        r"non-broadcastable output",
        Rule(
            "in-place-shape",
            "an in-place operation cannot change the shape of its left side",
            "which side should have the larger shape? does an axis need `keepdims=True`?",
        ),
    ),
    ("ValueError|IndexError", r"could not be broadcast|could not broadcast", _ALIGN),
    (
        "ValueError",
        r"more dimensions than allowed",
        Rule(
            "too-many-axes",
            "the array has more axes than the shape it is broadcast to",
            "did you insert an axis that was never removed?",
        ),
    ),
    (
        "ValueError",
        r"^matmul: .*does not have enough dimensions",
        Rule("matrix-needs-axes", "a matrix product needs at least one axis on each side", "which step removed it?"),
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
            "a reshape must keep the number of elements",
            "print the shape just before it: were too many axes summed, or too few?",
        ),
    ),
    ("ValueError", r"duplicate value in 'axis'|repeated axis", _AXIS_TWICE),
    (
        "ValueError",
        r"axes don't match array",
        Rule("transpose-axes", "a transpose must list every axis exactly once", "how many axes does the array have?"),
    ),
    (
        "ValueError",
        r"cannot select an axis to squeeze",
        Rule("squeeze", "only an axis of size 1 can be squeezed", "must that axis be summed first?"),
    ),
    (
        "ValueError",
        r"truth value of an array|truth value of an empty array",
        Rule(
            "array-truth",
            "an array as a whole is neither true nor false",
            "what do you mean to test: `is None`, `np.any`, `np.all`, or each element (`np.where`)?",
        ),
    ),
    (
        "ValueError",
        r"read-only",
        Rule("read-only", "the array is read-only", "is it a view that repeats elements? copy it first"),
    ),
    (
        "ValueError",
        r"math domain error|expected a .*positive input",
        Rule("math-domain", "the function is not defined for this argument", "which inputs lead to it?"),
    ),
    (
        "ValueError",
        r"values to unpack",
        Rule("unpacking", "the number of values differs from the number of names", "print the value that you unpack"),
    ),
    (
        "IndexError",
        r"out of bounds|out of range",
        Rule(
            "index-out-of-range",
            "an index is past the end",
            "how long is that axis, and what does the index run over?",
        ),
    ),
    (
        "IndexError",
        r"too many indices",
        Rule("too-many-indices", "there are more indices than axes", "did an earlier step remove an axis?"),
    ),
    (
        "IndexError",
        r"integer \(or boolean\)|only integers, slices|valid indices",
        Rule(
            "float-index",
            "an index must be an integer, a slice or a mask, and this is none of them",
            "which array holds the indices, and which the values?",
        ),
    ),
    ("IndexError", r"shape mismatch", _ALIGN),
    (
        "AxisError",
        "",
        Rule("no-such-axis", "the array has no such axis at this point", "how many axes are left?"),
    ),
    ("TypeError|AttributeError", r"'?NoneType'?", _NONE),
    ("TypeError", r"for \^", Rule("caret", "`^` is exclusive or in Python", "which operator is a power?")),
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
            "a single number is needed, and this is an array",
            "is it an argument of `float` or of a function of `math`? NumPy's functions take arrays",
        ),
    ),
    ("TypeError", r"not iterable|non-iterable|must be an iterable|not reversible|not a sequence", _NOT_ITERABLE),
    (
        "TypeError",
        r"has no len\(\)|len\(\) of unsized object",
        Rule("no-length", "a single number has no length", "which array's rows do you mean to count?"),
    ),
    (
        "TypeError",
        r"not callable",
        Rule("not-callable", "something other than a function is called", "is a `*` missing before the parenthesis?"),
    ),
    (
        "TypeError",
        r"not subscriptable|does not support item assignment",
        Rule("not-subscriptable", "the value before `[` does not support this indexing", "what type does it have?"),
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
            "the value before the dot has no such attribute",
            "is it a number, a tuple, an array or a node? is the name spelled correctly?",
        ),
    ),
    (
        "NameError|UnboundLocalError",
        "",
        Rule(
            "unknown-name",
            "the name is not defined at this point",
            "is it a typo, a missing import, or skipped on one path?",
        ),
    ),
    (
        "ModuleNotFoundError|ImportError",
        "",
        Rule(
            "not-to-import",
            "a submission may import only NumPy and the standard library",
            "which function of NumPy or `math` does the same, or which few of them together?",
        ),
    ),
    ("KeyError", "", Rule("no-such-key", "the dict has no such key at this point", "which step should have added it?")),
    (
        "ZeroDivisionError",
        "",
        Rule("divides-by-zero", "it divides by a value that can be 0", "can you write the slope without a division?"),
    ),
    (
        "OverflowError",
        "",
        Rule("overflow", "a value is too large for a float", "which argument grows, and must it? try large inputs"),
    ),
    (
        "RecursionError",
        "",
        Rule(
            "recursion", "the recursion does not end, or is too deep", "how does a call know what was visited before?"
        ),
    ),
    (
        "AssertionError",
        "",
        Rule("own-assertion", "an assertion in your code fails", "which assumption about the inputs is wrong?"),
    ),
)
"""Type, message and rule in the order tried. Both are regular expressions; that of the type must match completely."""


def raised_rule(end: Raised) -> Rule | None:
    """Return the rule behind an exception in the candidate's code, or None if no entry matches."""
    return next(
        (rule for kind, text, rule in _RAISED if re.fullmatch(kind, end.type) and re.search(text, end.message)), None
    )
