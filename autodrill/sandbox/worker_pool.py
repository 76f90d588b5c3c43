"""The worker processes that work in parallel, each pinned to one core together with its child processes.

A worker that dies, or takes too much memory or too long, loses the item that it works on, and no other item.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.errors import AutodrillError, InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from contextlib import AbstractContextManager
    from multiprocessing.connection import Connection

__all__ = ["LostItem", "available_cores", "bound_memory", "work_through"]

_START_SECONDS = 300.0  # much more than a start takes, and than an author's solution file may take
_EXIT_SECONDS = 2.0
_MAIN = """import sys
from multiprocessing.connection import Connection

connection = Connection(int(sys.argv[1]))
sys.path[:] = connection.recv()
from autodrill.sandbox.worker_pool import serve

serve(connection, int(sys.argv[2]))
"""
_AHEAD = 2  # items that a worker holds, so that it never waits for this process


@dataclass(frozen=True, slots=True)
class LostItem:
    """Stands for the result of an item whose worker died or was killed. `why` is for a person."""

    why: str


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def work_through(
    items: Sequence[Any],
    workers: int,
    begin: Callable[..., AbstractContextManager[Callable[[Any], Any]]],
    *arguments: object,
    seconds: float,
) -> Generator[Any]:
    """Work on items in processes of their own, and yield the results in order, or a `LostItem`.

    The processes end with this one. When the caller closes the generator or is interrupted, they are ended.

    Args:
        items: The items, which are picklable, like the results.
        workers: The number of processes.
        begin: A picklable function that a worker calls once. It provides the function from an item to its result.
        arguments: Its arguments.
        seconds: Wall time for each item, far beyond what honest work takes. A worker that takes longer is killed.

    Raises:
        AutodrillError: An item or the start of a worker raised it.
        InternalError: They raised another exception, or a worker ended before it had started.
    """
    left = deque(range(len(items)))
    results: dict[int, Any] = {}
    crew = [_Worker((core, tuple(items), begin, arguments), seconds) for core in _cores(min(workers, len(items)))]
    try:
        for number in range(len(items)):
            while number not in results:
                for count in range(1, _AHEAD + 1):
                    for worker in crew:
                        worker.fill(left, count)
                _await([worker for worker in crew if worker.busy])
                for worker in crew:
                    results |= worker.collect(left)
            yield results.pop(number)
    finally:
        for worker in crew:
            worker.ask_to_end()
        for worker in crew:
            worker.end()


class _Worker:
    """A worker process, seen from the parent. It is started when it gets an item, and again after it was lost."""

    def __init__(self, job: tuple[Any, ...], seconds: float) -> None:
        self._job = job
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._started = False
        self.deadline = 0.0
        self._held: deque[int] = deque()

    @property
    def busy(self) -> bool:
        """Whether it holds items."""
        return bool(self._held)

    def fill(self, left: deque[int], count: int) -> None:
        """Give it the next items until it holds `count`."""
        while left and len(self._held) < count:
            if self._process is None:
                self._start()
            elif not self._held and self._started:
                self.deadline = time.monotonic() + self._seconds
            self._held.append(left.popleft())
            with suppress(BrokenPipeError):  # `collect` finds that it has ended
                _send(self.connection, self._held[-1])

    def collect(self, left: deque[int]) -> dict[int, Any]:
        """Return the results that have come. If the worker is lost, give back the items that it has not begun.

        Raises:
            AutodrillError: The worker raised it.
            InternalError: The worker ended before it had started.
        """
        found: dict[int, Any] = {}
        try:
            while self._held and self.connection.poll():
                right, value = _receive(self.connection)
                if not right:
                    raise value
                if self._started:
                    found[self._held.popleft()] = value
                self._started = True
                self.deadline = time.monotonic() + self._seconds
        except (EOFError, OSError):
            found |= self._lost(left, f"ended ({self._how()})")
        if self._held and time.monotonic() > self.deadline:
            found |= self._lost(left, "took too long")
        return found

    def ask_to_end(self) -> None:
        """Ask it to end, together with its child processes."""
        if self._process is not None:
            self._process.terminate()
            self.connection.close()

    def end(self) -> None:
        """End it, and wait for its end."""
        if self._process is not None:
            self._code()
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        from multiprocessing import Pipe

        self.connection: Connection[Any, Any]
        self.connection, theirs = Pipe()
        # Not forked: a fork would share the open history database, and would lack the threads of this process. Not by
        # `multiprocessing` either: its resource tracker outlives an interrupted process.
        with theirs, _uninterrupted():
            self._process = subprocess.Popen(  # noqa: S603  # the running interpreter
                [sys.executable, "-P", "-c", _MAIN, str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what an author's code prints is not output of this program
                pass_fds=[theirs.fileno()],
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
            )
        self._started = False
        self.deadline = time.monotonic() + _START_SECONDS
        with suppress(ConnectionError):  # `collect` finds that it has ended
            self.connection.send(sys.path)  # read by `_MAIN`
            _send(self.connection, self._job)

    def _code(self) -> int | None:
        """Return its exit code, or None if it does not end soon."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_EXIT_SECONDS)
        return None

    def _how(self) -> str:
        code = self._code()
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def _lost(self, left: deque[int], what: str) -> dict[int, Any]:
        self.ask_to_end()
        self.end()
        if not self._started:
            raise InternalError(f"the process that runs the exercise's own code {what} before it was ready")
        first = self._held.popleft()
        left.extendleft(reversed(self._held))
        self._held.clear()
        return {first: LostItem(f"the process that compares and explains the answers {what}")}


def _await(busy: Sequence[_Worker]) -> None:
    from multiprocessing.connection import wait

    wait([worker.connection for worker in busy], max(0.0, min(w.deadline for w in busy) - time.monotonic()))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay SIGINT, which a new process inherits: a traceback of its start would tell nothing."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cores(workers: int) -> list[int | None]:
    """Return a core for each worker, None for all if there are too few cores or the system cannot pin processes."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    return [*cores[:workers]] if len(cores) >= workers > 1 else [None] * workers


def serve(connection: Connection[Any, Any], parent: int) -> None:
    """Work on the items whose numbers come until the connection closes, in the worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts all processes; the parent ends the workers
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that it ends its child processes on the way
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt), _in_place(parent):
        core, items, begin, arguments = _receive(connection)
        _pin(core)
        try:
            with begin(*arguments) as answer:
                _send(connection, (True, None))
                while True:
                    _send(connection, (True, answer(items[_receive(connection)])))
        except AutodrillError as error:
            _send(connection, (False, error))
        except (EOFError, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  the parent reports it
            traceback.print_exc()
            _send(connection, (False, InternalError(f"{type(error).__name__}: {error}")))


def _send(connection: Connection[Any, Any], value: object) -> None:
    """Send a value as `Connection.send` does.

    Its buffer would still be exported if a signal came in between, and Python 3.13 would print a BufferError.
    """
    connection.send_bytes(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def _receive(connection: Connection[Any, Any]) -> Any:
    return pickle.loads(connection.recv_bytes())  # noqa: S301  only processes of autodrill write to this pipe


def bound_memory(size: int) -> None:
    """Bound the address space of this process to `size` bytes, on Linux. A child process may lift the bound."""
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


@contextmanager
def _in_place(parent: int) -> Iterator[None]:
    """On Linux: be killed when the parent ends, and leave no process behind."""
    if sys.platform != "linux":
        yield
        return
    with suppress(ImportError):  # a Python built without ctypes
        from autodrill.sandbox.child.privileges import adopt_orphans, die_with_parent

        die_with_parent(parent)
        adopt_orphans()
    try:
        yield
    finally:
        from autodrill.sandbox.child_process import kill_descendants

        kill_descendants(os.getpid(), mark="")  # such as a process that the author's code has started
        with suppress(ChildProcessError):
            while True:
                os.wait()


def _pin(core: int | None) -> None:
    # Worker, fork server and child process mostly wait for one another, and waking on another core costs more. Under
    # SCHED_BATCH none preempts another: the child process makes several calls before the worker reads the replies, so
    # that the core switches between them a few times for each submission and not at every call.
    if core is not None:
        os.sched_setaffinity(0, {core})
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
