"""The traces of an attack: the differences between the state before it and after it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sandbox.attacks.world import World

__all__ = ["Aftermath", "adopt_orphans"]

_PR_SET_CHILD_SUBREAPER = 36
_SYSV_KEY = 0x0AD71111
_SYSV_REMOVE = {"shm": 31, "sem": 66, "msg": 71}  # shmctl, semctl, msgctl of x86_64; 0 is IPC_RMID
_MQ_UNLINK, _KEYCTL, _KEYCTL_REVOKE = 241, 250, 3
_LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)
_END_SECONDS = (
    1.0  # a killed process ends within milliseconds on an idle machine; an attack that outlives a run stays longer
)
_EXITING = 0x4  # PF_EXITING: the process runs no more, and the kernel frees its memory
_CLOCK_SLACK = 0.5  # seconds; NTP adjusts a clock by less in the time a submission takes


@contextlib.contextmanager
def adopt_orphans() -> Iterator[None]:
    """Adopt every orphan among the descendants of this process, so that none is missed."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _State:
    """The state that an attack must not change."""

    processes: frozenset[int]
    files: frozenset[str]
    descriptors: int
    limits: tuple[tuple[int, int], ...]
    clock: float
    host: str
    folder: str
    user: tuple[int, int, int]
    signals: tuple[object, ...]


class Aftermath:
    """The state before an attack, to compare with afterwards.

    Args:
        world: The world that is attacked.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._before = _state(world)

    def traces(self) -> list[str]:
        """Return the differences, one sentence each, and undo them."""
        world, before = self._world, self._before
        deadline = time.monotonic() + _END_SECONDS
        while set(_descendants()) - before.processes and time.monotonic() < deadline:
            time.sleep(0.002)
        after = _state(world)
        found = [f"a process was left: {_command(pid)}" for pid in sorted(after.processes - before.processes)]
        for pid in after.processes - before.processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _reap(before.processes)
        found += [f"a file was left: {path}" for path in sorted(after.files - before.files)]
        found += [f"a file is gone: {path}" for path in sorted(before.files - after.files)]
        for path in sorted(after.files - before.files):
            _remove(Path(path))
        if (world.folder / "victim.txt").is_file() and (world.folder / "victim.txt").stat().st_size == 0:
            found.append("a file was emptied")
        if world.victim.poll() is not None or _stopped(world.victim.pid):
            found.append("the victim was ended or stopped")
            world.victim.kill()
            world.victim.wait()
            world.start_victim()
        found += _ipc(world.mark)
        if after.descriptors != before.descriptors:
            found.append(f"the grader has {after.descriptors - before.descriptors:+d} descriptors")
        if abs(after.clock - before.clock) > _CLOCK_SLACK:
            found.append("the clock was set")
        for name in ("limits", "host", "folder", "user", "signals"):
            if getattr(before, name) != getattr(after, name):
                found.append(f"the grader's {name} changed")
        world.plant()
        world.hang_up()
        return found


def _state(world: World) -> _State:
    return _State(
        processes=frozenset(_descendants()),
        files=frozenset(_files(world)),
        descriptors=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        limits=tuple(resource.getrlimit(limit) for limit in _LIMITS),
        clock=time.time() - time.monotonic(),
        host=os.uname().nodename,
        folder=str(Path.cwd()),
        user=os.getresuid(),
        signals=tuple(signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGALRM)),
    )


def _descendants() -> Iterator[int]:
    """Yield every running descendant of this process."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                state, parent, flags = fields[0], fields[1], int(fields[6])
                if state not in b"ZX" and not flags & _EXITING:
                    parents[int(folder.name)] = int(parent)
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() != pid:
            yield pid


def _reap(known: frozenset[int]) -> None:
    """Reap the dead children that this process has not started. `Popen` reaps its own."""
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        strangers = [pid for pid in _children() if pid not in known]
        for pid in strangers:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if not strangers:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(pid) for pid in (task / "children").read_text(encoding="ascii").split()]
    return found


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:60]
    return str(pid)


def _stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"


def _files(world: World) -> Iterator[str]:
    """Yield the files in the world's folder, and those with its mark in places that attacks write to."""
    yield from (str(path) for path in world.folder.iterdir())
    for folder in {Path("/tmp"), Path("/dev/shm"), Path("/"), Path.home(), Path.cwd()}:
        yield from (str(path) for path in folder.glob(f"*{world.mark}*"))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for inside in path.iterdir():
            inside.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def _ipc(mark: str) -> list[str]:
    """Find and remove shared memory, semaphores, queues and keys of an attack."""
    if os.uname().machine != "x86_64":  # the attacks that make them are for x86_64
        return []
    call = ctypes.CDLL(None).syscall
    found = []
    for kind, number in _SYSV_REMOVE.items():
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/sysvipc/{kind}").read_text(encoding="ascii").splitlines()[1:]:
                key, identifier = (int(field) for field in line.split()[:2])
                if key == _SYSV_KEY:
                    found.append(f"System V {kind} was left")
                    call(number, identifier, 0, 0, 0) if kind == "sem" else call(number, identifier, 0, 0)
    if call(_MQ_UNLINK, mark.encode()) == 0:
        found.append("a message queue was left")
    with contextlib.suppress(OSError):
        for line in Path("/proc/keys").read_text(encoding="ascii").splitlines():
            flags = line.split()[1]
            if mark in line and "R" not in flags:
                found.append("a key was left in the kernel")
                call(_KEYCTL, _KEYCTL_REVOKE, int(line.split()[0], 16), 0, 0, 0)
    return found
