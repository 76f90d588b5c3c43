"""Random generators of the strict device, with the methods of `cupy.random.Generator` that the engine may use."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.strict.array import hold
from tests.engine.strict.ledger import ledger

__all__ = ["Generator", "default_rng"]


class Generator:
    """A generator whose numbers are made on the device; it has no state to read or to set, as CuPy's."""

    def __init__(self, seed: int | None) -> None:
        self._generator = np.random.default_rng(None if seed is None else [seed, 0x5EED])  # not NumPy's numbers

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        ledger.launch()
        return hold(np.asarray(self._generator.random(size, dtype)))

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        ledger.launch()
        return hold(np.asarray(self._generator.standard_normal(size, dtype)))

    def integers(
        self, low: int, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        ledger.launch()
        return hold(np.asarray(self._generator.integers(low, high, size, dtype, endpoint)))


def default_rng(seed: int | None = None) -> Generator:
    return Generator(seed)
