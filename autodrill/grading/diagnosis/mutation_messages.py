"""The words for each kind of slip: true of the results whatever the code looks like, and silent about the solution."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule
from autodrill.drills.rewrites import Operator

if TYPE_CHECKING:
    from autodrill.drills.mutants import Mutant

__all__ = ["PREFIX", "slip_rule"]

PREFIX = "slip-"
"""What the keys of these rules begin with."""

_LIKE = "your results are those of the right program with "

_WORDS: dict[str, tuple[str, str]] = {
    # The sign and the factors of a formula.
    "sign": (
        "one sign the wrong way round",
        "nudge one input up: which way does each term move the output?",
    ),
    "missing-factor": (
        "one factor left out",
        "go through the chain rule link by link: which slope did you not multiply by?",
    ),
    "missing-divisor": ("one division left out", "which of your steps must average, normalise or halve?"),
    "missing-power": ("one power left out", "which quantity enters more often than once?"),
    "divided": ("one division in place of a multiplication", "which of your factors should grow with the result?"),
    "multiplied": ("one multiplication in place of a division", "what should get smaller as that factor grows?"),
    "elementwise": ("an elementwise product in place of a matrix product", "over which index must you sum?"),
    "doubled": ("one thing counted twice", "which term, call or visit happens twice?"),
    "missing-term": ("one summand left out", "go through every path to the output: which has no term of yours?"),
    # Where things stand.
    "swap": (
        "two things in each other's place",
        "operands, arguments, results: which order does each line need?",
    ),
    "transpose": ("one transpose too many or too few", "which index runs along which axis of each factor?"),
    "axis": (
        "another `axis` or `keepdims` in one place",
        "which elements belong together? must their axis stay, with size 1?",
    ),
    "missing-sum": ("one sum left out", "where do several contributions meet in one element?"),
    "mean": ("a mean for a sum, or a sum for a mean", "does each contribution count in full?"),
    "operand": ("one wrong variable", "of which value is each of your factors the slope or the gradient?"),
    "attribute": ("`.data` and `.grad` confused in one place", "is it a value or a gradient that you need there?"),
    "upstream": ("the upstream gradient left out in one place", "chain rule: which line never meets it?"),
    # Statements.
    "assign": (
        "one update turned into a plain assignment",
        "which of your `=` throws away what was there before?",
    ),
    "accumulate": (
        "one assignment turned into an update",
        "which value must be set afresh instead of added to?",
    ),
    "comparison": (
        "another comparison in one place",
        "try a value on the border, one above and one below it: which way must each go?",
    ),
    "condition": (
        "one condition missing, inverted or too strict",
        "for which inputs does each branch run? try one of each kind",
    ),
    "off-by-one": ("one number off by one", "which count, exponent, index or bound is it? try the smallest sizes"),
    "constant": ("one wrong constant", "where does each constant of your formula come from?"),
    "copy": ("one copy left out", "which two names stand for one array?"),
    "order": ("one sequence in another order", "which must be finished before which?"),
    "function": ("one call left out, or a call of another function", "what is each call for? which step has none?"),
    "statement": ("one statement left out", "say the steps aloud in order: which of them never happens?"),
}

_BY_OPERATOR = {
    Operator.SIGN: "sign",
    Operator.SWAP: "swap",
    Operator.TRANSPOSE: "transpose",
    Operator.AXIS: "axis",
    Operator.TERM: "missing-term",
    Operator.COMPARISON: "comparison",
    Operator.CONDITION: "condition",
    Operator.UPSTREAM: "upstream",
    Operator.OFF_BY_ONE: "off-by-one",
    Operator.CONSTANT: "constant",
    Operator.COPY: "copy",
    Operator.ORDER: "order",
    Operator.FUNCTION: "function",
    Operator.STATEMENT: "statement",
}


def slip_rule(mutant: Mutant) -> Rule:
    """Return what to say of an answer that equals a mutant of the worked solution.

    Args:
        mutant: The mutant; its text is never quoted, because it all but gives the solution.
    """
    word = _word(mutant)
    because, hint = _WORDS[word]
    return Rule(PREFIX + word, _LIKE + because, hint)


def _word(mutant: Mutant) -> str:
    match mutant.operator:
        case Operator.FACTOR:
            return _of_factor(mutant.old, mutant.new)
        case Operator.SUM:
            return "mean" if isinstance(mutant.new, ast.Call) else "missing-sum"
        case Operator.ASSIGN:
            return "assign" if isinstance(mutant.new, ast.Assign) else "accumulate"
        case Operator.OPERAND:
            return "attribute" if isinstance(mutant.old, ast.Attribute) else "operand"
        case operator:
            return _BY_OPERATOR[operator]


def _of_factor(old: ast.AST, new: ast.AST) -> str:
    match old, new:
        case _, ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=right) if right is old:
            return "doubled"
        case ast.BinOp(left=left, right=right, op=op), _ if new is left or new is right:
            return {ast.Div: "missing-divisor", ast.Pow: "missing-power"}.get(type(op), "missing-factor")
        case ast.BinOp(op=ast.MatMult()), _:
            return "elementwise"
        case _, ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
            return "divided"
    return "multiplied"
