"""Requests against a clock: what a busy machine may add to it."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from autodrill.sandbox.transport import NoReply, Transport

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 0.05


@dataclass
class Silent:
    """A process that never answers and says that it waited for a processor."""

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


def took(transport: Transport, *, seconds: float = SECONDS) -> float:
    started = time.monotonic()
    assert transport.receive(0, seconds, 100) is NoReply.TIME
    return time.monotonic() - started


def transport_to(silent: Silent, *waits: float) -> Transport:
    silent.waits = list(waits)
    return Transport(cast("Any", silent), 1 << 20)


def test_a_wait_for_a_processor_is_granted_to_one_answer_and_not_to_the_next(silent: Silent) -> None:
    transport = transport_to(silent, 0.15)
    assert took(transport) >= SECONDS + 0.15
    assert took(transport) < SECONDS + 0.1
    assert took(transport) < SECONDS + 0.1


def test_what_looking_at_the_clock_costs_the_process_is_not_granted_again_and_again(silent: Silent) -> None:
    started = time.monotonic()

    class Hindered(Silent):
        def processor_wait(self) -> float:  # a tenth of all time, as with one processor for both
            time.sleep(0.0002)
            return 0.1 * (time.monotonic() - started)

    hindered = Hindered(silent.job, pidfd=silent.pidfd)
    assert took(Transport(cast("Any", hindered), 1 << 20)) < 1.3 * SECONDS


def test_what_it_waits_later_is_granted_then(silent: Silent) -> None:
    transport = transport_to(silent, 0.1, 0.1, 0.25)
    assert took(transport) >= SECONDS + 0.1
    assert took(transport) >= SECONDS + 0.15


def test_patience_ends_at_four_limits_and_what_is_left_is_not_lost(silent: Silent) -> None:
    transport = transport_to(silent, 100.0)
    first = took(transport)
    assert 5 * SECONDS <= first < 8 * SECONDS
    assert took(transport) >= 5 * SECONDS
