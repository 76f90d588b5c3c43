"""The table of wrong rules: each with its message and the results it leads to, in the order tried."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 the rules transform arrays

from autodrill.drills.answer_records import Rule
from autodrill.grading.diagnosis.transformations import (
    all_into,
    as_if_one,
    counted_once,
    each,
    exchanged,
    lost_axes,
    node,
    not_summed,
    of_positive_upstream,
    passes_upstream,
    swapped_operands,
    upstream_one,
    without_slice,
)

if TYPE_CHECKING:
    from autodrill.grading.diagnosis.transformations import Alternative

__all__ = ["PATTERNS", "Pattern"]

_MOST_RESULTS = 4
"""The most results among which exchanged pairs are searched."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A wrong rule, with the results it leads to.

    Attributes:
        rule: The rule.
        alternative: Computes one array per result, None for a result it does not cover; an empty list if the rule does
            not apply.
        partial: Whether the rule may explain an answer that follows it only in one layout.
        scattered: Whether it may explain one that follows it only in some cases of any layout. That holds for signs
            and for contributions left out; other formulas coincide in a few cases by chance.
    """

    rule: Rule
    alternative: Alternative
    partial: bool = True
    scattered: bool = False


PATTERNS = (
    Pattern(
        Rule(
            "assign",
            "`.grad` is overwritten, so the contributions of other consumers are lost",
            "which other nodes add to this `.grad`? use `+=`",
        ),
        node(lambda start, c, _: c + 0 * start),
        scattered=True,
    ),
    Pattern(
        Rule(
            "counted-once",
            "a node used twice must receive both contributions",
            "take x as both operands, and derive dx by hand",
        ),
        counted_once,
    ),
    Pattern(
        Rule(
            "no-upstream",
            "the upstream gradient is ignored, so the result is only the local derivative",
            "which line multiplies by the upstream gradient?",
        ),
        upstream_one,
    ),
    Pattern(
        Rule("zero", "the contribution is 0", "which line should compute the gradient of this input?"),
        each(np.zeros_like),
        scattered=True,
    ),
    Pattern(
        Rule("negated", "the sign is wrong", "increase the input slightly: does the output grow or shrink?"),
        each(np.negative),
        scattered=True,
    ),
    Pattern(
        Rule(
            "transposed",
            "the numbers are right, but the array is transposed",
            "take axes of different sizes, and compare the shapes",
        ),
        each(lambda a: a.T if a.ndim >= 2 else None),
    ),
    *(
        Pattern(
            Rule(
                "swapped-returns",
                "the gradients are right, but two of them are exchanged",
                "Look at the order of the arguments. In which order must the gradients be returned?",
            ),
            exchanged(first, second),
        )
        for first, second in itertools.combinations(range(_MOST_RESULTS), 2)
    ),
    Pattern(
        Rule(
            "own-operand",
            "each operand's gradient is computed from that operand instead of from the other operand",
            "hold one operand fixed: what is the slope with respect to the other operand?",
        ),
        swapped_operands,
    ),
    Pattern(
        Rule(
            "lost-axis",
            "the numbers are right, but an axis of size 1 is missing or added",
            "compare the shapes axis by axis: is `keepdims` right?",
        ),
        lost_axes,
    ),
    Pattern(
        Rule(
            "not-summed",
            "broadcasting copied an input, but the gradients of its copies are not summed",
            "along which axes was the input copied?",
        ),
        not_summed,
    ),
    *(
        Pattern(
            Rule(
                "into-one-node",
                "both contributions go into the `.grad` of one operand, and none into the `.grad` of the other operand",
                "read the left side of each assignment: which operand's gradient does the line change?",
            ),
            all_into(index),
            partial=False,  # if it holds only for equal operands, they were treated as one node
        )
        for index in (0, 1)
    ),
    Pattern(
        Rule("identity", "the upstream gradient is passed on unchanged", "what is the slope of this operation?"),
        passes_upstream,
    ),
    Pattern(
        Rule("relu-of-upstream", "a negative upstream gradient is discarded", "may an upstream gradient be negative?"),
        of_positive_upstream,
    ),
    Pattern(
        Rule("absolute", "the magnitude is right, but the sign is lost", "may a gradient be negative here?"),
        each(np.abs),
        scattered=True,
    ),
    Pattern(
        Rule("added-twice", "the contribution is added twice", "how many times does this operation use the node?"),
        node(lambda start, c, _: start + 2 * c),
    ),
    Pattern(
        Rule("multiplies-grad", "`.grad` is multiplied by the contribution instead of increased by it", "use `+=`"),
        node(lambda start, c, _: start * c),
    ),
    Pattern(
        Rule(
            "scales-grad",
            "the previous value of `.grad` is multiplied by `out.grad` too",
            "`out.grad` must multiply only the new contribution: where do the parentheses end?",
        ),
        node(lambda start, c, g: start * g + c),
    ),
    *(
        Pattern(
            Rule(
                "ignores-input",
                f"the answer is what you get if the {which} input is 1 everywhere",
                "where does the value of that input enter the derivative?",
            ),
            as_if_one(index),
        )
        for which, index in (("first", 0), ("second", 1))
    ),
    *(
        Pattern(
            Rule(
                "skips-slice",
                f"the {which} of g is never used",
                "where do your loops and slices end? is a bound off by one?",
            ),
            without_slice(axis, index, least),
            scattered=True,
        )
        for which, axis, index, least in (
            ("last row", 0, -1, 2),
            ("first row", 0, 0, 2),
            ("last column", -1, -1, 2),
            ("first column", -1, 0, 2),
            ("last row of each matrix", -2, -1, 3),
            ("first row of each matrix", -2, 0, 3),
        )
    ),
)
"""In the order in which they are tried. The report names the first rule that explains every failing case and
contradicts no passing one."""
