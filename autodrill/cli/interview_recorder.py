"""The recorder of an interview: its clock, and its events, each on disk before anything else happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.practice.interview_log import Event, InterviewState, What, tail

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from autodrill.practice.interview_log import Interview, InterviewLog

__all__ = ["Recorder"]

_DRAFT_SECONDS = 1.0
_BEAT_SECONDS = 5.0
"""The most time on the clock that is lost when the process is killed."""


class Recorder:
    """Writes the events of an interview and keeps its state up to date.

    Args:
        log: The log.
        interview: The interview.
        clock: Seconds, monotonic. The clock of the interview goes on from the last event.
        now: The time of day.

    Attributes:
        state: Where the interview is.
    """

    def __init__(
        self, log: InterviewLog, interview: Interview, clock: Callable[[], float], now: Callable[[], datetime]
    ) -> None:
        self.interview = interview
        self.state: InterviewState = log.state(interview)
        self._log = log
        self._clock = clock
        self._now = now
        self._drafted = 0.0
        self._started, self._before = clock(), self.state.spent

    @property
    def spent(self) -> float:
        """The seconds on the clock of the interview, which stops when the questions are over."""
        return self.state.spent if self.state.ended else self._before + self._clock() - self._started

    @property
    def left(self) -> float:
        """The seconds left; negative when time is over."""
        return 60 * self.interview.plan.minutes - self.spent

    def write(self, what: What, step: int | None = None, **detail: Any) -> None:
        """Append an event; it is on disk when this returns."""
        event = Event(what, step, self.spent, detail)
        self._log.write(self.interview.id, event, self._now())
        self.state.take(event)

    def draft(self, step: int, line: int, text: str) -> None:
        """Append how a line of an answer is now, unless the log has it already."""
        lines = self.state.drafts.get(step, [])
        before = lines[line] if line < len(lines) else None
        if text != before:
            self.write(What.DRAFT, step, line=line, **tail(before or "", text))

    def beat(self, step: int, draft: Callable[[], None] = lambda: None) -> None:
        """Call `draft` once a second, and append the time now and then. Call this as often as keys are read."""
        spent = self.spent
        if spent - self._drafted >= _DRAFT_SECONDS:
            self._drafted = spent
            draft()
        if spent - self.state.spent >= _BEAT_SECONDS:
            self.write(What.TIME, step)
