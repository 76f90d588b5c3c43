"""The parent's side of the warm fork server: candidate's processes without the wait for NumPy."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from autodrill.errors import InternalError
from autodrill.sandbox.child.confinement import OPEN, SEALED, Confinement
from autodrill.sandbox.child.frames import MESSAGE_BYTES, NUMBER
from autodrill.sandbox.child_process import ChildProcess
from autodrill.sandbox.launcher import Channels, job_channel, launch, start_interpreter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from autodrill.sandbox.launcher import Launcher

__all__ = ["ForkServer", "can_fork", "own_code_launcher"]

_START_SECONDS = 60.0  # generous: a slow start is the machine's fault, not the candidate's
_GONE_SECONDS = 5.0  # a killed process needs milliseconds, unless the machine is very busy


def can_fork() -> bool:
    """Return whether this system has what a fork server needs: Linux from 5.3, with handles on processes."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class ForkServer:
    """A process with NumPy loaded that forks a candidate's process at every request. Use it as a context manager.

    It is started when first needed, and again when it has died. It may be used by several threads; as every process a
    thread starts, on Linux it ends when the thread ends that needed it first.

    A server of processes for CUDA would start each afresh: a CUDA context does not survive a fork. What it provides is
    the same, `launcher`.

    Args:
        confinement: What its forks give up.
    """

    def __init__(self, confinement: Confinement = SEALED) -> None:
        self._confinement = confinement
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id, None while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start it and return at once; it loads NumPy while the caller goes on.

        Raises:
            InternalError: It cannot be started, or NumPy is missing.
        """
        with self._lock:
            self._started()

    def launch(self, *, memory: int, traced: bool) -> ChildProcess:
        """Have a process forked; see `autodrill.sandbox.launcher.Launcher`.

        Raises:
            UsageError: This system cannot hold a candidate's process.
            InternalError: The server cannot be started, or cannot fork.
        """
        with self._lock:
            try:
                return self._fork(memory, traced=traced)
            except (ConnectionError, TimeoutError):  # it has died since: nothing of this submission has been sent yet
                self._stop()
            try:
                return self._fork(memory, traced=traced)
            except (ConnectionError, TimeoutError) as error:
                self._stop()
                raise InternalError(f"the fork server does not work: {error}") from error

    def close(self) -> None:
        """End the server and, with it, every process it has forked. It may be called twice, and used again."""
        with self._lock:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _fork(self, memory: int, *, traced: bool) -> ChildProcess:
        control = self._started()
        with ExitStack() as ours, ExitStack() as theirs:
            job, their_job = job_channel(ours, theirs)
            to = Channels.open(ours, theirs, traced=traced)
            status, their_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.callback(status.close)
            theirs.callback(their_status.close)
            passed = [their_job.fileno(), to.stdout[1], to.stderr[1], to.dump[1], their_status.fileno()]
            if to.marker is not None:
                passed.append(to.marker.fileno())
            socket.send_fds(control, [NUMBER.pack(memory)], passed)
            theirs.close()  # so that we see it when the server's own are closed
            process = _await_fork(status)
            ours.pop_all()
        # The server's mark is on all of its forks alike: what one of them has started is found by descent alone.
        ends = (to.stdout[0], to.stderr[0], to.dump[0], to.marker, process.handle)
        return ChildProcess(process, job, *ends, mark="", confinement=self._confinement, leave=process.leave)

    def _started(self) -> socket.socket:
        if self._control is None:
            with ExitStack() as ours:
                control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                ours.callback(control.close)
                with theirs:
                    start = self._confinement.to_wire() | {"memory": 0}
                    quiet = (subprocess.DEVNULL, subprocess.DEVNULL, None)
                    self._process, _ = start_interpreter("forking", control, theirs, start, [], streams=quiet)
                ours.pop_all()
                self._control = control
        return self._control

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()  # its forks are killed by its death
            self._process.wait()
            self._process = None


@contextmanager
def own_code_launcher() -> Iterator[Launcher]:
    """Provide processes for one's own code, forked where that can be; NumPy is loaded while the caller goes on.

    Raises:
        InternalError: The server cannot be started, or NumPy is missing.
    """
    if not can_fork():
        yield launch
        return
    with ForkServer(OPEN) as server:
        server.start()
        yield server.launch


def _await_fork(status: socket.socket) -> Fork:
    """Take the process that the server has forked.

    Raises:
        ConnectionError: The server is gone.
        TimeoutError: It does not answer.
        InternalError: It could not fork.
    """
    status.settimeout(_START_SECONDS)
    message, handles, _, _ = socket.recv_fds(status, MESSAGE_BYTES, 1)
    if not message:
        raise ConnectionResetError("it ended")
    (process,) = NUMBER.unpack(message)
    if process < 0:
        raise InternalError(f"the fork server cannot fork: {os.strerror(-process)}")
    return Fork(process, handles[0], status)


@dataclass(slots=True)
class Fork:
    """A process that is the server's child, not ours: see `autodrill.sandbox.child_process.ProcessHandle`.

    Attributes:
        pid: Its process id; only the handle is safe to act on.
        handle: Its pidfd.
        status: Where the server tells of its end.
        returncode: Its exit status once that is known.
    """

    pid: int
    handle: int
    status: socket.socket
    returncode: int | None = None
    _told: bool = False

    def poll(self) -> int | None:
        """Return its exit status if it has ended and the server has told so."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until it has ended; its exit status stays None if the server died, or hangs, without telling.

        Raises:
            subprocess.TimeoutExpired: It still runs; only if there is a timeout.
        """
        if self._told:
            return self.returncode
        limit = _GONE_SECONDS if timeout is None else timeout
        self.status.settimeout(limit or 1e-6)
        try:
            message = self.status.recv(MESSAGE_BYTES)
        except TimeoutError:
            if timeout is not None:
                raise subprocess.TimeoutExpired("a fork", limit) from None
            message = b""
        except ConnectionError:
            message = b""
        self.status.close()
        self._told = True
        if message:
            (self.returncode,) = NUMBER.unpack(message)
        return self.returncode

    def leave(self) -> None:
        """Leave it to the server to see it end: its exit status will not be known."""
        self.status.close()
        self._told = True

    def send_signal(self, sig: int) -> None:
        """Send it a signal; none arrives once it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, sig)
