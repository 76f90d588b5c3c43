"""The shipped paths name shipped questions and exercises, in an order that respects prerequisites."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.curriculum import load_curriculum, misplaced
from autodrill.bank.question_files import load_questions
from autodrill.drills.library import Library
from autodrill.drills.tracks import load_tracks

if TYPE_CHECKING:
    from autodrill.bank.curriculum import Curriculum


@cache
def curriculum() -> Curriculum:
    return load_curriculum(bank=load_questions(), exercises=Library.open(environ={}).headings())


def test_shipped_paths_and_prerequisites_are_consistent() -> None:
    assert set(curriculum().paths) >= {"night-before", "one-week", "gpu-systems", "research-scientist"}


def test_bank_order_respects_prerequisites() -> None:
    assert list(misplaced([question.id for question in load_questions()], curriculum().questions)) == []


def test_every_path_has_an_exercise() -> None:
    assert [name for name, path in curriculum().paths.items() if not any(s.is_exercise for s in path.steps)] == []


@pytest.mark.parametrize(("name", "hours"), [("night-before", 3), ("one-week", 7 * 100 / 60)])
def test_path_keeps_to_its_time(name: str, hours: float) -> None:
    minutes = {question.id: question.minutes for question in load_questions()}
    minutes |= {f"x:{exercise.id}": exercise.minutes for exercise in Library.open(environ={}).headings()}
    assert sum(minutes[str(step)] for step in curriculum().paths[name].steps) <= 60 * hours


def test_questions_and_exercises_share_one_list_of_topics() -> None:
    known = set(curriculum().topics)
    of_questions = {topic for question in load_questions() for topic in question.topics}
    of_exercises = {topic for exercise in Library.open(environ={}).headings() for topic in exercise.topics}
    assert of_questions == known
    assert of_exercises - known == set()


def test_tracks_are_listed_in_an_order_that_respects_requires() -> None:
    library = Library.open(environ={})
    exercises = {exercise.id: exercise for exercise in library.headings()}
    order = list(load_tracks(library.roots))
    assert {exercise.track for exercise in exercises.values()} == set(order)
    late = [
        f"{exercise.id} requires {needed}"
        for exercise in exercises.values()
        for needed in exercise.requires
        if order.index(exercises[needed].track) > order.index(exercise.track)
    ]
    assert late == []


def test_goals_of_tracks_are_sentences_of_one_line() -> None:
    goals = [track.goal for track in load_tracks(Library.open(environ={}).roots).values()]
    assert [goal for goal in goals if not (goal.startswith("You can ") and goal.endswith(".") and len(goal) < 66)] == []
