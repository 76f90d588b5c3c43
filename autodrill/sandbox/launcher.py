"""Starting a child process: behind pipes and limits, or on this terminal under the debugger."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, Self

from autodrill.errors import InternalError, UsageError
from autodrill.sandbox import child
from autodrill.sandbox.child import frames, wire
from autodrill.sandbox.child.confinement import OPEN, SEPARATE, Confinement
from autodrill.sandbox.child_process import MARK, ChildProcess

if TYPE_CHECKING:
    from autodrill.sandbox.libraries import Framework

__all__ = ["Channels", "Launcher", "job_channel", "launch", "launch_on_terminal", "start_fields", "start_interpreter"]

_BUFFER_BYTES = 1 << 20


class Launcher(Protocol):
    """A function that starts a child process: a new interpreter (`launch`), or a fork (`ForkServer.launch`)."""

    def __call__(self, *, memory: int, traced: bool) -> ChildProcess:
        """Return at once, while the process is still starting.

        Args:
            memory: Bytes that it may allocate beyond what Python and NumPy take.
            traced: Whether it records the running line.
        """
        ...


@dataclass(slots=True)
class Channels:
    """The pipes of a child process. Each is a pair of descriptors: the parent's end and the child's end.

    Attributes:
        ours: Closes the parent's ends, if a step of the start fails.
        theirs: Closes the child's ends in the parent.
        stdout: The pipe of its standard output.
        stderr: The pipe of its standard error.
        dump: The pipe for its stack.
        line_memory: Shared memory for the running line; None if lines are not traced.
    """

    ours: ExitStack
    theirs: ExitStack
    stdout: tuple[int, int]
    stderr: tuple[int, int]
    dump: tuple[int, int]
    line_memory: IO[bytes] | None

    @classmethod
    def open(cls, ours: ExitStack, theirs: ExitStack, *, traced: bool) -> Self:
        """Create the pipes."""
        stdout, stderr, dump = (_pipe(ours, theirs) for _ in range(3))
        line_memory: IO[bytes] | None = None
        if traced:
            import tempfile  # rarely needed, and slow to import

            line_memory = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  it is closed with the parent's other ends
            ours.callback(line_memory.close)
            line_memory.truncate(frames.LINE.size)
        return cls(ours, theirs, stdout, stderr, dump, line_memory)


def launch(
    *,
    memory: int,
    traced: bool,
    confinement: Confinement = OPEN,
    readable: tuple[str, ...] = (),
    framework: Framework | None = None,
) -> ChildProcess:
    """Start a new interpreter as a child process: see `Launcher`.

    On Linux the process is killed when the thread that started it ends. That thread must outlive its use.

    Args:
        memory: See `Launcher`.
        traced: See `Launcher`.
        confinement: The layers that it takes.
        readable: Further folders that it can read under the open profile.
        framework: A framework that it imports.

    Raises:
        UsageError: This system cannot run a child process.
        InternalError: The interpreter cannot be started, or NumPy is missing.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        job, their_job = job_channel(ours, theirs)
        to = Channels.open(ours, theirs, traced=traced)
        line = None if to.line_memory is None else to.line_memory.fileno()
        start: dict[str, wire.Value] = {"memory": memory, "dump": to.dump[1], "line": line, "debug": False}
        process, mark = start_interpreter(
            "main_loop",
            job,
            their_job,
            start | confinement.to_wire() | start_fields(framework, readable),
            [to.dump[1], *([] if line is None else [line])],
            streams=(subprocess.DEVNULL, to.stdout[1], to.stderr[1]),
        )
        ours.pop_all()
    pidfd = _pidfd(process.pid)
    return ChildProcess(process, job, to.stdout[0], to.stderr[0], to.dump[0], to.line_memory, pidfd, mark, confinement)


def launch_on_terminal(
    *,
    memory: int,  # noqa: ARG001  # the signature of Launcher
    traced: bool,  # noqa: ARG001  # as above
    framework: Framework | None = None,
) -> ChildProcess:
    """Start a new interpreter that shares this terminal, makes each call under pdb and has no limits: see `Launcher`.

    Raises:
        UsageError: This system cannot run a child process.
        InternalError: The interpreter cannot be started, or NumPy is missing.
    """
    terminal = {name: os.environ[name] for name in ("HOME", "INPUTRC", "TERM", "TERMINFO") if name in os.environ}
    with ExitStack() as ours, ExitStack() as theirs:
        job, their_job = job_channel(ours, theirs)
        start = {"debug": True, **start_fields(framework)}
        process, mark = start_interpreter("main_loop", job, their_job, start, [], terminal=terminal)
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
    """Start an interpreter that can import NumPy, the standard library and `child`, and nothing else.

    Args:
        role: The module of `child` whose `main` it runs.
        channel: The parent's end of its channel.
        theirs: The child's end of its channel.
        start: The payload of START, besides what every process receives.
        passed: Descriptors that it inherits besides the channel.
        terminal: The environment variables of the terminal it shares; None for a process in a session of its own.
        streams: Its stdin, stdout and stderr, as `subprocess` takes them.

    Returns:
        The process, and the mark in its environment.

    Raises:
        InternalError: The interpreter cannot be started, or NumPy is missing.
    """
    # Sent before the process exists: the buffer of the socket holds it, so that sending cannot fail.
    channel.sendall(frames.pack(frames.FrameKind.START, {"parent": os.getpid(), "numpy": _numpy_folder(), **start}))
    mark = os.urandom(16).hex()
    # -I would also ignore PYTHONHASHSEED. -s, -S and -P exclude site-packages, the user's packages and the folder.
    command = [sys.executable, "-s", "-S", "-P", str(Path(child.__file__).parent), role, str(theirs.fileno())]
    stdin, stdout, stderr = streams
    try:
        process = subprocess.Popen(  # noqa: S603  # the running interpreter and a folder of the package
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
    """Return the parent's end of a job channel, which is non-blocking, and the child's end.

    Raises:
        UsageError: This system cannot run a child process.
    """
    if os.name != "posix":
        raise UsageError("running a submission needs Linux or macOS", hint="on Windows, use autodrill in WSL2")
    job, their_job = socket.socketpair()
    ours.callback(job.close)
    theirs.callback(their_job.close)
    job.setblocking(False)
    job.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)  # the system may give less
    return job, their_job


def _environment() -> dict[str, str]:
    """Return the whole environment of a child process. It contains no variable of the parent that may be secret."""
    environment = {
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # sets have the same order when a case is replayed
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONUTF8": "1",
        # One thread: many child processes share the machine, and a sum is then always made in the same order.
        "MKL_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        # Keep the memory of large arrays, in large pages: a page fault costs more than the arithmetic on a page.
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=67108864:"
        "glibc.malloc.trim_threshold=134217728:glibc.malloc.top_pad=4194304",
    }
    if libraries := os.environ.get("LD_LIBRARY_PATH"):  # some clusters need it to start Python
        environment["LD_LIBRARY_PATH"] = libraries
    return environment


def start_fields(framework: Framework | None, readable: tuple[str, ...] = ()) -> dict[str, wire.Value]:
    """Return the part of START that tells a child process which framework to import, and what it may read.

    Args:
        framework: The framework.
        readable: Further folders that it may read.
    """
    if framework is None:
        return {"framework": "", "library": "", "readable": readable}
    from autodrill.sandbox.libraries import readable_of

    folder, read = readable_of(framework)
    if not folder:
        return {"framework": "", "library": "", "readable": readable}
    return {"framework": str(framework), "library": folder, "readable": (*read, *readable)}


def _numpy_folder() -> str:
    """Return the folder that NumPy is imported from, without importing it.

    Raises:
        InternalError: NumPy is not installed.
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
