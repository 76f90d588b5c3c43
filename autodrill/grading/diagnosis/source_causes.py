"""Source causes: the line of a submission that probably lost digits or changed the dtype."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodrill.grading.report import Failure

__all__ = ["with_cause"]

_LONGEST_LINE, _MOST_LINES = 300, 2000
"""Length of a line, and number of lines, that are searched: the source is untrusted."""

_MOST_NAMED = 6
"""The most lines that a hint names."""

_SIZE = r"(?:len\([^()]*\)|[\w.]+\.shape\[[^\]]*\]|[\w.]+\.size|[a-zA-Z])"

_DTYPE = (
    (
        r"\bnp\.(zeros|ones|empty|full|eye|identity|tri|linspace)\((?!.*(?:dtype|float32))",
        "without a dtype, `np.{}` makes a float64 array",
    ),
    (
        rf"\bnp\.(sqrt|exp|log)\({_SIZE}\)",
        ("`np.{}` of a Python number is a float64, which makes a float32 array float64"),
    ),
    (
        r"\bnp\.(sqrt|exp|log)\((?=[^()]*\d)(?:[\d.\s/*+-]|(?:np|math)\.(?:pi|e)\b)+\)",
        "`np.{}` of a Python number is a float64, which makes a float32 array float64",
    ),
    (
        r"(?:\([^()]*(?:[!=]=|[<>])[^()]*\)|\bmask)\.(sum)\(",
        "a count by `.{}()` is an int64 that makes a float32 array float64",
    ),
    (r"\bnp\.(sum)\([^()]*(?:[!=]=|[<>])", "a count by `np.{}` is an int64 that makes a float32 array float64"),
    (
        r"\bnp\.(where)\((?!.*(?:dtype|float32)).*,\s*-?\d+\.\d*\s*,\s*-?\d+\.\d*\s*\)",
        "`np.{}` of two Python numbers is a float64 array",
    ),
    (
        r"\bnp\.(array|asarray|concatenate|stack|hstack|vstack|append)\((?!.*(?:dtype|float32)).*\[\s*-?\d+\.\d*\s*[\],]",
        "`np.{}` turns a list of Python numbers into a float64 array",
    ),
    (r"\bnp\.(float64|double)\(", "`np.{}` is a float64, which makes a float32 array float64"),
    (r"\b(astype|dtype=)\(?\s*(?:np\.)?[\"']?(?:float|float64|double|f8|d)\b", "this makes the array float64"),
)
"""Patterns of what usually makes a float32 result float64, with the words of the cause."""

_FLOAT16 = ((r"\b(float16|half|bfloat16)\b|astype\([\"']f2", "this rounds to half precision"),)

_SMALL = r"(?<![\d.])(?:\d{1,20}\.?\d{0,20}|\.\d{1,20})e-\d{1,20}"
"""It begins only where a number begins, because a line may be made of digits to keep the search busy."""

_ADDS = "this adds {}"

_CLIP = "`clip` changes values beyond its bounds"

_DIGITS = (
    (r"\b(float16|half|float32|single)\b|astype\([\"']f[24]?[\"']", "this rounds to fewer bits"),
    (
        r"-.*\)\s*/\s*\(?\s*(?:2(?:\.0?)?\s*\*\s*)?(h|eps|step|delta|epsilon)\b(?!\s*\*\*)",
        "this is a difference quotient",
    ),
    (rf"\+\s*\(?({_SMALL})", _ADDS),
    (rf"\b(?:maximum|max|clip)\(.*?({_SMALL})", "this bound of {} changes smaller values"),
    (r"\bclip\(", _CLIP),
    (r"\bfor\s+\w+\s+in\s+range\((\d+)\)", "this stops after {} steps"),
)
"""Patterns of what usually costs digits, with the words of the cause."""

_THRESHOLD = (
    r"\b(?:where|if)\b.*[<>]=?\s*-?\d",
    "this treats values beyond a threshold in another way",
)
"""A pattern of values for which another formula is used, with the words of the cause."""

_NAN = (
    (
        r"[-=]\s*(?:np\.a?max\(\s*\w+\s*\)|\w+\.(?:a?max)\(\s*\))",
        "this is the maximum of the whole array. What do the exponentials of a row far below it sum to?",
    ),
)
"""Patterns of what often makes 0/0, with a question."""

_ADDED = ((r"\+\s*\(?(\d{0,20}\.?\d{0,20}e-\d{1,20})", "this adds {}. Does the task's formula contain this number?"),)
"""Patterns of a small number that scales a result."""

_CLOSE = ((r"\b(isclose|allclose)\(", "`{}` treats nearly equal numbers as equal. Does the task?"),)
"""Patterns of a test that is inexact near a kink."""

_PATTERNS = {
    "dtype-upcast": _DTYPE,
    "half-precision": _FLOAT16,
    "approximate": _DIGITS,
    "wrong-where": (_THRESHOLD, *_DIGITS),
    "nan-where-finite": _NAN,
    "unknown-factor": _ADDED,
    "at-the-kink": _CLOSE,
}


def with_cause(failure: Failure, source: str, right: str) -> Failure:
    """Return a failure with the line that probably causes it, if exactly one line of the source looks like it.

    If several lines may make a float64 array, the hint names them all.

    Args:
        failure: The failure.
        source: The text of the submission.
        right: The text of the worked solution, whose lines cause nothing. A small number that occurs in this text,
            such as the epsilon of a norm, may be added.
    """
    patterns = _PATTERNS.get(failure.rule.key if failure.rule is not None and not failure.rule.known else "", ())
    if failure.rule is None or not patterns or failure.line is not None:
        return failure
    innocent = {_code_of(line) for line in right.splitlines()}
    stated = {float(number) for number in re.findall(_SMALL, right)}
    found: list[tuple[int, str, str]] = []
    for number, line in enumerate(source.splitlines()[:_MOST_LINES], 1):
        code = _code_of(line[:_LONGEST_LINE])
        if code in innocent:
            continue
        for pattern, words in patterns:
            if match := re.search(pattern, code):
                if words == _ADDS and float(match[1]) in stated:
                    break
                found.append((number, code, words.format(*match.groups())))
                break
    if failure.rule.key == "dtype-upcast" and 1 < len(found) <= _MOST_NAMED:
        lines = ", ".join(str(number) for number, *_ in found)
        hint = f"which of the lines {lines} make a float64 array?"
        return replace(failure, rule=replace(failure.rule, hint=hint))
    if len(found) != 1:
        return failure
    number, code, words = found[0]
    because = failure.rule.because
    if words == _CLIP:
        because = because.partition("; the likely cause")[0]  # of the lost digits: a guess that the line refutes
    rule = replace(failure.rule, because=because, hint=f"line {number}: {words}")
    return replace(failure, line=number, code=code, rule=rule)


def _code_of(line: str) -> str:
    """Return a line without its comment and its indentation."""
    return line.partition("#")[0].strip()
