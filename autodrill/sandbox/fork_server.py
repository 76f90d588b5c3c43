"""The fork server, seen from the parent: child processes that do not have to load NumPy first.

`child.forking` is its other side.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

from autodrill.errors import InternalError
from autodrill.sandbox.child.confinement import APART, OPEN, OPEN_WITH_THREADS, SEALED, Confinement
from autodrill.sandbox.child.frames import MESSAGE_BYTES, NUMBER
from autodrill.sandbox.child_process import ChildProcess
from autodrill.sandbox.launcher import Channels, job_channel, launch, start_fields, start_interpreter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.libraries import Framework

__all__ = ["ForkServer", "can_fork", "own_code_launcher"]

_START_SECONDS = 60.0  # much more than a start takes: a slow machine is not the fault of a submission
_GONE_SECONDS = 5.0  # a killed process ends within milliseconds on an idle machine


def can_fork() -> bool:
    """Return whether this system can run a fork server. It needs pidfds, which Linux has since 5.3."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class ForkServer:
    """A process with NumPy loaded, from which child processes are forked. Use it as a context manager.

    It starts at the first `launch`, and starts again if it has died. Several threads may use it. On Linux it is killed
    when the thread that first needed it ends.

    Args:
        confinement: The layers that the child processes take.
        framework: A framework that it imports.
    """

    def __init__(self, confinement: Confinement = SEALED, framework: Framework | None = None) -> None:
        self._confinement = confinement
        self._framework = framework
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the fork server, None if it is not running."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start it and return at once, while it loads NumPy.

        Raises:
            InternalError: The fork server cannot be started, or NumPy is missing.
        """
        with self._lock:
            self._started()

    def launch(self, *, memory: int, traced: bool) -> ChildProcess:
        """Fork a child process: see `launcher.Launcher`.

        Raises:
            UsageError: This system cannot run a child process.
            InternalError: The fork server cannot be started, or cannot fork.
        """
        with self._lock:
            try:
                return self._fork(memory, traced=traced)
            except (ConnectionError, TimeoutError):  # it has died: nothing of this submission has been sent yet
                self._stop()
            try:
                return self._fork(memory, traced=traced)
            except (ConnectionError, TimeoutError) as error:
                self._stop()
                raise InternalError(f"the fork server does not answer: {error}") from error

    def close(self) -> None:
        """End the fork server and every process it has forked. A later `launch` starts it again."""
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
            if to.line_memory is not None:
                passed.append(to.line_memory.fileno())
            socket.send_fds(control, [NUMBER.pack(memory)], passed)
            theirs.close()  # a copy kept here would hide the end of the server
            process = _await_fork(status)
            ours.pop_all()
        # All forks share the mark of the server, so that the processes one of them has started are found by descent.
        ends = (to.stdout[0], to.stderr[0], to.dump[0], to.line_memory, process.handle)
        return ChildProcess(process, job, *ends, mark="", confinement=self._confinement, release=process.release)

    def _started(self) -> socket.socket:
        if self._control is None:
            with ExitStack() as ours:
                control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                ours.callback(control.close)
                with theirs:
                    start = self._confinement.to_wire() | {"memory": 0} | start_fields(self._framework)
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
            self._process.kill()  # the kernel then kills its forks
            self._process.wait()
            self._process = None


@contextmanager
def own_code_launcher(framework: Framework | None = None) -> Iterator[Launcher]:
    """Provide a launcher under the open profile: that of a fork server if the system can run one, else `launch`.

    Args:
        framework: A framework that its processes have imported.

    Raises:
        InternalError: The fork server cannot be started, or NumPy is missing.
    """
    if framework is not None and framework.on_gpu:  # a context of the GPU does not survive a fork
        yield partial(launch, confinement=APART, framework=framework)
        return
    confinement = OPEN_WITH_THREADS if framework is not None and framework.starts_threads else OPEN
    if not can_fork():
        yield partial(launch, confinement=confinement, framework=framework)
        return
    with ForkServer(confinement, framework) as server:
        server.start()
        yield server.launch


def _await_fork(status: socket.socket) -> ForkedProcess:
    """Receive the process that the server has forked.

    Raises:
        ConnectionError: The server has ended.
        TimeoutError: It does not answer.
        InternalError: It could not fork.
    """
    status.settimeout(_START_SECONDS)
    message, handles, _, _ = socket.recv_fds(status, MESSAGE_BYTES, 1)
    if not message:
        raise ConnectionResetError("it has ended")
    (process,) = NUMBER.unpack(message)
    if process < 0:
        raise InternalError(f"the fork server cannot fork: {os.strerror(-process)}")
    return ForkedProcess(process, handles[0], status)


@dataclass(slots=True)
class ForkedProcess:
    """The handle on a process that is a child of the fork server: see `child_process.ProcessHandle`.

    Attributes:
        pid: Its process id. It may be reused after the end of the process, so signals go to the pidfd.
        handle: Its pidfd.
        status: The socket on which the server reports its end.
        returncode: Its exit status, None as long as it is unknown.
    """

    pid: int
    handle: int
    status: socket.socket
    returncode: int | None = None
    _reported: bool = False

    def poll(self) -> int | None:
        """Return its exit status if the server has reported its end."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end. The exit status stays None if the server dies or hangs without a report.

        Raises:
            subprocess.TimeoutExpired: It is still running; only with a timeout.
        """
        if self._reported:
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
        self._reported = True
        if message:
            (self.returncode,) = NUMBER.unpack(message)
        return self.returncode

    def release(self) -> None:
        """Leave it to the server to wait for its end. Its exit status stays unknown."""
        self.status.close()
        self._reported = True

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, sig)
