from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autodrill.bank.questions import Difficulty, Kind
from autodrill.errors import UnknownNameError
from autodrill.practice.log_records import Rating, Review, question_card
from autodrill.practice.schedule import Schedule
from autodrill.practice.session import Filter, choose, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from autodrill.bank.questions import Question

    Day = Callable[[float], datetime]
    Ask = Callable[..., Question]


def rated(day: Day, **days: float) -> Schedule:
    """A schedule in which each card was rated Again on the given day, so it is due one day later."""
    return Schedule(
        Review(number, question_card(card), day(at), Rating.AGAIN, {}) for number, (card, at) in enumerate(days.items())
    )


def ids(questions: Sequence[Question]) -> str:
    return " ".join(question.id for question in questions)


def neighbours(questions: Sequence[Question]) -> int:
    return sum(a.home_topic == b.home_topic for a, b in pairwise(questions))


def test_due_cards_come_before_new_ones(ask: Ask, day: Day) -> None:
    bank = [ask(name, name) for name in "abcde"]
    schedule = rated(day, d=0, b=2, e=9)
    assert ids(choose(bank, schedule, day(5))) == "d b a c"


def test_cards_not_due_come_with_ahead_only(ask: Ask, day: Day) -> None:
    bank = [ask(name, name) for name in "abc"]
    schedule = rated(day, a=5, c=4)
    assert ids(choose(bank, schedule, day(4.5))) == "b"
    assert ids(choose(bank, schedule, day(4.5), ahead=True)) == "b c a"


def test_limit_keeps_the_longest_overdue(ask: Ask, day: Day) -> None:
    bank = [ask(name, "graph" if name in "ab" else name) for name in "abcd"]
    schedule = rated(day, a=0, b=1, c=2)
    assert ids(choose(bank, schedule, day(9), limit=2)) == "a b"
    assert ids(choose(bank, schedule, day(9), limit=4)) == "a c b d"


def test_due_neighbours_differ_in_topic(ask: Ask, day: Day) -> None:
    bank = [ask(f"k{i}", "kinks") for i in range(3)] + [ask(f"m{i}", "modes") for i in range(2)]
    schedule = rated(day, **{question.id: i for i, question in enumerate(bank)})
    assert ids(choose(bank, schedule, day(20))) == "k0 m0 k1 m1 k2"


def test_new_questions_keep_the_bank_order_without_a_seed(ask: Ask, day: Day) -> None:
    bank = [ask(name) for name in "cab"]
    assert ids(choose(bank, Schedule(), day(0))) == "c a b"


def test_seed_determines_the_order_of_new_questions(ask: Ask, day: Day) -> None:
    bank = [ask(name, name) for name in "abcdefgh"]
    first, again, other = (ids(choose(bank, Schedule(), day(0), seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert len({first, other, "a b c d e f g h"}) == 3


@pytest.mark.parametrize("seed", range(8))
def test_first_new_question_differs_in_topic_from_the_last_due(ask: Ask, day: Day, seed: int) -> None:
    bank = [ask("due", "kinks"), ask("new", "kinks"), ask("other", "modes")]
    assert ids(choose(bank, rated(day, due=0), day(9), seed=seed)) == "due other new"


def test_shuffled_session_continues_where_it_stopped(ask: Ask, day: Day) -> None:
    bank = [ask(name, name) for name in "abcdefgh"]
    order = [question.id for question in choose(bank, Schedule(), day(0), seed=3)]
    after_three = rated(day, **dict.fromkeys(order[:3], 0.0))
    assert [question.id for question in choose(bank, after_three, day(0.5), seed=3)] == order[3:]


def test_filters_narrow_by_topic_difficulty_and_kind(ask: Ask, day: Day) -> None:
    bank = [
        ask("a", "kinks", "engine"),
        ask("b", "engine", difficulty=Difficulty.HARD),
        ask("c", "modes", kind=Kind.NUMERIC),
    ]

    def found(**only: frozenset[str]) -> str:
        return ids(choose(bank, Schedule(), day(0), only=Filter(**only)))  # type: ignore[arg-type]  # three enums in one

    assert found(topics=frozenset({"engine"})) == "a b"
    assert found(difficulties=frozenset({Difficulty.HARD})) == "b"
    assert found(kinds=frozenset({Kind.NUMERIC, Kind.BUG})) == "c"
    assert found(topics=frozenset({"engine"}), difficulties=frozenset({Difficulty.EASY})) == "a"


def test_unknown_topic_suggests_the_nearest(ask: Ask, day: Day) -> None:
    with pytest.raises(UnknownNameError, match="no topic named `kink`") as caught:
        choose([ask("a", "kinks")], Schedule(), day(0), only=Filter(topics=frozenset({"kink"})))
    assert caught.value.suggestions == ("kinks",)


def test_unknown_topic_like_no_other_lists_all(ask: Ask, day: Day) -> None:
    with pytest.raises(UnknownNameError) as caught:
        choose([ask("a", "kinks", "engine")], Schedule(), day(0), only=Filter(topics=frozenset({"zzz"})))
    assert caught.value.hint == "use one of engine, kinks"


def test_session_skips_exercises_and_removed_questions(ask: Ask, day: Day) -> None:
    schedule = Schedule(
        [Review(1, "x:mul_backward", day(0), Rating.AGAIN, {}), Review(2, "q:gone", day(0), Rating.AGAIN, {})]
    )
    assert ids(choose([ask("a")], schedule, day(9), ahead=True)) == "a"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(topics=st.lists(st.sampled_from("pqrs"), max_size=14))
def test_interleaving_is_optimal_and_loses_nothing(ask: Ask, topics: list[str]) -> None:
    questions = [ask(str(number), topic) for number, topic in enumerate(topics)]
    mixed = interleaved(questions)
    assert Counter(question.id for question in mixed) == Counter(question.id for question in questions)
    most = max(Counter(topics).values(), default=0)
    # Cards of other topics separate those of the most frequent one. Only the excess may be neighbours.
    assert neighbours(mixed) == max(0, most - (len(topics) - most) - 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(topics=st.lists(st.sampled_from("pqrs"), max_size=14))
def test_interleaving_keeps_the_order_within_a_topic(ask: Ask, topics: list[str]) -> None:
    mixed = interleaved([ask(f"{number:02}", topic) for number, topic in enumerate(topics)])
    for topic in set(topics):
        own = [question.id for question in mixed if question.home_topic == topic]
        assert own == sorted(own)


def test_interleaving_respects_the_card_before(ask: Ask) -> None:
    assert ids(interleaved([ask("a", "p"), ask("b", "q")], after="p")) == "b a"


def test_excused_questions_come_last_and_with_ahead_only(ask: Ask, day: Day) -> None:
    bank = [ask("a"), ask("b"), ask("c")]
    assert [q.id for q in choose(bank, Schedule(), day(0), excused={"a"})] == ["b", "c"]
    assert [q.id for q in choose(bank, Schedule(), day(0), excused={"a"}, ahead=True)] == ["b", "c", "a"]
