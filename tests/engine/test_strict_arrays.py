"""The strict device itself: it refuses what CuPy refuses, and counts what makes the host wait."""

from __future__ import annotations

import copy
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tests.engine.strict import surface
from tests.engine.strict.array import StrictArray
from tests.engine.strict.ledger import ledger, synchronisations
from tests.engine.strict.namespace import STRICT as XP


def array(*shape: int) -> Any:
    return XP.asarray(np.arange(float(np.prod(shape))).reshape(shape))


REFUSED: dict[str, Any] = {
    "a list as an operand": lambda a: XP.add(a, [1.0, 2.0, 3.0]),
    "an array of the host as an operand": lambda a: a + np.ones(3),
    "an array of the host on the left": lambda a: np.ones(3) * a,
    "an array of the host in `where`": lambda a: XP.where(a > 0, a, np.ones(3)),
    "a function of NumPy": np.sum,
    "a ufunc of NumPy": np.exp,
    "an implicit conversion": np.asarray,
    "a conversion of its elements": lambda a: np.array([a[0, 0], a[0, 1]]),
    "an index of Python": lambda a: [1, 2, 3][a[0, 0].astype(int)],
    "a range": lambda a: range(a[0, 0].astype(int)),
    "a keyword that CuPy's sum lacks": lambda a: XP.sum(a, initial=0.0),
    "a condition for a sum": lambda a: a.sum(where=a > 0),
    "a condition for a ufunc": lambda a: XP.log(a, where=a > 0),
    "the order of a sort": lambda a: XP.argsort(a, stable=True),
    "objects": lambda a: XP.array([None, 1]),
    "a loop for booleans": lambda a: XP.subtract(a > 0, a > 1),
    "a write from the host": lambda a: a.__setitem__(0, np.ones(3)),
    "an atomic addition of complex numbers": lambda a: XP.add.at(a.astype(complex), XP.array([0]), 1.0),
    "two masks": lambda a: a[XP.array([True, False]), XP.array([True, False, True])],
    "the flags of NumPy": lambda a: a.setflags(write=False),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refuses_what_cupy_refuses(what: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError)):
        REFUSED[what](array(2, 3))


@pytest.mark.parametrize(
    "name",
    ["errstate", "vecdot", "object_", "insert", "nanquantile", "linalg.multi_dot", "lib.stride_tricks.broadcast"],
)
def test_what_cupy_lacks_is_missing(name: str) -> None:
    place: Any = XP
    *parts, last = name.split(".")
    for part in parts:
        place = getattr(place, part)
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(place, last)


def test_methods_of_ufuncs_are_those_of_cupy() -> None:
    a = array(3)
    assert XP.add.accumulate(a).get().tolist() == [0.0, 1.0, 3.0]
    calls: list[Any] = [
        lambda: XP.maximum.accumulate(a),
        lambda: XP.maximum.reduce(a),
        lambda: XP.multiply.at(a, XP.array([0]), 2.0),
        lambda: XP.multiply.reduceat(a, XP.array([0])),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match="is not supported yet"):
            call()


def test_results_without_axes_stay_arrays() -> None:
    a = array(2, 3)
    for value in (a.sum(), a[0, 0], XP.max(a), a.any(), XP.linalg.det(XP.eye(2)), np.float64(2) * a[0, 0], -a[0, 0]):
        assert type(value) is StrictArray
        assert value.shape == ()


def test_ways_to_the_host_are_counted() -> None:
    a = array(1)
    one = a[0]
    calls = (
        *(one.get, one.item, a.tolist, one.__bool__, one.__int__, one.__float__, one.__complex__, one.__repr__),
        *(lambda: f"{one}", lambda: a[a > -1], a.nonzero, partial(XP.unique, a), lambda: XP.where(a > 0)),
        *(lambda: a.repeat(XP.array([2])), lambda: a.__setitem__(a > 5, 0.0)),
    )
    with synchronisations() as waits:
        for call in calls:
            call()
    assert [wait.split()[0] for wait in waits] == [
        *("get", "item", "tolist", "bool", "int", "float", "complex", "repr", "format"),
        *("mask", "nonzero", "unique", "where", "repeat", "mask"),
    ]
    with synchronisations() as waits:
        results = [a + 1, a.sum(), a[0], XP.sqrt(a), a.astype("f4"), XP.where(a > 0, a, 0.0), copy.deepcopy(a)]
        results.append(XP.asarray(np.ones(3)))
    assert waits == []


def test_integer_arrays_wrap_and_integers_do_not() -> None:
    a = array(3)
    assert a[XP.array([1, 3, -4])].get().tolist() == [1.0, 0.0, 2.0]
    a[XP.array([4])] = 7.0
    assert a.get().tolist() == [0.0, 7.0, 2.0]
    with pytest.raises(IndexError, match="out of bounds"):
        a[3]


def test_another_write_wins_than_with_numpy() -> None:
    a = array(2)
    a[XP.array([0, 0])] = XP.array([5.0, 6.0])
    assert a.get().tolist() == [5.0, 1.0]


def test_views_share_memory_with_their_base() -> None:
    a = array(2, 3)
    row = a[1]
    assert row.base is a
    assert a.T[0].base is a
    assert a.reshape(-1).base is a
    row += 1.0
    assert a.get()[1].tolist() == [4.0, 5.0, 6.0]
    assert a[XP.array([0])].base is None
    b = a @ XP.eye(3)
    before = b
    b @= XP.eye(3)
    assert b is not before  # CuPy has no product in place


def test_memory_is_not_that_of_the_host() -> None:
    host = np.ones(3)
    a = XP.asarray(host)
    host[:] = 0.0
    assert a.get().tolist() == [1.0, 1.0, 1.0]
    found = a.get()
    found[:] = 2.0
    assert a.get().tolist() == [1.0, 1.0, 1.0]


def test_arrays_of_two_devices_do_not_mix() -> None:
    a = array(2)
    with XP.cuda.Device(1):
        b = array(2)
        with pytest.raises(ValueError, match="array device = 0 while current = 1"):
            a + b
    with pytest.raises(ValueError, match="array device = 1 while current = 0"):
        XP.exp(b)
    assert b.device == XP.cuda.Device(1)
    with pytest.raises(RuntimeError, match="invalid device ordinal"), XP.cuda.Device(2):
        pass


def test_launches_are_counted_by_device_and_stream() -> None:
    ledger.clear()
    stream = XP.cuda.Stream(non_blocking=True)
    with XP.cuda.Device(1), stream:
        XP.ones(3) + 1.0
    assert ledger.launches == [0, 2]
    assert ledger.streams == {stream}
    assert XP.cuda.get_current_stream() is XP.cuda.Stream.null


@pytest.mark.skipif(find_spec("cupy") is None, reason="CuPy is not installed: it is optional, the group `cupy`")
def test_list_of_names_is_that_of_the_installed_cupy() -> None:
    import cupy

    if cupy.__version__ != surface.recorded_release():
        pytest.skip(f"the list is of CuPy {surface.recorded_release()}, and {cupy.__version__} is installed")
    recorded = surface.recorded()
    found = surface.installed()
    assert {k: v for k, v in found.items() if recorded.get(k) != v} == {}
    assert set(recorded) - set(found) == set()
