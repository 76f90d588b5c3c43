"""The claims about a call: changed arguments and shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from autodrill.sandbox.child.memory_claims import (
    DETAILS,
    SUMS,
    Claims,
    LatestResults,
    checksum,
    compare,
    details,
    evidence,
    right_evidence,
    sent_arrays,
    snapshot,
    total,
)
from autodrill.sandbox.child.values import from_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable


def claims(function: Callable[..., Any], *arguments: Any) -> Claims:
    before = [snapshot(argument) for argument in arguments]
    return compare(arguments, before, function(*arguments))


def array() -> np.ndarray[Any, Any]:
    return np.arange(6.0).reshape(2, 3)


def contain_itself(pair: list[Any]) -> None:
    pair.append(pair)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__setitem__((0, 1), 9.0),
        lambda x: x.__setitem__((0, 0), -0.0),
        lambda x: x.resize(3, 2, refcheck=False),
        lambda x: x.sort(axis=0) or x.__setitem__(slice(None), x[::-1].copy()),
    ],
)
def test_changed_reports_an_array(change: Callable[..., Any]) -> None:
    assert claims(lambda _, x: change(x), array(), array()).changed == (1,)


@pytest.mark.parametrize(
    "change",
    [
        lambda pair: pair.__setitem__(1, 3.0),
        lambda pair: pair.__setitem__(0, pair[0] + 1),
        lambda pair: pair[0].__setitem__(0, 5.0),
        lambda pair: pair.__setitem__(1, 2),  # 2 == 2.0, but the type has changed
        lambda pair: pair.__setitem__(1, object()),
        contain_itself,
    ],
)
def test_changed_reports_a_list(change: Callable[..., Any]) -> None:
    assert claims(change, [array(), 2.0]).changed == (0,)


def test_changed_reports_a_dict() -> None:
    assert claims(lambda table: table.update(b=1), {"a": array()}).changed == (0,)


def test_changed_ignores_arguments_that_are_only_read() -> None:
    assert claims(lambda x, y: x + y, np.array([np.nan, -0.0]), [float("nan"), 1.0]).changed == ()


def test_shared_and_joined_report_common_memory() -> None:
    def answer(g: Any, x: Any) -> Any:
        fresh = g * x
        return fresh, g, x.T[1:], fresh[0], None, [x]

    found = claims(answer, array(), array())
    assert found.shared == ((1, 0), (2, 1), (5, 1))
    assert found.joined == ((0, 3), (2, 5))


def test_outputs_are_numbered_in_order() -> None:
    assert claims(lambda x: x, array()).shared == ((0, 0),)
    assert claims(lambda x: {"a": x * 1, "b": x[0]}, array()).shared == ((1, 0),)


def test_joined_ignores_interleaved_views() -> None:
    def answer() -> Any:
        whole = np.zeros(10)
        return whole[::2], whole[1::2]

    assert claims(answer).joined == ()


@pytest.mark.parametrize(
    ("value", "unwritable"),
    [
        (np.broadcast_to(np.zeros(3), (4, 3)), True),
        (np.lib.stride_tricks.as_strided(np.zeros(4), (3, 2), (8, 8)), True),  # writable, but the rows overlap
        (np.zeros((4, 3)), False),
        (np.zeros((4, 3)).T[::-1, 1::2], False),
        (np.zeros(()), False),
        (np.broadcast_to(np.zeros(1), (0, 3)).copy(), False),
    ],
)
def test_readonly_reports_outputs_that_cannot_be_written(value: object, unwritable: bool) -> None:
    assert claims(lambda: (1.0, value)).readonly == ((1,) if unwritable else ())


def test_reused_reports_memory_of_an_earlier_result() -> None:
    first, second = array(), array()
    for result, earlier, told in (
        (first, first, (0,)),
        (first[:1], first, (0,)),
        ((second, first), (array(), first), (1,)),
        ([second, first], (first[1:], 1.0), (1,)),
        ({"a": second}, [second], (0,)),
        (first, second, ()),
        (None, None, ()),
        (1.0, first, ()),
    ):
        assert compare([], [], result, earlier).reused == told, (result, earlier)


def test_latest_results_find_arrays_of_one_memory() -> None:
    latest, buffer, other, pool = LatestResults(), array(), array(), bytearray(64)
    held: list[object] = []
    for result, met in (
        ([buffer[:1], buffer, other], 0),  # arrays of one result are not earlier ones
        ([buffer], 2),
        ([array(), other.T[1:]], 1),
        ([array()], 0),
        ([], 0),
        ([np.frombuffer(pool)], 0),
        ([np.frombuffer(pool, np.uint8)[1:]], 1),
    ):
        held.append(result)
        assert len(latest.add(result)) == met


@pytest.mark.parametrize(("size", "kept"), [(1, 128), (1 << 17, 4), (1 << 20, 0)])
def test_latest_results_are_bounded(size: int, kept: int) -> None:
    results = [[np.zeros(size)] for _ in range(140)]
    for place in (0, 139 - kept, 140 - kept, 139)[: 4 if kept else 2]:
        latest = LatestResults()
        for result in results:
            latest.add(result)
        assert len(latest.add([results[place][0][:0]])) == (place >= 140 - kept)


def test_compare_handles_many_outputs() -> None:
    many = [np.zeros(1) for _ in range(10_000)]
    assert claims(lambda: many).joined == ()


def strided() -> np.ndarray[Any, Any]:
    return np.arange(24.0).reshape(4, 6)[::2, ::3]


@pytest.mark.parametrize(
    "result",
    [
        (array(), strided(), np.asfortranarray(array())),
        [np.array(2.0), np.zeros((3, 0)), np.arange(3) > 1],
        {"a": array() + 1j, "b": np.arange(4, dtype=np.int8)[::-1], "c": array()[:, 1:].T * 1j},
        (np.array([np.nan, -0.0, np.inf], np.float32), 3.0, None, [array()]),
        np.array([object()]),
    ],
)
def test_evidence_follows_from_the_bytes_and_restores_them(result: Any) -> None:
    arguments = [array(), [array(), {"b": 2.0}], strided(), 4]
    before, again = snapshot((arguments, result)), from_wire(to_wire(result, limit=10_000))
    taken = checksum([array(), [array(), {"b": 2.0}], strided(), 4])
    found = evidence(arguments, sent_arrays(result), [array()])
    assert found == right_evidence(taken, sent_arrays(again), total([array()]))
    assert snapshot((arguments, result)) == before


def test_evidence_shows_shared_memory_and_changes() -> None:
    x, y, z = array(), array(), np.array(2.0)
    frozen = array()
    frozen.flags.writeable = False
    for arguments, result, earlier, differs in (
        ([x], y, array(), (False, False, False)),
        ([y], y, None, (False, True, False)),
        ([x], (y, y[:1]), None, (False, True, False)),
        ([x], y, y, (False, False, True)),
        ([[y]], y, None, (False, True, False)),
        ([y], (y, y), None, (False, True, False)),
        ([z], np.broadcast_to(z, 3), None, (False, True, False)),
        ([x], as_strided(array(), (3, 3), (0, 8)), None, (False, True, False)),
        ([x], frozen, None, (False, True, False)),
    ):
        kept = sent_arrays(earlier)
        sent = sent_arrays(from_wire(to_wire(result, limit=1000)))
        taken = checksum(arguments)
        right = SUMS.unpack(right_evidence(taken, sent, total(kept)))
        found = DETAILS.unpack(details(arguments, evidence(arguments, sent_arrays(result), kept)))
        assert tuple(a != b for a, b in zip(found, (taken, *right), strict=True)) == differs, (arguments, result)


@pytest.mark.parametrize("change", [np.invert, lambda x, out: np.add(x, 1, out=out), lambda x, out: out.sort()])
def test_evidence_shows_a_change_in_place(change: Callable[..., Any]) -> None:
    x = np.array([3, 1, 2])
    taken = checksum([x])
    change(x, out=x)
    assert evidence([x], [], []) != right_evidence(taken, [], 0)
    assert evidence([x], [x], []) != right_evidence(taken, [x.copy()], 0)


def read_only() -> np.ndarray[Any, Any]:
    made = array()
    made.flags.writeable = False
    return made


@pytest.mark.parametrize(
    "other",
    [
        read_only(),
        array() + 0.5,
        array().reshape(3, 2),
        np.asfortranarray(array()),
        array().view(np.int64),
        array().view(">f8"),
    ],
)
def test_checksum_tells_values_layouts_and_dtypes_apart(other: np.ndarray[Any, Any]) -> None:
    assert checksum([array()]) != checksum([other])
