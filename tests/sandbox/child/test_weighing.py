"""Numbers are found in whatever object holds them, and memory is weighed whatever refers to it."""

from __future__ import annotations

import array
import functools
import io
import random
import struct
import threading
import tracemalloc
import weakref
import zlib
from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from autodrill.sandbox.child.weighing import Scales, numbers_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

X = np.arange(40.0)


class Slots:
    __slots__ = ("held", "other")

    def __init__(self, held: Any) -> None:
        self.held = held


class Attributes:
    def __init__(self, held: Any) -> None:
        self.held = held

    def read(self) -> Any:
        return self.held


class Subclass(np.ndarray):
    held: Any


class Long(int):
    held: Any


def closure(held: Any) -> Callable[[], Any]:
    return lambda: held


def default(held: Any) -> Callable[..., Any]:
    return lambda held=held: held


def generator(held: Any) -> Iterator[Any]:
    yield 0
    yield held


def started(held: Any) -> Iterator[Any]:
    made = generator(held)
    next(made)
    return made


def with_attribute(made: Any, held: Any) -> Any:
    made.held = held
    return made


def objects(held: Any) -> Any:
    made = np.empty(1, dtype=object)
    made[0] = held
    return made


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: [x],
    "dict": lambda x: {"a": {"b": x}},
    "key": lambda x: {tuple(x.tolist()): 0},
    "deque": lambda x: deque([x]),
    "slots": Slots,
    "attributes": Attributes,
    "closure": closure,
    "default": default,
    "function attribute": lambda x: with_attribute(lambda: 0, x),
    "class attribute": lambda x: type("Kept", (), {"held": x}),
    "class of the object": lambda x: type("Kept", (), {"held": x})(),
    "generator": started,
    "partial": lambda x: functools.partial(print, x),
    "method": lambda x: Attributes(x).read,
    "method of an array": lambda x: x.copy().tolist,
    "iterator": lambda x: iter([x]),
    "memoryview": memoryview,
    "part of a memoryview": lambda x: memoryview(x)[:1],
    "view": lambda x: x[:1],
    "bytes": lambda x: x.tobytes(),
    "bytearray": lambda x: bytearray(x.tobytes()),
    "array.array": lambda x: array.array("d", x),
    "integer": lambda x: int.from_bytes(x.tobytes(), "little") | 1 << 40 * 64 - 1,
    "text": lambda x: x.tobytes().decode("latin-1"),
    "integers of 64 bits": lambda x: (x + 1).view(np.int64).tolist(),
    "decimals": lambda x: list(map(Decimal, x)),
    "halves of floats": lambda x: [*range(32), *x.view(np.uint32).tolist()[::2]],
    "metadata of a dtype": lambda x: np.empty(0, np.dtype("f8", metadata={"held": x})),
    "closure of a class": lambda x: type("Kept", (), {"__call__": closure(x)})(),
    "subclass of int": lambda x: with_attribute(Long(0), x),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_numbers_are_found_in_any_holder(name: str) -> None:
    assert numbers_in(HOLDERS[name](X)) == len(X)


def test_numbers_of_an_array_subclass_and_its_attributes_count() -> None:
    assert numbers_in(with_attribute(np.zeros(3).view(Subclass), X)) == 43


def test_array_of_objects_counts_what_it_holds() -> None:
    assert numbers_in(objects(X)) == 41


def test_array_that_is_held_twice_counts_once() -> None:
    assert numbers_in([X, (X, X[::2], closure(X))]) == 40


def test_view_of_a_lent_array_counts_the_size_of_that_array() -> None:
    wide = np.zeros((4, 10))
    lent = wide[:, ::2]
    assert numbers_in([lent, lent.T], (lent,)) == 20
    assert numbers_in([lent, lent.T]) == 40


def test_names_and_small_integers_do_not_count() -> None:
    assert numbers_in({"shape": (3, 4), "axis": -1, "train": True, "nothing": None, "kind": np.dtype("f8")}) == 0
    assert numbers_in({"shape": (3, 3), "train": True}, integers=True) == 3


@dataclass
class Record:
    held: np.ndarray
    count: int = 0


class Named(NamedTuple):
    held: np.ndarray


@pytest.mark.parametrize("make", [Record, Named, lambda x: SimpleNamespace(held=x, axis=-1)])
def test_usual_records_count_their_arrays_only(make: Callable[[Any], Any]) -> None:
    assert numbers_in(make(X)) == 40


def test_globals_of_a_function_and_a_module_do_not_count() -> None:
    assert numbers_in([closure, np, Slots(None), np.sum]) == 0


def test_weak_reference_holds_nothing() -> None:
    held = Attributes(X)
    assert numbers_in(weakref.ref(held)) == 0


def test_complex_number_counts_twice() -> None:
    assert numbers_in([np.zeros(5, complex), 1j, np.complex128(1)]) == 14


LOCAL = threading.local()
KEPT: list[Any] = []


def in_thread_local(held: Any) -> None:
    LOCAL.held = held


@pytest.mark.parametrize("keep", [KEPT.append, in_thread_local, lambda x: setattr(closure, "held", x)])
@pytest.mark.parametrize("form", [np.copy, bytes, lambda x: int.from_bytes(x.tobytes(), "little"), np.ndarray.tolist])
def test_scales_weigh_what_a_file_keeps_elsewhere(keep: Callable[[Any], None], form: Callable[[Any], Any]) -> None:
    x = np.arange(1, 1001.0)
    with Scales() as scales:
        keep(form(x))
        assert scales.bytes > 8000
        assert scales.peak >= scales.bytes


def test_scales_do_not_weigh_what_was_freed() -> None:
    with Scales() as scales:
        made = [np.zeros(10_000)]
        made.append(made)  # type: ignore[arg-type]  # a cycle
        assert scales.bytes > 80_000
        del made
        assert scales.bytes < 4000
        assert scales.peak > 80_000


def test_scales_notice_that_a_file_stops_them() -> None:
    with Scales() as scales:
        tracemalloc.stop()
        tracemalloc.start()
        with pytest.raises(RuntimeError, match="stops the measurement"):
            _ = scales.bytes


@pytest.mark.parametrize(
    "held",
    [
        io.BytesIO(bytes(800)),
        io.StringIO("a" * 800),
        Decimal(1 << 6400),
        [chr(0x10000 + i) * 64 for i in range(16)],
        {"a" * 400: 0},
        range(1 << 6400),
        iter(range(1 << 6400)),
        iter(range(1 << 62, 1 << 6400)),
        [timedelta(seconds=i) for i in range(50)],
        struct.Struct("x" * 400),
        random.Random(0),
        np.random.MT19937(0),
        zlib.compressobj(),
        np.dtype([("a" * 400, "f8")]),
        np.dtype({"names": [f"f{i}" for i in range(90)], "formats": ["u1"] * 90, "offsets": range(90)}),
        np.zeros(50).flat,
        np.broadcast(np.zeros(50), 1),
        np.nditer(np.zeros(50)),
        with_attribute(ModuleType("made"), np.zeros(50)),
    ],
)
def test_numbers_hidden_in_other_objects_count(held: Any) -> None:
    assert numbers_in(held) >= 50


def test_names_do_not_count() -> None:
    assert numbers_in([f"attribute_{number}" for number in range(20)]) == 0
