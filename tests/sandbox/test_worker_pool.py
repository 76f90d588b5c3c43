"""The worker pool: results in order, whatever becomes of a worker."""

from __future__ import annotations

import os
import pickle
import signal
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from autodrill.errors import AutodrillError, ContentError, InternalError, NoCompilerError, Problem, UnknownNameError
from autodrill.sandbox.worker_pool import LostItem, work_through

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 60.0


@contextmanager
def doubling() -> Iterator[Callable[[float], float]]:
    """Double a number. An odd one ends the process, and a negative one takes long."""
    yield double


def double(number: float) -> float:
    if number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if number < 0:
        time.sleep(600)
    return 2 * number


@contextmanager
def refusing(error: Exception) -> Iterator[Callable[[object], object]]:
    """Raise an error for each item."""

    def refuse(_: object) -> object:
        raise error

    yield refuse


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_work_through_keeps_the_order_without_lost_workers(workers: int) -> None:
    got = list(work_through([2, 3, 4, 6, 5, 8, 10, 12], workers, doubling, seconds=SECONDS))
    lost = LostItem("the process that compares and explains the answers ended (signal 9)")
    assert got == [4, lost, 8, 12, lost, 16, 20, 24]


def test_work_through_kills_a_worker_that_takes_too_long() -> None:
    first, second, third = work_through([2, -2, 4], 1, doubling, seconds=1)
    assert (first, third) == (4, 8)
    assert second == LostItem("the process that compares and explains the answers took too long")


def test_work_through_of_nothing_is_nothing() -> None:
    assert list(work_through([], 2, doubling, seconds=SECONDS)) == []


def test_work_through_ends_its_workers_when_closed() -> None:
    with closing(work_through([2, -2, -2], 2, doubling, seconds=SECONDS)) as results:
        assert next(results) == 4
        began = time.monotonic()
    assert time.monotonic() - began < 20  # 600 if it waited


ERRORS = [
    UnknownNameError("exercise", "mul_bakward", ["mul_backward"]),
    ContentError([Problem("a.py", 3, "no title")]),
    NoCompilerError(),
    InternalError("it contradicts itself", hint="report it", where="a.py:1"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_error_of_a_worker_reaches_the_caller(error: AutodrillError) -> None:
    with pytest.raises(type(error)) as caught:
        list(work_through([1, 2, 3], 2, refusing, error, seconds=SECONDS))
    assert vars(caught.value) == vars(error)
    assert str(caught.value) == str(error)


def test_other_exception_of_a_worker_is_internal(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InternalError, match="ValueError: a bug"):
        list(work_through([1], 1, refusing, ValueError("a bug"), seconds=SECONDS))
    assert "in refuse" in capfd.readouterr().err


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error: AutodrillError) -> None:
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)
