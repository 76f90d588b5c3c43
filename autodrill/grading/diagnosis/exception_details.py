"""Exception details: what the message of an exception, and the case, add to the words of its rule."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 shapes are those of arrays

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.answer_records import Rule
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.outcomes import Raised

    Shape = tuple[int, ...]

__all__ = ["with_details"]

_MOST_AXES = 6
"""Places for a further axis are tried for at most this number of axes. The message is untrusted."""

_TOO_MANY = "which line adds an axis of size 1? which axes of the other array should these sizes align with?"
"""The hint if a shape aligns without its axes of size 1."""

_SHAPE = re.compile(r"\((\d{0,9}(?:,\s?\d{0,9}){0,8})\)")

_DOMAINS = {
    "log": "an argument above 0",
    "log2": "an argument above 0",
    "log10": "an argument above 0",
    "log1p": "an argument above -1",
    "sqrt": "an argument of at least 0",
    "acos": "an argument between -1 and 1",
    "asin": "an argument between -1 and 1",
    "atanh": "an argument between -1 and 1, both excluded",
    "acosh": "an argument of at least 1",
}


def with_details(rule: Rule, end: Raised, o: Observation) -> Rule:
    """Return the rule of an exception with what this message and this case tell, or as it is.

    Args:
        rule: The rule.
        end: The exception. Its text is the candidate's: only numbers and names of few characters are taken from it.
        o: The observation.
    """
    words, hint = "", rule.hint
    if rule.key == "shapes-do-not-align":
        words = _superfluous(end.message)
        hint = _TOO_MANY if words else hint
        words = words or _alignment(end.message, o)
    elif rule.key == "no-such-axis":
        words = _axis(end.message, o)
    elif rule.key == "reshape-size":
        words, hint = _size(end.message, end.frames[-1].text if end.frames else "", hint)
    elif rule.key == "inner-sizes":
        words = _inner(end.message)
    elif rule.key == "no-such-attribute":
        found = re.fullmatch(r"'(\w{1,30})' object has no attribute '(\w{1,30})'(\..*)?", end.message)
        words = f"a value of the type `{found[1]}` has no attribute `{found[2]}`" if found else ""
    elif rule.key == "math-domain" and end.frames:
        called = set(re.findall(r"\bmath\.(\w+)\(", end.frames[-1].text)) & set(_DOMAINS)
        words = "".join(f"`math.{name}` needs {_DOMAINS[name]}" for name in called) if len(called) == 1 else ""
    return replace(rule, because=words, hint=hint) if words else rule


# -- shapes ------------------------------------------------------------------------------------------------------------


def _shapes(message: str) -> list[Shape]:
    found = (re.findall(r"\d+", text) for text in _SHAPE.findall(message))
    return [tuple(map(int, numbers)) for numbers in found]


def _superfluous(message: str) -> str:
    """Return which of two shapes aligns without its axes of size 1, if no axis inserted into it lets it align."""
    pair = _shapes(message)
    if "tensor" in message or "requested shape" in message or len(pair) != 2 or max(map(len, pair)) > _MOST_AXES:
        return ""
    small, large = sorted(pair, key=len)
    bare = tuple(n for n in small if n != 1)
    if len(small) == len(large) or len(bare) in (0, len(small)) or _fit(small, large, one_way=False):
        return ""
    if any(_fit(wide, large, one_way=True) for wide in _widened(small, len(large))) or not _fit(
        bare, large, one_way=True
    ):
        return ""
    return f"shapes align from the right: {small} does not fit {large}, but {bare} would"


def _alignment(message: str, o: Observation) -> str:
    """Return what would align two shapes, if exactly one change does."""
    if "tensor" in message:  # PyTorch names one size of each shape
        return ""
    pair = _shapes(message.replace("[original->remapped]", ""))
    one_way = "requested shape" in message  # the first must become the second
    if len(pair) != 2 or max(map(len, pair)) > _MOST_AXES or _fit(*pair, one_way=one_way):
        return ""
    for mine, whole in (pair, pair[::-1]):
        right = _kept(whole, o)
        if right is None or right in (whole, mine):
            continue
        axes = [i for i, (n, m) in enumerate(zip(whole, right, strict=True)) if n != m]
        left = tuple(n for i, n in enumerate(whole) if i not in axes)
        named = f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"
        if mine == left:
            return f"{named} of {whole} was reduced and not put back: {mine} must become {right}"
        if len(mine) == len(whole) and [n for n in mine if n != 1] == [n for n in left if n != 1]:
            return f"{named} of {whole} was reduced and put back at the wrong place: {mine} must be {right}"
    small, large = pair if one_way else sorted(pair, key=len)
    if len(small) < len(large):
        fitting = sorted({wide for wide in _widened(small, len(large)) if _fit(wide, large, one_way=one_way)})
        if fitting:
            better = " or ".join(map(str, fitting))
            return f"shapes align from the right: {small} does not fit {large}, but {better} would"
    return f"shapes align from the right, and {pair[0]} does not fit {pair[1]}"


def _kept(whole: Shape, o: Observation) -> Shape | None:
    """Return the shape of an input after a reduction over the option `axis` that keeps the axes; None if unknown."""
    axis = o.case.static.get("axis")
    axes = axis if isinstance(axis, tuple) else (axis,)
    if whole not in {np.shape(v) for v in o.case.inputs.values()} or not all(type(a) is int for a in axes):
        return None
    reduced = {a % len(whole) for a in axes} if whole else set()
    return tuple(1 if i in reduced else n for i, n in enumerate(whole))


def _widened(shape: Shape, axes: int) -> Iterator[Shape]:
    """Yield a shape with axes of size 1 inserted, up to a number of axes."""
    for places in itertools.combinations(range(axes), len(shape)):
        yield tuple(shape[places.index(i)] if i in places else 1 for i in range(axes))


def _fit(one: Shape, other: Shape, *, one_way: bool) -> bool:
    """Whether two shapes align, or the first broadcasts to the second."""
    if one_way and len(one) > len(other):
        return False
    return all(n in (1, m) or (m == 1 and not one_way) for n, m in zip(one[::-1], other[::-1], strict=False))


def _axis(message: str, o: Observation) -> str:
    found = re.search(r"axis (-?\d{1,4}) is out of bounds for array of dimension (\d{1,4})", message)
    if not found:
        return ""
    axis, left = int(found[1]), int(found[2])
    axes = "no axis" if left == 0 else f"{left} {'axis' if left == 1 else 'axes'}"
    words = f"the array has {axes} at this point, so it has no axis {axis}"
    names = [n for n, v in o.case.inputs.items() if -np.ndim(v) <= axis < np.ndim(v)]
    return words + (f"; `{names[0]}` has {np.ndim(o.case.inputs[names[0]])} axes" if len(names) == 1 else "")


def _size(message: str, line: str, hint: str) -> tuple[str, str]:
    """Return the two numbers of elements of a reshape, in words, and the hint.

    NumPy writes a -1 in the shape as `newaxis`, and omits a -1 at the front. `np.vdot` reshapes too.
    """
    found = re.search(r"cannot reshape array of size (\d{1,12}) into shape", message)
    shapes = _shapes(message.replace(",newaxis", ""))
    if not found or len(shapes) != 1 or "-" in message:
        return "", hint
    size, needed = int(found[1]), math.prod(shapes[0])
    if size == needed == 0:
        return "a `-1` in a shape cannot be worked out for an empty array", "which size can your code write for the -1?"
    if "vdot" in line and "reshape" not in line:
        words = f"the two arrays of `np.vdot` must have equally many elements, not {size} and {needed}"
        return words, "print the two shapes: which array has an axis too many?"
    if needed and ("newaxis" in message or re.search(r"\(\d+\)", message)):
        return f"the array has {size} elements, and {size} is not a multiple of {needed}", hint
    elements = "1 element" if size == 1 else f"{size} elements"
    why = "was an axis summed that must stay?" if size < needed else "which axis must be summed before the reshape?"
    return f"the array has {elements}, and the shape {shapes[0]} needs {needed}", why


def _inner(message: str) -> str:
    sizes = re.search(r"\(size (\d{1,9}) is different from (\d{1,9})\)", message)
    if sizes:
        return f"the inner sizes of a matrix product must agree, and here they are {sizes[2]} and {sizes[1]}"
    pair = _shapes(message)[:2]
    if "not aligned" in message and len(pair) == 2:
        return f"the inner sizes of a matrix product must agree, but the inner sizes of {pair[0]} and {pair[1]} differ"
    return ""
