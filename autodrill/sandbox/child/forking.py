"""The fork server: a process with NumPy loaded, whose forks become child processes.

It never reads a submission. It receives descriptors and passes them on, and only the fork reads from them. It cannot
import any module that knows a solution.

After START, each message on its control socket requests one fork: the bytes that it may allocate, together with the
descriptors listed in `frames.PASSED`. The server sends two messages on the status socket among them: the process id of
the fork with a pidfd (or a negative error number), and after its end the exit status. Both sockets preserve message
boundaries.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from . import frames, frameworks, lockdown, main_loop, rlimits, wire
from .channel import Channel
from .confinement import Confinement, Profile
from .frames import MESSAGE_BYTES, NUMBER, PASSED
from .malloc_tuning import collapse, gather_arenas, leave_room

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["main"]

_JOB, _DUMP, _RULESET = 3, 4, 5
"""Descriptors of a fork. In the server the first is the control socket, the second /dev/null."""

_PLACES = {"job": _JOB, "stdout": 1, "stderr": 2, "dump": _DUMP}


@dataclass(frozen=True, slots=True)
class _Template:
    """What the server has prepared for its forks."""

    hooks: main_loop.Hooks
    prepared: lockdown.Lockdown
    free: int
    """The first descriptor that is free in a fork."""
    most: int
    """The largest number of descriptors."""
    lacks_numpy: bool
    """Whether modules of NumPy are left to load, which the first fork with a tight memory bound needs."""


def main(control: int) -> NoReturn:
    """Serve until the control socket closes.

    Args:
        control: The descriptor of the socket to the parent, which has sent START.
    """
    channel = _take_places(control)
    start = _decode(channel.recv(MESSAGE_BYTES))
    numpy, parent = str(start["numpy"]), start["parent"]
    assert isinstance(parent, int)
    main_loop.tie_to(parent)
    confinement = Confinement.from_wire(start)
    sealed = confinement.profile is Profile.SEALED
    _held = gather_arenas() if sealed else []
    with suppress(ImportError):  # a Python built without ctypes
        from . import pinning  # noqa: F401  else each fork with a tight memory bound would compile it: 2 ms
    with _without_fork_hooks():
        main_loop.import_numpy(numpy)
        if sealed:
            from .preload import preload
            from .warm_up import warm_up

            preload()
            warm_up()
        else:
            frameworks.load(str(start["framework"]), str(start["library"]))
    readable = start["readable"]
    assert isinstance(readable, tuple)
    prepared = lockdown.prepare(confinement, numpy, os.getpid(), map(str, readable), place=_RULESET)
    free = _RULESET if prepared.ruleset is None else _RULESET + 1
    template = _Template(main_loop.settle(_DUMP), prepared, free, os.sysconf("SC_OPEN_MAX"), not sealed)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _rest(many=sealed)
    _serve(channel, template)


def _rest(*, many: bool) -> None:
    """Prepare the memory for forks. Do it last, because anything loaded later would fill the room for a fork's heap.

    Args:
        many: Whether to take 15 ms more now, so that each of many forks takes 1 ms less.
    """
    if many:
        gc.collect()
    leave_room()
    if many:
        collapse()
    gc.freeze()  # the garbage collector of a fork would write to every object, and so copy its page


def _load_the_rest() -> None:
    from .preload import load_numpy

    with _without_fork_hooks():
        load_numpy()
    _rest(many=False)


def _take_places(control: int) -> socket.socket:
    """Move the control socket to the descriptor of the job channel, so that no received descriptor gets that number."""
    high = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _RULESET) for each in (control, 0)]  # stdin is /dev/null
    for place, descriptor in enumerate(high, _JOB):
        os.dup2(descriptor, place, inheritable=False)
    os.closerange(_RULESET, max(high) + 1)
    return socket.socket(fileno=_JOB)


@contextmanager
def _without_fork_hooks() -> Iterator[None]:
    """Import modules without the functions that they register to run in each fork. These take longer than the fork.

    They seed generators again and replace locks. The server has one thread, so that no lock is held during a fork.
    """
    register = os.register_at_fork
    os.register_at_fork = lambda **_: None
    try:
        yield
    finally:
        os.register_at_fork = register


def _serve(channel: socket.socket, template: _Template) -> NoReturn:
    """Fork at every request, and report the end of every fork."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    running: dict[int, tuple[int, socket.socket]] = {}
    lacks_numpy = template.lacks_numpy
    while True:
        for descriptor, _ in poll.poll():
            if descriptor != channel.fileno():
                poll.unregister(descriptor)
                process, status = running.pop(descriptor)
                os.close(descriptor)
                _, ended = os.waitpid(process, 0)
                with status, suppress(OSError):
                    status.send(NUMBER.pack(os.waitstatus_to_exitcode(ended)))
                continue
            message, passed, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, len(PASSED))
            if not message:
                os._exit(0)  # the kernel then kills the forks
            (memory,) = NUMBER.unpack(message)
            if lacks_numpy and rlimits.is_tight(memory):
                _load_the_rest()
                lacks_numpy = False
            handle = None
            try:
                process = os.fork()
                if process == 0:
                    _become(template, memory, passed)
                handle = os.pidfd_open(process)
            except OSError as error:
                process = -(error.errno or 1)
            status = socket.socket(fileno=passed[PASSED.index("status")])
            with suppress(OSError):  # the parent may have closed it
                socket.send_fds(status, [NUMBER.pack(process)], [] if handle is None else [handle])
            if handle is None:
                status.close()
            else:
                running[handle] = process, status
                poll.register(handle, select.POLLIN)
            for index, passing in enumerate(passed):
                if PASSED[index] != "status":
                    os.close(passing)


def _become(template: _Template, memory: int, passed: Sequence[int]) -> NoReturn:
    """Turn a fork into a child process. Every inherited descriptor except its own channels is closed."""
    try:
        # Not setsid: the kernel makes a scheduling group for each session, which takes 0.3 ms.
        os.setpgid(0, 0)
        named = dict(zip(PASSED, passed, strict=False))
        for name, place in _PLACES.items():
            os.dup2(named[name], place, inheritable=place < _JOB)
        line = named.get("line")
        if line is not None:  # last, because its new number may be that of another one
            os.dup2(line, template.free, inheritable=False)
            line = template.free
        os.closerange(template.free + (line is not None), template.most)
        main_loop.serve_confined(Channel(_JOB), template.hooks, template.prepared, memory, line)
    except BaseException as error:  # it must never return into the loop of the server
        with suppress(BaseException):
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
        os._exit(frames.LOST_CHANNEL)


def _decode(message: bytes) -> dict[str, wire.Value]:
    _, length = frames.read_header(message[: frames.HEADER_BYTES], limit=MESSAGE_BYTES)
    value = wire.decode(message[frames.HEADER_BYTES :], max_items=length)
    assert isinstance(value, dict)
    return value
