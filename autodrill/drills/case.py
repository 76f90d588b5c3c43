"""Cases, and the classes of inputs that they come from: one class for each entry of `CASES`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from autodrill.drills.authoring import Bound, Given

__all__ = [
    "DISTINCT",
    "RANDOM",
    "SCALES",
    "Case",
    "case_of",
    "child_seed",
    "class_of",
    "class_of_entry",
    "label_of",
    "plain_label",
]

DISTINCT, RANDOM = "sizes all different", "random values"
"""Labels of the ordinary cases of a class. The small cases made from them drop the label."""

SCALES = (("tiny", 2.0**-100), ("huge", 2.0**40))
"""Unusual sizes of a cotangent. They are powers of 2, so that scaling by them rounds nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """One set of inputs, with cotangents, that a submission is called with.

    Attributes:
        label: The distinguishing property, for the report: "sizes all different", "self is other", "float32".
        inputs: The arguments of `forward` by name: arrays, or the arrays that a scenario made.
        static: Further arguments, which are never differentiated.
        cotangent: A literal for the cotangent, or None to draw it once the output's shape is known.
        scale: The factor of a drawn cotangent: a power of 2, which scales every right answer too.
        seed: The seed of everything drawn later: cotangents and starting gradients.
        smooth: Whether the expected results are compared with finite differences.
        remark: Whether a wrong answer only earns a remark.
        dtype: The dtype of floating arguments: "float64" or "float32".
        strided: Whether arrays are passed non-contiguous.
        alias: Whether one object is passed for several operands: all of them for scalar nodes, a pair for arrays.
        fresh: For scalar nodes, whether `.grad` is still 0 before the call.
        simple: Whether cotangents and starting gradients are small integers, for a readable report.
        large: Whether this is the large case, where finite differences cost too much.
        size: The size that a scenario is called with; 0 for arrays.
        bound: The bound on memory or time, or None.
        draws: The number of calls of an estimator; 0 for other exercises.
        sizes: The dimension symbols of the arrays, with their sizes.
        tail: Whether results far smaller than the cotangent must be right in their own digits.
    """

    label: str
    inputs: dict[str, Any]
    static: dict[str, Any] = field(default_factory=dict)
    cotangent: Any = None
    scale: float = 1.0
    seed: int = 0
    smooth: bool = True
    remark: bool = False
    dtype: str = "float64"
    strided: bool = False
    alias: bool = False
    fresh: bool = False
    simple: bool = False
    large: bool = False
    size: int = 0
    bound: Bound | None = None
    draws: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    tail: bool = False


def class_of(case: Case) -> tuple[str, str]:
    """Return the class of a case, which all cases of one entry of `CASES` share: the label and the options."""
    return case.label.split(" · ")[0], _frozen(case.static)


def class_of_entry(entry: Given) -> tuple[str, str]:
    """Return the class of an entry of `CASES`."""
    return label_of(entry), _frozen(entry.static)


def _frozen(static: Mapping[str, Any]) -> str:
    return repr(sorted(static.items(), key=lambda item: item[0]))


def label_of(entry: Given) -> str:
    """Return the name of a class of inputs: its author's note, or its shapes and options."""
    if entry.note:
        return entry.note
    shapes = ""
    if any(entry.arrays.values()):
        shapes = ", ".join(f"{name} ({', '.join(map(str, dims))})" for name, dims in entry.arrays.items())
    options = ", ".join(f"{key}={value}" for key, value in entry.static.items())
    return ", ".join(part for part in (shapes, options) if part) or "scalars"


def plain_label(like: Case) -> str:
    """Return the label of a small case like another: without properties that only the larger case has."""
    class_, _, what = like.label.partition(" · ")
    return class_ if what in (DISTINCT, RANDOM, "large", "less than a block", "many") else like.label


def case_of(entry: Given, what: str, inputs: dict[str, Any], rng: np.random.Generator, **changes: Any) -> Case:
    """Return a case of a class of inputs, with the settings of its entry.

    Args:
        entry: The class.
        what: The distinguishing property of the case, or "".
        inputs: The inputs.
        rng: Draws the seed of the case.
        **changes: Fields of `Case`.
    """
    label = label_of(entry)
    settings = {"smooth": entry.smooth, "remark": entry.remark, "tail": entry.tail, "cotangent": entry.values.get("g")}
    text = f"{label} · {what}" if what else label
    return Case(text, inputs, dict(entry.static), seed=child_seed(rng), **{**settings, **changes})


def child_seed(rng: np.random.Generator) -> int:
    """Draw a seed for everything drawn later."""
    return int(rng.integers(2**31))
