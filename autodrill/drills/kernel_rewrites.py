"""Rewrites of CUDA C++ text: small changes that make a right kernel wrong, with the operators of `rewrites`.

Only operators between spaces match, as a formatter writes them: ` * ` is a product, and `float*` is a pointer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.drills.rewrites import Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["KernelRewrite", "kernel_rewrites"]

_REWRITES: tuple[tuple[Operator, str, tuple[str, ...]], ...] = (
    (Operator.SIGN, r"(?<= )\+(?= )", ("-",)),
    (Operator.SIGN, r"(?<= )-(?= )", ("+",)),
    (Operator.SIGN, r"(?<= )-=(?= )", ("+=",)),
    (Operator.FACTOR, r"(?<= )\*(?= )", ("/",)),
    (Operator.FACTOR, r"(?<= )/(?= )", ("*",)),
    (Operator.AXIS, r"(?<=[a-z](?:Idx|Dim)\.)x\b", ("y",)),
    (Operator.AXIS, r"(?<=[a-z](?:Idx|Dim)\.)y\b", ("x",)),
    (Operator.ASSIGN, r"(?<= )\+=(?= )", ("=", "-=")),
    (Operator.ASSIGN, r"\batomicAdd\(&([^,;]+), ([^;]+)\);", (r"\1 += \2;", r"\1 = \2;")),
    (Operator.COMPARISON, r"(?<= )<(?= )", ("<=", ">")),
    (Operator.COMPARISON, r"(?<= )>(?= )", (">=", "<")),
    (Operator.COMPARISON, r"(?<= )<=(?= )", ("<",)),
    (Operator.COMPARISON, r"(?<= )>=(?= )", (">",)),
    (Operator.COMPARISON, r"(?<= )==(?= )", ("!=",)),
    (Operator.OPERAND, r"\bblockDim\b", ("gridDim",)),
    (Operator.OPERAND, r"\bgridDim\b", ("blockDim",)),
    (Operator.OPERAND, r"\bthreadIdx\b", ("blockIdx",)),
    (Operator.OPERAND, r"\bblockIdx\b", ("threadIdx",)),
    (Operator.ORDER, r"\? ([^?:;]+) : ([^?:;]+);", (r"? \2 : \1;",)),
    (Operator.CONSTANT, r"(?<![\w.])(0|1)\.0?f\b", (r"\1.5f",)),
    (Operator.CONSTANT, r"(?<![\w.])0(?![\w.])", ("1",)),
    (Operator.CONSTANT, r"(?<![\w.])1(?![\w.])", ("2",)),
    (Operator.FUNCTION, r"\bfmaxf\b", ("fminf",)),
    (Operator.FUNCTION, r"\bfminf\b", ("fmaxf",)),
    (Operator.FUNCTION, r"\bexpf\b", ("logf",)),
    (Operator.STATEMENT, r"\b__syncthreads\(\);", ("",)),
    (Operator.STATEMENT, r"\bif \([^;{}]+\) return;", ("",)),
)
"""The operator, the pattern of the text, and its replacements."""


@dataclass(frozen=True, slots=True)
class KernelRewrite:
    """A kernel changed in one place.

    Attributes:
        operator: The kind of change.
        line: The index of the changed line, from 0.
        before: The line before the change.
        after: The line after the change.
        text: The whole changed text.
    """

    operator: Operator
    line: int
    before: str
    after: str
    text: str


def kernel_rewrites(text: str) -> Iterator[KernelRewrite]:
    """Yield every rewrite of the bodies in a text with a kernel; none for any other text."""
    body = text.find("{") if "__global__" in text else len(text)
    for operator, pattern, replacements in _REWRITES:
        for match in re.compile(pattern).finditer(text, body):
            for replacement in replacements:
                changed = text[: match.start()] + match.expand(replacement) + text[match.end() :]
                line = text.count("\n", 0, match.start())
                before, after = (each.split("\n")[line].strip() for each in (text, changed))
                yield KernelRewrite(operator, line, before, after or "nothing", changed)
