"""Ways to start a candidate's process: behind clean channels and limits, or on this terminal to be debugged."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Protocol, Self

from autodrill.errors import InternalError, UsageError
from autodrill.sandbox import child
from autodrill.sandbox.child import frames, line_tracer, wire
from autodrill.sandbox.child.confinement import OPEN, SEPARATE, Confinement
from autodrill.sandbox.child_process import ChildProcess
from autodrill.sandbox.process_tree import MARK

__all__ = ["Channels", "Launcher", "job_channel", "launch", "launch_on_terminal", "start_interpreter"]


_BUFFER_BYTES = 1 << 20


class Launcher(Protocol):
    """A way to come by a process that has been sent START: started afresh, or forked from a warm server."""

    def __call__(self, *, memory: int, traced: bool) -> ChildProcess:
        """Return at once, with the process still starting.

        Args:
            memory: Bytes it may allocate beyond what Python and NumPy take.
            traced: Whether it shall keep record of the line that runs.
        """
        ...


@dataclass(slots=True)
class Channels:
    """The pipes of a process that is to be confined: our ends and, until it is started, its own.

    Attributes:
        ours: Closes our ends, if anything fails before they are somebody's to close.
        theirs: Closes its ends in this process.
        stdout: Our end and its end.
        stderr: Likewise.
        dump: Likewise.
        marker: Shared memory for the line that runs, where lines are traced.
    """

    ours: ExitStack
    theirs: ExitStack
    stdout: tuple[int, int]
    stderr: tuple[int, int]
    dump: tuple[int, int]
    marker: IO[bytes] | None

    @classmethod
    def open(cls, ours: ExitStack, theirs: ExitStack, *, traced: bool) -> Self:
        """Make the pipes."""
        stdout, stderr, dump = (_pipe(ours, theirs) for _ in range(3))
        marker: IO[bytes] | None = None
        if traced:
            import tempfile  # seldom needed, and slow to import

            marker = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  it is closed with our other ends
            ours.callback(marker.close)
            marker.truncate(line_tracer.MARKER_BYTES)
        return cls(ours, theirs, stdout, stderr, dump, marker)


def launch(
    *, memory: int, traced: bool, confinement: Confinement = OPEN, readable: tuple[str, ...] = ()
) -> ChildProcess:
    """Start a new interpreter: see `Launcher`.

    On Linux it is killed when the *thread* that started it ends, so that thread must outlive its use. Under the open
    profile it can read the folders `readable`.

    Raises:
        UsageError: This system cannot hold a candidate's process.
        InternalError: The interpreter cannot be started, or NumPy is missing.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        job, their_job = job_channel(ours, theirs)
        to = Channels.open(ours, theirs, traced=traced)
        marker = None if to.marker is None else to.marker.fileno()
        start: dict[str, wire.Value] = {"memory": memory, "dump": to.dump[1], "marker": marker, "debug": False}
        process, mark = start_interpreter(
            "main_loop",
            job,
            their_job,
            start | confinement.to_wire() | {"readable": readable},
            [to.dump[1], *([] if marker is None else [marker])],
            streams=(subprocess.DEVNULL, to.stdout[1], to.stderr[1]),
        )
        ours.pop_all()
    pidfd = _pidfd(process.pid)
    return ChildProcess(process, job, to.stdout[0], to.stderr[0], to.dump[0], to.marker, pidfd, mark, confinement)


def launch_on_terminal(*, memory: int, traced: bool) -> ChildProcess:  # noqa: ARG001  # the signature is Launcher's
    """Start a new interpreter that shares this terminal, makes each call under pdb and has no limits: see `Launcher`.

    Raises:
        UsageError: This system cannot hold a candidate's process.
        InternalError: The interpreter cannot be started, or NumPy is missing.
    """
    terminal = {name: os.environ[name] for name in ("HOME", "INPUTRC", "TERM", "TERMINFO") if name in os.environ}
    with ExitStack() as ours, ExitStack() as theirs:
        job, their_job = job_channel(ours, theirs)
        process, mark = start_interpreter("main_loop", job, their_job, {"debug": True}, [], terminal=terminal)
        ours.pop_all()
    return ChildProcess(process, job, None, None, None, None, _pidfd(process.pid), mark, SEPARATE)


def start_interpreter(
    role: str,
    channel: socket.socket,
    theirs: socket.socket,
    start: dict[str, wire.Value],
    passed: list[int],
    *,
    terminal: dict[str, str] | None = None,
    streams: tuple[int | None, int | None, int | None] = (None, None, None),
) -> tuple[subprocess.Popen[bytes], str]:
    """Start an interpreter that can import NumPy, the standard library and `child`.

    Args:
        role: The module of `child` whose `main` it runs.
        channel: Our end of the channel to it.
        theirs: Its end.
        start: What START tells it, beside what every process is told.
        passed: Descriptors it inherits beside the channel.
        terminal: The environment of a terminal to share, None for a process in a session of its own.
        streams: Its stdin, stdout and stderr, as `subprocess` takes them.

    Returns:
        The process, and the mark of all it will start.

    Raises:
        InternalError: The interpreter cannot be started, or NumPy is missing.
    """
    # It lies in the channel before there is a reader, so that sending cannot fail.
    channel.sendall(frames.pack(frames.FrameKind.START, {"parent": os.getpid(), "numpy": _numpy_folder(), **start}))
    mark = os.urandom(16).hex()
    # Not `-I`: it would ignore PYTHONHASHSEED too. No site-packages, nothing of the user's or of the current folder.
    command = [sys.executable, "-s", "-S", "-P", str(Path(child.__file__).parent), role, str(theirs.fileno())]
    stdin, stdout, stderr = streams
    try:
        process = subprocess.Popen(  # noqa: S603  # our own interpreter and folder; no word of it comes from outside
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=[theirs.fileno(), *passed],
            env=_environment() | (terminal or {}) | {MARK: mark},
            cwd="/",
            start_new_session=terminal is None,
        )
    except OSError as error:
        raise InternalError(f"cannot start `{sys.executable}`: {error}") from error
    return process, mark


def job_channel(ours: ExitStack, theirs: ExitStack) -> tuple[socket.socket, socket.socket]:
    """Return our end of a job channel, which does not block, and its end.

    Raises:
        UsageError: This system cannot hold a candidate's process.
    """
    if os.name != "posix":
        raise UsageError("running a candidate's code needs Linux or macOS", hint="on Windows, use autodrill in WSL2")
    job, their_job = socket.socketpair()
    ours.callback(job.close)
    theirs.callback(their_job.close)
    job.setblocking(False)
    job.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)  # or as much as the system gives
    return job, their_job


def _environment() -> dict[str, str]:
    """Return the whole environment of a candidate's process; nothing of ours that could hold a secret is in it."""
    environment = {
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # the order of a set is the same when a case is replayed
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONUTF8": "1",
        # One thread: the machine is shared by many candidates, and sums are then made in the same order each time.
        "MKL_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        # Memory for large arrays is kept and used again, in large pages: a new page costs more than what is done to it.
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=67108864:"
        "glibc.malloc.trim_threshold=134217728:glibc.malloc.top_pad=4194304",
    }
    if libraries := os.environ.get("LD_LIBRARY_PATH"):  # on some clusters Python itself does not start without it
        environment["LD_LIBRARY_PATH"] = libraries
    return environment


def _numpy_folder() -> str:
    """Return the folder NumPy is imported from, without importing it.

    Raises:
        InternalError: There is none.
    """
    spec = find_spec("numpy")
    if spec is None or spec.origin is None:
        raise InternalError(
            "NumPy cannot be found", hint="install autodrill again: `pip install --force-reinstall autodrill`"
        )
    return str(Path(spec.origin).parent.parent)


def _pipe(on_error: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    ours, their = os.pipe()
    on_error.callback(os.close, ours)
    theirs.callback(os.close, their)
    os.set_blocking(ours, False)
    return ours, their


def _pidfd(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # Linux before 5.3, or a container that forbids it
        return None
