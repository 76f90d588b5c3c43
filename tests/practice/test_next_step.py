from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.bank.curriculum import LearningPath, Stage, Step
from autodrill.practice.agenda import Agenda, DailyLimits
from autodrill.practice.next_step import NextStep, next_step
from autodrill.practice.path_progress import Standing
from autodrill.practice.schedule import CardState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    Day = Callable[[float], datetime]

STEPS = (Step("q1"), Step("x1", is_exercise=True), Step("q2"))
PATH = LearningPath("short", "A short path", (Stage("all", STEPS),))


def chosen(
    agenda: Agenda, done: Collection[Step] | None, passed: Collection[str] = (), seen: Collection[str] = ()
) -> NextStep | None:
    """Return the next step of a course of two exercises and four questions."""
    reached = None if done is None else Standing(PATH, frozenset(done))
    questions = ["q1", "q2", "q3", "q4"]
    return next_step(agenda, lambda: reached, lambda: ["x1", "x2"], lambda: questions, lambda: passed, lambda: seen)


def test_due_card_comes_before_the_path(day: Day) -> None:
    states = tuple(CardState(card, 1, 5, day(at), day(0), 1, 0) for card, at in (("x:x9", 1), ("q:q9", 2)))
    found = chosen(Agenda(day(3), due=states), ())
    assert found is not None
    assert (found.card, found.due, found.command) == ("x:x9", day(1), ("watch", "x9"))
    found = chosen(Agenda(day(3), due=states[1:]), ())
    assert found is not None
    assert (found.id, found.command) == ("q9", ("quiz",))


def test_due_prediction_is_made_by_its_name(day: Day) -> None:
    found = chosen(Agenda(day(3), due=(CardState("p:x9", 1, 5, day(1), day(0), 1, 0),)), ())
    assert found is not None
    assert (found.card, found.id, found.command) == ("p:x9", "x9", ("predict", "x9"))


def test_path_gives_its_first_step_that_is_left(day: Day) -> None:
    agenda = Agenda(day(0))
    first, second = chosen(agenda, ()), chosen(agenda, STEPS[:1], (), ["q1"])
    assert first is not None
    assert second is not None
    assert (first.id, first.command) == ("q1", ("quiz", "--path", "short"))
    assert (second.id, second.command) == ("x1", ("watch", "x1"))


def test_question_rated_again_does_not_stop_the_path(day: Day) -> None:
    found = chosen(Agenda(day(0)), (), (), ["q1"])
    assert found is not None
    assert found.id == "x1"


def test_new_exercises_and_questions_take_turns(day: Day) -> None:
    passed: list[str] = []
    seen: list[str] = []
    order = []
    while (found := chosen(Agenda(day(0)), None, passed, seen)) is not None:
        (passed if found.card.startswith("x:") else seen).append(found.id)
        order.append(found.id)
    assert order == ["x1", "q1", "q2", "x2", "q3", "q4"]


def test_limit_of_new_cards_stops_only_new_cards(day: Day) -> None:
    full = Agenda(day(3), limits=DailyLimits(new=2, begun=2))
    assert chosen(full, ()) is None
    due = replace(full, due=(CardState("q:q9", 1, 5, day(1), day(0), 1, 0),))
    assert chosen(due, ()) is not None
