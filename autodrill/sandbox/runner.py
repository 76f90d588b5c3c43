"""The runner: the parent's handle on a child process. It loads a submission, calls its entry, and returns outcomes."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, cast

from autodrill.sandbox.child import memory_claims, values, wire
from autodrill.sandbox.child.collectives import in_step
from autodrill.sandbox.child.frames import FrameKind
from autodrill.sandbox.child.wire import WireError, decode
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import (
    CallOutcome,
    Loaded,
    LoadOutcome,
    Returned,
    Stopped,
)
from autodrill.sandbox.ranks import RankMode, Ranks
from autodrill.sandbox.request_process import RequestProcess
from autodrill.sandbox.requests import Call, Request, call_request, load_request
from autodrill.sandbox.transport import NoReply

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

    from autodrill.sandbox.meters import ProcessorBudget

__all__ = ["Arg", "Layout", "Limits", "RankMode", "Runner", "SameAs"]

Arg = values.Arg
SameAs = values.SameAs
Layout = wire.Layout

_PENDING = 8
"""Requests that are pending at once. One at a time takes 30 % more processor time for a submission with 40 cases."""


class Runner(RequestProcess):
    """A child process that submissions are loaded into.

    Several files can be loaded, one after another. Each is run in a new module.

    If the scenario has ranks, the process runs the scenario alone. Each rank runs the file in a process of its own.
    """

    def sibling(self, limits: Limits) -> Self:
        """Start another process with the same launcher and end, for other code, and return at once."""
        other = type(self).start(limits, launcher=self._launcher)
        other.end_by(self._until)
        return other

    @property
    def has_ranks(self) -> bool:
        """Whether the scenario of the last load has ranks."""
        _, scenario = self.called
        return scenario is not None and in_step.__name__ in scenario

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
        if ranks is not RankMode.APART or not self.has_ranks:
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
                raise WireError("a rank sent a message that is not its question")  # noqa: TRY301  read as any other
            if not isinstance(got, NoReply) and self._transport.flooded():
                got = NoReply.FLOOD
        except WireError as error:
            got = error
        return cast("CallOutcome", self._outcome(got, request, budget, time.monotonic() - started))

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
