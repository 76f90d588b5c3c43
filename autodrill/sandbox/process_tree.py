"""Ending everything a candidate's process has started, even in a session of its own or with another parent; on Linux.

While that process lives, all it has started are its descendants, as it adopts the orphans among them (see
`limits.tie_to_parent`). Once it is dead they are known by their environment, which carries the mark of the run through
any number of forks. What is beyond this is a program started with another environment by a process that then ends
itself: to forbid starting one at all is a system-call filter's part.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MARK", "kill_descendants"]

MARK = "AUTODRILL_RUN"
_SWEEPS = 100  # a process may fork while it is looked for


@dataclass(frozen=True, slots=True)
class _Process:
    """A line of the process table; its number and start time together are never given out twice."""

    number: int
    parent: int
    started: bytes
    marked: bool


def kill_descendants(root: int, mark: str) -> None:
    """Kill every descendant of process `root`, and every process marked with `mark`, but not `root` itself.

    An empty mark marks nobody. Where there is no `/proc`, nothing is done.
    """
    if sys.platform != "linux":
        return
    for _ in range(_SWEEPS):
        table = {process.number: process for process in _table(f"{MARK}={mark}".encode() if mark else b"")}
        found = [process for process in table.values() if process.number != root and _belongs(process, root, table)]
        if not found:
            return
        for process in found:
            _end(process)


def _table(mark: bytes) -> list[_Process]:
    """List the processes that run; those that are dead and wait for their parents are left out."""
    read = (_read(folder, mark) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [process for process in read if process is not None]


def _read(folder: Path, mark: bytes) -> _Process | None:
    try:
        # After the name, which may hold anything: state, parent, and 18 fields further on the start time.
        fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:  # gone
        return None
    if fields[0] in b"ZX":
        return None
    try:
        marked = bool(mark) and mark in (folder / "environ").read_bytes().split(b"\0")
    except OSError:  # another user's
        marked = False
    return _Process(int(folder.name), int(fields[1]), fields[19], marked)


def _belongs(process: _Process, root: int, table: dict[int, _Process]) -> bool:
    seen: _Process | None = process
    while seen is not None:
        if seen.marked or seen.parent == root:
            return True
        seen = table.get(seen.parent)
    return False


def _end(process: _Process) -> None:
    try:
        handle = os.pidfd_open(process.number)
    except OSError:  # gone, or Linux before 5.3
        return
    try:
        again = _read(Path("/proc") / str(process.number), b"")
        if again is not None and again.started == process.started:  # the handle is on the process that was found
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        return
    finally:
        os.close(handle)
