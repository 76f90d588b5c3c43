"""The form that a right answer has as bytes, by which it is read at a tenth of the cost of reading anything at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.sandbox.child import values, wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Form"]

_TUPLE_BYTES = len(wire.encode(()))


class Form:
    """Answers to a call that are arrays of given dtypes and shapes, in a tuple if they are several, and claim nothing.

    A NumPy scalar will do for an array of no dimensions.

    All bytes of such an answer but the elements are known beforehand, so that holding them against what came is as
    strict as decoding it.

    Args:
        arrays: Arrays of the dtypes and shapes.

    Raises:
        TypeError: One has a dtype that does not travel.
    """

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        described = tuple(values.to_wire(np.asarray(array), limit=array.nbytes) for array in arrays)
        if not all(isinstance(each, wire.Array) for each in described):
            raise TypeError("an answer that cannot travel")
        whole = wire.encode((described if len(described) > 1 else described[0], None))
        self._length = len(whole)
        self._known: list[tuple[int, int, tuple[bytes, ...]]] = []
        self._parts: list[tuple[tuple[int, ...], np.dtype[Any], int]] = []
        known = 0
        end = _TUPLE_BYTES * (2 if len(described) > 1 else 1)
        for array, each in zip(arrays, described, strict=True):
            header = len(wire.encode(each)) - array.nbytes  # an array's elements are the last of its bytes
            start, end = end + header, end + header + array.nbytes
            before = [whole[known:start]]
            if not array.ndim:  # what sums to a number is a scalar to NumPy
                scalar = values.to_wire(array[()], limit=array.nbytes)
                before.append(before[0][:-header] + wire.encode(scalar)[:header])
            self._known.append((known, start, tuple(before)))
            self._parts.append((array.shape, array.dtype.newbyteorder("<"), start))
            known = end
        self._known.append((known, len(whole), (whole[known:],)))

    def read(self, payload: bytes) -> tuple[NDArray[Any], ...] | None:
        """Return the arrays, read-only views of the payload; None if it is anything else than such an answer."""
        if len(payload) != self._length:
            return None
        for start, end, known in self._known:
            if payload[start:end] not in known:
                return None
        return tuple([np.ndarray(shape, dtype, payload, start) for shape, dtype, start in self._parts])
