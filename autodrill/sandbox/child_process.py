"""A started candidate's process: asking it where it is, and ending it with all it started."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from autodrill.sandbox.child import line_tracer
from autodrill.sandbox.process_tree import kill_descendants

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import IO

    from autodrill.sandbox.child.confinement import Confinement

__all__ = ["ChildProcess", "ProcessHandle"]

_DUMP_SECONDS = 0.3  # a dump takes a millisecond, unless the machine is busy


class ProcessHandle(Protocol):
    """The process itself: a child of ours, or of the fork server."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def returncode(self) -> int | None:
        """Its exit status once that is known, as `subprocess` gives it."""
        ...

    def poll(self) -> int | None:
        """Return its exit status if it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end and return its exit status, None if nobody is left to know it.

        Raises:
            subprocess.TimeoutExpired: It still runs.
        """
        ...

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it is known to have ended."""
        ...


@dataclass(slots=True)
class ChildProcess:
    """A started process and the parent's ends of its channels; every descriptor is non-blocking.

    Attributes:
        process: The process.
        job: The socket that carries frames.
        stdout: What it prints; None where that goes to the terminal.
        stderr: Likewise.
        dump: Where it writes its stack when asked to, or when it crashes; None where it does not.
        marker: Shared memory with the line that runs, where lines are traced.
        pidfd: Becomes readable when the process ends; None where the system has none.
        mark: What its environment is marked with, and that of every process it starts.
        confinement: What it was told to give up.
        alone: Whether it cannot start anything: it has said so, or was sent nothing yet that could.
        leave: Leaves it to somebody else to see the killed process end; without it, and where the process may have
            started others, its end is waited for.
    """

    process: ProcessHandle
    job: socket.socket
    stdout: int | None
    stderr: int | None
    dump: int | None
    marker: IO[bytes] | None
    pidfd: int | None
    mark: str
    confinement: Confinement
    alone: bool = True
    leave: Callable[[], None] | None = None

    def stack_line(self, filename: str) -> int | None:
        """Ask a running process for the innermost line of `filename` on its stack; works inside C loops too."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGUSR1)
            self.process.send_signal(signal.SIGCONT)  # it may have stopped itself
        return self.dumped_line(filename)

    def dumped_line(self, filename: str) -> int | None:
        """Read the innermost line of `filename` from the stack that was dumped, waiting 0.3 s at most."""
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
        """Return the last line that was traced; None where lines are not traced."""
        if self.marker is None:
            return None
        self.marker.seek(0)
        return line_tracer.read_marker(self.marker.read(line_tracer.MARKER_BYTES))

    def waited(self) -> float:
        """Return for how many seconds in all the process was ready to run and had no processor; 0 if nobody knows."""
        try:
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text(encoding="ascii").split()[1]) * 1e-9
        except (OSError, ValueError, IndexError):  # not Linux, or built without these figures
            return 0.0

    def ends_within(self, seconds: float) -> bool:
        """Wait for the process to end by itself and return whether it did."""
        if self.pidfd is not None:
            return _readable(self.pidfd, seconds)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Kill the process and everything it started, and release every descriptor.

        It runs no more from now on. Its exit status is kept, unless its end is left to somebody else: taking its memory
        apart takes as long as several calls.
        """
        if not self.alone:
            self._end_what_it_started()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        if self.leave is None or not self.alone:
            self.process.wait()
        else:
            self.leave()
        self.job.close()
        for descriptor in (self.stdout, self.stderr, self.dump, self.pidfd):
            if descriptor is not None:
                os.close(descriptor)
        if self.marker is not None:
            self.marker.close()

    def _end_what_it_started(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGSTOP)  # it starts nothing more while what it has started is looked for
        kill_descendants(self.process.pid, self.mark)
        with contextlib.suppress(ProcessLookupError, PermissionError):  # on a terminal it leads no group
            os.killpg(self.process.pid, signal.SIGKILL)


def _readable(descriptor: int, seconds: float) -> bool:
    """Wait for data or an end. Not `select.select`: it knows no descriptor above 1023."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(seconds > 0 and poll.poll(seconds * 1000))


def _as_dumped(filename: str) -> str:
    """Return a file name the way faulthandler writes it: escaped to ASCII, cut at 500 characters."""
    cut = filename[:500]
    shown = "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in cut)
    return shown if len(filename) <= 500 else shown + "..."
