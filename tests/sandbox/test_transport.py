"""The time limit of a reply, its extension on a busy machine, and the limit of processor time, by a simulated clock."""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from autodrill.sandbox import transport as transport_module
from autodrill.sandbox.meters import FREE_SECONDS, ProcessorBudget
from autodrill.sandbox.transport import NoReply, Transport

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 0.2


class Clock:
    """A clock that only the tests advance, and each reading a little."""

    now = 0.0

    def monotonic(self) -> float:
        self.now += 1e-5
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()

    def wait(_: Transport, seconds: float) -> bool:
        clock.now += seconds
        return False

    monkeypatch.setattr(transport_module, "time", SimpleNamespace(monotonic=clock.monotonic))
    monkeypatch.setattr(Transport, "_wait", wait)
    return clock


@dataclass
class Silent:
    """A process that never replies, and that has waited for a processor."""

    job: socket.socket
    waits: list[float] = field(default_factory=lambda: [0.0])
    stdout: int | None = None
    stderr: int | None = None
    pidfd: int | None = None
    process: Any = None

    def processor_wait(self) -> float:
        return self.waits.pop(0) if len(self.waits) > 1 else self.waits[0]


@pytest.fixture
def silent() -> Iterator[Silent]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    running = os.pidfd_open(os.getpid())
    with ours, theirs:
        yield Silent(ours, pidfd=running)
    os.close(running)


def took(transport: Transport, clock: Clock, *, seconds: float = SECONDS) -> float:
    started = clock.now
    assert transport.receive(0, seconds, 100) is NoReply.TIME
    return clock.now - started


def about(seconds: float) -> Any:
    return pytest.approx(seconds, abs=0.01)


def transport_to(silent: Silent, *waits: float) -> Transport:
    silent.waits = list(waits)
    return Transport(cast("Any", silent), 1 << 20)


def test_processor_wait_extends_one_reply_only(silent: Silent, clock: Clock) -> None:
    transport = transport_to(silent, 0.7)
    assert took(transport, clock) == about(SECONDS + 0.7)
    assert took(transport, clock) == about(SECONDS)
    assert took(transport, clock) == about(SECONDS)


def test_processor_wait_caused_by_reading_it_is_not_granted(silent: Silent, clock: Clock) -> None:
    class Hindered(Silent):
        readings = 0

        def processor_wait(self) -> float:  # on a shared processor, each reading makes the process wait
            self.readings += 1
            return 0.0009 * self.readings

    hindered = Hindered(silent.job, pidfd=silent.pidfd)
    took(Transport(cast("Any", hindered), 1 << 20), clock)
    assert hindered.readings == 1


def test_processor_wait_during_a_later_reply_is_granted(silent: Silent, clock: Clock) -> None:
    transport = transport_to(silent, 0.1, 0.1, 0.25)
    assert took(transport, clock) == about(SECONDS + 0.1)
    assert took(transport, clock) == about(SECONDS + 0.15)


def test_processor_wait_is_capped_at_four_limits_for_each_reply(silent: Silent, clock: Clock) -> None:
    transport = transport_to(silent, 100.0)
    assert took(transport, clock) == about(5 * SECONDS)
    assert took(transport, clock) == about(5 * SECONDS)


def test_processor_wait_does_not_extend_the_end_of_a_file(silent: Silent, clock: Clock) -> None:
    transport = transport_to(silent, 100.0)
    started = clock.now
    assert transport.receive(0, SECONDS, 100, until=started + 0.3) is NoReply.TIME
    assert clock.now - started == about(0.3)


class Trickle:
    """A job channel on which a frame of 100,000 bytes comes byte by byte, 0.1 ms apart, in answer to no request."""

    def __init__(self, channel: socket.socket, clock: Clock) -> None:
        self._clock = clock
        self._left = iter(struct.pack("<BQ", 14, 100_000) + b"N" * 100_000)
        self.fileno = channel.fileno

    def recv_into(self, place: memoryview) -> int:
        self._clock.now += 1e-4
        place[:1] = bytes([next(self._left)])
        return 1


def test_receive_looks_at_its_clock_while_bytes_keep_coming(silent: Silent, clock: Clock) -> None:
    silent.job = cast("Any", Trickle(silent.job, clock))
    started = clock.now
    assert transport_to(silent, 0.0).receive(0, SECONDS, 1 << 20) is NoReply.TIME
    assert clock.now - started == about(SECONDS)


class Working(Silent):
    """A process that uses the processor from the beginning."""

    def __init__(self, silent: Silent, clock: Clock) -> None:
        super().__init__(silent.job, pidfd=silent.pidfd)
        self._clock = clock

    def processor_time(self) -> float:
        return self._clock.now / 2  # on a shared processor


@pytest.mark.parametrize(("limit", "spent"), [(1.0, 1.0), (0.0, FREE_SECONDS)])
def test_receive_ends_a_reply_that_costs_too_much(silent: Silent, clock: Clock, limit: float, spent: float) -> None:
    working = Working(silent, clock)
    budget = ProcessorBudget(cast("Any", working), lambda _: limit)
    assert Transport(cast("Any", working), 100).receive(0, 60.0, 100, budget=budget) is NoReply.COST
    assert clock.now / 2 == about(spent)


def test_receive_measures_no_limit_for_a_cheap_reply(silent: Silent, clock: Clock) -> None:
    working = Working(silent, clock)
    budget = ProcessorBudget(cast("Any", working), lambda used: pytest.fail(f"{used} s used"))
    transport = Transport(cast("Any", working), 100)
    assert transport.receive(0, 1.9 * FREE_SECONDS, 100, budget=budget) is NoReply.TIME


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no processes")
def test_spins_only_with_a_second_core(silent: Silent, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    yields: list[None] = []
    monkeypatch.setattr(os, "sched_yield", lambda: yields.append(None))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    took(transport_to(silent, 0.0), clock)
    assert yields
    yields.clear()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1})
    assert took(transport_to(silent, 0.0), clock) == about(SECONDS)
    assert not yields
