"""The judge of typed answers: pure functions of the typed text and the question's key."""

from __future__ import annotations

import math
import random
import re
import string
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from autodrill.bank.expression import ExpressionError, NoValueError, evaluate, parse
from autodrill.bank.number_faults import fault, names_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from autodrill.bank.questions import BugKey, Option, PredictKey

__all__ = [
    "FORMULA_TOLERANCE",
    "Judgement",
    "Outcome",
    "judge_choice",
    "judge_formula",
    "judge_line",
    "judge_number",
    "judge_output",
    "letters",
    "probe",
]

FORMULA_TOLERANCE = 1e-6
"""The largest relative difference of two equal formulas: rounding is about 1e-15, a different formula far more."""

_PRINTED_TOLERANCE = 1e-3
_POINTS = 7
_ATTEMPTS = 40
_TOKEN = re.compile(r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\w+|[^\w\s]", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d]\w*")
_LINE = re.compile(r"(?:line)?\s*(\d{1,4})\s*:?", re.IGNORECASE)


class Outcome(StrEnum):
    """The outcome of a typed answer. An unreadable answer does not count, and the learner types it again."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Judgement:
    """An outcome with a remark for the learner."""

    outcome: Outcome
    remark: str


def letters(count: int) -> str:
    """Return the letters of `count` options."""
    return string.ascii_lowercase[:count]


def judge_choice(typed: str, options: Sequence[Option]) -> Judgement:
    """Judge the letter of an option; `options` are in the order shown."""
    known = letters(len(options))
    letter = typed.strip().casefold().strip("().")
    if len(letter) != 1 or letter not in known:
        return Judgement(Outcome.UNREADABLE, f"type one of the letters {', '.join(known)}")
    right = next(i for i, option in enumerate(options) if option.right)
    if known.index(letter) == right:
        return Judgement(Outcome.RIGHT, f"`{letter}` is right")
    return Judgement(Outcome.WRONG, f"`{known[right]}` is right, not `{letter}`")


def judge_number(typed: str, want: float, tolerance: float, others: Mapping[str, float] | None = None) -> Judgement:
    """Judge a number typed as arithmetic: `1/3`, `.3333` and `0.33333` are the same answer at a tolerance of 1e-3.

    Args:
        typed: The typed text; a leading `label = ` is ignored.
        want: The right number.
        tolerance: The largest relative error accepted; absolute if `want` is 0.
        others: The right numbers of the question's other labels, which could have been swapped with this one.
    """
    try:
        got = evaluate(_right_hand_side(typed))
    except ExpressionError as error:
        unit = names_unit(_right_hand_side(typed))
        return Judgement(Outcome.UNREADABLE, "type the number without its unit" if unit else str(error))
    # The factor keeps the boundary inside the tolerance despite rounding in the division.
    if abs(got - want) / (abs(want) or 1.0) <= tolerance * (1 + 1e-9):
        return Judgement(Outcome.RIGHT, f"{got:.6g} is right")
    return Judgement(Outcome.WRONG, f"{got:.6g} {fault(got, want, tolerance, others or {})}")


def judge_output(typed: str, key: PredictKey) -> Judgement:
    """Judge a predicted output. White space does not matter, and numbers are compared as numbers."""
    got, want = _tokens(typed), _tokens(key.output)
    if not got:
        return Judgement(Outcome.UNREADABLE, "type what the program prints")
    if len(got) == len(want) and all(map(_same_token, got, want)):
        return Judgement(Outcome.RIGHT, "the program prints exactly this")
    return Judgement(Outcome.WRONG, "the program prints something else")


def judge_line(typed: str, key: BugKey) -> Judgement:
    """Judge a line number, counted from 1 in the program shown."""
    match = _LINE.fullmatch(typed.strip())
    if match is None:
        return Judgement(Outcome.UNREADABLE, "type the number of the wrong line")
    if int(match[1]) == key.line:
        return Judgement(Outcome.RIGHT, f"line {key.line} has the bug")
    return Judgement(Outcome.WRONG, f"line {key.line} has the bug, not line {int(match[1])}")


def judge_formula(typed: str, want: str, variables: Sequence[str]) -> Judgement:
    """Judge a formula by comparing it with the right one at several fixed points.

    Args:
        typed: Arithmetic over `variables`; a leading `label = ` is ignored.
        want: The right formula.
        variables: The names that both can use.
    """
    try:
        tree = parse(_right_hand_side(typed))
        evaluate(tree, dict.fromkeys(variables, 1.1))
    except NoValueError:
        pass  # such as log(x - 2) at this point; the comparison below decides
    except ExpressionError as error:
        return Judgement(Outcome.UNREADABLE, str(error))
    used = {*_NAME.findall(_right_hand_side(typed)), *_NAME.findall(want)}
    for point, expected in probe(want, variables):
        values = ", ".join(f"{name} = {value:.4g}" for name, value in point.items() if name in used)
        at = f"at {values} " if values else ""
        try:
            got = evaluate(tree, point)
        except ExpressionError:
            return Judgement(Outcome.WRONG, f"{at}your formula has no value; the right value is {expected:.4g}")
        if not math.isclose(got, expected, rel_tol=FORMULA_TOLERANCE, abs_tol=FORMULA_TOLERANCE):
            return Judgement(Outcome.WRONG, f"{at}your formula gives {got:.4g}; the right value is {expected:.4g}")
    return Judgement(Outcome.RIGHT, "your formula equals the right one at every point tried")


def probe(formula: str, variables: Sequence[str]) -> list[tuple[Mapping[str, float], float]]:
    """Return points where a formula is defined, positive ones first, each with the formula's value."""
    rng = random.Random(0)  # noqa: S311 - points to compare formulas at, not secrets
    found: list[tuple[Mapping[str, float], float]] = []
    for attempt in range(_ATTEMPTS):
        low = 0.1 if attempt < _POINTS else -2.0
        point = {name: rng.uniform(low, 2.0) for name in variables}
        try:
            found.append((point, evaluate(formula, point)))
        except ExpressionError:
            continue
    return found[: 2 * _POINTS]


def _right_hand_side(typed: str) -> str:
    return typed.rpartition("=")[2]


def _tokens(text: str) -> list[str]:
    return [token.replace("−", "-").casefold() for token in _TOKEN.findall(text)]


def _same_token(got: str, want: str) -> bool:
    if got == want:
        return True
    try:
        return math.isclose(float(got), float(want), rel_tol=_PRINTED_TOLERANCE)
    except ValueError:
        return False
