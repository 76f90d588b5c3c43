"""Weighing what an answer keeps: the numbers that an object holds, and the memory in use.

Both run in the process of the submission, so they are claims. A file that forges them gets the remark `reaches-out`.
"""

from __future__ import annotations

import datetime as dt
import gc
import io
import struct
import sys
import tracemalloc
import zlib
from decimal import Decimal
from numbers import Number
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Scales", "numbers_in"]

_HEAP_TYPE = 1 << 9
"""The flag of a class that a `class` statement made, `Py_TPFLAGS_HEAPTYPE`. The other classes hold no numbers."""

_WORD = 8
"""Bytes of a number."""

_FREE = 32
"""The number of small integers and short texts that do not count: sizes, axes, and the names of attributes."""

_LARGE = 2048
"""Bytes of an object that holds numbers in itself: the state of a generator of random numbers takes more."""

_WINDOW = 32 << 10
"""Bytes that an object of `zlib` holds."""

_TIMES = (dt.date, dt.time, dt.timedelta, dt.tzinfo)
_LONG_RANGES = (range, type(iter(range(0))), type(iter(range(1 << 64))))
_COMPRESSORS = (type(zlib.compressobj()), type(zlib.decompressobj()))

_FREE_BYTES = 512
"""The bytes of short texts that do not count."""


def numbers_in(value: Any, lent: Iterable[Any] = (), *, integers: bool = False) -> int:
    """Return how many numbers an object holds, in whatever objects it refers to.

    An array that is reached twice counts once, and a view counts as the whole array that it belongs to. Bytes, texts
    and long integers count one number for each eight bytes. A few small integers and short texts do not count.

    Args:
        value: The object.
        lent: Arrays of the caller. Each counts its own size. If it is a view with gaps, the gaps do not count.
        integers: Whether small integers and booleans count too.
    """
    import numpy as np

    sizes = {id(_owner(array)): array.size for array in lent}
    total, small, spelt, seen, todo = 0, 0, 0, set(), [value]
    kept: list[Any] = []  # an object must live while its id is in `seen`
    while todo:
        held = todo.pop()
        if isinstance(held, Number | np.generic):  # each reference to a number counts: equal numbers may be one object
            words = _words(held, integers=integers)
            total, small = total + words, small + (words == 0)
        if id(held) in seen:
            continue
        seen.add(id(held))
        kept.append(held)
        if id(held) in sizes:
            total += sizes[id(held)]
        elif isinstance(held, np.ndarray):
            base = held.base
            total += 0 if isinstance(base, np.ndarray) else max(held.size, held.nbytes // _WORD) - _buffer(base)
            todo += [base, held.dtype, *gc.get_referents(held)]
            todo += held.ravel().tolist() if held.dtype.hasobject else []
        elif isinstance(held, str):
            if len(held) <= 64:  # a name, or what a named tuple prints
                small, spelt = small + 1, spelt + len(held.encode("utf-8", "replace"))
            else:
                total += -(-len(held) // _WORD)
        elif isinstance(held, memoryview):
            todo.append(held.obj)
        elif isinstance(held, np.dtype):
            todo += [held.metadata, held.fields]
        elif isinstance(held, np.flatiter | np.nditer | np.broadcast):
            todo += [held.base] if isinstance(held, np.flatiter) else _operands(held)
        else:
            total += 0 if isinstance(held, Number | np.generic) else _buffer(held) + _inside(held)
            todo += _parts(held)
    return total + max(0, small - _FREE, -(-(spelt - _FREE_BYTES) // _WORD))


class Scales:
    """A measurement of the memory that is allocated while it is entered, whatever refers to it."""

    def __enter__(self) -> Self:
        tracemalloc.stop()  # the file may have started it
        gc.collect()
        tracemalloc.start()
        self._mark = bytearray(64)
        self._start = tracemalloc.get_traced_memory()[0]
        return self

    def __exit__(self, *_: object) -> None:
        tracemalloc.stop()

    @property
    def bytes(self) -> int:
        """The bytes that have been allocated and not freed. Unreachable cycles are freed first."""
        gc.collect()
        return self._measured(0)

    @property
    def peak(self) -> int:
        """The largest number of bytes in use at once."""
        return self._measured(1)

    def _measured(self, which: int) -> int:
        if tracemalloc.get_object_traceback(self._mark) is None:
            raise RuntimeError("the file stops the measurement of memory")
        return tracemalloc.get_traced_memory()[which] - self._start


def _owner(array: Any) -> Any:
    import numpy as np

    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _words(value: Any, *, integers: bool) -> int:
    """Return how many numbers of eight bytes a number takes. A small integer is a size or an index: it takes none."""
    if isinstance(value, Decimal):
        return max(1, len(value.as_tuple().digits) // 16)
    if isinstance(value, int):
        bits = int(value).bit_length()
        return max(int(integers), -(-bits // 64) if bits > 32 else 0)
    return max(1, -(-getattr(value, "nbytes", 16 if isinstance(value, complex) else _WORD) // _WORD))


def _buffer(value: Any) -> int:
    """Return the numbers of eight bytes that fit into an object that is memory: bytes, or an `array.array`."""
    try:
        if isinstance(value, io.StringIO):
            return -(-len(io.StringIO.getvalue(value)) // _WORD)
        with io.BytesIO.getbuffer(value) if isinstance(value, io.BytesIO) else memoryview(value) as view:
            return -(-view.nbytes // _WORD)
    except (TypeError, ValueError, BufferError):
        return 0


def _inside(value: Any) -> int:
    """Return the numbers that an object holds neither as memory that can be read nor in other objects."""
    if isinstance(value, _TIMES):
        return 1
    if isinstance(value, _COMPRESSORS):
        return _WINDOW // _WORD
    kind = type(value)
    return kind.__basicsize__ // _WORD if kind.__basicsize__ > _LARGE and not isinstance(value, type) else 0


def _operands(value: Any) -> tuple[Any, ...]:
    import numpy as np

    operands: tuple[Any, ...] = value.operands if isinstance(value, np.nditer) else value.iters
    return operands


def _parts(value: Any) -> Iterator[Any]:
    """Yield what an object refers to. The globals of a function and the base classes of a class are not its own."""
    if isinstance(value, FunctionType):
        yield from (value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__)
    elif isinstance(value, type):
        if value.__flags__ & _HEAP_TYPE:
            yield from _own(value)
    elif isinstance(value, _LONG_RANGES):
        yield from (value.start, value.stop, value.step) if isinstance(value, range) else value.__reduce__()
    elif isinstance(value, struct.Struct):
        yield value.format
    elif not (isinstance(value, ModuleType) and any(value is each for each in sys.modules.values())):
        referents = gc.get_referents(value)
        if isinstance(value, dict) and len(referents) < len(value):  # an object's `__dict__`, since Python 3.13
            referents = list(dict.values(value))
        if isinstance(value, dict):
            yield from (key for key in dict.keys(value) if isinstance(key, str))  # `gc` leaves them out
        yield from referents


def _own(kind: type) -> Iterator[Any]:
    """Yield the functions and the values of a class, without what Python itself keeps there, such as docstrings."""
    for name, value in vars(kind).items():
        if isinstance(value, property):
            yield from (value.fget, value.fset)
            continue
        held = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if isinstance(held, FunctionType) or not (name.startswith("__") or hasattr(type(held), "__get__")):
            yield held
