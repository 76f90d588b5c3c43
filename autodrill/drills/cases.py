"""Making the cases an exercise is graded on: shapes, values, dtypes, layouts, and small ones for the report."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from autodrill.drills.authored import authored
from autodrill.drills.authoring import Bound, Given, Scenario
from autodrill.drills.drawing import distinct_sizes, draw, is_literal, sizes_of, takes_draws
from autodrill.drills.exercise import Kind
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from autodrill.drills.exercise import Exercise, Solution

__all__ = ["Case", "battery", "case_at", "class_of", "small_cases"]

LARGE_ELEMENTS = 100_000
"""Elements of the largest array of the large case. Finite differences cost two forwards an element: with a forward of
10 ns an element, as of an `exp`, that is 200 s, while a backward takes milliseconds. What is linear costs them one
forward of 0.1 ns an element, 1 s, and asks for a larger case of its own (`large={...}`)."""

_SIDES = (1, 2, 3)
"""Sizes for the smallest case that shows a fault."""

_KERNEL_SIDES = (1, 2, 3, 5, 9, 17, 33, 65)
"""Such sizes for a kernel: one more than a block of threads has, or a row of blocks."""

_BELOW_A_BLOCK, _ABOVE_A_BLOCK, _MANY = (2, 3, 5, 7), (37, 41, 43, 47, 53, 59, 61), (101, 103, 107, 109)
"""Primes: the sizes a kernel is launched for, of which blocks of threads have none as a multiple."""

_FEW_DRAWS = 30
"""How often an estimator is asked about what its mean does not hang on: a dtype, a layout, a cotangent of 0."""

_SMALL_NUMBERS = (2.0, 3.0, 1.0, -1.0, -2.0, 0.5, 4.0, -3.0)


_SCALES = (("tiny", 2.0**-100), ("huge", 2.0**40))
"""Sizes of a cotangent that nobody thinks of; as powers of 2 they round nothing."""

_DISTINCT, _RANDOM, _EQUAL = "sizes all different", "random values", "equal values, two nodes"


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


def battery(exercise: Exercise, solution: Solution, seed: int) -> list[Case]:
    """Return every case of one grading run; the same seed gives the same cases.

    Random shapes and values come first, so that a report of "case 3" is an ordinary one; special classes
    (size 1, square, empty, float32, strided, zero cotangent, repeated operands) follow, the large case is last.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    cases: list[Case] = []
    with authored(solution.path, "CASES"):
        for entry in solution.cases:
            if isinstance(entry, Scenario):
                cases += [_from_scenario(entry, size, _child(rng), exercise.kind) for size in entry.sizes]
            elif exercise.kind is Kind.VALUE:
                cases += _scalar_cases(entry, rng)
            elif exercise.kind is Kind.KERNEL:
                cases += _kernel_cases(entry, rng)
            elif entry.bound is None:
                cases += _array_cases(entry, rng, zero=not cases or not _differs_in_shape_alone(entry))
        cases += _scaled_cases(exercise, solution, rng)
        given = [e for e in solution.cases if isinstance(e, Given) and e.large]
        # What an estimator's draws deviate by may take far more than its inputs: its author says how large.
        large = [e for e in given if e.symbols and e.bound is None and (not e.draws or isinstance(e.large, dict))]
        # A JVP by finite differences costs two forwards and no more: there precision tells, not cost.
        # Nobody writes finite differences as a kernel.
        costs = exercise.kind.is_linear and exercise.kind not in {Kind.JVP, Kind.KERNEL}
        if large and costs and not solution.drive:
            cases.append(_large_case(max(large, key=_costliness), rng))
        cases += [_large_case(entry, rng) for entry in given if entry.bound is not None]
    return cases


def case_at(cases: Sequence[Case], index: int) -> Case:
    """Return the case of that index in a battery.

    Raises:
        UsageError: If there is none.
    """
    if not 0 <= index < len(cases):
        raise UsageError(f"there is no case {index}: this exercise has cases 0 to {len(cases) - 1}")
    return cases[index]


def class_of(case: Case) -> tuple[str, str]:
    """Return what cases of one entry of `CASES` have in common: how their shapes are related, and their options."""
    return case.label.split(" · ")[0], _frozen(case.static)


def small_cases(exercise: Exercise, solution: Solution, like: Case, seed: int) -> Iterator[Case]:
    """Yield cases of the same class as `like`, smallest and plainest first, for finding the smallest that fails."""
    import numpy as np

    rng = np.random.default_rng(seed)
    with authored(solution.path, "CASES"):
        for entry in solution.cases:
            if isinstance(entry, Scenario):
                if entry.note != like.label:
                    continue
                for size in range(1, like.size + 1):
                    for _ in range(12):
                        yield _from_scenario(entry, size, _child(rng), exercise.kind)
            elif (_label(entry), _frozen(entry.static)) == class_of(like):
                if exercise.kind is Kind.VALUE:
                    yield from _small_scalars(entry, like)
                else:
                    sides = _KERNEL_SIDES if exercise.kind is Kind.KERNEL else _SIDES
                    yield from _small_arrays(entry, like, rng, sides)


def _child(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _from_scenario(entry: Scenario, size: int, seed: int, kind: Kind) -> Case:
    import numpy as np

    made = entry.make(np.random.default_rng(seed), size)
    inputs = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
    static = {name: value for name, value in made.items() if name not in inputs}
    case = Case(entry.note, inputs, static, cotangent=1.0, seed=seed, size=size, simple=True)
    case = replace(case, dtype="float32") if kind is Kind.KERNEL else case
    return case if entry.bound is None else replace(case, large=True, bound=entry.bound)


def _frozen(static: Mapping[str, Any]) -> str:
    return repr(sorted(static.items(), key=lambda item: item[0]))


def _label(entry: Given) -> str:
    if entry.note:
        return entry.note
    shapes = ""
    if any(entry.arrays.values()):
        shapes = ", ".join(f"{name} ({', '.join(map(str, dims))})" for name, dims in entry.arrays.items())
    options = ", ".join(f"{key}={value}" for key, value in entry.static.items())
    return ", ".join(part for part in (shapes, options) if part) or "scalars"


def _case(entry: Given, what: str, inputs: dict[str, Any], rng: np.random.Generator, **changes: Any) -> Case:
    """Return a case of a class of inputs, with what its entry says of all of them."""
    label = _label(entry)
    settings = {"smooth": entry.smooth, "remark": entry.remark, "tail": entry.tail, "cotangent": entry.values.get("g")}
    text = f"{label} · {what}" if what else label
    return Case(text, inputs, dict(entry.static), seed=_child(rng), **{**settings, **changes})


# -- scalar nodes ------------------------------------------------------------------------------------------------------


def _scalar_cases(entry: Given, rng: np.random.Generator) -> list[Case]:
    """Random, zero and negative values; a zero and a negative cotangent; all operands one node."""
    names = list(entry.arrays)
    drawn = [n for n in names if not is_literal(entry, n)]

    def case(what: str, **changes: Any) -> Case:
        inputs = {name: _scalar(entry, name, rng) for name in names} | changes.pop("inputs", {})
        return _case(entry, what, inputs, rng, **changes)

    cases = [case(_RANDOM if drawn else "") for _ in range(3 if drawn else 1)]
    cases += [case(f"{name} = 0", inputs={name: 0.0}) for name in names if name not in entry.values]
    if "g" not in entry.values:
        cases.append(case("out.grad = 0", cotangent=0.0))
        cases.append(case("out.grad negative", cotangent=-float(rng.uniform(0.5, 2))))
    if drawn:
        cases.append(case("nothing in .grad yet", fresh=True))
        # What is tiny shows only where nothing else is in `.grad`.
        cases += [
            case(f"{what} out.grad", scale=scale, fresh=True) for what, scale in _SCALES if "g" not in entry.values
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


def _small_scalars(entry: Given, like: Case) -> Iterator[Case]:
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
            yield replace(like, label=_plain_label(like), inputs=inputs, cotangent=cotangent, simple=True)


def _plain_label(like: Case) -> str:
    """The label of a small case: what only the random case had is no longer special about it."""
    class_, _, what = like.label.partition(" · ")
    return class_ if what in (_DISTINCT, _RANDOM, "large", "less than a block", "many") else like.label


def _plainness(value: float) -> float:
    return _SMALL_NUMBERS.index(value) if value in _SMALL_NUMBERS else 0


# -- arrays ------------------------------------------------------------------------------------------------------------


def _differs_in_shape_alone(entry: Given) -> bool:
    """Whether a class of inputs has no options and no values of its own: what is 0 in the first class is 0 in it."""
    return entry.smooth and not entry.static and not entry.values


def _array_cases(entry: Given, rng: np.random.Generator, *, zero: bool) -> list[Case]:
    """One class of inputs in every layout that has caught somebody, of a cotangent of 0 if that tells anything."""
    symbols = entry.symbols
    distinct = distinct_sizes(entry, (2 + rng.permutation(len(symbols))).tolist())

    def case(what: str, sizes: Mapping[str, int], **changes: Any) -> Case:
        inputs = draw(entry, sizes, rng)
        return _case(entry, what, inputs, rng, **{"draws": entry.draws, "sizes": sizes_of(entry, inputs), **changes})

    cases = [case(_DISTINCT if len(symbols) > 1 else "", distinct)]
    if not takes_draws(entry):
        return cases
    few = min(entry.draws, _FEW_DRAWS)
    cases.append(case("float32", distinct, dtype="float32", draws=few))
    cases.append(case("not contiguous", distinct, strided=True, draws=few))
    if symbols:
        smallest = entry.sizes(dict.fromkeys(symbols, 1))
        cases.append(case("every size 1" if set(smallest.values()) == {1} else "smallest sizes", smallest))
    if len(symbols) > 1:
        equal = max(3, *entry.least.values(), 0)
        cases.append(case("every size 3" if equal == 3 else f"all sizes {equal}", dict.fromkeys(symbols, equal)))
    if entry.empty:
        may_be_0 = [symbol for symbol in symbols if not entry.least.get(symbol)]
        cases += [case(f"{symbol} = 0", {**distinct, symbol: 0}) for symbol in may_be_0]
    if zero and entry.values.get("g") is None:
        cases.append(case("zero cotangent", distinct, cotangent=0.0, draws=few))
    if pair := _alike(entry):
        shared = case(f"{pair[1]} is {pair[0]}", distinct, alias=True)
        cases.append(replace(shared, inputs=_with_one_object(shared.inputs, pair)))
    return cases


def _alike(entry: Given) -> tuple[str, str] | None:
    """Return two arrays of one shape, drawn from N(0, 1), unless their author forbids that they are one object."""
    drawn = [name for name, dims in entry.arrays.items() if entry.alias and name not in entry.values and dims]
    pairs = itertools.combinations(drawn, 2)
    return next(((a, b) for a, b in pairs if entry.arrays[a] == entry.arrays[b]), None)


def _with_one_object(inputs: Mapping[str, Any], pair: tuple[str, str]) -> dict[str, Any]:
    return {**inputs, pair[1]: inputs[pair[0]]}


def _scaled_cases(exercise: Exercise, solution: Solution, rng: np.random.Generator) -> list[Case]:
    """Cotangents of a size that nobody thinks of: whoever cuts off what is tiny or huge is not linear in them.

    The huge ones are float32, where half precision cannot hold them.
    """
    if not exercise.kind.is_linear or solution.drive or solution.forward is None or exercise.kind is Kind.VALUE:
        return []
    drawn = (e for e in solution.cases if isinstance(e, Given) and e.symbols and takes_draws(e) and not e.draws)
    plain = (e for e in drawn if e.smooth and not e.tail and e.bound is None and "g" not in e.values)
    entry = next((e for e in plain if e.scaled), None)
    if entry is None:
        return []
    of = "tangent" if exercise.kind is Kind.JVP else "cotangent"
    small = "float32" if exercise.kind is Kind.KERNEL else "float64"
    made = []
    for (what, scale), dtype in zip(_SCALES, (small, "float32"), strict=True):
        sizes = distinct_sizes(entry, (2 + rng.permutation(len(entry.symbols))).tolist())
        inputs = draw(entry, sizes, rng)
        settings = {"sizes": sizes_of(entry, inputs), "scale": scale, "dtype": dtype}
        made.append(_case(entry, f"{what} {of}", inputs, rng, **settings))
    return made


def _kernel_cases(entry: Given, rng: np.random.Generator) -> list[Case]:
    """One class of inputs at sizes that no block divides: above and below one, 1 in each dimension, and many.

    A kernel is asked for float32 alone: another dtype would be another kernel.
    """
    symbols = entry.symbols

    def drawn(sizes: Sequence[int]) -> dict[str, int]:
        return dict(zip(symbols, rng.permutation(sizes)[: len(symbols)].tolist(), strict=True))

    def case(what: str, sizes: Mapping[str, int], **changes: Any) -> Case:
        inputs = draw(entry, sizes, rng)
        return _case(entry, what, inputs, rng, **{"dtype": "float32", "sizes": sizes_of(entry, inputs), **changes})

    cases = [case(_DISTINCT if len(symbols) > 1 else "", drawn(_ABOVE_A_BLOCK))]
    if not takes_draws(entry) or not symbols:
        return cases
    cases.append(case("less than a block", drawn(_BELOW_A_BLOCK)))
    if len(symbols) > 1:
        cases += [case(f"{symbol} = 1", {**drawn(_ABOVE_A_BLOCK), symbol: 1}) for symbol in symbols]
    cases.append(case("every size 1", dict.fromkeys(symbols, 1)))
    if entry.large is not False:
        sizes = entry.large if isinstance(entry.large, dict) else {}
        cases.append(case("many", {**drawn(_MANY), **sizes}))
    if entry.values.get("g") is None:
        cases.append(case("zero cotangent", drawn(_ABOVE_A_BLOCK), cotangent=0.0))
    return cases


def _small_arrays(entry: Given, like: Case, rng: np.random.Generator, sides: Sequence[int] = _SIDES) -> Iterator[Case]:
    symbols = entry.symbols
    zero = "= 0" in like.label
    first = [max(0 if zero else 1, entry.least.get(symbol, 0)) for symbol in symbols]
    smallest = itertools.product(*(sorted({n, n + 1, *(side for side in sides if side > n)}) for n in first))
    # All sizes 1 comes last: it is small, but most of what an array does cannot be seen in it.
    ordered = sorted(smallest, key=lambda s: (max(s, default=0) == 1, sum(s), s))
    for simple in (True, False):
        for sizes in ordered:
            inputs = draw(entry, dict(zip(symbols, sizes, strict=True)), rng, simple=simple)
            if like.alias and (pair := _alike(entry)):
                inputs = _with_one_object(inputs, pair)
            case = replace(like, inputs=inputs, sizes=sizes_of(entry, inputs), seed=_child(rng), simple=simple)
            yield replace(case, label=_plain_label(like), large=False)


def _costliness(entry: Given) -> tuple[bool, int]:
    """Whether its author says how large, and how many axes of one array the others lack: a derivative that is cheap to
    find numerically has none.
    """
    unlike = sum(symbol not in dims for symbol in entry.symbols for dims in entry.arrays.values())
    return isinstance(entry.large, dict), unlike


def _large_case(entry: Given, rng: np.random.Generator) -> Case:
    """Sizes all different, the largest array of about LARGE_ELEMENTS elements; float32, as they have to travel."""
    import numpy as np

    symbols = entry.symbols
    rank = max(1, *(sum(isinstance(d, str) for d in dims) for dims in entry.arrays.values()))
    # Broadcasting may make the output as large as all sizes together.
    side = max(2, round(min(LARGE_ELEMENTS ** (1 / rank), (4 * LARGE_ELEMENTS) ** (1 / max(1, len(symbols))))))
    sizes = {
        s: max(2, int(side * factor)) for s, factor in zip(symbols, np.linspace(0.8, 1.25, len(symbols)), strict=True)
    }
    sizes = entry.sizes(sizes)
    if isinstance(entry.large, dict):
        sizes.update(entry.large)
    inputs = draw(entry, sizes, rng)
    case = Case(f"{_label(entry)} · large", inputs, dict(entry.static), seed=_child(rng), dtype="float32", large=True)
    return replace(case, bound=entry.bound, draws=entry.draws)
