"""One question put to the candidate's code, and what the cases made from one entry of `CASES` have in common."""

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
"""What is said of the ordinary case of a class: its small cases are not said to be that."""

SCALES = (("tiny", 2.0**-100), ("huge", 2.0**40))
"""Sizes of a cotangent that nobody thinks of; as powers of 2 they round nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question put to the candidate's code.

    Attributes:
        label: What is special about it, for the report: "sizes all different", "self is other", "float32".
        inputs: The arguments of `forward` by name: arrays, or anything a scenario made.
        static: Further arguments that are never differentiated.
        cotangent: A literal for the cotangent, or None to draw it once the output's shape is known.
        scale: What a drawn cotangent is multiplied by: a power of 2, by which every right answer is multiplied too.
        seed: Seed of what is drawn later: cotangents and starting gradients.
        smooth: Whether finite differences may vote.
        remark: Whether a wrong answer earns a remark only.
        dtype: The floating dtype everything is handed over in: "float64" or "float32".
        strided: Whether arrays are handed over non-contiguous.
        alias: Whether one object is given for several operands: for scalar nodes all, for arrays those drawn alike.
        fresh: For scalar nodes: whether `.grad` is still 0 when the closure is called.
        simple: Whether cotangents and starting gradients are small integers, to read in a report.
        large: Whether this is the large case that makes an answer by finite differences cost too much.
        size: The size a scenario was asked for; 0 for arrays.
        bound: What the call may cost, or None.
        draws: How often an estimator is asked; 0 for what is no estimator.
        sizes: The dimension symbols of the arrays, with their sizes.
        tail: Whether results far smaller than the cotangent must be right in digits of their own.
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
    """Return what cases of one entry of `CASES` have in common: how their shapes are related, and their options."""
    return case.label.split(" · ")[0], _frozen(case.static)


def class_of_entry(entry: Given) -> tuple[str, str]:
    """Return the same of an entry of `CASES`."""
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
    """The label of a small case: what only the random case had is no longer special about it."""
    class_, _, what = like.label.partition(" · ")
    return class_ if what in (DISTINCT, RANDOM, "large", "less than a block", "many") else like.label


def case_of(entry: Given, what: str, inputs: dict[str, Any], rng: np.random.Generator, **changes: Any) -> Case:
    """Return a case of a class of inputs, with what its entry says of all of them."""
    label = label_of(entry)
    settings = {"smooth": entry.smooth, "remark": entry.remark, "tail": entry.tail, "cotangent": entry.values.get("g")}
    text = f"{label} · {what}" if what else label
    return Case(text, inputs, dict(entry.static), seed=child_seed(rng), **{**settings, **changes})


def child_seed(rng: np.random.Generator) -> int:
    """Draw the seed of what is drawn later."""
    return int(rng.integers(2**31))
