"""The time limit of a reply, and its extension on a busy machine."""

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

SECONDS = 0.2


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


def took(transport: Transport, *, seconds: float = SECONDS) -> float:
    started = time.monotonic()
    assert transport.receive(0, seconds, 100) is NoReply.TIME
    return time.monotonic() - started


def transport_to(silent: Silent, *waits: float) -> Transport:
    silent.waits = list(waits)
    return Transport(cast("Any", silent), 1 << 20)


def test_processor_wait_extends_one_reply_only(silent: Silent) -> None:
    transport = transport_to(silent, 0.7)
    assert took(transport) >= SECONDS + 0.7
    assert took(transport) < SECONDS + 0.6
    assert took(transport) < SECONDS + 0.6


def test_processor_wait_caused_by_reading_it_is_not_granted(silent: Silent) -> None:
    class Hindered(Silent):
        readings = 0

        def processor_wait(self) -> float:  # on a shared processor, each reading makes the process wait
            self.readings += 1
            time.sleep(0.0002)
            return 0.0009 * self.readings

    hindered = Hindered(silent.job, pidfd=silent.pidfd)
    took(Transport(cast("Any", hindered), 1 << 20))
    assert hindered.readings == 1


def test_processor_wait_during_a_later_reply_is_granted(silent: Silent) -> None:
    transport = transport_to(silent, 0.1, 0.1, 0.25)
    assert took(transport) >= SECONDS + 0.1
    assert took(transport) >= SECONDS + 0.15


def test_processor_wait_is_capped_at_four_limits_for_each_reply(silent: Silent) -> None:
    transport = transport_to(silent, 100.0)
    first = took(transport)
    assert 5 * SECONDS <= first < 15 * SECONDS
    assert took(transport) >= 5 * SECONDS
