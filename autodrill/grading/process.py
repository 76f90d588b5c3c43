"""The candidate's process as its parent sees it: load a file, call what it defines, and say how that ended."""

from __future__ import annotations

import math
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from autodrill.errors import InternalError
from autodrill.grading.answer import read_call, read_load
from autodrill.grading.child import frames, values, wire
from autodrill.grading.child.frames import STRUCTURE_BYTES, Kind
from autodrill.grading.child.wire import WireError
from autodrill.grading.exchange import End, Exchange
from autodrill.grading.layers import Layer, read_standing
from autodrill.grading.outcome import (
    CallOutcome,
    Died,
    Flooded,
    Loaded,
    LoadOutcome,
    OutOfMemory,
    Raised,
    Stopped,
    TimedOut,
    Unreadable,
)
from autodrill.grading.spawn import Spawn, spawn_fresh, spawn_on_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from autodrill.grading.handle import Child
    from autodrill.grading.layers import Standing

__all__ = ["Arg", "Layout", "Limits", "Runner", "SameAs", "debug"]

Arg = values.Arg
SameAs = values.SameAs
Layout = wire.Layout

_Answer = TypeVar("_Answer")

_START_SECONDS = 60.0  # generous: a slow start is the machine's fault, not the candidate's
_ANY_SIZE = 1 << 40
_LAST_BREATH_SECONDS = 0.2  # a process closes its descriptors a little before it is gone


@dataclass(frozen=True, slots=True)
class Limits:
    """What a candidate's process may use.

    Attributes:
        seconds: Wall time of loading the file, and of each call.
        memory: Bytes it may allocate beyond what Python and NumPy take.
        output: Bytes it may print, for each load and each call.
    """

    seconds: float = 5.0
    memory: int = 1 << 30
    output: int = 1 << 20


class Runner:
    """A process for a candidate's code. Use it as a context manager, from one thread at a time.

    Files can be loaded one after another; each gets a fresh module. After a `Stopped` outcome the process is gone, and
    `finished` says so.
    """

    def __init__(self, child: Child, limits: Limits, spawn: Spawn) -> None:
        self._child: Child | None = child
        self._limits = limits
        self._spawn = spawn
        self._traceable = child.dump is not None and child.marker is None  # not a terminal's, nor a second run itself
        self._standing: Standing | None = None
        self._scenario: str | None = None
        self._filename = ""
        self._loading = b""
        self._exchange = Exchange(child, limits.output)

    @classmethod
    def start(cls, limits: Limits | None = None, *, spawn: Spawn = spawn_fresh, traced: bool = False) -> Self:
        """Start a process and return at once; it imports NumPy while the caller goes on.

        Args:
            limits: What it may use.
            spawn: How to come by a process.
            traced: Whether to record the line that runs, which slows the candidate's code several times over.

        Raises:
            UsageError: This system cannot hold a candidate's process.
            InternalError: The process cannot be started.
        """
        limits = limits or Limits()
        return cls(spawn(memory=limits.memory, traced=traced), limits, spawn)

    @property
    def finished(self) -> bool:
        """Whether the process is gone: stopped, dead or closed."""
        return self._child is None

    @property
    def standing(self) -> Standing | None:
        """Which layers confine the process; None as long as nothing was loaded."""
        return self._standing

    @property
    def stdout(self) -> str:
        """The first 8 KiB printed since the last load, undecodable bytes replaced; for showing apart, never as data."""
        return self._exchange.printed()[0]

    @property
    def stderr(self) -> str:
        """The first 8 KiB written to stderr since the last load, like `stdout`."""
        return self._exchange.printed()[1]

    def load(
        self, source: bytes, filename: str, entry: str, scenario: str | None = None, *, seconds: float | None = None
    ) -> LoadOutcome:
        """Run a candidate's file, in a module of its own.

        Args:
            source: The file as it is on disk; a coding cookie and a byte order mark are honoured.
            filename: What tracebacks call it; it need not exist.
            entry: The function or class to call.
            scenario: Source, trusted, that defines `drive(candidate, *args)`; it finds `np` defined.
            seconds: Wall time, in place of the limits'.

        Raises:
            InternalError: The scenario fails, or the process did not start.
            RuntimeError: The runner is finished.
        """
        self._alive()
        if scenario != self._scenario:
            self._set_scenario(scenario)
        limit = self._limits.seconds if seconds is None else seconds
        self._filename = filename
        self._loading = frames.pack(Kind.LOAD, (source, filename, entry, float(limit)))
        self._exchange.forget()
        return self._perform(read_load, self._loading, limit, STRUCTURE_BYTES)

    def call(self, args: Sequence[Any], *, budget: int, seconds: float | None = None) -> CallOutcome:
        """Call the entry that was loaded.

        Every call gets fresh copies of its arguments.

        Args:
            args: Positional arguments: None, bool, int, float, str, bytes, NumPy arrays and scalars, tuples, lists and
                dicts of these; `Arg` gives an array another memory layout, `SameAs(i)` stands for argument i itself.
            budget: Bytes of data the answer may hold.
            seconds: Wall time, in place of the limits'.

        Raises:
            TypeError: An argument cannot travel.
            RuntimeError: Nothing is loaded, or the runner is finished.
        """
        if not self._loading:
            raise RuntimeError("nothing is loaded")
        limit = self._limits.seconds if seconds is None else seconds
        own, same = values.arguments_to_wire(args)
        request = frames.pack(Kind.CALL, (own, same, budget, float(limit)))
        return self._perform(read_call, request, limit, budget + STRUCTURE_BYTES)

    def close(self) -> None:
        """Kill the process and everything it started, and release every descriptor. It may be called twice."""
        if self._child is not None:
            child, self._child = self._child, None
            self._exchange.close()
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _perform(
        self, read: Callable[..., _Answer], request: bytes, seconds: float, limit: int
    ) -> _Answer | OutOfMemory | Stopped:
        """Send a request and read its answer; where none comes, say why and stop."""
        child = self._alive()
        self._await_start()
        started = time.monotonic()
        try:
            got = self._exchange.ask(request, seconds, limit)
            outcome = got if isinstance(got, End) else read(*got, memory=self._limits.memory)
        except WireError as error:
            self.close()
            return Unreadable(str(error))
        # A second run to find a line may take what is left of the limit and a little more.
        left = max(0.5, seconds + 0.7 - (time.monotonic() - started))
        match outcome:
            case End.TIME:
                line = child.stack_line(self._filename)
                self.close()
                return TimedOut(seconds, line)
            case End.FLOOD:
                line = child.stack_line(self._filename)
                self.close()
                return Flooded(self._limits.output, line)
            case End.DEATH:
                return self._died(request, left)
            case OutOfMemory(line=None):
                return replace(outcome, line=self._traced_line(request, left))
            case _:
                return outcome

    def _await_start(self) -> None:
        """Wait until it is ready, and go on only if it has given up all it must: nothing of the candidate's is sent."""
        if self._standing is not None:
            return
        child = self._alive()
        got = self._exchange.ask(b"", _START_SECONDS, STRUCTURE_BYTES)
        if isinstance(got, End) or got[0] is not Kind.READY:
            self.close()
            raise InternalError(f"the process for the candidate's code did not start: {self.stderr.strip() or got}")
        self._standing = read_standing(got[1])
        child.alone = Layer.SECCOMP in self._standing.held
        if missing := child.confinement.short_of(self._standing):
            self.close()
            why = "; ".join(f"{layer}: {self._standing.lost.get(layer, 'not asked for')}" for layer in missing)
            raise InternalError(f"the process for the candidate's code cannot be confined: {why}")

    def _set_scenario(self, scenario: str | None) -> None:
        """Send the scenario by itself: a process that no candidate's byte has reached yet tells the truth about it."""
        self._await_start()
        got = self._exchange.ask(frames.pack(Kind.SCENARIO, scenario), _START_SECONDS, STRUCTURE_BYTES)
        if got != (Kind.LOADED, None):
            self.close()
            said = got.value if isinstance(got, End) else read_load(*got, memory=self._limits.memory)
            why = f"{said.type} at line {said.line}: {said.message}" if isinstance(said, Raised) else said
            raise InternalError(f"the exercise's scenario fails: {why}")
        self._scenario = scenario

    def _died(self, request: bytes, seconds: float) -> Died:
        """Describe a death: by the stack it dumped if it crashed, else by dying again under a trace."""
        child = self._alive()
        ended = child.ends_within(_LAST_BREATH_SECONDS)
        line = child.dumped_line(self._filename)
        self.close()
        status = child.process.returncode if ended else frames.LOST_CHANNEL
        if status is None:
            raise InternalError("the fork server ended, and the candidate's process with it")
        return Died(_how(status), self._traced_line(request, seconds) if line is None else line)

    def _traced_line(self, request: bytes, seconds: float) -> int | None:
        """Make the request again in a process with lines traced, and return where it failed, None if it did not."""
        if not self._traceable:
            return None
        with type(self).start(self._limits, spawn=self._spawn, traced=True) as again:
            again._set_scenario(self._scenario)
            child = again._alive()
            deadline = time.monotonic() + seconds
            try:
                if request is not self._loading:
                    loaded = again._exchange.ask(self._loading, seconds, STRUCTURE_BYTES)
                    if loaded != (Kind.LOADED, None):
                        return None
                got = again._exchange.ask(request, deadline - time.monotonic(), STRUCTURE_BYTES)
            except WireError:
                return None
            return child.traced_line() if isinstance(got, End) or got[0] is Kind.RAISED else None

    def _alive(self) -> Child:
        if self._child is None:
            raise RuntimeError("this runner is finished; start another")
        return self._child


def debug(
    source: bytes, filename: str, entry: str, scenario: str | None, args: Sequence[Any]
) -> LoadOutcome | CallOutcome:
    """Load a file and make one call under pdb, in a process of its own on this terminal, without limits.

    pdb stops at the first line of the candidate's that runs, and again where an exception was raised.

    Args:
        source: The file as it is on disk.
        filename: Its path if it has one, so that pdb and an editor name the same place.
        entry: The function or class to call.
        scenario: Source, trusted, that defines `drive(candidate, *args)`.
        args: Arguments as `Runner.call` takes them.

    Returns:
        How it ended: of the load if that failed, else of the call. Leaving pdb with `quit` is a `Raised` of `BdbQuit`.

    Raises:
        UsageError: This system cannot hold a candidate's process.
        InternalError: The scenario fails, or the process did not start.
    """
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the debugged process alone
    try:
        with Runner.start(Limits(seconds=math.inf), spawn=spawn_on_terminal) as runner:
            path = str(Path(filename).resolve())  # pdb looks up lines by the absolute path
            loaded = runner.load(source, path, entry, scenario)
            return runner.call(args, budget=_ANY_SIZE) if isinstance(loaded, Loaded) else loaded
    finally:
        signal.signal(signal.SIGINT, interrupt)


def _how(status: int) -> str:
    if status == frames.LOST_CHANNEL:
        return "closed its channel"
    if status < 0:
        try:
            return f"signal {signal.Signals(-status).name}"
        except ValueError:
            return f"signal {-status}"
    return f"exit code {status}"
