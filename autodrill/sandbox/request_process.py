"""A child process that answers requests: its start, the replies as outcomes, and the line of a failure."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from autodrill.errors import InternalError, UnconfinedError
from autodrill.sandbox.child import frames, values
from autodrill.sandbox.child.confinement import ConfinementStatus, Layer
from autodrill.sandbox.child.frames import RANK_BYTES, STRUCTURE_BYTES, FrameKind
from autodrill.sandbox.child.wire import WireError, decode
from autodrill.sandbox.child_process import how_it_ended
from autodrill.sandbox.launcher import Launcher, launch
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import (
    CallOutcome,
    Died,
    Flooded,
    LoadOutcome,
    OutOfMemory,
    Overspent,
    Raised,
    TimedOut,
    Unreadable,
)
from autodrill.sandbox.requests import read_load
from autodrill.sandbox.transport import NoReply, Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.sandbox.child_process import ChildProcess
    from autodrill.sandbox.meters import MemoryWatch, ProcessorBudget
    from autodrill.sandbox.ranks import Ranks
    from autodrill.sandbox.requests import Request

__all__ = ["RequestProcess"]

_START_SECONDS = 60.0  # much more than a start takes: a slow machine is not the fault of a submission
_LARGEST_ANSWER = 1 << 30
_EXIT_SECONDS = 0.2  # a process closes its descriptors a little before it ends


class RequestProcess:
    """A child process that answers requests. Use it as a context manager, from one thread at a time.

    After a `Stopped` outcome the process no longer exists, and `finished` is true. `called` is the entry and the
    scenario of the last load.
    """

    def __init__(self, child: ChildProcess, limits: Limits, launcher: Launcher) -> None:
        self._child: ChildProcess | None = child
        self._limits = limits
        self._launcher = launcher
        self._traceable = child.dump is not None and child.line_memory is None  # not on a terminal, not traced already
        self._confinement_status: ConfinementStatus | None = None
        self._scenario: str | None = None
        self._filename = ""
        self.called: tuple[str, str | None] = "", None
        self._until = math.inf
        self._watched = 0
        self._watch: MemoryWatch | None = None
        self._loading: Request | None = None
        self._earlier: int | None = None
        self._ranks: Ranks | None = None
        self._transport = Transport(child, limits.output)

    @classmethod
    def start(cls, limits: Limits | None = None, *, launcher: Launcher = launch, traced: bool = False) -> Self:
        """Start a child process and return at once, while the process imports NumPy.

        Args:
            limits: Its limits.
            launcher: Starts the process.
            traced: Whether to record the running line. This makes the submission several times slower.

        Raises:
            UsageError: This system cannot run a child process.
            InternalError: The process cannot be started.
        """
        limits = limits or Limits()
        return cls(launcher(memory=limits.memory, traced=traced), limits, launcher)

    def end_by(self, until: float) -> None:
        """Let this process, and every sibling started from now on, send no reply after a time by `time.monotonic`."""
        self._until = until
        if self._ranks is not None:
            self._ranks.end_by(until)

    @property
    def device(self) -> str:
        """The device that a kernel runs on; empty for Python code."""
        return ""

    @property
    def finished(self) -> bool:
        """Whether the process no longer exists: stopped, dead or closed."""
        return self._child is None

    @property
    def limits(self) -> Limits:
        """The limits of the process."""
        return self._limits

    @property
    def launcher(self) -> Launcher:
        """The launcher that started the process."""
        return self._launcher

    @property
    def confinement_status(self) -> ConfinementStatus | None:
        """Which layers hold; None as long as nothing was loaded."""
        return self._confinement_status

    def close(self) -> None:
        """Kill the process and everything it has started, and close every descriptor. It may be called twice."""
        if self._ranks is not None:
            self._ranks.close()
        if self._child is not None:
            child, self._child = self._child, None
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _receive(
        self, number: int, request: Request, budget: ProcessorBudget | None, *, last: bool
    ) -> tuple[tuple[FrameKind, bytes] | NoReply | WireError, int]:
        """Receive one reply, and count what is asked before it. Output is counted up to the last reply."""
        until, asked = time.monotonic() + request.seconds, 0
        limit = request.limit if self._ranks is None else max(request.limit, 2 * RANK_BYTES)
        own = budget if self._ranks is None else None  # that of the ranks is counted in their processes
        left = request.seconds
        try:
            while True:
                got = self._transport.receive(number, left, limit, until=self._until, budget=own, watch=self._watch)
                if isinstance(got, tuple) and got[0] is FrameKind.RANK and self._ranks is not None:
                    self._pass_on(self._ranks, request, got[1])
                    left = request.seconds  # for the scenario; the ranks have limits of their own
                    continue
                if isinstance(got, NoReply) or got[0] is not FrameKind.ASKED:
                    break
                if time.monotonic() > min(until, self._until):  # a reply counts as in time once it is here
                    return NoReply.TIME, asked
                self._answer(request, got[1])
                asked += 1
                left = max(0.0, until - time.monotonic())
        except WireError as error:
            return error, asked
        ends = last or isinstance(got, NoReply) or got[0] is not FrameKind.RETURNED
        stopped = got is NoReply.TIME or got is NoReply.COST or got is NoReply.MEMORY
        return NoReply.FLOOD if ends and not stopped and self._transport.flooded() else got, asked

    def _pass_on(self, ranks: Ranks, request: Request, said: bytes) -> None:
        """Pass on what the scenario sends to a rank, and what the rank sends back.

        Raises:
            WireError: It is not for a rank.
        """
        match decode(said):
            case (int() as rank, int() as count, bool() as begins, bytes() as payload):
                answer = ranks.pass_on(rank, count, payload, begins=begins, seconds=request.seconds)
            case _:
                raise WireError("not a message to a rank")
        self._transport.send(frames.pack(FrameKind.ANSWER, answer))

    def _answer(self, request: Request, asked: bytes) -> None:
        """Answer what the scenario asks.

        Raises:
            WireError: The request has no `answer`, or what came back is not a value.
        """
        if request.answer is None:
            raise WireError("a question where none is expected")
        answer = request.answer(values.from_wire(decode(asked)))
        self._transport.send(frames.pack(FrameKind.ANSWER, values.to_wire(answer, limit=_LARGEST_ANSWER)))

    def _outcome(
        self,
        got: tuple[FrameKind, bytes] | NoReply | WireError,
        request: Request,
        budget: ProcessorBudget | None,
        spent: float,
    ) -> LoadOutcome | CallOutcome:
        """Turn a reply into its outcome. Without a reply, find the line, and close."""
        outcome: LoadOutcome | CallOutcome | NoReply | WireError
        try:
            if isinstance(got, tuple):
                value = decode(got[1], max_extent=request.limit)
                outcome = request.read(got[0], value, memory=self._limits.memory)
            else:
                outcome = got
        except WireError as error:
            outcome = error
        # Running the call again to find its line may take the rest of the time limit and a little more.
        left = max(0.5, min(request.seconds, self._limits.seconds) + 0.7 - spent)
        match outcome:
            case NoReply.TIME:
                return TimedOut(request.seconds, self._stopped_at())
            case NoReply.COST:
                assert budget is not None
                return Overspent(budget.limit, self._stopped_at())
            case NoReply.MEMORY:
                return OutOfMemory(self._limits.memory, self._stopped_at())
            case NoReply.FLOOD:
                return Flooded(self._limits.output, self._stopped_at())
            case NoReply.DEATH:
                return self._died(request, left)
            case WireError():
                self.close()
                return Unreadable(str(outcome))
            case OutOfMemory(line=None):
                return replace(outcome, line=self._traced_line(request, left))
            case _:
                return outcome

    def _stopped_at(self) -> int | None:
        """Close, and return the line that was running."""
        line = self._alive().stack_line(self._filename)
        self.close()
        return line

    def _await_start(self) -> None:
        """Wait for READY, before anything of a submission is sent. Without the required layers, close and raise."""
        if self._confinement_status is not None:
            return
        child = self._alive()
        got = self._transport.ask(b"", _START_SECONDS, STRUCTURE_BYTES)
        if isinstance(got, NoReply) or got[0] is not FrameKind.READY:
            self.close()
            raise InternalError(f"the child process did not start: {self._transport.printed()[1].strip() or got}")
        self._confinement_status = ConfinementStatus.from_wire(got[1])
        child.alone = Layer.SECCOMP in self._confinement_status.held
        if missing := child.confinement.missing(self._confinement_status):
            self.close()
            why = "; ".join(
                f"{layer}: {self._confinement_status.lost.get(layer, 'not asked for')}" for layer in missing
            )
            raise UnconfinedError(
                f"this machine cannot seal a process for other people's code: {why}",
                hint="`autodrill doctor` shows the reason; if you trust the authors of the files, add `--unconfined`",
            )

    def _set_scenario(self, scenario: str | None) -> None:
        """Send the scenario in a frame of its own. Until a submission is loaded, the reply to it can be trusted."""
        self._await_start()
        got = self._transport.ask(frames.pack(FrameKind.SCENARIO, scenario), _START_SECONDS, STRUCTURE_BYTES)
        if got != (FrameKind.LOADED, None):
            self.close()
            said = got.value if isinstance(got, NoReply) else read_load(*got, memory=self._limits.memory)
            why = f"{said.type} at line {said.line}: {said.message}" if isinstance(said, Raised) else said
            raise InternalError(f"the exercise's scenario fails: {why}")
        self._scenario = scenario

    def _died(self, request: Request, seconds: float) -> Died:
        """Return how the process died, with the line: from its stack dump, or from a traced run of the same request."""
        child = self._alive()
        ended = child.ends_within(_EXIT_SECONDS)
        status, line = child.process.wait() if ended else frames.LOST_CHANNEL, child.dumped_line(self._filename)
        self.close()
        if status is None:
            raise InternalError("the fork server has ended, and the child process with it")
        return Died(how_it_ended(status), line or self._traced_line(request, seconds))

    def _traced_line(self, request: Request, seconds: float) -> int | None:
        """Repeat the request in a process that traces lines, and return where it fails; None if it does not fail."""
        if not self._traceable:
            return None
        try:
            started = type(self).start(self._limits, launcher=self._launcher, traced=True)
        except OSError:  # no temporary file can be written: the disk is full, or all of it is read-only
            return None
        with started as again:
            again.end_by(self._until)
            again._await_start()
            again._set_scenario(self._scenario)
            return again._line_of_failure(
                [self._loading, request] if self._loading is not request else [request], seconds
            )

    def _line_of_failure(self, requests: Sequence[Request | None], seconds: float) -> int | None:
        deadline = time.monotonic() + seconds
        for request in filter(None, requests):
            number = self._transport.send(request.frame)
            for _ in range(request.answers):
                left = max(0.0, deadline - time.monotonic())
                got, _ = self._receive(number, replace(request, seconds=left), None, last=False)
                if isinstance(got, NoReply) or (isinstance(got, tuple) and got[0] is FrameKind.RAISED):
                    return self._alive().traced_line()
                if isinstance(got, WireError) or got[0] not in {FrameKind.LOADED, FrameKind.RETURNED}:
                    return None
        return None

    def _alive(self) -> ChildProcess:
        if self._child is None:
            raise RuntimeError("the process of this runner has ended; start another runner")
        return self._child
