"""Messages of the mutation search: rules that describe the results and quote nothing of the solution."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule
from autodrill.drills.rewrites import Operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.drills.mutants import Mutant

__all__ = ["BOUNDS", "OF_STRUCTURE", "PREFIX", "TELLING", "line_rule", "slip_rule"]

PREFIX = "slip-"
"""The prefix of these rules' keys."""

OF_STRUCTURE = frozenset(PREFIX + word for word in ("condition", "constant", "order", "statement"))
"""Keys of changes to the structure of a program. Equal results in a scenario do not show that another program, which is
built differently, has the same change.
"""

_LIKE = "your results equal the results of the right program with "

_WORDS: dict[str, tuple[str, str]] = {
    # The sign and the factors of a formula.
    "sign": (
        "one wrong sign",
        "increase one input slightly: does each term increase or decrease the output?",
    ),
    "missing-factor": (
        "one factor left out",
        "go through the chain rule factor by factor: which slope is missing?",
    ),
    "missing-divisor": ("one division left out", "which step must average, normalise or halve?"),
    "missing-power": ("one power left out", "which quantity must enter the formula more than once?"),
    "divided": ("one division instead of a multiplication", "which value, if you double it, must double the result?"),
    "multiplied": (
        "one multiplication instead of a division",
        "which value, if you double it, must halve the result?",
    ),
    "elementwise": ("an elementwise product instead of a matrix product", "over which index must you sum?"),
    "doubled": ("one thing counted twice", "which term, call or visit occurs twice?"),
    "missing-term": (
        "one summand left out",
        "go through every path to the output: for which path does your code have no term?",
    ),
    # Order and place.
    "swap": (
        "two things exchanged",
        "in which order does each line need its operands, arguments or results?",
    ),
    "transpose": ("one transpose too many or too few", "which index runs along which axis of each factor?"),
    "axis": (
        "a different `axis` or `keepdims` in one place",
        "along which axis does each step work? must that axis be kept, with size 1?",
    ),
    "size": ("a different size in one place", "which axis of which array has the size that the formula needs?"),
    "missing-sum": ("one sum left out", "which element receives several contributions?"),
    "mean": ("a mean instead of a sum, or a sum instead of a mean", "does each contribution count in full?"),
    "operand": ("one wrong variable", "each factor is a slope or a gradient: of which value?"),
    "attribute": (
        "`.data` and `.grad` confused in one place",
        "which lines need a value, and which lines need a gradient?",
    ),
    "upstream": (
        "the upstream gradient left out in one place",
        "which line does not multiply by the upstream gradient?",
    ),
    # Statements.
    "assign": (
        "one update replaced by a plain assignment",
        "which `=` discards an earlier value?",
    ),
    "accumulate": (
        "one assignment replaced by an update",
        "which value must be assigned instead of increased?",
    ),
    "comparison": (
        "a different comparison in one place",
        "try a value at the boundary, one above and one below: which branch must each value take?",
    ),
    "condition": (
        "one condition missing, inverted or too strict",
        "for which inputs does each branch run? try one input for each branch",
    ),
    "off-by-one": (
        "one number off by one",
        "is the number a count, an exponent, an index or a bound? try the smallest sizes",
    ),
    "constant": ("one wrong constant", "where does each constant of your formula come from?"),
    "copy": ("one copy left out", "which two names refer to the same array?"),
    "order": ("one sequence in a different order", "which step must finish before another one starts?"),
    "function": (
        "one call left out, or a call of a different function",
        "what does each call do? which step lacks a call?",
    ),
    "statement": ("one statement left out", "list the steps in order: which one is missing?"),
}

_AXIS, _SIZE = re.compile(r"\baxis=-?\d+"), re.compile(r"\w+\.shape\[-?\d+\]")
"""An axis, and a size, as a mutant's text shows them. What changes in them is not a sign, a count or a factor of a
formula.
"""

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
    """Return the rule of an answer that equals a mutant of the worked solution.

    Args:
        mutant: The mutant. Its text is never quoted, because it would give the solution away.
    """
    word = _word(mutant)
    because, hint = _WORDS[word]
    return Rule(PREFIX + word, _LIKE + because, hint)


BOUNDS = frozenset({"clip", "maximum", "minimum", "fmax", "fmin", "nan_to_num"})
"""Functions that change only the values beyond a bound."""

_LONGEST_NAME = 30

_IN_LINE = {
    "sign": ("slip-sign", "a sign on line {} is wrong"),
    "missing-factor": ("extra-factor", "line {} has one factor too many"),
    "missing-divisor": ("extra-factor", "line {} has one division too many"),
    "missing-power": ("extra-factor", "line {} has a power where the value itself belongs"),
    "divided": ("slip-divided", "line {} multiplies where it must divide"),
    "multiplied": ("slip-multiplied", "line {} divides where it must multiply"),
    "lacking": ("slip-missing-factor", "line {} lacks a factor or a division"),
    "elementwise": ("slip-elementwise", "line {} has a matrix product where an elementwise product belongs"),
    "doubled": ("slip-doubled", "line {} gives half of the right value"),
    "missing-term": ("extra-term", "line {} has one summand too many"),
    "swap": ("slip-swap", "two operands, arguments or results are exchanged on line {}"),
    "transpose": ("slip-transpose", "line {} has one transpose too many or too few"),
    "axis": ("slip-axis", "line {} works along the wrong axis, or over too many axes"),
    "size": ("slip-size", "line {} uses the wrong size"),
    "missing-sum": ("extra-sum", "line {} has one sum or mean too many"),
    "mean": ("slip-mean", "line {} takes a mean instead of a sum, or a sum instead of a mean"),
    "operand": ("slip-operand", "line {} uses a wrong variable"),
    "attribute": ("slip-attribute", "line {} confuses `.data` and `.grad`"),
    "upstream": ("extra-factor", "line {} uses the upstream gradient where it does not belong"),
    "assign": ("slip-accumulate", "line {} adds to a value that it must assign"),
    "accumulate": ("slip-assign", "line {} assigns a value that it must add"),
    "comparison": ("slip-comparison", "the comparison on line {} is wrong"),
    "condition": ("slip-condition", "the condition on line {} sends some inputs to the wrong branch"),
    "off-by-one": ("slip-off-by-one", "a number on line {} is off by one"),
    "constant": ("slip-constant", "a constant on line {} is wrong"),
    "copy": ("extra-step", "line {} makes a copy where the array itself belongs"),
    "order": ("slip-order", "line {} reverses or sorts what must keep its order"),
    "function": ("slip-function", "a call on line {} is one too many, or calls a wrong function"),
    "statement": ("extra-step", "line {} does something that must not be done there"),
}
"""What a change of a submission shows that makes it right: the key, and the fault of the line."""


_FOR_EQUAL = "slip-comparison", "the comparison on line {} decides wrongly for equal values"

_REPEATED_INDEX = (
    "repeated-index",
    "line {} keeps one contribution of an index that occurs several times, and loses the others",
)


TELLING = {"clipped", "nearly-equal", "small-constant", _REPEATED_INDEX[0]}
"""Keys of changes that are rarely right by chance."""


def line_rule(repairs: Sequence[Mutant]) -> Rule:
    """Return the rule of an answer that each of some changes makes right.

    If the changes agree, the rule says what is wrong in their line. Otherwise it names the lines. A bound or a small
    constant that goes, or a comparison that changes for nearly equal values alone, is rarely right by chance, so it
    comes before other changes.

    Args:
        repairs: The changed submissions; never empty. The changes are not quoted: they would give the solution away.
    """
    found = [(_fault_of(repair), repair.line) for repair in repairs]
    found = [each for each in found if each[0] == _FOR_EQUAL or each[0][0] in TELLING] or found
    faults = list(dict.fromkeys(fault for fault, _ in found))
    lines = sorted({line for _, line in found})
    key, because = faults[0]
    if len(faults) == 1 and len(lines) == 1:
        because = because.format(lines[0])
    elif len(lines) == 1:
        because = f"line {lines[0]} is wrong"
    else:
        first = ", ".join(map(str, lines[:-1]))
        because = f"one of the lines {first} and {lines[-1]} is wrong"
    hint = (
        f"Which values reach {'this line' if len(lines) == 1 else 'these lines'} in the case shown? What must come out?"
    )
    return Rule(key, f"{because}; with one change there, every small case is right", hint)


def _fault_of(repair: Mutant) -> tuple[str, str]:
    """Return the key of what a repair changes, and the fault in words, with a place for the line."""
    wrapped = isinstance(repair.new, ast.BinOp) and repair.new.left is repair.old
    word = "lacking" if wrapped else _word(repair)
    key, because = _IN_LINE[word]
    if isinstance(repair.new, ast.Expr):
        return _REPEATED_INDEX
    if isinstance(repair.new, ast.Compare) and isinstance(repair.old, ast.Call) and _called(repair.old) == "isclose":
        return "nearly-equal", "line {} treats nearly equal values as equal"
    if isinstance(repair.new, ast.Constant) and repair.new.value == 0.0 and isinstance(repair.new.value, float):
        return "small-constant", "the small constant on line {} changes the results"
    if word == "comparison" and isinstance(repair.new, ast.Compare) and _at_boundary(repair.old, repair.new):
        return _FOR_EQUAL
    if word == "function" and isinstance(repair.old, ast.Call) and (name := _called(repair.old)):
        if name in BOUNDS:
            return "clipped", f"`{name}` on line {{}} changes values that must stay as they are"
        because = f"`{name}` on line {{}} does not belong there, or has a wrong argument"
    return key, because


def _at_boundary(old: ast.AST, new: ast.Compare) -> bool:
    """Whether a comparison changes between one that holds for equal values and one that does not."""
    pair = {type(op) for node in (old, new) if isinstance(node, ast.Compare) for op in node.ops}
    return pair in ({ast.Gt, ast.GtE}, {ast.Lt, ast.LtE})


def _called(call: ast.Call) -> str:
    """Return the name of the function that is called, without what is before its last dot; empty if it is long."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name if len(name) <= _LONGEST_NAME and name.isascii() else ""


def _word(mutant: Mutant) -> str:
    match mutant.operator:
        case _ if _differ(_AXIS, mutant):
            return "axis"
        case _ if _differ(_SIZE, mutant):
            return "size"
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


def _differ(pattern: re.Pattern[str], mutant: Mutant) -> bool:
    """Whether a mutant changes a number or a name in what a pattern finds."""
    if mutant.operator not in (Operator.SIGN, Operator.OFF_BY_ONE, Operator.CONSTANT, Operator.OPERAND):
        return False
    return pattern.findall(mutant.before) != pattern.findall(mutant.after)


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
