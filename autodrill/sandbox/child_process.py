"""A running child process: its channels, the line it is at, and how it is ended with everything it has started.

As long as the child process lives, everything it has started is a descendant of it, because it adopts orphans (see
`child.privileges.adopt_orphans`). Once it is dead, its descendants are recognised by their environment: a mark passes
through any number of forks. Only a program that is started with another environment, by a process that then ends,
escapes both tests. Under seccomp no program can be started at all.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from autodrill.sandbox.child.frames import LINE, LOST_CHANNEL

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import IO

    from autodrill.sandbox.child.confinement import Confinement
    from autodrill.sandbox.meters import MemoryWatch

__all__ = ["MARK", "ChildProcess", "ProcessHandle", "how_it_ended", "kill_descendants"]

MARK = "AUTODRILL_RUN"
"""The environment variable that marks a child process and everything it starts."""

_DUMP_SECONDS = 0.3  # a stack dump takes a millisecond on an idle machine
_CPU_CLOCK = 2  # with the inverted process id: its clock of processor time (clock_getcpuclockid)
_SWEEPS = 100  # a descendant may fork while the process table is read


class ProcessHandle(Protocol):
    """A handle on a process, which is a child of this process or of the fork server. `Popen` is one."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def returncode(self) -> int | None:
        """Its exit status in the convention of `subprocess`, None as long as it is unknown."""
        ...

    def poll(self) -> int | None:
        """Return its exit status if it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end and return its exit status, None if no process is left that knows it.

        Raises:
            subprocess.TimeoutExpired: It is still running.
        """
        ...

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it is known to have ended."""
        ...


@dataclass(slots=True)
class ChildProcess:
    """A started child process and the parent's ends of its channels. Every descriptor is non-blocking.

    Attributes:
        process: The handle on the process.
        job: The socket that carries frames.
        stdout: The pipe of its standard output; None if that is the terminal.
        stderr: The pipe of its standard error; None if that is the terminal.
        dump: The pipe for its stack, which it writes on request and when it crashes; None if it writes none.
        line_memory: Shared memory that holds the running line; None if lines are not traced.
        pidfd: Becomes readable when the process ends; None if the system has no pidfds.
        mark: The value of `MARK` in its environment; empty if it shares the mark of the fork server.
        confinement: The layers that it must take.
        alone: Whether it has certainly started no process: seccomp holds, or it has not been sent any code yet.
        release: Leaves it to the fork server to wait for the process. Without it, `end` waits.
    """

    process: ProcessHandle
    job: socket.socket
    stdout: int | None
    stderr: int | None
    dump: int | None
    line_memory: IO[bytes] | None
    pidfd: int | None
    mark: str
    confinement: Confinement
    alone: bool = True
    release: Callable[[], None] | None = None

    def stack_line(self, filename: str) -> int | None:
        """Ask the running process for the innermost line of `filename` on its stack. This works inside C loops too."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGUSR1)
            self.process.send_signal(signal.SIGCONT)  # it may have stopped itself
        return self.dumped_line(filename)

    def dumped_line(self, filename: str) -> int | None:
        """Read the innermost line of `filename` from the stack dump, waiting at most 0.3 s for the dump."""
        if self.dump is None:
            return None
        prefix = f'  File "{_as_dumped(filename)}", line '.encode()
        deadline = time.monotonic() + _DUMP_SECONDS
        text = b""
        while _readable(self.dump, deadline - time.monotonic()):
            part = os.read(self.dump, 1 << 16)
            text += part
            for line in text.split(b"\n")[:-1]:
                number = line[len(prefix) :].split(b" ", 1)[0]
                if line.startswith(prefix) and number.isdigit() and len(number) < 8:
                    return int(number)
            if not part or len(text) > 1 << 20:
                break
        return None

    def traced_line(self) -> int | None:
        """Return the last line that was traced, None if no line was."""
        if self.line_memory is None:
            return None
        self.line_memory.seek(0)
        (line,) = LINE.unpack(self.line_memory.read(LINE.size))
        return line or None

    def processor_wait(self) -> float:
        """Return for how many seconds in total the process was ready to run but had no processor; 0 if unknown."""
        try:
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text(encoding="ascii").split()[1]) * 1e-9
        except (OSError, ValueError, IndexError):  # not Linux, or a kernel without scheduler statistics
            return 0.0

    def processor_time(self) -> float:
        """Return the processor time that the process has used, in seconds, from a start that is the same in each call.

        The kernel measures it, so the process cannot falsify it. Without such a clock this is the wall time.
        """
        try:
            return time.clock_gettime((~self.process.pid << 3) | _CPU_CLOCK)
        except (OSError, OverflowError):  # not Linux
            return time.monotonic()

    def memory_watch(self, memory: int) -> MemoryWatch:
        """Return the watch of a process that may add `memory` bytes of address space, before it is sent a file."""
        from autodrill.sandbox.meters import MemoryWatch

        return MemoryWatch(self, memory)

    def anonymous_bytes(self) -> int:
        """Return the bytes that the process holds, other than pages of files, in memory or swapped out; 0 if unknown.

        Pages that a fork shares with the fork server count, so writing to them adds nothing.
        """
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_bytes()
        except OSError:  # not Linux, or it has ended
            return 0
        lines = (line.split() for line in status.splitlines() if line.startswith((b"RssAnon:", b"VmSwap:")))
        return sum(int(kibibytes) << 10 for _, kibibytes, _ in lines)

    def ends_within(self, seconds: float) -> bool:
        """Wait for the process to end by itself, and return whether it did."""
        if self.pidfd is not None:
            return _readable(self.pidfd, seconds)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Kill the process and everything it has started, and close every descriptor.

        With `release` and `alone`, the end of the process is not waited for, and its exit status stays unknown. The
        kernel needs as long as several calls take to free its memory.
        """
        if not self.alone:
            self._kill_what_it_started()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        if self.release is None or not self.alone:
            self.process.wait()
        else:
            self.release()
        self.job.close()
        for descriptor in (self.stdout, self.stderr, self.dump, self.pidfd):
            if descriptor is not None:
                os.close(descriptor)
        if self.line_memory is not None:
            self.line_memory.close()

    def _kill_what_it_started(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGSTOP)  # it must not start more processes during the search
        kill_descendants(self.process.pid, self.mark)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # on a terminal it leads no group
            os.killpg(self.process.pid, signal.SIGKILL)


def _readable(descriptor: int, seconds: float) -> bool:
    """Wait for data or the end of the stream. `select.select` is not used: it refuses descriptors above 1023."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(seconds > 0 and poll.poll(seconds * 1000))


def _as_dumped(filename: str) -> str:
    """Return a file name as faulthandler writes it: escaped to ASCII and cut at 500 characters."""
    cut = filename[:500]
    shown = "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in cut)
    return shown if len(filename) <= 500 else shown + "..."


@dataclass(frozen=True, slots=True)
class _TableEntry:
    """A process in the process table. The kernel never repeats a pair of process id and start time."""

    pid: int
    parent: int
    started: bytes
    marked: bool


def kill_descendants(root: int, mark: str) -> None:
    """Kill every descendant of process `root` and every process marked with `mark`, but not `root` itself.

    An empty mark matches no process. Without `/proc` this does nothing.
    """
    if sys.platform != "linux":
        return
    for _ in range(_SWEEPS):
        table = {entry.pid: entry for entry in _process_table(f"{MARK}={mark}".encode() if mark else b"")}
        found = [entry for entry in table.values() if entry.pid != root and _belongs(entry, root, table)]
        if not found:
            return
        for entry in found:
            _kill(entry)


def _process_table(mark: bytes) -> list[_TableEntry]:
    """List the running processes, without those that are dead and not yet waited for."""
    read = (_read_entry(folder, mark) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [entry for entry in read if entry is not None]


def _read_entry(folder: Path, mark: bytes) -> _TableEntry | None:
    try:
        # The name of the program may contain anything. After it: state, parent, and 18 fields later the start time.
        fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:  # the process has ended
        return None
    if fields[0] in b"ZX":
        return None
    try:
        marked = bool(mark) and mark in (folder / "environ").read_bytes().split(b"\0")
    except OSError:  # another user's process
        marked = False
    return _TableEntry(int(folder.name), int(fields[1]), fields[19], marked)


def _belongs(entry: _TableEntry, root: int, table: dict[int, _TableEntry]) -> bool:
    seen: _TableEntry | None = entry
    while seen is not None:
        if seen.marked or seen.parent == root:
            return True
        seen = table.get(seen.parent)
    return False


def _kill(entry: _TableEntry) -> None:
    try:
        handle = os.pidfd_open(entry.pid)
    except OSError:  # it has ended, or this is Linux before 5.3
        return
    try:
        again = _read_entry(Path("/proc") / str(entry.pid), b"")
        if again is not None and again.started == entry.started:  # the pid has not been reused
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        return
    finally:
        os.close(handle)


def how_it_ended(status: int) -> str:
    """Describe the exit status of a child process, for a report."""
    if status == LOST_CHANNEL:
        return "closed its channel"
    if status < 0:
        try:
            return f"signal {signal.Signals(-status).name}"
        except ValueError:
            return f"signal {-status}"
    return f"exit code {status}"
