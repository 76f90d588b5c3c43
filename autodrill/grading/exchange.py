"""One request and its answer over the job channel, against a clock, with what is printed meanwhile."""

from __future__ import annotations

import os
import selectors
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from autodrill.grading.child import frames, wire

if TYPE_CHECKING:
    import socket

    from autodrill.grading.child.frames import Kind
    from autodrill.grading.handle import Child

__all__ = ["End", "Exchange"]

_SHOWN_BYTES = 8 << 10
_LONGEST_WAIT = 3600.0  # the clock of a debugged process may be infinite, the system's must not be
_POLL_SECONDS = 0.02  # how often to look for the process's end where no pidfd tells of it


class End(Enum):
    """Why an exchange brought no frame."""

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


class Exchange:
    """The parent's side of a process's channels.

    Args:
        child: The process.
        output: Bytes it may print while one request is answered.
    """

    def __init__(self, child: Child, output: int) -> None:
        self._child = child
        self._output = output
        self._out, self._err = _Printed(), _Printed()
        self._printed = {
            descriptor: printed
            for descriptor, printed in ((child.stdout, self._out), (child.stderr, self._err))
            if descriptor is not None
        }
        self._selector = selectors.PollSelector()
        self._selector.register(child.job, selectors.EVENT_READ)
        for descriptor in self._printed:
            self._selector.register(descriptor, selectors.EVENT_READ)
        if child.pidfd is not None:
            self._selector.register(child.pidfd, selectors.EVENT_READ)

    def printed(self) -> tuple[str, str]:
        """Return the beginnings of stdout and stderr since `forget`, undecodable bytes replaced."""
        return self._out.text(), self._err.text()

    def forget(self) -> None:
        """Drop what was printed so far."""
        self._out.kept.clear()
        self._err.kept.clear()

    def close(self) -> None:
        """Stop watching the channels; they are the process's to close."""
        self._selector.close()

    def ask(self, request: bytes, seconds: float, limit: int) -> tuple[Kind, wire.Value] | End:
        """Send a request and return the frame that answers it, reading what is printed meanwhile.

        Args:
            request: One frame, or nothing, to wait for a frame that comes unasked.
            seconds: Wall time for all of it.
            limit: The longest payload to accept, in bytes.

        Returns:
            The frame's kind and value, or why there is none. The process still runs after TIME and FLOOD.

        Raises:
            WireError: What came back is not a frame.
        """
        child = self._child
        deadline = time.monotonic() + seconds
        outgoing = memoryview(request)
        reply = _Reply(limit)
        printed = 0
        writing = False
        while (left := deadline - time.monotonic()) > 0:
            try:
                outgoing = outgoing[child.job.send(outgoing) if outgoing else 0 :]
            except BlockingIOError:
                pass
            except (BrokenPipeError, ConnectionResetError):
                return End.DEATH
            if writing != bool(outgoing):
                writing = bool(outgoing)
                self._selector.modify(child.job, selectors.EVENT_READ | (selectors.EVENT_WRITE if writing else 0))
            wait = min(left, _LONGEST_WAIT if child.pidfd is not None else _POLL_SECONDS)
            ready = {key.fd: events for key, events in self._selector.select(wait)}
            dead = child.pidfd in ready if child.pidfd is not None else child.process.poll() is not None
            printed += sum(self._drain(descriptor) for descriptor in self._printed if descriptor in ready)
            if printed > self._output:
                return End.FLOOD
            events = ready.get(child.job.fileno(), 0)
            try:
                if (events & selectors.EVENT_READ or dead) and reply.read_from(child.job):
                    if outgoing:
                        raise wire.WireError("an answer to a question that was not read")
                    printed += sum(self._drain(descriptor) for descriptor in self._printed)
                    return End.FLOOD if printed > self._output else reply.frame()
            except (ConnectionResetError, EOFError):
                return End.DEATH
            if dead:
                return End.DEATH
        return End.TIME

    def _drain(self, descriptor: int) -> int:
        """Read what waits in an output stream, at most a pipe's worth, and return how much it was."""
        try:
            part = os.read(descriptor, 1 << 18)
        except BlockingIOError:
            return 0
        if not part and descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)
        self._printed[descriptor].add(part)
        return len(part)


class _Reply:
    """A frame as it arrives."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._header = b""
        self._payload = bytearray()
        self._kind: Kind | None = None
        self._length = 0

    def read_from(self, job: socket.socket) -> bool:
        """Read what waits and return whether the frame is complete; never reads past its end.

        Raises:
            EOFError: The other end is closed.
            WireError: The frame is not acceptable.
        """
        try:
            while self._kind is None or len(self._payload) < self._length:
                if self._kind is None:
                    part = job.recv(frames.HEADER_BYTES - len(self._header))
                    self._header += part
                    if len(self._header) == frames.HEADER_BYTES:
                        self._kind, self._length = frames.read_header(self._header, limit=self._limit)
                else:
                    part = job.recv(min(self._length - len(self._payload), 1 << 20))
                    self._payload += part
                if not part:
                    raise EOFError
        except BlockingIOError:
            return False
        return True

    def frame(self) -> tuple[Kind, wire.Value]:
        assert self._kind is not None
        return self._kind, wire.decode(self._payload)
