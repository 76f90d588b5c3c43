"""Exception rules: the rule behind an exception, by its type and message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule

if TYPE_CHECKING:
    from autodrill.sandbox.outcomes import Raised

__all__ = ["raised_rule"]

_ALIGN = Rule(
    "shapes-do-not-align",
    "shapes align from the right, and these two shapes are incompatible",
    "which axis is missing? `keepdims=True` keeps a summed axis as size 1, and the index `None` adds an axis",
)
_NONE = Rule(
    "none-value",
    "a value is None: an option was left out, or a call returned nothing",
    "which line should set the value, and when does that line not run?",
)
_KINDS = Rule(
    "operand-kinds",
    "an operator is not defined for the type of one of its operands",
    "is each operand a number, an array, a tuple, a list or a node?",
)
_NOT_ITERABLE = Rule(
    "not-iterable",
    "a single value is used where a sequence is needed",
    "print the value: is it the sequence itself, its length, or one of its elements?",
)
_NOT_INTEGER = Rule(
    "integer-needed",
    "a shape, an axis or an index holds a value that is not an integer",
    "which of your arguments has this value? Compare the order of your arguments with the task.",
)
_NO_AXIS = Rule("no-such-axis", "the array has no such axis at this point", "how many axes does the array have left?")
_AXIS_TWICE = Rule("axis-twice", "an axis is given twice", "print the axes: which two are the same?")
_ARGUMENTS = Rule(
    "call-arguments",
    "a call does not match the signature of the function",
    "how many arguments does the function take, in which order, with which names?",
)

# What NumPy, PyTorch and JAX say.
_NOT_ALIGNED = (
    r"could not be broadcast|could not broadcast|[Ii]ncompatible shapes for broadcasting"
    r"|must match the (existing size|size of tensor)|is not expandable to size"
)
_NO_PRODUCT = (
    r"^matmul: |not aligned|shapes cannot be multiplied|^size mismatch, got input|of batch2 tensor to be"
    r"|^dot_general requires contracting"
)

_PYTHON_2 = "python-2"
"""The key of the rules for code that is valid only in Python 2, as in many course files."""

_LIST_IN_PYTHON_2 = (
    r"'(dict_keys|dict_values|dict_items|map|filter|zip)' object (has no attribute '(sort|append|index|remove|pop)'"
    r"|is not subscriptable)|object of type '(map|filter|zip)' has no len|'range' and 'list'|'list' and 'range'"
    r"|'range' object does not support item assignment"
)

_RAISED: tuple[tuple[str, str, Rule], ...] = (
    (
        "NameError",
        r"name '(xrange|unicode|basestring|long|raw_input|unichr|reduce)'",
        Rule(
            _PYTHON_2,
            "the name exists only in Python 2",
            "which name does Python 3 use? `range` for `xrange`, `str` for `unicode`, `functools.reduce` for `reduce`",
        ),
    ),
    (
        "AttributeError",
        r"'dict' object has no attribute '(has_key|iter(items|keys|values)|view(items|keys|values))'",
        Rule(
            _PYTHON_2,
            "the method of dicts exists only in Python 2",
            "which method or operator does Python 3 use? `items()` for `iteritems()`, `in` for `has_key`",
        ),
    ),
    (
        "AttributeError|TypeError",
        _LIST_IN_PYTHON_2,
        Rule(
            _PYTHON_2,
            "the call returned a list in Python 2; in Python 3 it returns an iterator or a view",
            "where do you need a list? call `list(...)`, or `sorted(...)`",
        ),
    ),
    (
        "TypeError",
        r"'(numpy\.)?float(64|32)?' object cannot be interpreted as an integer",
        Rule(
            "float-for-integer",
            "a float is used where an integer is needed",
            "does `/` compute this value? `/` gives a float in Python 3, and `//` an integer",
        ),
    ),
    (
        "ValueError",
        r"non-broadcastable output",
        Rule(
            "in-place-shape",
            "an in-place operation cannot change the shape of its left side",
            "which side should have the larger shape? does a sum need `keepdims=True`?",
        ),
    ),
    (
        "ValueError|IndexError|RuntimeError|TypeError",
        _NOT_ALIGNED,
        _ALIGN,
    ),
    (
        "TypeError",
        r"^JAX arrays are immutable",
        Rule(
            "immutable-array",
            "an array of JAX cannot be written to",
            "which new array should the name stand for? `x.at[i].set(v)` and `x.at[i].add(v)` return it",
        ),
    ),
    ("IndexError|ValueError", r"^Dimension out of range|^axis .* out of bounds for array", _NO_AXIS),
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
        Rule(
            "matrix-needs-axes",
            "each operand of a matrix product needs at least one axis",
            "which step removed an axis?",
        ),
    ),
    (
        "ValueError|RuntimeError|TypeError",
        _NO_PRODUCT,
        Rule(
            "inner-sizes",
            "the inner sizes of a matrix product must agree",
            "write down the shape of each factor: which two sizes must agree?",
        ),
    ),
    (
        "ValueError|RuntimeError|TypeError",
        r"cannot reshape array|is invalid for input of size",
        Rule(
            "reshape-size",
            "a reshape must keep the number of elements",
            "print the shape just before the reshape: were too many axes summed, or too few?",
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
        Rule(
            "squeeze",
            "only an axis of size 1 can be squeezed",
            "must your code sum over the axis before it squeezes the axis?",
        ),
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
        Rule("read-only", "the array is read-only", "is the array a view that repeats elements? copy the array first"),
    ),
    (
        "ValueError",
        r"math domain error|expected a .*positive input",
        Rule(
            "math-domain",
            "a function is called with an argument for which it is not defined",
            "which inputs lead to this argument?",
        ),
    ),
    (
        "ValueError",
        r"values to unpack",
        Rule(
            "unpacking",
            "the number of values to unpack differs from the number of names",
            "print the value that you unpack",
        ),
    ),
    (
        "ValueError",
        r"can only convert an array of size 1",
        Rule(
            "one-element-needed",
            "`item()` needs an array of exactly one element",
            "which axis is left in the array, and in which cases?",
        ),
    ),
    (
        "IndexError",
        r"out of bounds|out of range",
        Rule(
            "index-out-of-range",
            "an index is past the end",
            "how long is the axis, and over which range does the index run?",
        ),
    ),
    (
        "IndexError",
        r"too many indices",
        Rule("too-many-indices", "an array gets more indices than it has axes", "did an earlier step remove an axis?"),
    ),
    (
        "IndexError",
        r"integer \(or boolean\)|only integers, slices|valid indices",
        Rule(
            "float-index",
            "an index must be an integer, a slice or a mask, and this index is none of them",
            "which array holds the indices, and which one holds the values?",
        ),
    ),
    ("IndexError", r"shape mismatch", _ALIGN),
    (
        "LinAlgError",
        r"[Ss]ingular matrix",
        Rule(
            "singular-matrix",
            "the matrix of a linear system is singular",
            "how many solutions does the system have? which equation or unknown is redundant?",
        ),
    ),
    ("AxisError", "", _NO_AXIS),
    ("TypeError|AttributeError", r"'?NoneType'?", _NONE),
    ("TypeError", r"for \^", Rule("caret", "`^` is exclusive or in Python", "which operator computes a power?")),
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
            "a function that needs a single number gets an array",
            "do you call `float` or a function of `math`? NumPy's functions take arrays",
        ),
    ),
    ("TypeError", r"not iterable|non-iterable|must be an iterable|not reversible|not a sequence", _NOT_ITERABLE),
    (
        "TypeError",
        r"has no len\(\)|len\(\) of unsized object",
        Rule("no-length", "a single number has no length", "of which array do you need the length?"),
    ),
    (
        "TypeError",
        r"not callable",
        Rule(
            "not-callable", "the code calls a value that is not a function", "is a `*` missing before the parenthesis?"
        ),
    ),
    (
        "TypeError",
        r"not subscriptable|does not support item assignment",
        Rule(
            "not-subscriptable",
            "the value before `[` does not support this indexing",
            "what type does that value have?",
        ),
    ),
    ("TypeError", r"positional argument|keyword argument|required argument", _ARGUMENTS),
    (
        "TypeError",
        r"numpy boolean (negative|subtract)",
        Rule(
            "boolean-arithmetic",
            "`-` is not defined for an array of booleans",
            "do you mean `~mask`, or the negative of a number? `mask * number` and `mask.astype(g.dtype)` are numbers",
        ),
    ),
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
            "which dtype did the array get when it was made?",
        ),
    ),
    (
        "RuntimeError",
        r"wait at collective \d+, \d+ have ended",
        Rule(
            "collective-skipped",
            "some ranks return without a collective call that the other ranks make",
            "which condition, loop or early `return` makes one rank call the collective less often than another rank?",
        ),
    ),
    (
        "AttributeError",
        r"has no attribute",
        Rule(
            "no-such-attribute",
            "the value before the dot has no such attribute",
            "is that value a number, a tuple, an array or a node? is the name spelled correctly?",
        ),
    ),
    (
        "NameError|UnboundLocalError",
        "",
        Rule(
            "unknown-name",
            "the name is not defined at this point",
            "is the name misspelt, not imported, or not assigned on one path through the code?",
        ),
    ),
    (
        "ModuleNotFoundError|ImportError",
        "",
        Rule(
            "not-to-import",
            "a submission may import only NumPy and the standard library",
            "which functions of NumPy or `math` can replace the import?",
        ),
    ),
    (
        "KeyError",
        "",
        Rule("no-such-key", "the dict has no such key at this point", "which step should have added the key?"),
    ),
    (
        "ZeroDivisionError",
        "",
        Rule(
            "divides-by-zero",
            "your code divides by a value that can be 0",
            "can you write the slope without a division?",
        ),
    ),
    (
        "OverflowError",
        "",
        Rule(
            "overflow",
            "a value is too large for a float",
            "which argument grows, and how can you keep it small? try large inputs",
        ),
    ),
    (
        "RecursionError",
        "",
        Rule(
            "recursion",
            "the recursion does not end, or it is too deep",
            "how does a recursive call know what earlier calls have visited?",
        ),
    ),
    (
        "AssertionError",
        "",
        Rule("own-assertion", "an assertion in your code fails", "which assumption about the inputs is wrong?"),
    ),
)
"""Type, message and rule, in the order in which they are tried. Type and message are regular expressions, and the one
for the type must match completely."""


def raised_rule(end: Raised) -> Rule | None:
    """Return the rule behind an exception in the candidate's code, or None if no entry matches."""
    return next(
        (rule for kind, text, rule in _RAISED if re.fullmatch(kind, end.type) and re.search(text, end.message)), None
    )
