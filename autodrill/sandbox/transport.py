"""The transport of requests and replies over the job channel, with a time limit and a limit of output."""

from __future__ import annotations

import math
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
    from autodrill.sandbox.meters import MemoryWatch, ProcessorBudget

__all__ = ["NoReply", "Transport"]

_SHOWN_BYTES = 8 << 10
_LONGEST_WAIT = 3600.0  # a debugged call has no time limit, but `poll` needs a finite one
_SPIN_SECONDS = 0.0003  # most replies come sooner than a sleeping process is woken
_POLL_SECONDS = 0.02  # how often to check whether the process has ended, without a pidfd
_READ_BYTES = 1 << 16
_PIPE_BYTES = 1 << 18
_MAX_EXTENSION = 4  # times the time limit: the longest extension of a call on a busy machine
_MIN_EXTENSION_SECONDS = 0.001  # a shorter wait may be caused by reading the clock here
_WATCH_SECONDS = 0.005  # how often the memory of a watched process is read
_SENT_TOGETHER = 16  # requests in one system call; every system allows more


class NoReply(Enum):
    """Why no reply came."""

    TIME = "time"
    COST = "cost"
    MEMORY = "memory"
    FLOOD = "flood"
    DEATH = "death"


@dataclass(slots=True)
class _Printed:
    """The beginning of an output stream."""

    kept: bytearray = field(default_factory=bytearray)

    def add(self, part: bytes) -> None:
        self.kept += part[: max(0, _SHOWN_BYTES - len(self.kept))]

    def text(self) -> str:
        return self.kept.decode("utf-8", "replace")


class Transport:
    """The parent's side of the channels of a child process.

    Replies come in the order of the requests. Several requests can be pending, so that neither process waits for the
    other. Sending never blocks.

    Args:
        child: The child process.
        output: Bytes that it may print between two calls of `count_output`.
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
        self._requested = 0
        self._listening = True
        self._excused = 0.0
        self._inbox = _Inbox()
        self._read = memoryview(bytearray(_READ_BYTES))
        self._spins = not _has_one_core()
        self._poll = select.poll()
        self._poll.register(child.job, select.POLLIN)
        self._output_poll = select.poll()
        for descriptor in self._printed:
            self._poll.register(descriptor, select.POLLIN)
            self._output_poll.register(descriptor, select.POLLIN)
        if child.pidfd is not None:
            self._poll.register(child.pidfd, select.POLLIN)

    def printed(self) -> tuple[str, str]:
        """Return the beginnings of stdout and stderr since `clear_printed`, with undecodable bytes replaced."""
        return self._out.text(), self._err.text()

    def clear_printed(self) -> None:
        """Forget what was printed so far."""
        self._out.kept.clear()
        self._err.kept.clear()

    def count_output(self) -> None:
        """Count the printed bytes from zero again."""
        self._count = 0

    def flooded(self) -> bool:
        """Read what was printed, and return whether it exceeds the limit."""
        for descriptor, _ in self._output_poll.poll(0):
            self._drain(descriptor)
        return self._count > self._output

    def ignore_earlier_waits(self) -> None:
        """Grant no extension for waits before now. No request may be pending."""
        self._excused = self._child.processor_wait()

    def send(self, *requests: bytes) -> int:
        """Send requests, in part later if the buffer is full, and return the number of the last one for `receive`."""
        self._outgoing.extend(map(memoryview, requests))
        self._requested += len(requests)
        self._flush()
        return self._requested

    def ask(self, request: bytes, seconds: float, limit: int) -> tuple[FrameKind, wire.Value] | NoReply:
        """Send a request, and return its reply.

        Args:
            request: A frame; empty to wait for a frame that comes without a request.
            seconds: See `receive`.
            limit: See `receive`.

        Raises:
            WireError: What came back is not a frame.
        """
        self.count_output()
        number = self.send(request) if request else 0
        reply = self.receive(number, seconds, limit)
        if self.flooded():
            return NoReply.FLOOD
        return reply if isinstance(reply, NoReply) else (reply[0], wire.decode(reply[1]))

    def receive(
        self,
        number: int,
        seconds: float,
        limit: int,
        *,
        until: float = math.inf,
        budget: ProcessorBudget | None = None,
        watch: MemoryWatch | None = None,
    ) -> tuple[FrameKind, bytes] | NoReply:
        """Return the next reply. Read what is printed in the meantime.

        Args:
            number: The request that it must answer.
            seconds: Wall time. It is extended by the time that the process has waited for a processor, at most to five
                times `seconds`. Each wait extends one reply only.
            limit: The longest accepted payload, in bytes.
            until: The time by `time.monotonic` at which the wait ends at the latest.
            budget: The processor time that the process may use.
            watch: The memory that the process may hold.

        Returns:
            The kind and the payload of the frame, or why there is none. After TIME, COST, MEMORY and FLOOD the process
            still runs. A reply that came over budget is COST or MEMORY too.

        Raises:
            WireError: What came back is not a frame, or came before its request was sent.
        """
        deadline = min(time.monotonic() + seconds, until)
        granted = 0.0
        try:
            while (frame := self._inbox.take(limit)) is None:
                self._flush()
                came = self._read_job() or (self._spin() if self._spins else 0)
                left = deadline - time.monotonic()
                if left <= 0 and came < _READ_BYTES:  # a full buffer may be a reply that waited for this process
                    more = min(self._child.processor_wait() - self._excused, _MAX_EXTENSION * seconds - granted)
                    more = min(more, until - deadline)
                    if left + more < _MIN_EXTENSION_SECONDS:
                        frame = self._inbox.take(limit)  # its last bytes may have come just now
                        if frame is None:
                            return NoReply.TIME
                        break
                    granted += more
                    self._excused += more
                    deadline += more
                    left += more
                if came:
                    continue
                if budget is not None:
                    left = min(left, budget.left())
                    if left <= 0:
                        return NoReply.COST
                if watch is not None:
                    left = min(left, _WATCH_SECONDS)
                    if watch.exceeded():
                        return NoReply.MEMORY
                dead = self._wait(left)
                if self._count > self._output:
                    return NoReply.FLOOD
                if dead and not self._read_job():
                    return NoReply.DEATH
        except (ConnectionError, EOFError):
            return NoReply.DEATH
        if number > self._requested - len(self._outgoing):
            raise wire.WireError("a reply to a request that was not read")
        if budget is not None and budget.left() < 0:
            return NoReply.COST
        return NoReply.MEMORY if watch is not None and watch.exceeded() else frame

    def _flush(self) -> None:
        """Send the pending bytes, as many as the buffer takes."""
        try:
            while self._outgoing and self._listening:
                sent = self._child.job.sendmsg(list(islice(self._outgoing, _SENT_TOGETHER)))
                while self._outgoing and sent >= len(self._outgoing[0]):
                    sent -= len(self._outgoing.popleft())
                if sent:
                    self._outgoing[0] = self._outgoing[0][sent:]
        except BlockingIOError:
            pass
        except ConnectionError:  # it has ended, but earlier replies may still be readable
            self._listening = False

    def _read_job(self) -> int:
        """Read the bytes that came back, at most `_READ_BYTES`, and return how many there were.

        Raises:
            EOFError: The other end is closed.
        """
        try:
            count = self._child.job.recv_into(self._read)
        except BlockingIOError:
            return 0
        if not count:
            raise EOFError
        self._inbox.add(self._read[:count])
        return count

    def _spin(self) -> int:
        """Spin briefly (sched_yield) before blocking in `poll`, and return how many bytes came back.

        Raises:
            EOFError: The other end is closed.
        """
        until = time.monotonic() + _SPIN_SECONDS
        while time.monotonic() < until:
            os.sched_yield()
            if count := self._read_job():
                return count
        return 0

    def _wait(self, seconds: float) -> bool:
        """Wait for an event, read what was printed, and return whether the process has ended."""
        child = self._child
        events = select.POLLIN | (select.POLLOUT if self._outgoing and self._listening else 0)
        self._poll.modify(child.job, events)
        wait = min(seconds, _LONGEST_WAIT if child.pidfd is not None else _POLL_SECONDS)
        ready = {descriptor for descriptor, _ in self._poll.poll(wait * 1000)}
        for descriptor in self._printed.keys() & ready:
            self._drain(descriptor)
        return child.pidfd in ready if child.pidfd is not None else child.process.poll() is not None

    def _drain(self, descriptor: int) -> None:
        """Read an output stream, at most the capacity of a pipe. Stop watching a stream that has ended."""
        try:
            part = os.read(descriptor, _PIPE_BYTES)
        except BlockingIOError:
            return
        if not part:
            self._poll.unregister(descriptor)
            self._output_poll.unregister(descriptor)
        self._count += len(part)
        self._printed[descriptor].add(part)


def _has_one_core() -> bool:
    """Return whether this process must run on one core, as each of several workers. Its child then runs on it too."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) == 1


class _Inbox:
    """The bytes that came back and are not read yet."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, part: memoryview) -> None:
        self._data += part

    def take(self, limit: int) -> tuple[FrameKind, bytes] | None:
        """Remove and return the first frame, None if it is incomplete.

        Raises:
            WireError: Its kind is unknown, or it is too long.
        """
        if len(self._data) < frames.HEADER_BYTES:
            return None
        kind, length = frames.read_header(self._data, limit=limit)
        end = frames.HEADER_BYTES + length
        if len(self._data) < end:
            return None
        with memoryview(self._data) as data:
            payload = bytes(data[frames.HEADER_BYTES : end])
        del self._data[:end]
        return kind, payload
