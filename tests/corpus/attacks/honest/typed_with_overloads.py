# Unusual: all that `typing` offers.
from __future__ import annotations

from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
T = TypeVar("T", bound=np.generic)
AXIS: Final = 1


class HasShape(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...


class Grads(NamedTuple):
    da: Array
    db: Array


def fold(x: npt.NDArray[T], like: HasShape) -> npt.NDArray[T]:
    x = x.sum(tuple(range(x.ndim - len(like.shape))))
    return cast("npt.NDArray[T]", x.sum(tuple(i for i, n in enumerate(like.shape) if n == AXIS), keepdims=True))


def mul_broadcast_backward(g: Array, a: Array, b: Array) -> tuple[Array, Array]:
    return tuple(Grads(fold(g * b, a), fold(g * a, b)))
