"""Tensors that share memory: views of a base, and the version of each memory, which detects overwritten values.

A version belongs to memory, not to a tensor: views and `detach()` share the version because they share the array that
owns the memory. Writes are rare and operations are frequent, so saving a value costs nothing here. Instead one clock
counts all in-place writes, and every node stores the time at which it was made. Only if the clock has advanced since
then must backward check the memory of the node's saved values.

A base refers to its views weakly, and a view refers to its base strongly: a view keeps the memory alive, as in NumPy.
"""

from __future__ import annotations

import linecache
import sys
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import BACKENDS, Array
from autodrill.engine.core.mode import mode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.tensor import Tensor

__all__ = [
    "Base",
    "Place",
    "Step",
    "View",
    "call_site",
    "clock",
    "is_inference",
    "mark_inference",
    "mark_siblings",
    "record_write",
    "replay",
    "track",
    "version",
    "written_after",
]

_ENGINE = str(Path(__file__).parents[1])


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the caller's source."""

    filename: str
    line: int

    def __str__(self) -> str:
        source = linecache.getline(self.filename, self.line).strip()
        return f"{self.filename}:{self.line}" + (f" (`{source}`)" if source else "")


def call_site() -> Place:
    """Return the innermost line outside the engine on the call stack."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_ENGINE):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


class _Clock:
    """The number of in-place writes so far, in the whole process."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0


clock = _Clock()


class Memory:
    """The record of in-place writes to the memory that one array owns.

    Attributes:
        version: The number of in-place writes.
        time: The clock after the last write.
        operation: The name of the operation that wrote last.
        place: The line of that write.
        inference: Whether it was allocated under `inference_mode()`.
    """

    __slots__ = ("inference", "operation", "owner", "place", "time", "version")

    def __init__(self, owner: weakref.ref[Any]) -> None:
        self.owner = owner
        self.version = 0
        self.time = 0
        self.operation = ""
        self.place: Place | None = None
        self.inference = False


_known: dict[int, Memory] = {}
_lock = threading.Lock()


def owner(array: Array) -> Array:
    """Return the array that owns the memory of `array`."""
    found = array
    while (base := getattr(array, "base", None)) is not None:
        array = base
        if type(array) in BACKENDS:
            found = array
    return found


def _memory(array: Array) -> Memory | None:
    return _known.get(id(owner(array))) if _known else None


def _remembered(array: Array) -> Memory:
    holder = owner(array)
    key = id(holder)
    memory = _known.get(key)
    if memory is None:
        memory = _known[key] = Memory(weakref.ref(holder, lambda _: _known.pop(key, None)))
    return memory


def record_write(array: Array, operation: str) -> None:
    """Record that `operation` has just written to the memory of `array`, called from the current line outside."""
    place = call_site()
    with _lock:
        memory = _remembered(array)
        clock.now += 1
        memory.time = clock.now
        memory.version += 1
        memory.operation = operation
        memory.place = place


def written_after(array: Array, time: int) -> Memory | None:
    """Return the record of an array's memory if it was written later than `time`, otherwise None."""
    memory = _memory(array)
    return memory if memory is not None and memory.time > time else None


def version(array: Array) -> int:
    """Return the number of in-place writes to the memory of an array."""
    memory = _memory(array)
    return 0 if memory is None else memory.version


def mark_inference(array: Array) -> None:
    """Mark the memory of an array as allocated under `inference_mode()`."""
    _remembered(array).inference = True


def is_inference(array: Array) -> bool:
    """Return whether the memory of an array was allocated under `inference_mode()`."""
    memory = _memory(array)
    return memory is not None and memory.inference


Step = tuple["Primitive", dict[str, Any]]
"""A view operation and its static values."""


class Base:
    """The views of a tensor, held by weak references."""

    __slots__ = ("_views",)

    def __init__(self) -> None:
        self._views: dict[int, weakref.ref[Tensor]] = {}

    def add(self, view: Tensor) -> None:
        """Add a view until it is deleted."""
        key, views = id(view), self._views
        views[key] = weakref.ref(view, lambda _: views.pop(key, None))

    def __iter__(self) -> Iterator[Tensor]:
        found = [reference() for reference in list(self._views.values())]
        return (view for view in found if view is not None)


class View:
    """The origin of a view.

    Attributes:
        base: The tensor whose memory is shared, itself not a view.
        steps: The view operations that lead from the base to the view.
        refusal: Why the view cannot be written to while recording, or None.
    """

    __slots__ = ("base", "refusal", "steps")

    def __init__(self, base: Tensor, steps: tuple[Step, ...], refusal: str | None) -> None:
        self.base = base
        self.steps = steps
        self.refusal = refusal


def track(primitive: Primitive, x: Any, static: dict[str, Any], result: Tensor) -> None:
    """Mark `result` as a view of `x` if they share memory; a reshape, for instance, may have had to copy."""
    if type(x) is not type(result) or owner(result.data) is not owner(x.data):
        return
    refusal = None if mode.grad_enabled else "inference_mode()" if mode.inference else "no_grad()"
    step = (primitive, static)
    if type(x.alias) is View:
        base, steps, refusal = x.alias.base, (*x.alias.steps, step), x.alias.refusal or refusal
    else:
        base, steps = x, (step,)
    views = base.alias
    if type(views) is not Base:
        views = base.alias = Base()
    result.alias = View(base, steps, refusal)
    views.add(result)


def mark_siblings(views: Sequence[Any]) -> None:
    """Mark views that one operation made together; none of them may be written to while recording."""
    for view in views:
        alias = getattr(view, "alias", None)
        if type(alias) is View:
            alias.refusal = "several"


def replay(x: Any, steps: Sequence[Step]) -> Any:
    """Apply view operations, in order, to a Tensor or an array."""
    for primitive, static in steps:
        x = primitive(x, **static)
    return x
