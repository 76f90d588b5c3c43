"""Random numbers that are the same on every device: a generator whose n-th number is a function of seed and n."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["AnyGenerator", "Generator"]

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = (1 << 64) - 1


def _mixed(z: Any, kind: Any) -> Any:
    """Return the output function of SplitMix64 (Steele, Lea and Flood, 2014), of Python's integers or of an array."""
    z = (z ^ (z >> kind(30))) * kind(_FIRST)
    z = (z & _MASK) if kind is int else z
    z = (z ^ (z >> kind(27))) * kind(_SECOND)
    z = (z & _MASK) if kind is int else z
    return z ^ (z >> kind(31))


class Generator:
    """A generator of random numbers for `dropout` and `gumbel_softmax`, on the device of their input.

    The numbers are computed on that device, and depend on the seed and on how many were drawn before, not on the
    device. NumPy's generator can be passed instead: its numbers are made on the CPU and copied. CuPy's generator makes
    others, and `checkpoint` cannot reset it.

    Args:
        seed: An integer.

    Example:
        >>> rng = engine.Generator(0)
        >>> engine.dropout(engine.Tensor([1.0, 1.0, 1.0, 1.0]), 0.5, rng=rng).shape
        (4,)
        >>> rng.state
        (0, 4)
    """

    def __init__(self, seed: int) -> None:
        self.state = (int(seed), 0)

    @property
    def state(self) -> tuple[int, int]:
        """The seed, and the number of random numbers drawn so far; it can be set."""
        return self._seed, self._drawn

    @state.setter
    def state(self, value: tuple[int, int]) -> None:
        self._seed, self._drawn = value
        self._key = _mixed((self._seed + _GOLDEN) & _MASK, int)

    @property
    def bit_generator(self) -> Generator:
        """The generator itself, which has the `state`, as NumPy's bit generators have."""
        return self

    def random(self, size: tuple[int, ...] | int = (), xp: Namespace = np) -> Array:
        """Return numbers from [0, 1) in double precision, multiples of 2⁻⁵³.

        Args:
            size: The shape.
            xp: The array library; the numbers are made on its current device.
        """
        shape = (size,) if isinstance(size, int) else tuple(size)
        first = self._drawn
        self._drawn += prod(shape)
        places = xp.arange(first + 1, self._drawn + 1, dtype=np.uint64)
        bits = _mixed(places * np.uint64(_GOLDEN) + np.uint64(self._key), np.uint64)
        return ((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(shape)


AnyGenerator: TypeAlias = Generator | np.random.Generator
