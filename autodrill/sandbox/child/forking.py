"""The warm fork server: a process with NumPy loaded that turns into a candidate's process by forking.

It never reads a submission: it is sent descriptors and passes them on, and what comes over them only the fork reads.
Nor can it import anything that knows an answer.

A message on its control socket, after the START frame it begins with, is the bytes that one fork may allocate, together
with the descriptors for it that `frames.PASSED` says. On the status socket among them it answers with two messages: the
fork's process id together with a pidfd (or minus the error number), and when the fork has ended its exit status. Both
sockets keep messages apart.
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

from . import frames, lockdown, main_loop, wire
from .channel import Channel
from .confinement import Confinement, Profile
from .frames import MESSAGE_BYTES, NUMBER, PASSED
from .malloc_tuning import leave_room
from .preload import load_numpy, preload
from .warm_up import rehearse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["main"]

_JOB, _DUMP, _RULESET = 3, 4, 5
"""Descriptors of a fork; in the server the first two are its control socket and nowhere."""

_PLACES = {"job": _JOB, "stdout": 1, "stderr": 2, "dump": _DUMP}


@dataclass(frozen=True, slots=True)
class _Server:
    """What every fork is made from."""

    hooks: main_loop.Hooks
    prepared: lockdown.Lockdown
    free: int
    """The first descriptor that a fork has for anything."""
    most: int
    """How many descriptors there can be."""


def main(control: int) -> NoReturn:
    """Serve until the control socket closes.

    Args:
        control: The descriptor of the socket to the parent, which has sent a START frame.
    """
    channel = _take_places(control)
    start = _decode(channel.recv(MESSAGE_BYTES))
    numpy, parent = str(start["numpy"]), start["parent"]
    assert isinstance(parent, int)
    main_loop.tie_to(parent)
    confinement = Confinement.from_wire(start)
    with _without_fork_hooks():
        main_loop.import_numpy(numpy)
        if confinement.profile is Profile.SEALED:
            preload()
            rehearse()
        else:
            load_numpy()  # a fork may have a tight memory bound
    prepared = lockdown.prepare(confinement, numpy, os.getpid(), place=_RULESET)
    free = _RULESET if prepared.ruleset is None else _RULESET + 1
    server = _Server(main_loop.settle(_DUMP), prepared, free, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    leave_room()  # last: what is loaded after it would fill the room
    gc.freeze()  # the collector of a fork would write to every object it looks at, and copy its page
    _serve(channel, server)


def _take_places(control: int) -> socket.socket:
    """Put the control socket where a fork has its job channel, so that no descriptor that is received lies there."""
    high = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _RULESET) for each in (control, 0)]  # stdin is nowhere
    for place, descriptor in enumerate(high, _JOB):
        os.dup2(descriptor, place, inheritable=False)
    os.closerange(_RULESET, max(high) + 1)
    return socket.socket(fileno=_JOB)


@contextmanager
def _without_fork_hooks() -> Iterator[None]:
    """Import modules without what they would do in each fork: to seed anew, and to make locks that nobody can hold.

    It takes longer than the fork itself.
    """
    register = os.register_at_fork
    os.register_at_fork = lambda **_: None
    try:
        yield
    finally:
        os.register_at_fork = register


def _serve(channel: socket.socket, server: _Server) -> NoReturn:
    """Fork at every request, and tell of the ends of forks."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    running: dict[int, tuple[int, socket.socket]] = {}
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
                os._exit(0)  # the forks die with this process
            (memory,) = NUMBER.unpack(message)
            handle = None
            try:
                process = os.fork()
                if process == 0:
                    _become(server, memory, passed)
                handle = os.pidfd_open(process)
            except OSError as error:
                process = -(error.errno or 1)
            status = socket.socket(fileno=passed[PASSED.index("status")])
            with suppress(OSError):  # who asked may be gone
                socket.send_fds(status, [NUMBER.pack(process)], [] if handle is None else [handle])
            if handle is None:
                status.close()
            else:
                running[handle] = process, status
                poll.register(handle, select.POLLIN)
            for index, passing in enumerate(passed):
                if PASSED[index] != "status":
                    os.close(passing)


def _become(server: _Server, memory: int, passed: Sequence[int]) -> NoReturn:
    """Turn a fork into a candidate's process; nothing it has inherited leads anywhere but to its own channels."""
    try:
        os.setpgid(0, 0)  # not a session: the kernel makes a group of the scheduler's for each, which costs 0.3 ms
        named = dict(zip(PASSED, passed, strict=False))
        for name, place in _PLACES.items():
            os.dup2(named[name], place, inheritable=place < _JOB)
        marker = named.get("marker")
        if marker is not None:  # the last, as it may take the place of one of the others
            os.dup2(marker, server.free, inheritable=False)
            marker = server.free
        os.closerange(server.free + (marker is not None), server.most)
        main_loop.serve_confined(Channel(_JOB), server.hooks, server.prepared, memory, marker)
    except BaseException as error:  # before the candidate's first byte, or of the harness: never back into the server
        with suppress(BaseException):
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
        os._exit(frames.LOST_CHANNEL)


def _decode(message: bytes) -> dict[str, wire.Value]:
    _, length = frames.read_header(message[: frames.HEADER_BYTES], limit=MESSAGE_BYTES)
    value = wire.decode(message[frames.HEADER_BYTES :], max_items=length)
    assert isinstance(value, dict)
    return value
