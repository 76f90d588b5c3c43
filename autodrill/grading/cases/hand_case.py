"""A case to work out by hand: small integers, few elements, and right values that are short to type."""

from __future__ import annotations

import ast
import itertools
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.drills.authoring import Given
from autodrill.drills.case import case_of
from autodrill.drills.cases import draw, sizes_of
from autodrill.drills.solution_file import authored
from autodrill.errors import AutodrillError
from autodrill.grading.oracle.expected import added_by, expected_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill, Exercise

    Array = NDArray[Any]

__all__ = ["HandCase", "hand_case", "no_hand_case", "number_text", "place_text"]

_SIDES = (2, 3, 1)
"""Sizes tried for each axis, the most telling ones first."""
_ELEMENTS = 6
"""The elements of an array that a head can hold: 2x2 or 2x3."""
_MOST = 24
"""The most elements of an array."""
_TRIES = 120
"""Cases that are tried at most. Each costs about a millisecond."""
_DENOMINATOR = 12
"""The largest denominator of a short fraction."""
_DECIMAL = (1, 2, 4, 5, 8, 10)
"""Denominators whose fractions are written as decimals."""
_LARGEST = 1000.0
_ROUNDING = 2e-5
"""The relative error that a short form of a value may have. An epsilon of 1e-5 added to 1 changes its root by 5e-6."""
_EXACT = 1e-9
_EXTREME = 100.0
"""A number that shows a degenerate case, such as the inverse deviation of equal values."""
_NO_VALUE = 100.0
"""The cost of a case without a value to ask: any other is better."""
_GOOD = 1.5
"""The cost of a case that cannot be improved much: the search ends."""
_POOLS = ((2.0, 3.0, -1.0, 1.0), (3.0, -2.0, 2.0, 1.0), (0.0, 2.0, 1.0, -1.0), (1.0, -1.0), (0.0,), (2.0,))
"""The values of the inputs. Equal and zero inputs give a softmax, a tanh or an exp a short value."""


@dataclass(frozen=True, slots=True)
class HandCase:
    """A case to work out by hand.

    Attributes:
        given: The arguments by name, as the candidate's code receives them, with the defaults that hold.
        gradients: The right gradients: the name, the name of the input that it belongs to, and the array.
        asked: The name of the gradient of which a value is asked; empty if no value is short.
        place: The index of that value.
        value: The value; 0 if none is asked.
        confusions: The numbers that known errors give, by words that follow "is the value of".
        upstream: The shape of the upstream gradient, or of the tangent.
        case: The case.
    """

    given: Mapping[str, Any]
    gradients: tuple[tuple[str, str, Array], ...]
    asked: str
    place: tuple[int, ...]
    value: float
    confusions: Mapping[str, float]
    upstream: tuple[int, ...]
    case: Case

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each input of the forward."""
        return {name: np.shape(value) for name, value in self.case.inputs.items()}

    @property
    def asks_shapes(self) -> bool:
        """Whether any gradient is an array, so that its shape is a question."""
        return any(gradient.ndim for _, _, gradient in self.gradients)


def no_hand_case(drill: Drill) -> str:
    """Return why an exercise has nothing to work out by hand, as a clause; empty if it has."""
    solution = drill.solution
    if drill.kind.no_prediction:
        return drill.kind.no_prediction
    if solution.forward is None:
        return "it puts your code through a scenario"
    if solution.sample is not None:
        return "its answer is random"
    return ""


def hand_case(drill: Drill, seed: int) -> HandCase | None:
    """Return the case of an exercise for a seed that is easiest to work out by hand.

    Args:
        drill: The exercise; `no_hand_case` finds nothing against it.
        seed: Chooses among the cases, so that another day asks another one.

    Returns:
        The case, or None if the exercise has neither a gradient with a shape nor a short value.
    """
    found = []
    with np.errstate(all="ignore"):
        for number, case in enumerate(itertools.islice(_candidates(drill, seed), _TRIES)):
            with suppress(AutodrillError):  # values that the forward does not allow
                if (worked := _worked_out(drill, case, seed)) is not None:
                    found.append((worked[0], number, worked[1]))
                    if worked[0] <= _GOOD:
                        break
        for _, _, best in sorted(found, key=lambda each: each[:2]):
            if not (best.asked or best.asks_shapes):
                return None
            with suppress(AutodrillError):  # a kink, where the engine and finite differences disagree
                return _checked(drill, best)
    return None


def _candidates(drill: Drill, seed: int) -> Iterator[Case]:
    """Yield small cases; the seed decides the first class, and the numbers."""
    entries = [e for e in drill.solution.cases if isinstance(e, Given) and not e.remark and not e.draws]
    entries = [e for e in entries if e.bound is None and e.smooth] or entries
    turn = seed % len(entries) if entries else 0
    made = [_of_entry(drill, entry, seed) for entry in (*entries[turn:], *entries[:turn])]
    for together in itertools.zip_longest(*made):  # so that no class uses up all tries
        yield from (case for case in together if case is not None)


def _of_entry(drill: Drill, entry: Given, seed: int) -> Iterator[Case]:
    rng, symbols = np.random.default_rng([seed, 20]), entry.symbols
    choices = sorted(itertools.product(_SIDES, repeat=len(symbols)), key=lambda s: -len(set(s)))
    pools = (*_POOLS[seed % 2 : 2], *_POOLS[: seed % 2], *_POOLS[2:])
    both = itertools.product(enumerate(pools), enumerate(choices))
    # Diagonally, so that the first tries have several sizes and several kinds of numbers.
    for (_, pool), (_, sizes) in sorted(both, key=lambda pair: pair[0][0] + pair[1][0]):
        wanted = entry.sizes(dict(zip(symbols, sizes, strict=True)))
        try:
            with authored(drill.solution.path, "CASES"):
                inputs = draw(entry, wanted, rng, simple=True)
        except AutodrillError:
            continue
        arrays = {name: np.asarray(value) for name, value in inputs.items()}
        if all(0 < array.size <= _MOST for array in arrays.values()):
            filled = {name: _filled(entry, name, array, pool, rng) for name, array in arrays.items()}
            yield case_of(entry, "", filled, rng, simple=True, sizes=sizes_of(entry, filled))


def _filled(entry: Given, name: str, array: Array, pool: tuple[float, ...], rng: np.random.Generator) -> Array:
    """Return small integers in the place of random numbers. Integers of the author stay."""
    if array.dtype.kind != "f":
        return array
    if name in entry.values:
        return array if not callable(entry.values[name]) else np.round(array) + 0.0  # no -0
    start = int(rng.integers(len(pool)))
    return np.resize(np.roll(pool, start), array.size).reshape(array.shape).astype(np.float64)


def _worked_out(drill: Drill, case: Case, seed: int) -> tuple[float, HandCase] | None:
    """Return a case with its right values, and how hard these are to compute by hand; None if one is not finite."""
    expected = expected_results(drill, replace(case, smooth=False))
    parts = [(index, part) for index, part in enumerate(expected.parts) if part.linear]
    names = _differentiated(drill, case)
    if len(parts) != len(names) or not all(np.all(np.isfinite(part.value)) for _, part in parts):
        return None
    given = drill.kind.shown_arguments(drill, case, expected)
    gradients = tuple((part.name, name, part.value) for (_, part), name in zip(parts, names, strict=True))
    found = HandCase(given, gradients, "", (), 0.0, {}, expected.cotangents[0].shape, case)
    local = added_by(drill, case, expected, [np.ones_like(c) for c in expected.cotangents])
    places = [
        (_dullness(expected, local, index, place) + 0.1 * ((number - seed) % len(parts)), index, place)
        for number, (index, part) in enumerate(parts)
        for place in np.ndindex(part.value.shape)
        if number_text(float(part.value[place])) not in {"", "0", "-0"}
    ]
    if not places:
        return _NO_VALUE + _effort(found, expected), found
    dull, index, place = min(places)
    part = expected.parts[index]
    asked = replace(found, asked=part.name, place=place, value=float(part.value[place]))
    return dull + _effort(asked, expected), asked


def _defaults(exercise: Exercise) -> dict[str, Any]:
    """Return the arguments of the stub that have a default. A case without them leaves them out."""
    found: dict[str, Any] = {}
    for node in ast.walk(ast.parse(exercise.stub)):
        if isinstance(node, ast.FunctionDef) and node.name in exercise.defined:
            named = [argument.arg for argument in node.args.args]
            values = [ast.literal_eval(default) for default in node.args.defaults]
            found.update(zip(named[len(named) - len(values) :], values, strict=True))
    return found


def _checked(drill: Drill, found: HandCase) -> HandCase:
    """Return a case with its confusions and its default arguments, once both oracles agree about it.

    Raises:
        InternalError: They do not.
    """
    expected = expected_results(drill, found.case)
    defaults = {name: value for name, value in _defaults(drill.exercise).items() if name not in found.given}
    found = replace(found, given={**found.given, **defaults})
    if not found.asked:
        return found
    index = next(i for i, part in enumerate(expected.parts) if part.linear and part.name == found.asked)
    return replace(found, confusions=_confusions(drill, found.case, expected, index, found.place))


def _differentiated(drill: Drill, case: Case) -> list[str]:
    """Return the name of the input that each result belongs to; a tangent of the output belongs to none."""
    if not drill.kind.takes_cotangents:
        return [""]
    wrt = drill.solution.wrt
    return [n for n, v in case.inputs.items() if np.asarray(v).dtype.kind == "f"] if wrt is None else list(wrt)


def _dullness(expected: Expected, local: Sequence[Array], index: int, place: tuple[int, ...]) -> float:
    """Return how little a value teaches: 0 if it is not 0, not copied, and needs the upstream gradient."""
    part = expected.parts[index]
    value = float(part.value[place])
    contribution = value - (expected.start[index] if expected.start else 0.0)
    upstream = expected.cotangents[0]
    copied = upstream.shape == part.value.shape and contribution == float(upstream[place])
    forgotten = _same(float(local[index][place]), contribution)
    rounded = abs(float(Fraction(value).limit_denominator(_DENOMINATOR)) - value) > _EXACT
    dull = 50.0 * _same(contribution, 0.0) + 3.0 * copied + 3.0 * forgotten
    return dull + 4.0 * rounded + 0.3 * len(number_text(value))


def _effort(found: HandCase, expected: Expected) -> float:
    """Return how hard a case is to read and to work out."""
    shown = [number for value in found.given.values() for number in np.ravel(_numbers(value))]
    arrays = [array for array in map(_numbers, found.given.values()) if array.size]
    long = sum(not number_text(float(number)) for number in shown)
    large = sum(max(0, array.size - _ELEMENTS) for array in arrays) + 2 * sum(max(0, a.ndim - 2) for a in arrays)
    extreme = sum(abs(number) >= _EXTREME for number in shown)
    trivial = sum(size == 1 for size in found.case.sizes.values())
    shapes = {gradient.shape for _, _, gradient in found.gradients}
    alike = bool(expected.cotangents) and shapes == {expected.cotangents[0].shape} and shapes != {()}
    return float(min(4.0 * long, 20.0) + 10.0 * extreme + large + 6.0 * trivial + 2.0 * alike)


def _numbers(value: Any) -> Array:
    array = np.asarray(value) if isinstance(value, np.ndarray | float | int) else np.zeros(0)
    return array.astype(np.float64) if array.dtype.kind in "fiu" else np.zeros(0)


def _confusions(drill: Drill, case: Case, expected: Expected, index: int, place: tuple[int, ...]) -> dict[str, float]:
    """Return the numbers that common errors give, with words that follow "is the value of"."""
    part = expected.parts[index]
    at, upstream = place_text(place), _upstream(drill)
    local = added_by(drill, case, expected, [np.ones_like(c) for c in expected.cotangents])[index]
    found: dict[str, float] = {}
    if expected.start:
        start = expected.start[index]
        found["the new contribution alone"] = float(part.value[place]) - start
        found[f"{part.name} without {upstream}"] = start + float(local[place])
    else:
        found[f"{part.name}{at} without {upstream}"] = float(local[place])
        terms = _terms(drill, case, expected, index, place)
        if len(terms) > 1:
            found |= {f"term {n} of {len(terms)}, and the terms must be summed": t for n, t in enumerate(terms, 1)}
    for other in np.ndindex(part.value.shape):
        if other != place:
            found[f"{part.name}{place_text(other)}"] = float(part.value[other])
    return {words: number for words, number in found.items() if not _same(number, float(part.value[place]))}


def _upstream(drill: Drill) -> str:
    return "the upstream gradient" if drill.kind.takes_cotangents else f"the {drill.kind.moving}"


def _terms(drill: Drill, case: Case, expected: Expected, index: int, place: tuple[int, ...]) -> list[float]:
    """Return what each element of the upstream gradient contributes to a value, where it contributes at all."""
    first, *others = expected.cotangents
    terms = []
    for at in np.ndindex(first.shape):
        alone = np.zeros_like(first)
        alone[at] = first[at]
        added = added_by(drill, case, expected, [alone, *(np.zeros_like(c) for c in others)])
        if term := float(added[index][place]):
            terms.append(term)
    return terms


def place_text(place: tuple[int, ...]) -> str:
    """Return an index as Python writes it; empty for a number."""
    return f"[{', '.join(map(str, place))}]" if place else ""


def number_text(value: float) -> str:
    """Return a number as a person writes it, such as `-3`, `0.25` or `2/3`; empty if it is not short.

    The root of 1 + 1e-4 has no short form, because an epsilon as large as 1e-4 changes the root's fifth digit.
    """
    if not np.isfinite(value) or abs(value) >= _LARGEST:
        return ""
    exact = Fraction(value).limit_denominator(_DENOMINATOR)
    if not _same(float(exact), value):
        return ""
    if exact.denominator in _DECIMAL:
        return f"{float(exact):g}"
    return f"{exact.numerator}/{exact.denominator}"


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= _ROUNDING * max(1.0, abs(a), abs(b))
