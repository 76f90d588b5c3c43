"""The ranks of a distributed exercise, seen from the parent: a process for each rank that runs the submission.

The process of the scenario asks for calls in them: see `child.rank_calls`. The parent passes bytes on, and does not
decode them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from autodrill.errors import InternalError
from autodrill.sandbox.child import frames
from autodrill.sandbox.child.frames import RANK_BYTES, FrameKind
from autodrill.sandbox.child.wire import WireError
from autodrill.sandbox.outcomes import CallOutcome, Loaded, LoadOutcome, Returned, Unreadable
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.sandbox.meters import ProcessorBudget
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

__all__ = ["RankMode", "Ranks"]

_RESULT_BYTES = 8 * RANK_BYTES  # the result and the arguments after the call; each byte of `bytes` counts as four
_MOST = 256
"""The largest number of ranks. A scenario with more is at fault."""


class RankMode(Enum):
    """Where the ranks of a scenario run the file. Without ranks in the scenario, all modes are the same."""

    APART = "apart"
    """Each in a process of its own."""
    TOGETHER = "together"
    """In one process, each in a module of its own."""
    AS_ONE = "as one"
    """In one process and one module, so that they share its variables."""


@dataclass(slots=True)
class _Rank:
    """The process of a rank.

    Attributes:
        runner: Its runner.
        loaded: Whether it has run the file that is loaded now.
        request: The call that it works on; None between two calls.
        answers: What was answered during this call, for a repetition; cut off once it is long.
    """

    runner: Runner
    loaded: bool = False
    request: Request | None = None
    answers: list[bytes] = field(default_factory=list)


class Ranks:
    """The processes of the ranks. Each is started when it is first needed, and kept for the following calls.

    Args:
        start: Starts a process.

    Attributes:
        budget: The processor time that the ranks together may take for the running request; None without a limit.
    """

    def __init__(self, start: Callable[[], Runner]) -> None:
        self._start = start
        self._ranks: dict[int, _Rank] = {}
        self._file: tuple[bytes, str, str, float] | None = None
        self._spent = 0.0
        self._failure: CallOutcome | LoadOutcome | None = None
        self.budget: ProcessorBudget | None = None

    def take(self, source: bytes, filename: str, entry: str, seconds: float) -> None:
        """Set the file that the ranks run: see `Runner.load`."""
        self._file = source, filename, entry, seconds
        for rank in self._ranks.values():
            rank.runner.clear_printed()

    def like(self, start: Callable[[], Runner]) -> Ranks:
        """Return ranks that run the same file in other processes, which `start` starts."""
        other = Ranks(start)
        other._file = self._file
        return other

    def load(self) -> LoadOutcome:
        """Run the file on rank 0. The other ranks run it when they are first called."""
        self.end_call()
        for rank in self._ranks.values():
            rank.loaded = False
        return self._load(self._at(0))

    def pass_on(
        self, rank: int, ranks: int, payload: bytes, *, begins: bool, seconds: float
    ) -> tuple[bool, bytes] | None:
        """Pass bytes to a rank, and return what it sends next.

        Args:
            rank: The rank.
            ranks: How many ranks the call has.
            payload: A call, or the answer to what the rank has asked.
            begins: Whether it is a call.
            seconds: Wall time until then.

        Returns:
            Whether the call has ended, and the bytes. None: the rank has failed, see `end_call`.

        Raises:
            InternalError: The scenario has too many ranks.
        """
        if not 0 <= rank < ranks <= _MOST:
            raise InternalError(f"the exercise's scenario calls rank {rank} of {ranks}; at most {_MOST} are possible")
        if begins:
            self._prepare(ranks)
        at = self._at(rank)
        if not at.loaded and not isinstance(loaded := self._load(at), Loaded):
            self._failure = loaded
            return None
        if begins:
            at.request = call_request([Call([payload], watched=False)], budget=_RESULT_BYTES, seconds=seconds)
            at.answers = []
            frame = at.request.frame
        else:
            assert at.request is not None
            if sum(map(len, at.answers)) + len(payload) <= RANK_BYTES:
                at.answers.append(payload)
            frame = frames.pack(FrameKind.ANSWER, payload)
        got = at.runner.step(replace(at.request, answer=_repeating(at.answers)), frame, self.budget)
        if isinstance(got, bytes):
            return False, got
        at.request = None
        if not isinstance(got, Returned):
            self._failure = got
        elif isinstance(got.value, bytes):
            return True, got.value
        else:  # it has replaced what the process sends
            self._failure = Unreadable("a rank sent a message that is not its result")
        return None

    def end_call(self) -> CallOutcome | LoadOutcome | None:
        """Drop the processes whose call has not ended, because another rank failed or is missing at a collective.

        Returns:
            How a rank failed; None if none has.
        """
        for index, rank in list(self._ranks.items()):
            if rank.request is not None or rank.runner.finished:
                self._drop(index)
        failure, self._failure = self._failure, None
        return failure

    def processor_time(self) -> float:
        """Return the seconds of processor time that all ranks have taken so far."""
        return self._spent + sum(r.runner.processor_time for r in self._ranks.values() if not r.runner.finished)

    def printed(self) -> tuple[str, str]:
        """Return what the ranks have printed since `take`, one rank after another."""
        runners = [rank.runner for _, rank in sorted(self._ranks.items())]
        return "".join(r.stdout for r in runners), "".join(r.stderr for r in runners)

    def end_by(self, until: float) -> None:
        """Let no rank send a reply after a time by `time.monotonic`."""
        for rank in self._ranks.values():
            rank.runner.end_by(until)

    def close(self) -> None:
        """Kill the processes. What they printed can still be read."""
        for rank in self._ranks.values():
            rank.runner.close()

    def _prepare(self, ranks: int) -> None:
        """Start the processes that a call needs, so that they start at the same time."""
        for index in range(ranks):
            self._at(index)

    def _at(self, index: int) -> _Rank:
        if index not in self._ranks:
            self._ranks[index] = _Rank(self._start())
        return self._ranks[index]

    def _load(self, rank: _Rank) -> LoadOutcome:
        assert self._file is not None
        source, filename, entry, seconds = self._file
        outcome = rank.runner.load(source, filename, entry, frames.OF_A_RANK, seconds=seconds)
        rank.loaded = isinstance(outcome, Loaded)
        return outcome

    def _drop(self, index: int) -> None:
        runner = self._ranks.pop(index).runner
        if not runner.finished:
            self._spent += runner.processor_time
        runner.close()


def _repeating(answers: list[bytes]) -> Callable[[object], bytes]:
    """Return a function that gives the answers of a call once more, for a process that repeats it to find a line."""
    left = iter(tuple(answers))

    def answer(_: object) -> bytes:
        for found in left:
            return found
        raise WireError("a question that was not answered before")

    return answer
