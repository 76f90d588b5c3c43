"""The wrong rules every answer is held against, in order, each with its words and the answer it leads to."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 arrays are what the rules transform

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
"""Among how many results two are looked for that were exchanged."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A wrong rule: its name, its words, and the answer it leads to.

    Attributes:
        rule: What to say.
        alternative: One array a part, None for a part it says nothing of; an empty list if it does not apply.
        partial: Whether it also says something of an answer that follows it in some cases only.
    """

    rule: Rule
    alternative: Alternative
    partial: bool = True


PATTERNS = (
    Pattern(
        Rule(
            "assign",
            "`.grad` is overwritten: what other consumers added before is lost",
            "use `+=`: who else adds here?",
        ),
        node(lambda start, c, _: c + 0 * start),
    ),
    Pattern(
        Rule("counted-once", "a node used twice must receive both contributions", "try z = x op x by hand"),
        counted_once,
    ),
    Pattern(
        Rule(
            "no-upstream", "the upstream gradient is ignored: this is the local derivative", "chain rule: where is g?"
        ),
        upstream_one,
    ),
    Pattern(
        Rule("zero", "nothing arrives: what is added is 0", "which line should give this input its gradient?"),
        each(np.zeros_like),
    ),
    Pattern(
        Rule("negated", "the sign is the wrong way round", "nudge the input up: which way does the output move?"),
        each(np.negative),
    ),
    Pattern(
        Rule("transposed", "right numbers, wrong layout: it is the transpose", "compare shapes with different sizes"),
        each(lambda a: a.T if a.ndim >= 2 else None),
    ),
    *(
        Pattern(
            Rule(
                "swapped-returns",
                "the gradients are right but two stand in each other's place",
                "return order follows argument order",
            ),
            exchanged(first, second),
        )
        for first, second in itertools.combinations(range(_MOST_RESULTS), 2)
    ),
    Pattern(
        Rule(
            "own-operand",
            "each operand's slope is taken from itself instead of the other",
            "hold one fixed: what scales it?",
        ),
        swapped_operands,
    ),
    Pattern(
        Rule(
            "not-summed",
            "broadcasting copied an input, but its copies' gradients are not summed back",
            "which axes were copied?",
        ),
        not_summed,
    ),
    Pattern(
        Rule(
            "lost-axis",
            "right numbers, but an axis of size 1 is lost or added",
            "keepdims? compare the shapes axis by axis",
        ),
        lost_axes,
    ),
    *(
        Pattern(
            Rule(
                "into-one-node",
                "both contributions go into one operand's `.grad`, and nothing into the other's",
                "read the left side of each line: whose gradient is it?",
            ),
            all_into(index),
            partial=False,  # with operands of equal value alone, they were taken for one node
        )
        for index in (0, 1)
    ),
    Pattern(
        Rule("identity", "the upstream gradient is passed on unchanged", "what is the slope of this operation?"),
        passes_upstream,
    ),
    Pattern(
        Rule("relu-of-upstream", "a negative upstream gradient is discarded", "who said it may be?"),
        of_positive_upstream,
    ),
    Pattern(
        Rule("absolute", "the magnitude is right, the sign is lost", "may a gradient be negative here?"),
        each(np.abs),
    ),
    Pattern(
        Rule("added-twice", "the contribution is added twice", "how often does the node enter here?"),
        node(lambda start, c, _: start + 2 * c),
    ),
    Pattern(
        Rule("multiplies-grad", "`.grad` is multiplied by the contribution instead of added to", "use `+=`"),
        node(lambda start, c, _: start * c),
    ),
    Pattern(
        Rule(
            "scales-grad",
            "what `.grad` held before is multiplied by `out.grad` too",
            "only the new contribution is scaled: where do the brackets end?",
        ),
        node(lambda start, c, g: start * g + c),
    ),
    *(
        Pattern(
            Rule(
                "ignores-input",
                f"it answers as if the {which} input were 1 everywhere",
                "where must that input's value enter the derivative?",
            ),
            as_if_one(index),
        )
        for which, index in (("first", 0), ("second", 1))
    ),
    *(
        Pattern(
            Rule("skips-slice", f"the {which} of g is never used", "off by one? where do your loops and slices end?"),
            without_slice(axis, index, least),
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
"""In the order they are tried: the first that explains every failure, and contradicts no success, is named."""
