"""The cards that a debrief puts first in the next quiz."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.practice.enqueued import enqueue, enqueued_first, questions_on
from autodrill.practice.log_records import Rating, question_card
from autodrill.practice.schedule import Schedule
from autodrill.practice.session import Filter
from autodrill.practice.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from autodrill.bank.questions import Question

START = datetime(2026, 1, 1, tzinfo=UTC)
EXERCISE = "mul_broadcast_backward"


@pytest.fixture(scope="module")
def bank() -> tuple[Question, ...]:
    return tuple(load_questions())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "history.db", now=START) as store:
        yield store


def chosen(store: Store, bank: tuple[Question, ...], limit: int | None = None) -> list[str]:
    return [question.id for question in enqueued_first(bank[-3:], bank, store, Filter(), limit)]


def test_questions_on_an_exercise_are_those_it_practises(bank: tuple[Question, ...]) -> None:
    found = questions_on(EXERCISE, bank, Schedule((), START))
    assert 1 <= len(found) <= 2
    assert all(EXERCISE in question.exercises for question in found)
    assert questions_on("nothing", bank, Schedule((), START)) == ()


def test_unseen_questions_are_enqueued_before_seen_ones(store: Store, bank: tuple[Question, ...]) -> None:
    name, count = Counter(exercise for question in bank for exercise in question.exercises).most_common(1)[0]
    on_it = [question for question in bank if name in question.exercises]
    assert len(on_it) == count > 2
    store.add_review(question_card(on_it[0].id), Rating.GOOD, START)
    found = questions_on(name, bank, Schedule(store.reviews(), START))
    assert found == tuple(on_it[1:3])


def test_enqueued_questions_come_first(store: Store, bank: tuple[Question, ...]) -> None:
    usual = [question.id for question in bank[-3:]]
    assert chosen(store, bank) == usual
    enqueue(store, bank[1:3], START)
    assert chosen(store, bank) == [bank[1].id, bank[2].id, *usual]
    assert chosen(store, bank, limit=3) == [bank[1].id, bank[2].id, usual[0]]
    # One that the session asks anyway is asked once.
    enqueue(store, bank[-1:], START)
    assert chosen(store, bank).count(bank[-1].id) == 1


def test_answer_ends_the_wait(store: Store, bank: tuple[Question, ...]) -> None:
    store.add_review(question_card(bank[1].id), Rating.GOOD, START)
    enqueue(store, bank[1:2], START + timedelta(days=1))
    assert bank[1].id in chosen(store, bank)
    store.add_review(question_card(bank[1].id), Rating.GOOD, START + timedelta(days=2))
    assert bank[1].id not in chosen(store, bank)


def test_enqueued_questions_obey_the_filter(store: Store, bank: tuple[Question, ...]) -> None:
    enqueue(store, bank[:1], START)
    only = Filter(topics=frozenset({"no such topic"}))
    assert enqueued_first((), bank, store, only, None) == ()
    assert enqueued_first((), bank, None, Filter(), None) == ()


def test_damaged_setting_enqueues_nothing(store: Store, bank: tuple[Question, ...]) -> None:
    damaged: tuple[object, ...] = ([], "x", 3, {})
    for value in damaged:
        store.set("enqueued", value, START)
        assert chosen(store, bank) == [question.id for question in bank[-3:]]
