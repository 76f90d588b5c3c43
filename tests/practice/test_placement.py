from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.curriculum import Curriculum, load_curriculum
from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import ChoiceKey, Difficulty, Kind, NumericKey, Option, Question
from autodrill.practice.placement import ENOUGH, FALSE_KNOWN, FALSE_UNKNOWN, GUESS, MOST, SLIP, Placement, Unit, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[..., Question]

EASY, MEDIUM, HARD = Difficulty
TOPICS = Curriculum({"graph": (), "modes": ("graph",), "jax": ("modes",), "conv": ()}, {}, {})
NUMBER = NumericKey({"x": "1"}, {"x": 1.0}, 1e-3)


@pytest.fixture
def bank(ask: Ask) -> list[Question]:
    """Five typed questions of each topic and difficulty, and a recall question, which cannot be judged."""
    return [
        replace(ask(f"{topic}-{level}-{n}", topic, difficulty=level, kind=Kind.NUMERIC), key=NUMBER if n else None)
        for topic in TOPICS.topics
        for level in Difficulty
        for n in range(6)
    ]


def taken(placement: Placement, knows: Callable[[Question], bool]) -> list[Question]:
    asked = []
    while (question := placement.next()) is not None:
        asked.append(question)
        placement.answer(question, right=knows(question))
    return asked


def verdicts(placement: Placement) -> dict[Unit, Verdict]:
    return {finding.unit: finding.verdict for finding in placement.findings}


def test_right_answers_excuse_the_whole_bank(bank: list[Question]) -> None:
    placement = Placement(bank, TOPICS)
    asked = taken(placement, lambda question: True)
    assert len(asked) <= MOST
    assert placement.excused == {question.id for question in bank}, "recall questions of a known unit too"


def test_wrong_answers_end_the_placement_early(bank: list[Question]) -> None:
    placement = Placement(bank, TOPICS)
    assert len(taken(placement, lambda question: False)) <= ENOUGH
    assert placement.excused == set()


def test_shipped_bank_is_placed_in_twenty_questions() -> None:
    placement = Placement(load_questions(), load_curriculum())
    asked = taken(placement, lambda question: question.difficulty is not HARD)
    assert len(asked) <= MOST == 20
    assert all(question.key for question in asked)
    known = {question.id for question in placement.bank if question.difficulty is not HARD}
    assert placement.excused < known
    assert len(placement.excused) > len(known) / 4


def test_single_topic_is_placed_by_its_own_questions(bank: list[Question]) -> None:
    placement = Placement(bank, TOPICS, {"modes"})
    asked = taken(placement, lambda question: question.difficulty is EASY)
    assert {question.home_topic for question in asked} == {"modes"}
    assert verdicts(placement) == {
        Unit("modes", EASY): Verdict.KNOWN,
        Unit("modes", MEDIUM): Verdict.UNKNOWN,
        Unit("modes", HARD): Verdict.UNKNOWN,
    }


def settled(bank: list[Question], unit: Unit, *, right: bool) -> dict[Unit, Verdict]:
    """The verdicts that follow from answers to one unit alone."""
    placement = Placement(bank, TOPICS)
    for question in bank:
        finding = next(f for f in placement.findings if f.unit == unit)
        if question.key and (question.home_topic, question.difficulty) == (unit.topic, unit.difficulty):
            if finding.verdict is not Verdict.OPEN:
                break
            placement.answer(question, right=right)
    return verdicts(placement)


def test_known_unit_implies_its_prerequisites(bank: list[Question]) -> None:
    found = settled(bank, Unit("modes", MEDIUM), right=True)
    assert {unit for unit, verdict in found.items() if verdict is Verdict.KNOWN} == {
        Unit("modes", MEDIUM),
        Unit("modes", EASY),
        Unit("graph", EASY),
    }
    assert Verdict.UNKNOWN not in found.values()


def test_unknown_unit_implies_its_dependents(bank: list[Question]) -> None:
    found = settled(bank, Unit("modes", EASY), right=False)
    assert {unit for unit, verdict in found.items() if verdict is Verdict.UNKNOWN} == {
        *(Unit("modes", level) for level in Difficulty),
        Unit("jax", MEDIUM),
        Unit("jax", HARD),
    }
    assert Verdict.KNOWN not in found.values()


def test_typed_answers_count_more_than_choices(ask: Ask) -> None:
    three = ChoiceKey(tuple(Option(str(n), n == 0, None) for n in range(3)))
    for key, needed in ((NUMBER, 2), (three, 3)):
        bank = [replace(ask(str(n), kind=Kind.NUMERIC), key=key) for n in range(6)]
        assert len(taken(Placement(bank, TOPICS), lambda question: True)) == needed


def test_unit_with_too_few_judged_questions_is_left_out(ask: Ask) -> None:
    bank = [replace(ask("only", kind=Kind.NUMERIC), key=NUMBER), ask("recall")]
    assert Placement(bank, TOPICS).next() is None


def test_questions_seen_before_are_asked_last(bank: list[Question]) -> None:
    first = Placement(bank, TOPICS).next()
    assert first is not None
    assert Placement(bank, TOPICS, seen={first.id}).next() != first


def test_skipped_question_is_not_evidence(bank: list[Question]) -> None:
    placement = Placement(bank, TOPICS)
    question = placement.next()
    assert question is not None
    placement.pass_over(question)
    following = placement.next()
    assert following is not None
    assert following.id != question.id
    assert placement.answered == {}


def test_wrong_answer_is_not_excused_with_its_unit(bank: list[Question]) -> None:
    placement = Placement(bank, TOPICS, {"graph"})
    first, *answers = None, True, False, True, True
    for right in answers:
        question = placement.next()
        assert question is not None
        first = question if not right else first
        placement.answer(question, right=right)
    assert first is not None
    assert verdicts(placement)[Unit("graph", first.difficulty)] is Verdict.KNOWN
    assert first.id not in placement.excused


@pytest.mark.parametrize(
    ("right", "wrong_verdict", "bound"),
    [(GUESS, Verdict.KNOWN, FALSE_KNOWN), (1 - SLIP, Verdict.UNKNOWN, FALSE_UNKNOWN)],
)
def test_error_rates_stay_within_their_bounds(ask: Ask, right: float, wrong_verdict: Verdict, bound: float) -> None:
    rng, runs = random.Random(0), 4000
    bank = [replace(ask(str(n), kind=Kind.NUMERIC), key=NUMBER) for n in range(40)]
    errors = 0
    for _ in range(runs):
        placement = Placement(bank, TOPICS, most=40)
        taken(placement, lambda question: rng.random() < right)
        errors += verdicts(placement)[Unit("graph", EASY)] is wrong_verdict
    # Wald's bounds are α / (1 - β) and β / (1 - α). Add three standard deviations for 4,000 runs.
    limit = bound / (1 - (FALSE_UNKNOWN if bound == FALSE_KNOWN else FALSE_KNOWN))
    assert errors / runs <= limit + 3 * (limit * (1 - limit) / runs) ** 0.5
