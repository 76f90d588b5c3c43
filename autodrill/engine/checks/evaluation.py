"""Evaluation of a function at many points: all at once under `vmap` if the function allows it, otherwise one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autodrill.engine.core.backend import memory
from autodrill.engine.core.pytree import flatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Evaluation", "as_reals", "flat_values"]

Float: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_FEW = 20  # for fewer points a loop is faster
_SAME = 1e-9  # the effect of another order of summation; a wrong batching rule has a larger one


def as_reals(array: Any) -> Any:
    """Return complex numbers as pairs along a new last axis; return any other array unchanged."""
    return np.stack([array.real, array.imag], axis=-1) if array.dtype.kind == "c" else array


def flat_values(output: Any) -> Float:
    """Copy an output, or a container of outputs, into one flat float64 array; complex numbers as pairs."""
    if type(output) is np.ndarray:
        return np.array(as_reals(output), dtype=np.float64).reshape(-1)
    parts = [np.array(getattr(part, "data", part) if hasattr(part, "node") else part) for part in flatten(output)[0]]
    return np.concatenate([as_reals(part).astype(np.float64).reshape(-1) for part in parts]) if parts else np.zeros(0)


class Evaluation:
    """A function of raw arrays, evaluated at many values of one of them.

    The points are evaluated together if f uses only operations that `vmap` supports. The result is checked: the first
    and the last point are also evaluated alone and must give the same values. After the first failure, an error or a
    difference, all points are evaluated one by one, with the same numbers at the speed of a loop.

    Attributes:
        alone: Why points are evaluated one by one; None as long as they are evaluated together.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        self.alone: str | None = None

    def __call__(self, inputs: Sequence[Any], position: int, points: Any) -> Float:
        """Return the flat outputs at each point.

        Args:
            inputs: The arguments of f, which receives copies.
            position: The position of the argument that varies.
            points: Its values, stacked along a first axis.

        Returns:
            One row for each point.
        """
        if self.alone is None and len(points) >= _FEW:
            try:
                values = self._together(inputs, position, points.copy())
            except Exception as error:  # noqa: BLE001 - f may raise anything; one by one it may succeed
                self.alone = f"{type(error).__name__}: {error}"
            else:
                if all(_same(values[k], self._one(inputs, position, points[k])) for k in (0, -1)):
                    return values
                self.alone = "f gives other values together than one by one"
        first = self._one(inputs, position, points[0])
        values = np.empty((len(points), first.size))
        values[0] = first
        for k in range(1, len(points)):
            values[k] = self._one(inputs, position, points[k])
        return values

    def _one(self, inputs: Sequence[Any], position: int, point: Any) -> Float:
        given = [point if k == position else x for k, x in enumerate(inputs)]
        given = [x.copy() if type(x) is np.ndarray else np.array(x) for x in given]
        return flat_values(self._f(*given))

    def _together(self, inputs: Sequence[Any], position: int, points: Any) -> Float:
        from autodrill.engine.core.tensor import raw
        from autodrill.engine.transforms.batched_array import Batched
        from autodrill.engine.transforms.vmap import open_examples
        from autodrill.engine.transforms.vmap_boundary import spread

        with open_examples(len(points)) as level:
            given = [x.copy() for x in inputs]
            given[position] = Batched(points, (level,))
            parts = [raw(part) for part in flatten(self._f(*given))[0]]
            arrays = [part if type(part) is Batched else np.asarray(part) for part in parts]
            rows = [as_reals(np.asarray(memory(spread(array, level, 0)))).astype(np.float64) for array in arrays]
        none = np.zeros((len(points), 0))
        return np.concatenate([none, *(row.reshape(len(points), -1) for row in rows)], axis=1)


def _same(a: Float, b: Float) -> bool:
    """Whether two evaluations agree up to the order of summation; non-finite values must be equal."""
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return False
    finite = np.isfinite(a)
    size = float(np.abs(b[finite]).max(initial=0))
    return bool(np.all(np.abs(a[finite] - b[finite]) <= _SAME * size)) and np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    )
