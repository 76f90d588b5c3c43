"""The cases of an exercise for a seed, and smaller cases of the same class for the report.

A class of arrays becomes cases with layouts and sizes that reveal faults, tiny and huge cotangents, and a large case.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodrill.drills.authoring import Given, Scenario
from autodrill.drills.case import (
    DISTINCT,
    SCALES,
    Case,
    case_of,
    child_seed,
    class_of,
    class_of_entry,
    label_of,
    plain_label,
)
from autodrill.drills.solution_file import authored
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from autodrill.drills.exercise import Drill
    from autodrill.drills.kind import Kind

__all__ = [
    "LARGE_ELEMENTS",
    "array_cases",
    "battery",
    "case_at",
    "distinct_sizes",
    "draw",
    "is_literal",
    "large_case",
    "scaled_cases",
    "sizes_of",
    "small_arrays",
    "small_cases",
    "small_integers",
    "takes_draws",
]


def distinct_sizes(entry: Given, wanted: Sequence[int]) -> dict[str, int]:
    """Return a different size for each symbol: the smallest free one that is at least the size wanted."""
    sizes: dict[str, int] = {}
    for symbol, size in sorted(zip(entry.symbols, wanted, strict=True), key=lambda pair: pair[1]):
        least = entry.sizes({symbol: size})[symbol]
        sizes[symbol] = next(free for free in itertools.count(least) if free not in sizes.values())
    return {symbol: sizes[symbol] for symbol in entry.symbols}


def sizes_of(entry: Given, inputs: Mapping[str, Any]) -> dict[str, int]:
    """Return the dimension symbols with their sizes in these inputs; literal values fix their own sizes."""
    return {
        dim: size
        for name, dims in entry.arrays.items()
        for dim, size in zip(dims, inputs[name].shape, strict=False)
        if isinstance(dim, str)
    }


def takes_draws(entry: Given) -> bool:
    """Whether any array of a class is drawn. A class with only literal values gives one case."""
    return not all(is_literal(entry, name) for name in entry.arrays)


def draw(entry: Given, sizes: Mapping[str, int], rng: np.random.Generator, *, simple: bool = False) -> dict[str, Any]:
    """Return the inputs of a class: literal values, and float64 arrays drawn at these sizes.

    Args:
        entry: The class.
        sizes: The sizes of its symbols; literal values override them.
        rng: Draws the values.
        simple: Whether to use small integers instead of values from N(0, 1).
    """
    import numpy as np

    sizes = {**sizes, **_literal_sizes(entry)}
    inputs: dict[str, Any] = {}
    for name, dims in entry.arrays.items():
        shape = tuple(sizes[d] if isinstance(d, str) else d for d in dims)
        rule = entry.values.get(name)
        if rule is None:
            inputs[name] = small_integers(shape, rng) if simple else np.asarray(rng.normal(size=shape))
        elif callable(rule):
            inputs[name] = np.asarray(rule(rng, shape, sizes))
        else:
            inputs[name] = np.asarray(rule)
    return inputs


def _literal_sizes(entry: Given) -> dict[str, int]:
    """Return the sizes of the symbols that literal values fix."""
    import numpy as np

    return {
        dim: size
        for name, dims in entry.arrays.items()
        if is_literal(entry, name)
        for dim, size in zip(dims, np.shape(entry.values[name]), strict=False)
        if isinstance(dim, str)
    }


def small_integers(shape: Sequence[int], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return small integers in float64, none of them 0 and no two neighbours equal, for a readable report."""
    import numpy as np

    size = int(np.prod(shape))
    pool = np.array([1.0, 2.0, 3.0, -1.0, 4.0, -2.0, 5.0, -3.0])
    start = int(rng.integers(3))
    return np.resize(np.roll(pool, -start), size).reshape(shape)


def is_literal(entry: Given, name: str) -> bool:
    """Whether the values of an array are literal, not drawn."""
    return name in entry.values and not callable(entry.values[name])


LARGE_ELEMENTS = 100_000
"""Elements of the largest array of the large case.

Finite differences need two forwards for each element. If a forward takes 10 ns an element, as `exp` does, they need
200 s, while a backward takes milliseconds. For a linear function they need one forward of 0.1 ns an element, so 1 s:
such an exercise needs a larger case of its own (`large={...}`).
"""

_SIDES = (1, 2, 3)
"""Sizes of the cases that are tried as the smallest failing one."""

_FEW_DRAWS = 30
"""Draws of an estimator for properties that do not depend on its mean: a dtype, a layout, a cotangent of 0."""


def array_cases(entry: Given, rng: np.random.Generator, *, zero: bool) -> list[Case]:
    """Return the cases of a class of arrays.

    Args:
        entry: The class.
        rng: Draws sizes and values.
        zero: Whether to add a case with a zero cotangent.
    """
    symbols = entry.symbols
    distinct = distinct_sizes(entry, (2 + rng.permutation(len(symbols))).tolist())

    def case(what: str, sizes: Mapping[str, int], **changes: Any) -> Case:
        inputs = draw(entry, sizes, rng)
        return case_of(entry, what, inputs, rng, **{"draws": entry.draws, "sizes": sizes_of(entry, inputs), **changes})

    cases = [case(DISTINCT if len(symbols) > 1 else "", distinct)]
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
    """Return the names of two arrays of one shape, drawn from N(0, 1), that the author allows to be one object."""
    drawn = [name for name, dims in entry.arrays.items() if entry.alias and name not in entry.values and dims]
    pairs = itertools.combinations(drawn, 2)
    return next(((a, b) for a, b in pairs if entry.arrays[a] == entry.arrays[b]), None)


def _with_one_object(inputs: Mapping[str, Any], pair: tuple[str, str]) -> dict[str, Any]:
    return {**inputs, pair[1]: inputs[pair[0]]}


def scaled_cases(drill: Drill, rng: np.random.Generator) -> list[Case]:
    """Return cases with tiny, huge and NaN cotangents: an answer that clips or replaces values is not linear in them.

    The huge cotangents are float32; half precision cannot represent them.
    """
    kind, solution = drill.kind, drill.solution
    if not kind.linear or solution.forward is None:
        return []
    drawn = (e for e in solution.cases if isinstance(e, Given) and takes_draws(e) and not e.draws)
    plain = (e for e in drawn if e.smooth and not e.tail and e.bound is None and "g" not in e.values)
    entry = next((e for e in plain if e.scaled), None)
    if entry is None:
        return []
    small = "float32" if kind.single_precision else "float64"
    made = []
    for (what, scale), dtype in zip(SCALES, (small, "float32"), strict=True):
        sizes = distinct_sizes(entry, (2 + rng.permutation(len(entry.symbols))).tolist())
        inputs = draw(entry, sizes, rng)
        settings = {"sizes": sizes_of(entry, inputs), "scale": scale, "dtype": dtype}
        made.append(case_of(entry, f"{what} {kind.moving}", inputs, rng, **settings))
    spoiled = replace(made[0], label=f"{label_of(entry)} · NaN {kind.moving}", scale=1.0, spoiled=True)
    if solution.drive:  # its results need not be linear
        made = []
    return [*made, spoiled] if entry.nan else made


def small_arrays(
    entry: Given, like: Case, rng: np.random.Generator, *, sides: Sequence[int] = _SIDES
) -> Iterator[Case]:
    """Yield cases of a class like one that failed, smallest first, and small integers before random values."""
    symbols = entry.symbols
    zero = "= 0" in like.label
    first = [max(0 if zero else 1, entry.least.get(symbol, 0)) for symbol in symbols]
    smallest = itertools.product(*(sorted({n, n + 1, *(side for side in sides if side > n)}) for n in first))
    # All sizes 1 comes last, because such a case is small but shows little of what happens to an array.
    ordered = sorted(smallest, key=lambda s: (max(s, default=0) == 1, sum(s), s))
    for simple in (True, False):
        for sizes in ordered:
            inputs = draw(entry, dict(zip(symbols, sizes, strict=True)), rng, simple=simple)
            if like.alias and (pair := _alike(entry)):
                inputs = _with_one_object(inputs, pair)
            case = replace(like, inputs=inputs, sizes=sizes_of(entry, inputs), seed=child_seed(rng), simple=simple)
            yield replace(case, label=plain_label(like), large=False)


def large_case(entry: Given, rng: np.random.Generator) -> Case:
    """Return the large case of a class: one long axis, and a largest array of about `LARGE_ELEMENTS` elements.

    It is float32, so that half as many bytes are sent to the candidate's process.
    """
    sizes = _with_one_long_axis(entry)
    if isinstance(entry.large, dict):
        sizes.update(entry.large)
    inputs = draw(entry, sizes, rng)
    case = Case(
        f"{label_of(entry)} · large", inputs, dict(entry.static), seed=child_seed(rng), dtype="float32", large=True
    )
    return replace(case, bound=entry.bound, draws=entry.draws, cotangent=entry.values.get("g"))


def _with_one_long_axis(entry: Given) -> dict[str, int]:
    """Return small sizes for all symbols except the last one of the array with the most symbols.

    An answer that pairs all elements of a row, for example in a Jacobian, then takes far more than a right one.
    """
    if not entry.symbols:
        return {}
    *_, long = max(([d for d in dims if isinstance(d, str)] for dims in entry.arrays.values()), key=len)
    short = [symbol for symbol in entry.symbols if symbol != long]
    sizes = entry.sizes({symbol: 2 + i for i, symbol in enumerate(short)})
    # By broadcasting, the output may have as many elements as the product of all sizes.
    longest = 4 * LARGE_ELEMENTS // math.prod(sizes.values())
    for dims in entry.arrays.values():
        if long in dims:
            others = math.prod(sizes[d] if isinstance(d, str) else d for d in dims if d != long)
            longest = min(longest, int((LARGE_ELEMENTS // others) ** (1 / dims.count(long))))
    return entry.sizes({**sizes, long: longest})


def battery(drill: Drill, seed: int) -> list[Case]:
    """Return all cases of one grading run; the same seed gives the same cases.

    Each entry of `CASES` gives an ordinary case first: different sizes and random values. Its special cases follow:
    float32, non-contiguous, sizes 1 and 0, a zero cotangent, repeated operands. The cases with unusual cotangents and
    the large cases come last.
    """
    import numpy as np

    kind, solution = drill.kind, drill.solution
    rng = np.random.default_rng(seed)
    cases: list[Case] = []
    with authored(solution.path, "CASES"):
        for entry in solution.cases:
            if isinstance(entry, Scenario):
                cases += [_from_scenario(entry, size, child_seed(rng), kind) for size in entry.sizes]
            else:
                cases += kind.cases(entry, rng, zero=not cases or not _differs_in_shape_alone(entry))
        cases += scaled_cases(drill, rng)
        given = [e for e in solution.cases if isinstance(e, Given) and e.large]
        # The deviation of an estimator may need far more memory than its inputs, so its author sets the sizes.
        large = [e for e in given if e.symbols and e.bound is None and (not e.draws or isinstance(e.large, dict))]
        if large and kind.large_case and not solution.drive:
            cases.append(large_case(max(large, key=_costliness), rng))
        cases += [large_case(entry, rng) for entry in given if entry.bound is not None]
    return cases


def case_at(cases: Sequence[Case], index: int) -> Case:
    """Return a case by its index.

    Raises:
        UsageError: There is no such case.
    """
    if not 0 <= index < len(cases):
        raise UsageError(f"there is no case {index}: this exercise has cases 0 to {len(cases) - 1}")
    return cases[index]


def small_cases(drill: Drill, like: Case, seed: int) -> Iterator[Case]:
    """Yield cases of the same class as `like`, smallest and simplest first: the report shows the first that fails."""
    made = _small_cases(drill, like, seed)
    while True:
        with authored(drill.solution.path, "CASES"):  # for each case: the time between two of them is not the author's
            case = next(made, None)
        if case is None:
            return
        yield case


def _small_cases(drill: Drill, like: Case, seed: int) -> Iterator[Case]:
    import numpy as np

    rng = np.random.default_rng(seed)
    for entry in drill.solution.cases:
        if isinstance(entry, Scenario):
            if entry.note != like.label:
                continue
            for size in range(1, like.size + 1):
                for _ in range(12):
                    yield _from_scenario(entry, size, child_seed(rng), drill.kind)
        elif class_of_entry(entry) == class_of(like):
            yield from drill.kind.smaller(entry, like, rng)


def _from_scenario(entry: Scenario, size: int, seed: int, kind: Kind) -> Case:
    import numpy as np

    made = entry.make(np.random.default_rng(seed), size)
    inputs = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
    static = {name: value for name, value in made.items() if name not in inputs}
    case = Case(entry.note, inputs, static, cotangent=1.0, seed=seed, size=size, simple=True)
    case = replace(case, dtype="float32") if kind.single_precision else case
    return case if entry.bound is None else replace(case, large=True, bound=entry.bound)


def _differs_in_shape_alone(entry: Given) -> bool:
    """Whether a class of inputs has neither options nor values of its own.

    A zero cotangent then shows nothing that the first class does not show.
    """
    return entry.smooth and not entry.static and not entry.values


def _costliness(entry: Given) -> tuple[bool, int]:
    """Return a sort key: how much finite differences cost for a class of inputs.

    Sizes that the author has set count first, then the number of axes that an array lacks and another has. An
    elementwise function has no such axes, and finite differences of it are cheap.
    """
    unlike = sum(symbol not in dims for symbol in entry.symbols for dims in entry.arrays.values())
    return isinstance(entry.large, dict), unlike
