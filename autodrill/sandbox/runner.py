"""The runner: the parent's handle on a child process. It loads a submission, calls its entry, and returns outcomes."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, cast

from autodrill.errors import InternalError, UnconfinedError
from autodrill.sandbox.child import frames, memory_claims, values, wire
from autodrill.sandbox.child.collectives import in_step
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
    Loaded,
    LoadOutcome,
    OutOfMemory,
    Overspent,
    Raised,
    Returned,
    Stopped,
    TimedOut,
    Unreadable,
)
from autodrill.sandbox.ranks import RankMode, Ranks
from autodrill.sandbox.requests import Call, Request, call_request, load_request, read_load
from autodrill.sandbox.transport import NoReply, Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from autodrill.sandbox.child_process import ChildProcess
    from autodrill.sandbox.meters import MemoryWatch, ProcessorBudget

__all__ = ["Arg", "Layout", "Limits", "RankMode", "Runner", "SameAs"]

Arg = values.Arg
SameAs = values.SameAs
Layout = wire.Layout

_START_SECONDS = 60.0  # much more than a start takes: a slow machine is not the fault of a submission
_PENDING = 8
"""Requests that are pending at once. One at a time takes 30 % more processor time for a submission with 40 cases."""
_LARGEST_ANSWER = 1 << 30
_EXIT_SECONDS = 0.2  # a process closes its descriptors a little before it ends


class Runner:
    """A child process that submissions are loaded into. Use it as a context manager, from one thread at a time.

    Several files can be loaded, one after another. Each is run in a new module. After a `Stopped` outcome the process
    no longer exists, and `finished` is true. `called` is the entry and the scenario of the last load.

    If the scenario has ranks, the process runs the scenario alone. Each rank runs the file in a process of its own.
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

    def sibling(self, limits: Limits) -> Self:
        """Start another process with the same launcher and end, for other code, and return at once."""
        other = type(self).start(limits, launcher=self._launcher)
        other.end_by(self._until)
        return other

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

    @property
    def processor_time(self) -> float:
        """The seconds of processor time that the process has taken so far; with ranks, that these have taken."""
        return self._alive().processor_time() if self._ranks is None else self._ranks.processor_time()

    @property
    def stdout(self) -> str:
        """The first 8 KiB printed since the last load, with undecodable bytes replaced. It is shown, never parsed."""
        return self._printed()[0]

    @property
    def stderr(self) -> str:
        """The first 8 KiB written to stderr since the last load, like `stdout`."""
        return self._printed()[1]

    def clear_printed(self) -> None:
        """Forget what was printed so far."""
        self._transport.clear_printed()

    def load(
        self,
        source: bytes,
        filename: str,
        entry: str,
        scenario: str | None = None,
        *,
        seconds: float | None = None,
        ranks: RankMode = RankMode.APART,
    ) -> LoadOutcome:
        """Run a submission in a new module.

        Args:
            source: The bytes of the file. A coding cookie and a byte order mark are honoured.
            filename: Its name in tracebacks. No such file has to exist.
            entry: The function or class to call, or `Class.method`. Several names, separated by spaces, become a tuple.
            scenario: Trusted source that defines `drive(candidate, *args)`, with `np` and `in_step` in its namespace.
            seconds: Wall time; by default that of the limits.
            ranks: Where the ranks of the scenario run the file.

        Raises:
            InternalError: The scenario fails, or the process did not start.
            UnconfinedError: A required layer does not hold.
            RuntimeError: The runner is finished.
        """
        self._alive()
        self._await_start()
        if scenario != self._scenario:
            self._set_scenario(scenario)
        self._filename, self.called = filename, (entry, scenario)
        limit = self._limits.seconds if seconds is None else seconds
        if scenario is None or ranks is not RankMode.APART or in_step.__name__ not in scenario:
            if self._ranks is not None:
                self._ranks.close()
                self._ranks = None
            shares_module = ranks is RankMode.AS_ONE
            self._loading = load_request(source, filename, entry, limit, shares_module=shares_module)
        else:
            if self._ranks is None:
                self._ranks = Ranks(lambda: self.sibling(self._limits))
            self._ranks.take(source, filename, entry, limit)
            self._loading = load_request(None, filename, entry, limit)
        self._transport.clear_printed()
        return self._load()

    def reload(self) -> LoadOutcome:
        """Run the loaded file again, in a new module. What was printed is kept.

        Raises:
            RuntimeError: Nothing is loaded, or the runner is finished.
        """
        self._alive()
        return self._load()

    def call(
        self,
        args: Sequence[Any],
        *,
        budget: int,
        seconds: float | None = None,
        answer: Callable[[Any], Any] | None = None,
    ) -> CallOutcome:
        """Call the loaded entry with copies of the arguments.

        Args:
            args: Positional arguments: None, bool, int, float, str, bytes, NumPy arrays and scalars, or tuples, lists
                and dicts of these. `Arg` chooses the memory layout of an array. `SameAs(i)` is argument i itself.
            budget: Bytes of data that the reply may hold.
            seconds: Wall time; by default that of the limits.
            answer: See `Request`.

        Raises:
            TypeError: An argument cannot be sent.
            RuntimeError: Nothing is loaded, or the runner is finished.
        """
        limit = self._limits.seconds if seconds is None else seconds
        ((outcome,),) = self.answers([call_request([Call(args)], budget=budget, seconds=limit, answer=answer)])
        return outcome

    def answers(self, requests: Iterable[Request]) -> Generator[tuple[CallOutcome, ...]]:
        """Make the calls of each request, and yield the outcomes of each request.

        The process works on the next requests while the caller examines the outcomes of one. When closed, the generator
        waits for the pending requests; Ctrl-C ends the process instead. Use the runner for nothing else before that. A
        call that does not return ends its request. If the process was stopped, earlier outcomes may be missing.

        Args:
            requests: Requests from `call_request`.

        Raises:
            RuntimeError: Nothing is loaded, or the runner is finished.
        """
        if self._loading is None:
            raise RuntimeError("nothing is loaded")
        self._alive()
        waiting: deque[tuple[int, Request]] = deque()
        upcoming = iter(requests)
        self._transport.ignore_earlier_waits()
        try:
            while True:
                if len(waiting) <= _PENDING // 2:
                    more = list(islice(upcoming, _PENDING - len(waiting)))
                    last = self._transport.send(*(request.frame for request in more))
                    waiting.extend(zip(range(last - len(more) + 1, last + 1), more, strict=True))
                if not waiting:
                    return
                yield cast("tuple[CallOutcome, ...]", self._outcomes(*waiting.popleft()))
                if self.finished:
                    return
        except KeyboardInterrupt:
            self.close()  # the pending replies are not needed
            raise
        finally:
            while waiting and not self.finished:
                self._outcomes(*waiting.popleft())

    def loaded_sibling(self, memory: int) -> tuple[Self, LoadOutcome]:
        """Start another process with another memory limit, and load the same file there.

        Args:
            memory: Bytes that it may allocate, the load included.

        Returns:
            Its runner, which the caller closes, and the outcome of the load.

        Raises:
            RuntimeError: Nothing is loaded.
        """
        if self._loading is None:
            raise RuntimeError("nothing is loaded")
        if self._ranks is not None:
            other = self.sibling(self._limits)
            other._set_scenario(self._scenario)
            other._ranks = self._ranks.like(lambda: other._bounded(memory))
        else:
            other = self._bounded(memory)
            other._set_scenario(self._scenario)
        other._filename, other._loading = self._filename, self._loading
        return other, other._load()

    def step(self, request: Request, frame: bytes, budget: ProcessorBudget | None) -> bytes | CallOutcome:
        """Send a call or an answer to what it asks, and return the bytes that it asks next, or its outcome.

        Args:
            request: The call.
            frame: The bytes to send: those of the request, or an ANSWER frame.
            budget: The processor time that it may use.
        """
        got: tuple[FrameKind, bytes] | NoReply | WireError
        started = time.monotonic()
        if frame is request.frame:
            self._transport.count_output()
            self._transport.ignore_earlier_waits()
        number = self._transport.send(frame)
        try:
            got = self._transport.receive(
                number, request.seconds, request.limit, until=self._until, budget=budget, watch=self._watch
            )
            if isinstance(got, tuple) and got[0] is FrameKind.ASKED:
                asked = decode(got[1])
                if isinstance(asked, bytes):
                    return asked
                raise WireError("not the question of a rank")  # noqa: TRY301  read as any other
            if not isinstance(got, NoReply) and self._transport.flooded():
                got = NoReply.FLOOD
        except WireError as error:
            got = error
        return cast("CallOutcome", self._outcome(got, request, budget, time.monotonic() - started))

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

    def _load(self) -> LoadOutcome:
        if self._loading is None:
            raise RuntimeError("nothing is loaded")
        self._earlier = None
        if self._watched and self._watch is None:
            self._watch = self._alive().memory_watch(self._watched)
        if self._ranks is not None and not isinstance(loaded := self._ranks.load(), Loaded):
            if isinstance(loaded, Stopped):
                self.close()
            return loaded
        (outcome,) = self._outcomes(self._transport.send(self._loading.frame), self._loading)
        return cast("LoadOutcome", outcome)

    def _bounded(self, memory: int) -> Self:
        """Start another process with another memory limit, which is watched from the time that it has its scenario."""
        other = self.sibling(replace(self._limits, memory=memory))
        other._watched = memory
        return other

    def _printed(self) -> tuple[str, str]:
        return self._transport.printed() if self._ranks is None else self._ranks.printed()

    def _outcomes(self, number: int, request: Request) -> tuple[LoadOutcome | CallOutcome, ...]:
        """Read the replies to a sent request, up to the first call that did not return."""
        self._transport.count_output()
        outcomes: list[LoadOutcome | CallOutcome] = []
        first: object = None
        budget = request.budget(self, self._ranks or self._alive())
        if self._ranks is not None:
            self._ranks.budget = budget
        while len(outcomes) < request.answers:
            started = time.monotonic()
            got, asked = self._receive(number, request, budget, last=len(outcomes) == request.answers - 1)
            if got == first and not asked:  # a repeated call usually has a reply of the same bytes
                outcomes.append(outcomes[0])
                continue
            failure = None if self._ranks is None else self._ranks.end_call()
            outcome = failure or self._outcome(got, request, budget, time.monotonic() - started)
            if isinstance(failure, Stopped):
                self.close()
            if not isinstance(outcome, Returned):
                outcomes.append(outcome)
                break
            outcome = request.with_silenced_claims(len(outcomes), outcome, self._earlier)
            if self._earlier is None and outcome.value is not None:
                self._earlier = memory_claims.total(memory_claims.sent_arrays(outcome.value))
            outcomes.append(replace(outcome, asked=asked) if asked else outcome)
            first = first or got
        return tuple(outcomes)

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
            raise InternalError(f"the child process did not start: {self.stderr.strip() or got}")
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
        with type(self).start(self._limits, launcher=self._launcher, traced=True) as again:
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
