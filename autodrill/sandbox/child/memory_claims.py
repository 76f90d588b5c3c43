"""Memory claims: which arguments a call changed, and which arrays share memory; and the evidence against them.

A submission can silence the claims, because it shares their process. So the parent demands evidence that it can compute
itself from the bytes that it sent and received: see `evidence`. The evidence is cheap, and the claims are not. So both
processes compare the evidence with that of a call that has nothing to claim: see `right_evidence`. If they differ, the
child process looks for claims. If it makes none, the parent does.
"""

from __future__ import annotations

import binascii
import itertools
import struct
from collections import deque
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from . import values, wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DETAILS",
    "SUMS",
    "Claims",
    "LatestResults",
    "Snapshot",
    "checksum",
    "compare",
    "details",
    "evidence",
    "right_evidence",
    "sent_arrays",
    "snapshot",
    "total",
]

Snapshot: TypeAlias = "tuple[Any, ...]"

_CONTAINERS = frozenset({tuple, list, dict})
SUMS = struct.Struct("<II")
"""The checksums of `evidence` as bytes, because they are sent with every reply."""

DETAILS = struct.Struct("<III")
"""The checksums of `details`."""

_WORD = 0xFFFFFFFF
_crc32: Callable[[Any, int], int] = binascii.crc32  # an array is a buffer, which its stubs do not say
_CHUNK = 1 << 16
_MASK = b"\x5a"
"""The bits of a byte that `evidence` inverts."""
_MAX_ARRAYS = 64  # per value: memory is compared pair by pair
_MAX_KEPT, _MAX_KEPT_BYTES = 128, 4 << 20
_MAX_WORK: Any = 100_000  # the exact overlap search may take exponential time; the stubs before NumPy 2.5 know 0 and -1


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims about one call. `outcomes.Returned` explains them."""

    changed: tuple[int, ...]
    shared: tuple[tuple[int, int], ...]
    joined: tuple[tuple[int, int], ...]
    readonly: tuple[int, ...]
    reused: tuple[int, ...]

    def to_wire(self) -> wire.Value:
        """Return their part of RETURNED."""
        return (self.changed, self.shared, self.joined, self.readonly, self.reused)


def snapshot(value: Any) -> Snapshot:
    """Record a value. Two records are equal if and only if nothing about the value changed. NaN equals itself."""
    import numpy as np

    if type(value) is np.ndarray:
        return ("array", value.dtype, value.shape, value.strides, value.flags.writeable, value.tobytes())
    if type(value) in {tuple, list}:
        return (type(value), *(snapshot(item) for item in value))
    if type(value) is dict:
        return ("dict", *((key, snapshot(item)) for key, item in value.items()))
    if value is None or type(value) in {bool, int, float, str, bytes}:
        return ("plain", wire.encode(value))
    return ("object", id(value))


def compare(arguments: Sequence[Any], before: Sequence[Snapshot], result: Any, earlier: Any = None) -> Claims:
    """Compare the arguments with their snapshots, and the memory of the result with theirs.

    Args:
        arguments: The arguments after the call.
        before: Their snapshots before the call.
        result: The result of the call.
        earlier: The results of earlier calls that it may share memory with.
    """
    kept = [array for item in _items(earlier) for array in _arrays(item)]
    outputs = [list(_arrays(item)) for item in _items(result)]
    inputs = [list(_arrays(argument)) for argument in arguments]
    return Claims(
        changed=tuple(i for i, was in enumerate(before) if _differs(arguments[i], was)),
        shared=tuple(
            (o, i) for o, given in enumerate(outputs) for i, taken in enumerate(inputs) if _overlap(given, taken)
        ),
        joined=tuple(
            (o, other)
            for (o, given), (other, also) in itertools.combinations(enumerate(outputs), 2)
            if _overlap(given, also)
        ),
        readonly=tuple(o for o, given in enumerate(outputs) if any(map(_cannot_be_written, given))),
        reused=tuple(o for o, given in enumerate(outputs) if _overlap(given, kept)),
    )


class LatestResults:
    """The arrays of the latest results, up to 128 arrays and 4 MiB, kept so that nothing else gets their memory."""

    def __init__(self) -> None:
        _sharing(), _inverter()  # before the submission can replace them
        self._arrays: deque[tuple[int, NDArray[Any], int]] = deque()
        self._newest = 0
        self._bytes = 0
        self._of_owner: dict[int, list[NDArray[Any]]] = {}

    def add(self, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Keep the arrays of a result, from `sent_arrays`, and forget the oldest beyond the bound.

        Returns:
            The arrays of earlier results whose memory has the same owner. Usually there are none.
        """
        of_owner, kept, met = self._of_owner, self._arrays, []
        owners = [id(array) if array.base is None else _owner(array.base) for array in arrays]
        for owner in owners:
            if owner in of_owner:
                met += of_owner[owner]
        for owner, array in zip(owners, arrays, strict=True):
            self._bytes += array.nbytes
            kept.append((owner, array, total((array,))))
            if owner in of_owner:
                of_owner[owner].append(array)
            else:
                of_owner[owner] = [array]
        self._newest = len(arrays)
        while len(kept) > _MAX_KEPT or self._bytes > _MAX_KEPT_BYTES:
            owner, array, _ = kept.popleft()
            self._bytes -= array.nbytes
            del of_owner[owner][0]
            if not of_owner[owner]:
                del of_owner[owner]
        return met

    def overwritten(self) -> bool:
        """Return whether an array of the latest result, or the oldest array, has changed since its call."""
        kept = self._arrays
        return any(total((array,)) != was for _, array, was in itertools.islice(reversed(kept), self._newest)) or (
            len(kept) > self._newest and total((kept[0][1],)) != kept[0][2]
        )


def _owner(base: Any) -> int:
    """Return the identity of the object that owns the memory of an array with this base."""
    array_type = values.array_type()
    while type(base) is array_type and base.base is not None:
        base = base.base
    return id(base.obj if type(base) is memoryview else base)


def evidence(arguments: Sequence[Any], own: Sequence[NDArray[Any]], earlier: Sequence[NDArray[Any]] = ()) -> bytes:
    """Return checksums that are those of `right_evidence` if arguments are unchanged and no memory is shared.

    They are computed while bits of every byte of the result are inverted. So an array that shares memory with the
    result has another checksum then. Memory of two outputs is inverted twice. An output that is read-only, or in which
    elements overlap, is not inverted. The inverted bits are not all bits of a byte, because `~x` is a value that a
    call can compute in place of its argument.

    Args:
        arguments: The arguments after the call.
        own: The arrays of its result, from `sent_arrays`.
        earlier: Those of the first result after the load; empty if this is the first.

    Returns:
        The checksums of the arguments with the inverted result, and of the earlier result, as `SUMS`.
    """
    xor, masks = _inverter()
    words = [word for array in own for word in _words(array)]
    for each in words:
        xor(each, masks[each.itemsize], each)
    sums = SUMS.pack(total(own, checksum(arguments)), total(earlier))
    for each in words:
        xor(each, masks[each.itemsize], each)
    return sums


def details(arguments: Sequence[Any], found: bytes) -> bytes:
    """Return the checksum of the arguments and the evidence, as `DETAILS`, to tell a change from shared memory."""
    return checksum(arguments).to_bytes(4, "little") + found


def right_evidence(taken: int, own: Sequence[NDArray[Any]], earlier: int = 0) -> bytes:
    """Return the evidence of a call that left its arguments as they were, and whose result shares no memory.

    Args:
        taken: The checksum of the arguments before the call.
        own: The arrays of its result, from `sent_arrays`.
        earlier: The `total` of those of the first result after the load; 0 if this is the first.
    """
    size = 0
    for array in own:
        size += array.nbytes
    return SUMS.pack(total(own, taken) ^ _inversion(size), earlier)


@lru_cache(256)  # a submission chooses the sizes
def _inversion(count: int) -> int:
    """Return by which bits the checksum of `count` bytes changes if `_MASK` is inverted in all of them.

    CRC-32 is affine over the field of two elements, so the bits do not depend on the bytes.
    """
    zeros = ones = 0
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        zeros, ones = _crc32(bytes(size), zeros), _crc32(_MASK * size, ones)
    return zeros ^ ones


def checksum(arguments: Sequence[Any]) -> int:
    """Return a checksum of the mutable arguments of a call, memory layouts included, from 0 to 2**32 - 1."""
    array_type = values.array_type()
    layouts: list[Any] = []
    for argument in arguments:
        if type(argument) is array_type:
            dtype = argument.dtype
            layouts += (argument.shape, argument.strides, dtype.num, dtype.isnative, argument.flags.writeable)
    found = hash(tuple(layouts)) & _WORD
    for argument in arguments:
        if type(argument) is array_type:
            found = _crc32(argument if argument.flags.c_contiguous else argument.tobytes(), found)
        elif type(argument) in _CONTAINERS:
            try:
                found = _crc32(values.encode(argument, limit=1 << 40), found)
            except (values.OversizedError, wire.WireError):  # it now contains itself, or a value that cannot be sent
                return 0
    return found


def total(arrays: Iterable[NDArray[Any]], start: int = 0) -> int:
    """Return a checksum of the elements of arrays that continues `start`, from 0 to 2**32 - 1."""
    for array in arrays:
        start = _crc32(array if array.flags.c_contiguous else array.tobytes(), start)
    return start


def sent_arrays(result: Any) -> list[NDArray[Any]]:
    """Return the arrays among the outputs of a result, except those of a dtype that is not sent as it is."""
    array_type, as_it_is = values.array_type(), values.is_sent_as_it_is
    items = result if type(result) is tuple else _items(result)
    return [item for item in items[:_MAX_ARRAYS] if type(item) is array_type and as_it_is(item.dtype)]


@cache
def _inverter() -> tuple[np.ufunc, dict[int, NDArray[Any]]]:
    """Return `numpy.bitwise_xor`, and the mask of each word size."""
    import numpy as np

    return np.bitwise_xor, {size: np.frombuffer(_MASK * size, _unsigned(size)).reshape(()) for size in (1, 2, 4, 8)}


def _words(array: NDArray[Any]) -> Iterable[NDArray[Any]]:
    """Return views of an array's elements as unsigned integers; none if it cannot be written element by element."""
    dtype = array.dtype
    if _cannot_be_written(array):
        return ()
    if dtype.kind == "c":
        return (*_words(array.real), *_words(array.imag))
    return (array.view(_unsigned(dtype.itemsize)),) if dtype.kind in "biuf" and dtype.itemsize <= 8 else ()


@cache
def _unsigned(size: int) -> np.dtype[Any]:
    import numpy as np

    return np.dtype(f"u{size}")


def _cannot_be_written(array: NDArray[Any]) -> bool:
    flags = array.flags
    return not flags.writeable or (not flags.forc and _folded(array))


def _differs(value: Any, was: Snapshot) -> bool:
    try:
        return snapshot(value) != was
    except (RecursionError, wire.WireError):  # it now contains itself, or a value that cannot be encoded
        return True


def _items(result: Any) -> Sequence[Any]:
    if type(result) in {tuple, list}:
        items: Sequence[Any] = result[:_MAX_ARRAYS]
        return items
    if type(result) is dict:
        return list(itertools.islice(result.values(), _MAX_ARRAYS))
    return [result]


def _arrays(value: Any) -> Iterable[NDArray[Any]]:
    import numpy as np

    if type(value) is np.ndarray:
        return (value,)
    return itertools.islice(_walk(value, wire.MAX_DEPTH), _MAX_ARRAYS)


def _walk(value: Any, depth: int) -> Iterator[NDArray[Any]]:
    import numpy as np

    if type(value) is np.ndarray:
        yield value
    elif depth and type(value) in {tuple, list, dict}:
        for item in itertools.islice(value.values() if type(value) is dict else value, _MAX_ARRAYS):
            yield from _walk(item, depth - 1)


def _overlap(first: Sequence[NDArray[Any]], second: Sequence[NDArray[Any]]) -> bool:
    return any(_share(a, b) for a in first for b in second)


def _share(a: NDArray[Any], b: NDArray[Any]) -> bool:
    shares_memory, too_hard = _sharing()
    try:
        return shares_memory(a, b, max_work=_MAX_WORK)
    except too_hard:  # undecided: assume no sharing
        return False


@cache
def _sharing() -> tuple[Callable[..., bool], type[Exception]]:
    """Return `numpy.shares_memory`, and what it raises if the search takes too long."""
    import numpy as np

    return np.shares_memory, np.exceptions.TooHardError


def _folded(array: NDArray[Any]) -> bool:
    """Whether two elements may overlap: the stride of some axis is shorter than the extent of the axes below it."""
    if array.size < 2:
        return False
    reach = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True)):
        if size > 1:
            if stride < reach:
                return True
            reach += stride * (size - 1)
    return False
