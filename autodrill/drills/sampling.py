"""Sampling of the inputs of a class: sizes for its symbols, and arrays of these sizes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from autodrill.drills.authoring import Given

__all__ = ["distinct_sizes", "draw", "is_literal", "sizes_of", "small_integers", "takes_draws"]


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
