"""Requests and their answers over the job channel, against a clock, with what is printed meanwhile."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

from autodrill.sandbox.child import frames, wire

if TYPE_CHECKING:
    from autodrill.sandbox.child.frames import FrameKind
    from autodrill.sandbox.child_process import ChildProcess

__all__ = ["NoReply", "Transport"]

_SHOWN_BYTES = 8 << 10
_LONGEST_WAIT = 3600.0  # the clock of a debugged process may be infinite, the system's must not be
_SAT_OUT_SECONDS = 0.0003  # most answers come sooner than a process that sleeps is woken
_POLL_SECONDS = 0.02  # how often to look for the process's end where no pidfd tells of it
_READ_BYTES = 1 << 16
_PIPE_BYTES = 1 << 18
_PATIENCE = 4  # limits: how much longer a busy machine may make a call
_WORTH_WAITING_SECONDS = 0.001  # less may be what looking at the clock has itself kept the process waiting
_SENT_TOGETHER = 16  # requests; fewer than any system bounds it to


class NoReply(Enum):
    """Why a request brought no frame."""

    TIME = "time"
    FLOOD = "flood"
    DEATH = "death"


@dataclass(slots=True)
class _Printed:
    """What is kept of one output stream: its beginning."""

    kept: bytearray = field(default_factory=bytearray)

    def add(self, part: bytes) -> None:
        self.kept += part[: max(0, _SHOWN_BYTES - len(self.kept))]

    def text(self) -> str:
        return self.kept.decode("utf-8", "replace")


class Transport:
    """The parent's side of a process's channels.

    Requests are posted, and answered in their order. Several may be under way, so that neither side waits for the
    other; and nothing here waits for the process to read.

    Args:
        child: The process.
        output: Bytes it may print between two calls of `begin`.
    """

    def __init__(self, child: ChildProcess, output: int) -> None:
        self._child = child
        self._output = output
        self._out, self._err = _Printed(), _Printed()
        self._printed = {
            descriptor: printed
            for descriptor, printed in ((child.stdout, self._out), (child.stderr, self._err))
            if descriptor is not None
        }
        self._count = 0
        self._outgoing: deque[memoryview] = deque()
        self._posted = 0
        self._listening = True
        self._excused = 0.0
        self._inbox = _Inbox()
        self._read = memoryview(bytearray(_READ_BYTES))
        self._poll = select.poll()
        self._poll.register(child.job, select.POLLIN)
        self._output_poll = select.poll()
        for descriptor in self._printed:
            self._poll.register(descriptor, select.POLLIN)
            self._output_poll.register(descriptor, select.POLLIN)
        if child.pidfd is not None:
            self._poll.register(child.pidfd, select.POLLIN)

    def printed(self) -> tuple[str, str]:
        """Return the beginnings of stdout and stderr since `forget`, undecodable bytes replaced."""
        return self._out.text(), self._err.text()

    def forget(self) -> None:
        """Drop what was printed so far."""
        self._out.kept.clear()
        self._err.kept.clear()

    def begin(self) -> None:
        """Count what is printed from now on."""
        self._count = 0

    def flooded(self) -> bool:
        """Read what was printed, and return whether it is more than may be."""
        for descriptor, _ in self._output_poll.poll(0):
            self._drain(descriptor)
        return self._count > self._output

    def excuse_afresh(self) -> None:
        """Excuse no waiting from before now: nothing is under way."""
        self._excused = self._child.waited()

    def post(self, *requests: bytes) -> int:
        """Send requests, or as much of them as can be sent at once, and return the number of the last for `answer`."""
        self._outgoing.extend(map(memoryview, requests))
        self._posted += len(requests)
        self._send()
        return self._posted

    def ask(self, request: bytes, seconds: float, limit: int) -> tuple[FrameKind, wire.Value] | NoReply:
        """Post a request and return the frame that answers it.

        Args:
            request: One frame, or nothing, to wait for a frame that comes unasked.
            seconds: See `answer`.
            limit: See `answer`.

        Raises:
            WireError: What came back is not a frame.
        """
        self.begin()
        number = self.post(request) if request else 0
        answer = self.answer(number, seconds, limit)
        if self.flooded():
            return NoReply.FLOOD
        return answer if isinstance(answer, NoReply) else (answer[0], wire.decode(answer[1]))

    def answer(self, number: int, seconds: float, limit: int) -> tuple[FrameKind, bytes] | NoReply:
        """Return the next frame that comes back, reading what is printed meanwhile.

        Args:
            number: Which request it must be an answer to.
            seconds: Wall time for it, not counting what the process has waited for a processor; what it has waited is
                excused once, whichever answer it delays.
            limit: The longest payload to accept, in bytes.

        Returns:
            The frame's kind and payload, or why there is none. The process still runs after TIME and FLOOD.

        Raises:
            WireError: What came back is not a frame, or came before its request was sent.
        """
        deadline = time.monotonic() + seconds
        granted = 0.0
        try:
            while (frame := self._inbox.take(limit)) is None:
                self._send()
                if self._receive() or self._sit_out():
                    continue
                left = deadline - time.monotonic()
                if left <= 0:
                    more = min(self._child.waited() - self._excused, _PATIENCE * seconds - granted)
                    if left + more < _WORTH_WAITING_SECONDS:
                        return NoReply.TIME
                    granted += more
                    self._excused += more
                    deadline += more
                    left += more
                dead = self._wait(left)
                if self._count > self._output:
                    return NoReply.FLOOD
                if dead and not self._receive():
                    return NoReply.DEATH
        except (ConnectionError, EOFError):
            return NoReply.DEATH
        if number > self._posted - len(self._outgoing):
            raise wire.WireError("an answer to a question that was not read")
        return frame

    def _send(self) -> None:
        """Send what waits to be sent, as far as the process has room for it."""
        try:
            while self._outgoing and self._listening:
                sent = self._child.job.sendmsg(list(islice(self._outgoing, _SENT_TOGETHER)))
                while self._outgoing and sent >= len(self._outgoing[0]):
                    sent -= len(self._outgoing.popleft())
                if sent:
                    self._outgoing[0] = self._outgoing[0][sent:]
        except BlockingIOError:
            pass
        except ConnectionError:  # it is gone, but what it has answered before may still be there to be read
            self._listening = False

    def _receive(self) -> bool:
        """Read what has come back, and return whether that was anything.

        Raises:
            EOFError: The other end is closed.
        """
        try:
            count = self._child.job.recv_into(self._read)
        except BlockingIOError:
            return False
        if not count:
            raise EOFError
        self._inbox.add(self._read[:count])
        return True

    def _sit_out(self) -> bool:
        """Wait a moment awake, leaving the processor to whoever wants it, and return whether anything has come back.

        Raises:
            EOFError: The other end is closed.
        """
        until = time.monotonic() + _SAT_OUT_SECONDS
        while time.monotonic() < until:
            os.sched_yield()
            if self._receive():
                return True
        return False

    def _wait(self, seconds: float) -> bool:
        """Wait until something happens, read what is printed, and return whether the process has ended."""
        child = self._child
        events = select.POLLIN | (select.POLLOUT if self._outgoing and self._listening else 0)
        self._poll.modify(child.job, events)
        wait = min(seconds, _LONGEST_WAIT if child.pidfd is not None else _POLL_SECONDS)
        ready = {descriptor for descriptor, _ in self._poll.poll(wait * 1000)}
        for descriptor in self._printed.keys() & ready:
            self._drain(descriptor)
        return child.pidfd in ready if child.pidfd is not None else child.process.poll() is not None

    def _drain(self, descriptor: int) -> None:
        """Read what waits in an output stream, at most a pipe's worth; one that has ended is watched no more."""
        try:
            part = os.read(descriptor, _PIPE_BYTES)
        except BlockingIOError:
            return
        if not part:
            self._poll.unregister(descriptor)
            self._output_poll.unregister(descriptor)
        self._count += len(part)
        self._printed[descriptor].add(part)


class _Inbox:
    """What has come back and is not read yet."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, part: memoryview) -> None:
        self._data += part

    def take(self, limit: int) -> tuple[FrameKind, bytes] | None:
        """Return the first frame, None as long as it is not complete.

        Raises:
            WireError: It is not acceptable.
        """
        if len(self._data) < frames.HEADER_BYTES:
            return None
        kind, length = frames.read_header(self._data[: frames.HEADER_BYTES], limit=limit)
        end = frames.HEADER_BYTES + length
        if len(self._data) < end:
            return None
        payload = bytes(self._data[frames.HEADER_BYTES : end])
        del self._data[:end]
        return kind, payload
