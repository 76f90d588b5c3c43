"""The candidate's process as its parent sees it: load a file, call what it defines, and say how that ended."""

from __future__ import annotations

import signal
import time
from collections import deque
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, cast

from autodrill.errors import InternalError, UnconfinedError
from autodrill.sandbox.child import frames, values, wire
from autodrill.sandbox.child.confinement import ConfinementStatus, Layer
from autodrill.sandbox.child.frames import STRUCTURE_BYTES, FrameKind
from autodrill.sandbox.child.wire import WireError, decode
from autodrill.sandbox.launcher import Launcher, launch
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import (
    CallOutcome,
    Died,
    Flooded,
    LoadOutcome,
    OutOfMemory,
    Raised,
    Returned,
    TimedOut,
    Unreadable,
)
from autodrill.sandbox.replies import read_load
from autodrill.sandbox.requests import Call, Request, call_request, load_request
from autodrill.sandbox.transport import NoReply, Transport

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from types import TracebackType

    from autodrill.sandbox.child_process import ChildProcess

__all__ = ["UNDER_WAY", "Arg", "Layout", "Limits", "Runner", "SameAs"]

Arg = values.Arg
SameAs = values.SameAs
Layout = wire.Layout

_START_SECONDS = 60.0  # generous: a slow start is the machine's fault, not the candidate's
_ANY_SIZE = 1 << 40
UNDER_WAY = 8  # requests: enough that neither side waits for the other
_LAST_BREATH_SECONDS = 0.2  # a process closes its descriptors a little before it is gone


class Runner:
    """A process for a candidate's code. Use it as a context manager, from one thread at a time.

    Files can be loaded one after another; each gets a fresh module. After a `Stopped` outcome the process is gone, and
    `finished` says so.
    """

    def __init__(self, child: ChildProcess, limits: Limits, launcher: Launcher) -> None:
        self._child: ChildProcess | None = child
        self._limits = limits
        self._launcher = launcher
        self._traceable = child.dump is not None and child.marker is None  # not a terminal's, nor a second run itself
        self._confinement_status: ConfinementStatus | None = None
        self._scenario: str | None = None
        self._filename = ""
        self._loading: Request | None = None
        self._transport = Transport(child, limits.output)

    @classmethod
    def start(cls, limits: Limits | None = None, *, launcher: Launcher = launch, traced: bool = False) -> Self:
        """Start a process and return at once; it imports NumPy while the caller goes on.

        Args:
            limits: What it may use.
            launcher: How to come by a process.
            traced: Whether to record the line that runs, which slows the candidate's code several times over.

        Raises:
            UsageError: This system cannot hold a candidate's process.
            InternalError: The process cannot be started.
        """
        limits = limits or Limits()
        return cls(launcher(memory=limits.memory, traced=traced), limits, launcher)

    def sibling(self, limits: Limits) -> Self:
        """Start another process of the same sort, for other code, and return at once."""
        return type(self).start(limits, launcher=self._launcher)

    @property
    def device(self) -> str:
        """What a kernel is run on; nothing where no kernel is."""
        return ""

    @property
    def finished(self) -> bool:
        """Whether the process is gone: stopped, dead or closed."""
        return self._child is None

    @property
    def limits(self) -> Limits:
        """What it may use."""
        return self._limits

    @property
    def launcher(self) -> Launcher:
        """How it came by its process."""
        return self._launcher

    @property
    def confinement_status(self) -> ConfinementStatus | None:
        """Which layers confine the process; None as long as nothing was loaded."""
        return self._confinement_status

    @property
    def stdout(self) -> str:
        """The first 8 KiB printed since the last load, undecodable bytes replaced; for showing apart, never as data."""
        return self._transport.printed()[0]

    @property
    def stderr(self) -> str:
        """The first 8 KiB written to stderr since the last load, like `stdout`."""
        return self._transport.printed()[1]

    def load(
        self, source: bytes, filename: str, entry: str, scenario: str | None = None, *, seconds: float | None = None
    ) -> LoadOutcome:
        """Run a candidate's file, in a module of its own.

        Args:
            source: The file as it is on disk; a coding cookie and a byte order mark are honoured.
            filename: What tracebacks call it; it need not exist.
            entry: The function or class to call, or `Class.method`; names separated by a space for a scenario's tuple.
            scenario: Source, trusted, that defines `drive(candidate, *args)`; it finds `np` and `in_step` defined.
            seconds: Wall time, in place of the limits'.

        Raises:
            InternalError: The scenario fails, or the process did not start.
            UnconfinedError: The process cannot be confined as it must be.
            RuntimeError: The runner is finished.
        """
        self._alive()
        self._await_start()
        if scenario != self._scenario:
            self._set_scenario(scenario)
        self._filename = filename
        self._loading = load_request(source, filename, entry, self._limits.seconds if seconds is None else seconds)
        self._transport.forget()
        (outcome,) = self._outcomes(self._transport.post(self._loading.frame), self._loading)
        return cast("LoadOutcome", outcome)

    def reload(self) -> LoadOutcome:
        """Run the file that was loaded last once more, in a module of its own; what was printed is kept.

        Raises:
            RuntimeError: Nothing is loaded, or the runner is finished.
        """
        self._alive()
        if self._loading is None:
            raise RuntimeError("nothing is loaded")
        (outcome,) = self._outcomes(self._transport.post(self._loading.frame), self._loading)
        return cast("LoadOutcome", outcome)

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
        limit = self._limits.seconds if seconds is None else seconds
        ((outcome,),) = self.answers([call_request([Call(args)], budget=budget, seconds=limit)])
        return outcome

    def answers(self, requests: Iterable[Request], *, ahead: int = UNDER_WAY) -> Generator[tuple[CallOutcome, ...]]:
        """Make the calls of one request after another, and yield how those of each ended.

        The process works on the next requests while the caller looks at one; when the caller closes the generator,
        those under way are waited for. Nothing else may be asked before. Of a request's calls none is made after one
        that did not return, and where the process was stopped, answers to quick calls before that may be missing.

        Args:
            requests: As `call_request` makes them.
            ahead: How many to send at first; with every answer it is twice as many, up to what is useful.

        Raises:
            RuntimeError: Nothing is loaded, or the runner is finished.
        """
        if self._loading is None:
            raise RuntimeError("nothing is loaded")
        self._alive()
        waiting: deque[tuple[int, Request]] = deque()
        upcoming = iter(requests)
        self._transport.excuse_afresh()
        try:
            while True:
                if len(waiting) <= ahead // 2:
                    more = list(islice(upcoming, ahead - len(waiting)))
                    last = self._transport.post(*(request.frame for request in more))
                    waiting.extend(zip(range(last - len(more) + 1, last + 1), more, strict=True))
                if not waiting:
                    return
                yield cast("tuple[CallOutcome, ...]", self._outcomes(*waiting.popleft()))
                if self.finished:
                    return
                ahead = min(2 * ahead, UNDER_WAY)
        finally:
            while waiting and not self.finished:
                self._outcomes(*waiting.popleft())

    def loaded_sibling(self, memory: int) -> tuple[Self, LoadOutcome]:
        """Start another process with the same file loaded, that may allocate only so much from the beginning.

        Args:
            memory: Bytes, in place of the limits'.

        Returns:
            Its runner, to be closed by the caller, and how the load ended.

        Raises:
            RuntimeError: Nothing is loaded.
        """
        if self._loading is None:
            raise RuntimeError("nothing is loaded")
        other = type(self).start(replace(self._limits, memory=memory), launcher=self._launcher)
        other._set_scenario(self._scenario)
        other._filename, other._loading = self._filename, self._loading
        (outcome,) = other._outcomes(other._transport.post(self._loading.frame), self._loading)
        return other, cast("LoadOutcome", outcome)

    def close(self) -> None:
        """Kill the process and everything it started, and release every descriptor. It may be called twice."""
        if self._child is not None:
            child, self._child = self._child, None
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _outcomes(self, number: int, request: Request) -> tuple[LoadOutcome | CallOutcome, ...]:
        """Read the answers to a request that was posted, up to the first that is not that of a call that returned."""
        self._transport.begin()
        outcomes: list[LoadOutcome | CallOutcome] = []
        first: tuple[FrameKind, bytes] | None = None
        while len(outcomes) < request.answers:
            started = time.monotonic()
            got = self._answer(number, request, last=len(outcomes) == request.answers - 1)
            if got == first:  # the same call made again mostly has the same answer, bit for bit
                outcomes.append(outcomes[0])
                continue
            outcomes.append(self._outcome(got, request, time.monotonic() - started))
            if not isinstance(outcomes[-1], Returned):
                break
            assert isinstance(got, tuple)
            first = first or got
        return tuple(outcomes)

    def _answer(self, number: int, request: Request, *, last: bool) -> tuple[FrameKind, bytes] | NoReply | WireError:
        """Read one answer; what is printed is counted up to the end of the request."""
        try:
            got = self._transport.answer(number, request.seconds, request.limit)
        except WireError as error:
            return error
        ends = last or isinstance(got, NoReply) or got[0] is not FrameKind.RETURNED
        return NoReply.FLOOD if ends and got is not NoReply.TIME and self._transport.flooded() else got

    def _outcome(
        self, got: tuple[FrameKind, bytes] | NoReply | WireError, request: Request, spent: float
    ) -> LoadOutcome | CallOutcome:
        """Say what an answer is; where none came, why, and stop."""
        child = self._alive()
        outcome: LoadOutcome | CallOutcome | NoReply | WireError
        try:
            outcome = (
                request.read(got[0], decode(got[1]), memory=self._limits.memory) if isinstance(got, tuple) else got
            )
        except WireError as error:
            outcome = error
        # A second run to find a line may take what is left of the limit and a little more.
        left = max(0.5, request.seconds + 0.7 - spent)
        match outcome:
            case NoReply.TIME:
                line = child.stack_line(self._filename)
                self.close()
                return TimedOut(request.seconds, line)
            case NoReply.FLOOD:
                line = child.stack_line(self._filename)
                self.close()
                return Flooded(self._limits.output, line)
            case NoReply.DEATH:
                return self._died(request, left)
            case WireError():
                self.close()
                return Unreadable(str(outcome))
            case OutOfMemory(line=None):
                return replace(outcome, line=self._traced_line(request, left))
            case _:
                return outcome

    def _await_start(self) -> None:
        """Wait until it is ready, and go on only if it has given up all it must: nothing of the candidate's is sent."""
        if self._confinement_status is not None:
            return
        child = self._alive()
        got = self._transport.ask(b"", _START_SECONDS, STRUCTURE_BYTES)
        if isinstance(got, NoReply) or got[0] is not FrameKind.READY:
            self.close()
            raise InternalError(f"the process for the candidate's code did not start: {self.stderr.strip() or got}")
        self._confinement_status = ConfinementStatus.from_wire(got[1])
        child.alone = Layer.SECCOMP in self._confinement_status.held
        if missing := child.confinement.missing(self._confinement_status):
            self.close()
            why = "; ".join(
                f"{layer}: {self._confinement_status.lost.get(layer, 'not asked for')}" for layer in missing
            )
            raise UnconfinedError(
                f"a process for other people's code cannot be sealed here: {why}",
                hint="`autodrill doctor` says more; `--unconfined` grades files whose authors you trust",
            )

    def _set_scenario(self, scenario: str | None) -> None:
        """Send the scenario by itself: a process that no candidate's byte has reached yet tells the truth about it."""
        self._await_start()
        got = self._transport.ask(frames.pack(FrameKind.SCENARIO, scenario), _START_SECONDS, STRUCTURE_BYTES)
        if got != (FrameKind.LOADED, None):
            self.close()
            said = got.value if isinstance(got, NoReply) else read_load(*got, memory=self._limits.memory)
            why = f"{said.type} at line {said.line}: {said.message}" if isinstance(said, Raised) else said
            raise InternalError(f"the exercise's scenario fails: {why}")
        self._scenario = scenario

    def _died(self, request: Request, seconds: float) -> Died:
        """Describe a death: by the stack it dumped if it crashed, else by dying again under a trace."""
        child = self._alive()
        ended = child.ends_within(_LAST_BREATH_SECONDS)
        line = child.dumped_line(self._filename)
        status = child.process.wait() if ended else frames.LOST_CHANNEL
        self.close()
        if status is None:
            raise InternalError("the fork server ended, and the candidate's process with it")
        return Died(_how(status), self._traced_line(request, seconds) if line is None else line)

    def _traced_line(self, request: Request, seconds: float) -> int | None:
        """Make the request again in a process with lines traced, and return where it failed, None if it did not."""
        if not self._traceable:
            return None
        with type(self).start(self._limits, launcher=self._launcher, traced=True) as again:
            again._await_start()
            again._set_scenario(self._scenario)
            return again._line_of_failure(
                [self._loading, request] if self._loading is not request else [request], seconds
            )

    def _line_of_failure(self, requests: Sequence[Request | None], seconds: float) -> int | None:
        child = self._alive()
        deadline = time.monotonic() + seconds
        try:
            for request in filter(None, requests):
                number = self._transport.post(request.frame)
                for _ in range(request.answers):
                    got = self._transport.answer(number, deadline - time.monotonic(), request.limit)
                    if isinstance(got, NoReply) or got[0] is FrameKind.RAISED:
                        return child.traced_line()
                    if got[0] not in {FrameKind.LOADED, FrameKind.RETURNED}:
                        return None
        except WireError:
            return None
        return None

    def _alive(self) -> ChildProcess:
        if self._child is None:
            raise RuntimeError("this runner is finished; start another")
        return self._child


def _how(status: int) -> str:
    if status == frames.LOST_CHANNEL:
        return "closed its channel"
    if status < 0:
        try:
            return f"signal {signal.Signals(-status).name}"
        except ValueError:
            return f"signal {-status}"
    return f"exit code {status}"
