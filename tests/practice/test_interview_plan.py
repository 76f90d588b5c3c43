"""The plan of an interview, over the bank and the exercises that ship."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import Difficulty, FollowUp, Question
from autodrill.drills.library import Library
from autodrill.practice.interview_plan import (
    LENGTHS,
    ROLES,
    Form,
    Level,
    Plan,
    Role,
    Step,
    asking_minutes,
    follow_up,
    make_plan,
    share_mentioned,
)

if TYPE_CHECKING:
    from autodrill.drills.exercise import Heading

SEEDS = range(12)


@cache
def content() -> tuple[list[Question], list[Heading]]:
    return list(load_questions()), Library.open().headings()


def planned(
    role: Role, level: Level = Level.MID, minutes: int = 30, seed: int = 1, recent: frozenset[str] = frozenset()
) -> Plan:
    return make_plan(*content(), role, level, minutes, seed, recent)


def asked(plan: Plan, form: Form = Form.QUESTION) -> list[Step]:
    return [step for step in plan.steps if step.form is form]


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("minutes", LENGTHS)
def test_plan_fits_the_time_the_role_and_the_level(role: Role, level: Level, minutes: int) -> None:
    levels = {Level.JUNIOR: {Difficulty.HARD}, Level.MID: set[Difficulty](), Level.SENIOR: {Difficulty.EASY}}
    bank = {question.id: question for question in content()[0]}
    tracks = {heading.id: heading.track for heading in content()[1]}
    for seed in SEEDS:
        plan = planned(role, level, minutes, seed)
        questions, code = asked(plan), asked(plan, Form.EXERCISE)
        assert 0.7 * minutes <= sum(step.minutes for step in plan.steps) <= 0.9 * minutes
        assert len({step.id for step in plan.steps}) == len(plan.steps)
        assert {step.topic for step in questions} <= ROLES[role].topics.keys()
        assert ROLES[role].core & {step.topic for step in questions}
        assert not levels[level] & {bank[step.id].difficulty for step in questions}
        assert len(code) == (minutes > 15)
        assert all(tracks[step.id] in ROLES[role].tracks for step in code)


def test_plan_asks_a_topic_again_only_if_no_other_has_the_time() -> None:
    role = Role.RESEARCH_ENGINEER
    for seed in SEEDS:
        steps = asked(planned(role, minutes=45, seed=seed))
        topics = {step.topic for step in steps}
        of_topics = [[step.minutes for step in steps if step.topic == topic] for topic in topics]
        again = [min(minutes) for minutes in of_topics if len(minutes) > 1]
        unasked = [asking_minutes(q) for q in content()[0] if q.home_topic in ROLES[role].topics.keys() - topics]
        assert max(again, default=0) < min(unasked, default=60)


def test_plan_is_a_function_of_its_seed() -> None:
    assert planned(Role.POST_TRAINING, seed=5) == planned(Role.POST_TRAINING, seed=5)
    assert len({planned(Role.POST_TRAINING, seed=seed).steps for seed in SEEDS}) == len(SEEDS)


def test_plan_does_not_depend_on_the_order_of_the_bank() -> None:
    bank, exercises = content()
    plan = make_plan(bank[::-1], exercises[::-1], Role.GPU_SYSTEMS, Level.MID, 45, 3)
    assert plan == planned(Role.GPU_SYSTEMS, minutes=45, seed=3)


def test_plan_begins_easy_with_code_in_the_middle() -> None:
    bank = {question.id: question for question in content()[0]}
    plan = planned(Role.RESEARCH_SCIENTIST, minutes=45)
    ranks = [list(Difficulty).index(bank[step.id].difficulty) for step in asked(plan)]
    assert ranks == sorted(ranks)
    at = next(i for i, step in enumerate(plan.steps) if step.form is Form.EXERCISE)
    assert abs(at - len(plan.steps) // 2) <= 1


@pytest.mark.parametrize("role", Role)
def test_plan_repeats_nothing_of_recent_interviews(role: Role) -> None:
    recent: frozenset[str] = frozenset()
    for seed in range(5):
        plan = planned(role, minutes=30, seed=seed, recent=recent)
        new = {step.id for step in plan.steps}
        assert not new & recent
        recent |= new


def test_plan_repeats_questions_if_nothing_else_is_left() -> None:
    every = frozenset(question.id for question in content()[0])
    plan = planned(Role.RESEARCH_ENGINEER, recent=every)
    assert sum(step.minutes for step in plan.steps) >= 0.7 * 30


def test_plan_without_exercises_asks_more_questions() -> None:
    plan = make_plan(content()[0], [], Role.GPU_SYSTEMS, Level.MID, 30, 1)
    assert len(asked(plan)) == len(plan.steps)
    assert sum(step.minutes for step in plan.steps) >= 0.7 * 30


def test_plan_survives_json() -> None:
    plan = planned(Role.RESEARCH_ENGINEER)
    assert Plan.from_json(plan.as_json()) == plan


def test_roles_name_topics_and_tracks_that_exist() -> None:
    bank, exercises = content()
    topics, tracks = {question.home_topic for question in bank}, {heading.track for heading in exercises}
    for emphasis in ROLES.values():
        assert emphasis.topics.keys() <= topics
        assert set(emphasis.tracks) <= tracks


def test_asking_minutes_leave_out_the_answer() -> None:
    assert all(0.5 <= asking_minutes(question) <= question.minutes for question in content()[0])


@pytest.mark.parametrize(
    ("typed", "share"),
    [
        ("", 0.0),
        ("the variance grows with d", 0.5),
        ("Variance grows; a saturated `softmax` gives a vanishing jacobian", 1.0),
    ],
)
def test_share_mentioned_counts_points_by_their_words(typed: str, share: float) -> None:
    points = ["the variance of the scores grows", "a saturated `softmax` has a vanishing Jacobian"]
    assert share_mentioned(points, typed) == share


def with_follow_up(identity: str, topic: str) -> tuple[Question, Step]:
    question = replace(content()[0][0], id=identity, topics=(topic,), follow_ups=(FollowUp(f"and {identity}?", "so"),))
    return question, Step(Form.QUESTION, identity, identity, topic, "recall", 3.0)


def test_follow_up_is_about_the_weakest_answer() -> None:
    pairs = [with_follow_up("a", "graph"), with_follow_up("b", "modes"), with_follow_up("c", "modes")]
    bank, steps = [question for question, _ in pairs], [step for _, step in pairs]
    scores = {"a": 0.5, "b": 1.0, "c": 0.2}
    first = follow_up(steps, scores, bank, 1)
    assert first is not None
    assert (first.form, first.id, first.title) == (Form.FOLLOW_UP, "a", "and a?")
    second = follow_up([*steps, first], scores, bank, 1)
    assert second is not None
    assert second.id == "c"


def test_follow_up_comes_after_a_right_answer_too() -> None:
    question, step = with_follow_up("a", "graph")
    found = follow_up([step], {"a": 1.0}, [question], 1)
    assert found is not None
    assert follow_up([step, found], {"a": 1.0}, [question], 1) is None
    assert follow_up([step], {}, [question], 1) is None
