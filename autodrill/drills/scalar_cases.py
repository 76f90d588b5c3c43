"""The cases of a class of scalar nodes, and small ones for the report."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodrill.drills.case import RANDOM, SCALES, Case, case_of, plain_label
from autodrill.drills.sampling import is_literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from autodrill.drills.authoring import Given

__all__ = ["scalar_cases", "small_scalars"]

_SMALL_NUMBERS = (2.0, 3.0, 1.0, -1.0, -2.0, 0.5, 4.0, -3.0)

_EQUAL = "equal values, two nodes"


def scalar_cases(entry: Given, rng: np.random.Generator) -> list[Case]:
    """Random, zero and negative values; a zero and a negative cotangent; all operands one node."""
    names = list(entry.arrays)
    drawn = [n for n in names if not is_literal(entry, n)]

    def case(what: str, **changes: Any) -> Case:
        inputs = {name: _scalar(entry, name, rng) for name in names} | changes.pop("inputs", {})
        return case_of(entry, what, inputs, rng, **changes)

    cases = [case(RANDOM if drawn else "") for _ in range(3 if drawn else 1)]
    cases += [case(f"{name} = 0", inputs={name: 0.0}) for name in names if name not in entry.values]
    if "g" not in entry.values:
        cases.append(case("out.grad = 0", cotangent=0.0))
        cases.append(case("out.grad negative", cotangent=-float(rng.uniform(0.5, 2))))
    if drawn:
        cases.append(case("nothing in .grad yet", fresh=True))
        # What is tiny shows only where nothing else is in `.grad`.
        cases += [
            case(f"{what} out.grad", scale=scale, fresh=True) for what, scale in SCALES if "g" not in entry.values
        ]
    if len(names) > 1 and drawn == names:
        for _ in range(2):
            inputs = dict.fromkeys(names, _scalar(entry, names[0], rng))
            cases.append(case(f"{names[1]} is {names[0]}", inputs=inputs, alias=True))
        cases.append(case(_EQUAL, inputs=dict.fromkeys(names, _scalar(entry, names[0], rng))))
    return cases


def _scalar(entry: Given, name: str, rng: np.random.Generator) -> float:
    value = entry.values.get(name)
    if value is None:
        return float(rng.normal(scale=2))
    return float(value(rng, (), {})) if callable(value) else float(value)


def small_scalars(entry: Given, like: Case) -> Iterator[Case]:
    """Yield cases of a class like one that failed, those of plain numbers first."""
    names = list(entry.arrays)
    what = like.label.partition(" · ")[2]
    choices = [
        (float(entry.values[n]),) if is_literal(entry, n) else (0.0,) if what == f"{n} = 0" else _SMALL_NUMBERS
        for n in names
    ]
    if like.alias:
        choices = [_SMALL_NUMBERS]
    numbers = sorted(itertools.product(*choices), key=lambda vs: (len(set(vs)) < len(vs), sum(map(_plainness, vs))))
    if what == _EQUAL:
        numbers = [values for values in numbers if len(set(values)) == 1]
    cotangents: tuple[float, ...] = {"out.grad = 0": (0.0,), "out.grad negative": (-1.0, -2.0)}.get(
        what, (1.0, 2.0, -1.0)
    )
    if entry.values.get("g") is not None:
        cotangents = (entry.values["g"],)
    for values in numbers[:40]:
        inputs = dict.fromkeys(names, values[0]) if like.alias else dict(zip(names, values, strict=True))
        for cotangent in cotangents:
            yield replace(like, label=plain_label(like), inputs=inputs, cotangent=cotangent, simple=True)


def _plainness(value: float) -> float:
    return _SMALL_NUMBERS.index(value) if value in _SMALL_NUMBERS else 0
