"""The log of interviews: what is appended while one runs, and the state that follows from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from autodrill.practice.interview_plan import Form, Plan, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from autodrill.practice.store import Store

__all__ = ["Event", "Interview", "InterviewLog", "InterviewState", "What", "tail"]


class What(StrEnum):
    """What an event says."""

    BEGIN = "begin"
    """A step is shown."""
    DRAFT = "draft"
    """A line of an answer as it is now: from a character on, because the text before it is in the log already."""
    ANSWER = "answer"
    """An answer is handed in."""
    ATTEMPT = "attempt"
    """A saved file is graded."""
    FOLLOW_UP = "follow-up"
    """A step is added."""
    TIME = "time"
    """Time passes."""
    END = "end"
    """The questions are over; the answers are shown from now on."""
    TICK = "tick"
    """The key points ticked so far."""
    MARKED = "marked"
    """An answer is marked: what it covers and misses."""
    CLOSE = "close"
    """The interview is complete, or given up."""


@dataclass(frozen=True, slots=True)
class Interview:
    """An interview: its number in the log, when it began (UTC), and its plan."""

    id: int
    at: datetime
    plan: Plan


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in an interview.

    Attributes:
        what: What it is.
        step: The index of the step, or None.
        spent: The seconds on the clock of the interview, which runs only while the interview does.
        detail: Further facts, as JSON values.
    """

    what: What
    step: int | None
    spent: float
    detail: Mapping[str, Any]


@dataclass
class InterviewState:
    """Where an interview is; a function of its plan and its events.

    Attributes:
        steps: The steps of the plan and the follow-ups.
        spent: The seconds on the clock.
        seconds: For each step, the seconds spent on it.
        begun: The steps that were shown.
        drafts: For each step without an answer, the text of each of its lines so far.
        answers: For each step, `typed` (pairs of label and text), and `right` and `of` if it was judged.
        attempts: For each exercise, the graded files.
        ended: Why the questions are over; empty as long as they are not.
        ticked: For each step, the key points ticked so far.
        marked: For each step, what its answer covers.
        closed: Why nothing is left to do; empty as long as there is.
    """

    steps: list[Step]
    spent: float = 0.0
    seconds: dict[int, float] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)
    drafts: dict[int, list[str]] = field(default_factory=dict)
    answers: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    attempts: dict[int, list[Mapping[str, Any]]] = field(default_factory=dict)
    ended: str = ""
    ticked: dict[int, set[int]] = field(default_factory=dict)
    marked: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    closed: str = ""

    @classmethod
    def of(cls, plan: Plan, events: Iterable[Event]) -> InterviewState:
        """Return the state after some events."""
        state = cls(list(plan.steps))
        for event in events:
            state.take(event)
        return state

    @property
    def next_step(self) -> int | None:
        """The first step without an answer, or None."""
        return next((at for at in range(len(self.steps)) if at not in self.answers), None)

    @property
    def to_mark(self) -> list[int]:
        """The answered questions and follow-ups, which are marked at the end."""
        return [at for at in sorted(self.answers) if self.steps[at].form is not Form.EXERCISE]

    def take(self, event: Event) -> None:
        """Take the next event into account."""
        passed, self.spent = max(event.spent - self.spent, 0.0), max(event.spent, self.spent)
        at, detail = event.step, event.detail
        if at is not None:
            self.seconds[at] = self.seconds.get(at, 0.0) + passed
            self._take_of_step(event.what, at, detail)
        match event.what:
            case What.FOLLOW_UP:
                self.steps.append(Step.from_json(detail["added"]))
            case What.END:
                self.ended = detail["why"]
            case What.CLOSE:
                self.closed = detail["why"]
            case _:
                pass

    def _take_of_step(self, what: What, at: int, detail: Mapping[str, Any]) -> None:
        match what:
            case What.BEGIN:
                self.begun.add(at)
            case What.DRAFT:
                lines = self.drafts.setdefault(at, [])
                lines += [""] * (detail["line"] + 1 - len(lines))
                lines[detail["line"]] = lines[detail["line"]][: detail["from"]] + detail["text"]
            case What.ANSWER:
                self.answers[at] = detail
                self.drafts.pop(at, None)
            case What.ATTEMPT:
                self.attempts.setdefault(at, []).append(detail)
            case What.TICK:
                self.ticked[at] = set(detail["ticked"])
            case What.MARKED:
                self.marked[at] = detail
            case _:
                pass


def tail(before: str, now: str) -> dict[str, Any]:
    """Return how a text has changed: the character `from` which it is different, and its `text` from there."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    return {"from": same, "text": now[same:]}


class InterviewLog:
    """The interviews in a learner's history. Each record is on disk when its call returns.

    Args:
        store: The open history.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def begin(self, plan: Plan, at: datetime) -> Interview:
        """Append an interview."""
        written = json.dumps(plan.as_json(), ensure_ascii=False)
        row = self.store._append("INSERT INTO interviews (at, plan) VALUES (?, ?)", (_stamp(at), written))
        return Interview(row, at, plan)

    def write(self, interview: int, event: Event, at: datetime) -> None:
        """Append an event."""
        detail = json.dumps(dict(event.detail), ensure_ascii=False)
        self.store._append(
            "INSERT INTO interview_events (interview, at, spent, kind, step, detail) VALUES (?, ?, ?, ?, ?, ?)",
            (interview, _stamp(at), event.spent, str(event.what), event.step, detail),
        )

    def interviews(self) -> list[Interview]:
        """Return all interviews, oldest first."""
        rows = self.store._rows("SELECT id, at, plan FROM interviews ORDER BY id", ())
        return [Interview(row, datetime.fromisoformat(at), Plan.from_json(json.loads(plan))) for row, at, plan in rows]

    def events(self, interview: int) -> list[Event]:
        """Return the events of an interview, oldest first."""
        rows = self.store._rows(
            "SELECT kind, step, spent, detail FROM interview_events WHERE interview = ? ORDER BY id", (interview,)
        )
        return [Event(What(kind), step, spent, json.loads(detail)) for kind, step, spent, detail in rows]

    def state(self, interview: Interview) -> InterviewState:
        """Return where an interview is."""
        return InterviewState.of(interview.plan, self.events(interview.id))

    def unfinished(self) -> tuple[Interview, InterviewState] | None:
        """Return the last interview and its state if it is not complete, or None."""
        for interview in self.interviews()[-1:]:
            state = self.state(interview)
            if not state.closed:
                return interview, state
        return None

    def recent(self, interviews: int = 5) -> frozenset[str]:
        """Return the ids of what the last interviews asked."""
        return frozenset(step.id for taken in self.interviews()[-interviews:] for step in taken.plan.steps)


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")
