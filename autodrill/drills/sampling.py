"""Drawing the inputs of an entry of `CASES`: sizes for its symbols, and arrays of those sizes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from autodrill.drills.authoring import Given

__all__ = ["distinct_sizes", "draw", "is_literal", "sizes_of", "small_integers", "takes_draws"]


def distinct_sizes(entry: Given, wanted: Sequence[int]) -> dict[str, int]:
    """Give every symbol a size that no other has, as near above the one wanted as it may be."""
    sizes: dict[str, int] = {}
    for symbol, size in sorted(zip(entry.symbols, wanted, strict=True), key=lambda pair: pair[1]):
        least = entry.sizes({symbol: size})[symbol]
        sizes[symbol] = next(free for free in itertools.count(least) if free not in sizes.values())
    return {symbol: sizes[symbol] for symbol in entry.symbols}


def sizes_of(entry: Given, inputs: Mapping[str, Any]) -> dict[str, int]:
    """Return the dimension symbols with the sizes they have: literal values have sizes of their own."""
    return {
        dim: size
        for name, dims in entry.arrays.items()
        for dim, size in zip(dims, inputs[name].shape, strict=False)
        if isinstance(dim, str)
    }


def takes_draws(entry: Given) -> bool:
    """Whether anything is left to draw: a class of literal values is one case."""
    return not all(is_literal(entry, name) for name in entry.arrays)


def draw(entry: Given, sizes: Mapping[str, int], rng: np.random.Generator, *, simple: bool = False) -> dict[str, Any]:
    """Return the inputs of an entry: its literal values, and arrays drawn at these sizes, float64."""
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
    """Return the sizes of the symbols that literal values settle."""
    import numpy as np

    return {
        dim: size
        for name, dims in entry.arrays.items()
        if is_literal(entry, name)
        for dim, size in zip(dims, np.shape(entry.values[name]), strict=False)
        if isinstance(dim, str)
    }


def small_integers(shape: Sequence[int], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Small whole numbers, no two neighbours equal and none 0, as float64: values a person can follow."""
    import numpy as np

    size = int(np.prod(shape))
    pool = np.array([1.0, 2.0, 3.0, -1.0, 4.0, -2.0, 5.0, -3.0])
    start = int(rng.integers(3))
    return np.resize(np.roll(pool, -start), size).reshape(shape)


def is_literal(entry: Given, name: str) -> bool:
    """Whether an array's values are given rather than drawn."""
    return name in entry.values and not callable(entry.values[name])
