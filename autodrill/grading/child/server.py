"""The warm fork server: a process with NumPy loaded that turns into a candidate's process by forking.

It never reads a submission: it is sent descriptors and passes them on, and what comes over them only the fork reads.
Nor can it import anything that knows an answer.

A message on its control socket is a START frame with the descriptors `frames.PASSED` says, all for one fork. On the
status socket among them it answers with two messages: the fork's process id together with a pidfd (or minus the error
number), and when the fork has ended its exit status. Both sockets keep messages apart.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from . import confine, frames, harness, wire
from .channel import Channel
from .frames import MESSAGE_BYTES, NUMBER, PASSED
from .layers import Profile
from .preload import preload
from .rehearsal import rehearse

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_JOB, _DUMP, _MARKER, _HIGH = 3, 4, 5, 64


@dataclass(frozen=True, slots=True)
class _Server:
    """What every fork is made from."""

    order: confine.Order
    ready: confine.Ready
    process: int


def main(control: int) -> NoReturn:
    """Serve until the control socket closes.

    Args:
        control: The descriptor of the socket to the parent, which has sent a START frame.
    """
    os.set_inheritable(control, False)
    channel = socket.socket(fileno=control)
    start = _decode(channel.recv(MESSAGE_BYTES))
    numpy, parent = str(start["numpy"]), start["parent"]
    assert isinstance(parent, int)
    harness.tie_to(parent)
    harness.import_numpy(numpy)
    order = confine.read_order(start)
    if order.profile is Profile.SEALED:
        preload()
        rehearse()
    server = _Server(order, confine.make_ready(order, numpy), os.getpid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # the collector of a fork would write to every object it looks at, and copy its page
    _serve(channel, server)


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
                with status, suppress(OSError):  # who asked may be gone
                    status.send(NUMBER.pack(os.waitstatus_to_exitcode(ended)))
                continue
            message, passed, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, len(PASSED))
            if not message:
                os._exit(0)  # the forks die with this process
            status = socket.socket(fileno=passed[PASSED.index("status")])
            try:
                process = os.fork()
                if process == 0:
                    _become(server, message, passed)
                handle = os.pidfd_open(process)
            except OSError as error:
                with suppress(OSError):
                    status.send(NUMBER.pack(-(error.errno or 1)))
                status.close()
            else:
                with suppress(OSError):
                    socket.send_fds(status, [NUMBER.pack(process)], [handle])
                running[handle] = process, status
                poll.register(handle, select.POLLIN)
            for index, passing in enumerate(passed):
                if PASSED[index] != "status":
                    os.close(passing)


def _become(server: _Server, message: bytes, passed: Sequence[int]) -> NoReturn:
    """Turn a fork into a candidate's process; nothing it has inherited leads anywhere but to its own channels."""
    try:
        request = _decode(message)
        named = dict(zip(PASSED, passed, strict=False))
        os.setsid()
        wanted = [named["job"], named["dump"], *([named["marker"]] if "marker" in named else [])]
        os.dup2(named["stdout"], 1)
        os.dup2(named["stderr"], 2)
        ruleset = server.ready.ruleset
        # Out of the way first: the places they go to may be taken by one another.
        high = [fcntl.fcntl(each, fcntl.F_DUPFD, _HIGH) for each in (*wanted, *(() if ruleset is None else (ruleset,)))]
        for place, descriptor in enumerate(high, _JOB):
            os.dup2(descriptor, place, inheritable=False)
        os.closerange(_JOB + len(high), os.sysconf("SC_OPEN_MAX"))
        memory = request["memory"]
        assert isinstance(memory, int)
        start: dict[str, wire.Value] = {"dump": _DUMP, "marker": _MARKER if "marker" in named else None}
        ready = replace(server.ready, ruleset=None if ruleset is None else _JOB + len(wanted))
        order = replace(server.order, memory=memory)
        harness.serve_confined(Channel(_JOB), start, order, ready, server.process)
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
