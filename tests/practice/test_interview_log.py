"""The log of interviews, and the state that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodrill.errors import StoreError
from autodrill.practice.interview_log import Event, InterviewLog, InterviewState, What, tail
from autodrill.practice.interview_plan import Form, Level, Plan, Role, Step

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from autodrill.practice.store import Store

    Day = Callable[[float], datetime]

PLAN = Plan(
    Role.GPU_SYSTEMS,
    Level.MID,
    15,
    7,
    (
        Step(Form.QUESTION, "a", "What is a?", "graph", "recall", 3.0),
        Step(Form.EXERCISE, "mul_backward", "A product", "scalar", "code", 5.0),
    ),
)
FOLLOW_UP = Step(Form.FOLLOW_UP, "a", "And then?", "graph", "follow-up", 1.0)


def state(*events: tuple[What, int | None, float, dict[str, Any]]) -> InterviewState:
    return InterviewState.of(PLAN, [Event(*event) for event in events])


def test_interview_is_read_back_unchanged(store: Store, day: Day) -> None:
    log = InterviewLog(store)
    interview = log.begin(PLAN, day(0))
    events = [
        Event(What.BEGIN, 0, 0.0, {}),
        Event(What.DRAFT, 0, 1.5, {"line": 0, "from": 0, "text": "∂L/∂x"}),
        Event(What.FOLLOW_UP, None, 2.0, {"added": FOLLOW_UP.as_json()}),
    ]
    for event in events:
        log.write(interview.id, event, day(0))
    assert log.interviews() == [interview]
    assert log.events(interview.id) == events
    assert log.state(interview).steps[-1] == FOLLOW_UP


@pytest.mark.parametrize("table", ["interviews", "interview_events"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET at = 'x'", "DELETE FROM {}"])
def test_interview_tables_are_append_only(store: Store, day: Day, table: str, statement: str) -> None:
    log = InterviewLog(store)
    log.write(log.begin(PLAN, day(0)).id, Event(What.BEGIN, 0, 0.0, {}), day(0))
    with pytest.raises(StoreError, match="append-only"):
        store._append(statement.format(table), ())


def test_interview_is_unfinished_until_it_is_closed(store: Store, day: Day) -> None:
    log = InterviewLog(store)
    assert log.unfinished() is None
    interview = log.begin(PLAN, day(0))
    found = log.unfinished()
    assert found is not None
    assert found[0] == interview
    log.write(interview.id, Event(What.CLOSE, None, 0.0, {"why": "complete"}), day(0))
    assert log.unfinished() is None


def test_recent_ids_are_those_of_the_last_interviews(store: Store, day: Day) -> None:
    log = InterviewLog(store)
    older = Step(Form.QUESTION, "b", "What is b?", "graph", "recall", 3.0)
    log.begin(Plan(Role.GPU_SYSTEMS, Level.MID, 15, 1, (older,)), day(0))
    log.begin(PLAN, day(1))
    assert log.recent() == {"a", "b", "mul_backward"}
    assert log.recent(1) == {"a", "mul_backward"}


def test_state_sums_the_seconds_of_each_step() -> None:
    found = state(
        (What.BEGIN, 0, 0.0, {}),
        (What.TIME, 0, 5.0, {}),
        (What.ANSWER, 0, 7.0, {"typed": []}),
        (What.BEGIN, 1, 7.0, {}),
        (What.TIME, 1, 12.5, {}),
    )
    assert (found.seconds, found.spent, found.next_step) == ({0: 7.0, 1: 5.5}, 12.5, 1)


def test_state_never_counts_time_backwards() -> None:
    found = state((What.TIME, 0, 5.0, {}), (What.TIME, 0, 3.0, {}), (What.TIME, 0, 6.0, {}))
    assert (found.seconds, found.spent) == ({0: 6.0}, 6.0)


def test_state_drops_the_draft_of_an_answer() -> None:
    draft = (What.DRAFT, 0, 1.0, {"line": 0, "from": 0, "text": "abc"})
    assert state(draft).drafts == {0: ["abc"]}
    answered = state(draft, (What.ANSWER, 0, 2.0, {"typed": [["", "abc"]]}))
    assert (answered.drafts, answered.answers[0]["typed"]) == ({}, [["", "abc"]])


def test_state_marks_answers_but_no_code() -> None:
    answers = [(What.ANSWER, at, 1.0, {"typed": [["", ""]]}) for at in (0, 1)]
    assert state(*answers).to_mark == [0]


@given(st.lists(st.text(alphabet="ab\n", max_size=8), max_size=6))
def test_drafts_are_rebuilt_from_their_tails(texts: list[str]) -> None:
    found, before = InterviewState.of(PLAN, []), ""
    for text in texts:
        found.take(Event(What.DRAFT, 0, 0.0, {"line": 0, **tail(before, text)}))
        before = text
        assert found.drafts[0] == [text]


def test_tail_repeats_nothing_that_is_in_the_log() -> None:
    assert tail("abc", "abcd") == {"from": 3, "text": "d"}
    assert tail("abc", "ab") == {"from": 2, "text": ""}
