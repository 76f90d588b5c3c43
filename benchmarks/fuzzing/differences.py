"""Differences between the engine and PyTorch: the rules that explain one, and the smallest program that shows one.

A rule is measured on the program at hand. What no rule explains is a fault of the engine, or a rule yet to be found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.fuzzing.modes import (
    BASE,
    SINGLE,
    Batch,
    Point,
    PyTorchRefusesError,
    batch_of,
    drawn_like,
    in_batch,
    point_of,
    their_gradient,
    their_value,
)
from benchmarks.fuzzing.programs import NUDGE, THEIRS, source
from tests.engine.exclusions import ROUNDED_IN_PYTORCH
from tests.engine.opdb.agreement import distance

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.fuzzing.programs import Program

RTOL = 1e-9
"""Of the largest element of each array."""

JUMP = 1e-4
"""A result that such a nudge changes by more is at a kink, a tie or a branch cut."""

RULES = {
    "kink": "a nudge of 1e-11 changes PyTorch's result by over 1e-4: a kink, a tie or a branch cut",
    "ill-conditioned": "a nudge of 1e-11 changes PyTorch's result by at least a hundredth of the difference",
    "rounded": "the program holds an operation whose digits PyTorch loses: see `ROUNDED_IN_PYTORCH`",
    "differences": "finite differences of PyTorch's own values or gradients agree with the engine, not with PyTorch",
    "not a number": "PyTorch's is NaN and the engine's is finite, in a program with an operation of `NAN_IN_PYTORCH`",
    "example": "the engine computes the same for each example on its own, and a rule above explains the difference",
}
"""The only explanations of a difference, and what each one measures."""


NAN_IN_PYTORCH = {"bessel_i": "the counterpart of order 2 divides by its argument, which may be 0"}
"""Operations of which PyTorch's values or derivatives are NaN at a point, and why."""


@dataclass(frozen=True)
class Difference:
    """A difference that no rule explains."""

    mode: str
    program: Program
    error: float
    note: str

    def __str__(self) -> str:
        heading = f"# seed {self.program.seed}, {self.mode}: {self.error:.1e} {self.note}"
        return f"{heading}\n{source(self.program)}"


@dataclass(frozen=True)
class Outcome:
    """What came of one mode of a program: `agrees`, `refused`, a rule's name or `unexplained`."""

    word: str
    error: float = 0.0
    note: str = ""


def both(program: Program, mode: str, where: Point | Batch) -> tuple[list[Any], list[Any]]:
    """Return what the engine and what PyTorch computes; an error of the engine is an empty list."""
    if isinstance(where, Batch):
        return in_batch(mode, program, where)
    ours, theirs = SINGLE[mode]
    expected = theirs(program, where)
    return ours(program, where), expected


def moved(where: Point | Batch, rng: np.random.Generator) -> Point | Batch:
    if isinstance(where, Point):
        return where.moved(rng, NUDGE)
    near = [p.moved(rng, NUDGE) for p in where.points]
    for p in near[1:]:
        p.leaves[:] = [x if a is not None else y for x, y, a in zip(p.leaves, near[0].leaves, where.axes, strict=True)]
    return replace(where, points=near)


def theirs_at(program: Program, mode: str, where: Point | Batch) -> list[list[Any]]:
    if isinstance(where, Batch):
        return [SINGLE[BASE[mode]][1](program, p) for p in where.points]
    return [SINGLE[mode][1](program, where)]


def sensitivity(program: Program, mode: str, where: Point | Batch) -> float:
    """Return the largest change of PyTorch's result under a few nudges of the leaves and of each step's result."""
    rng, worst = np.random.default_rng(0), 0.0
    base = theirs_at(program, mode, where)
    for _ in range(12):
        THEIRS.noise = rng
        try:
            changed = theirs_at(program, mode, moved(where, rng))
        finally:
            THEIRS.noise = None
        worst = max(worst, *(distance(a, b) for a, b in zip(changed, base, strict=True)))
    return worst


def product(a: list[Any], b: list[Any]) -> float:
    """Return Re Σ conj(a) b."""
    return float(sum(np.sum((x.conj() * y).real) for x, y in zip(a, b, strict=True)))


def slope(f: Callable[[Point], float], point: Point, along: list[Any]) -> float:
    """Return the derivative by central differences, extrapolated once."""

    def central(h: float) -> float:
        ends = [
            replace(point, leaves=[x + s * h * u for x, u in zip(point.leaves, along, strict=True)]) for s in (1, -1)
        ]
        return (f(ends[0]) - f(ends[1])) / (2 * h)

    return (4 * central(5e-5) - central(1e-4)) / 3


def differences_side_with_engine(program: Program, mode: str, point: Point, ours: list[Any], theirs: list[Any]) -> bool:
    """Return whether finite differences of PyTorch's functions agree with the engine's derivative."""
    if mode == "value":
        return False
    lost = [np.isnan(b) & np.isfinite(a) for a, b in zip(ours, theirs, strict=True)]
    gap = [a - b for a, b in zip(ours, theirs, strict=True)]
    if any(x.any() for x in lost):
        gap = [x.astype(float) for x in lost]
    if not all(np.isfinite(g).all() for g in gap):
        return False
    size = np.sqrt(product(gap, gap))
    gap = [g / size for g in gap]
    if mode == "tangent":
        truth = slope(lambda p: product(gap, their_value(program, p)), point, point.directions)
    elif mode == "gradient":
        truth = slope(lambda p: product(point.weights, their_value(program, p)), point, gap)
    else:
        truth = slope(lambda p: product(point.directions, their_gradient(program, p)), point, gap)
    ours_off = abs(product(gap, ours) - truth)
    return bool(ours_off < 0.1 * size if not any(x.any() for x in lost) else ours_off < 1e-4 * (1 + abs(truth)))


def outcome(program: Program, mode: str, where: Point | Batch) -> Outcome:
    """Compare one mode of a program and explain a difference if a rule does."""
    try:
        found, expected = both(program, mode, where)
    except PyTorchRefusesError:
        return Outcome("refused")
    except Exception as error:  # noqa: BLE001 - an error of the engine is a difference like any other
        return Outcome("unexplained", np.inf, f"{type(error).__name__}: {error}".splitlines()[0][:200])
    error = distance(found, expected)
    if error <= RTOL:
        return Outcome("agrees")
    try:
        return Outcome(_rule(program, mode, where, found, expected, error), error)
    except PyTorchRefusesError:
        return Outcome("unexplained", error, "PyTorch raises an error nearby")


def _rule(program: Program, mode: str, where: Any, found: list[Any], expected: list[Any], error: float) -> str:
    change = sensitivity(program, mode, where)
    if error <= 100 * change:
        return "kink" if change > JUMP else "ill-conditioned"
    names = set(program.names())
    if any(error <= 10 * ROUNDED_IN_PYTORCH[name].rtol for name in names & set(ROUNDED_IN_PYTORCH)):
        return "rounded"
    if isinstance(where, Batch):
        # A mapped computation that equals its examples' own computations is as right as they are.
        words = {outcome(program, BASE[mode], p).word for p in where.points}
        alone = [SINGLE[BASE[mode]][0](program, p) for p in where.points]
        again = _joined(mode, where, alone)
        same = distance(found, again) <= RTOL
        return "example" if same and "unexplained" not in words and words != {"agrees"} else "unexplained"
    if differences_side_with_engine(program, mode, where, found, expected):
        return "differences"
    if names & set(NAN_IN_PYTORCH) and all(np.isfinite(x).all() for x in found):
        return "not a number"
    return "unexplained"


def _joined(mode: str, batch: Batch, parts: list[list[Any]]) -> list[Any]:
    back = mode in {"gradient of vmap", "gradient of vmap of the gradient"}
    return batch.back(parts) if back else [np.stack(of) for of in zip(*parts, strict=True)]


def where_of(program: Program, mode: str) -> Point | Batch:
    """Return the point, or the examples, at which a mode of a program is compared: always the same."""
    rng = np.random.default_rng([program.seed, 1])
    point = point_of(program, rng)
    return point if mode in SINGLE else batch_of(point, rng)


def compare(program: Program, mode: str) -> Outcome:
    return outcome(program, mode, where_of(program, mode))


def smallest(program: Program, mode: str, found: Outcome) -> Difference:
    """Return the difference in the smallest program that still shows it."""

    def shows(candidate: Program) -> Outcome | None:
        try:
            result = compare(candidate, mode)
        except Exception:  # noqa: BLE001 - not even the values can be computed any more
            return None
        keeps = result.word == "unexplained" and np.isinf(result.error) == np.isinf(found.error)
        return result if keeps else None

    best, last = program, found
    for output in program.steps:  # the first that shows it
        smaller = replace(best, outputs=(output,)).pruned()
        result = shows(smaller)
        if result:
            best, last = smaller, result
            break
    for k in list(best.steps):
        if k not in best.steps or (len(best.outputs) == 1 and k == best.outputs[0]):
            continue
        leaves = dict(sorted({**best.leaves, k: np.asarray(best.values[k])}.items()))
        steps = {j: step for j, step in best.steps.items() if j != k}
        result = shows(replace(best, leaves=leaves, steps=steps).pruned())
        if result:
            best, last = replace(best, leaves=leaves, steps=steps).pruned(), result
    return Difference(mode, best, last.error, last.note)


__all__ = ["RULES", "Difference", "Outcome", "compare", "drawn_like", "smallest"]
