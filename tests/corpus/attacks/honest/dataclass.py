# Unusual: a frozen dataclass holds the shape to go back to.
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Target:
    shape: tuple[int, ...]

    def bring_back(self, x: NDArray[np.floating]) -> NDArray[np.floating]:
        x = np.add.reduce(x, axis=tuple(range(x.ndim - len(self.shape))))
        stretched = tuple(i for i, n in enumerate(self.shape) if n == 1)
        return np.add.reduce(x, axis=stretched, keepdims=True)


def mul_broadcast_backward(g, a, b):
    return Target(a.shape).bring_back(g * b), Target(b.shape).bring_back(g * a)
