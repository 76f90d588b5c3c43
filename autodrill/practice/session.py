"""The choice of questions for a quiz session, and their order."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from autodrill.errors import UnknownNameError
from autodrill.practice.log_records import exercise_card, question_card

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from autodrill.bank.questions import Difficulty, Kind, Question
    from autodrill.drills.exercise import Heading
    from autodrill.practice.schedule import Schedule

__all__ = ["Filter", "choose", "interleaved", "with_exercises"]

_Card = TypeVar("_Card", bound="Question | Heading")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of questions; an empty set admits every value.

    Attributes:
        topics: Admitted topics. Any topic of a question counts, not only its home topic.
        difficulties: Admitted difficulties.
        kinds: Admitted kinds.
    """

    topics: AbstractSet[str] = field(default_factory=frozenset)
    difficulties: AbstractSet[Difficulty] = field(default_factory=frozenset)
    kinds: AbstractSet[Kind] = field(default_factory=frozenset)

    @property
    def admits_all(self) -> bool:
        """Whether the filter admits every question."""
        return not (self.topics or self.difficulties or self.kinds)

    def admits(self, question: Question) -> bool:
        """Say whether the filter admits a question."""
        return (
            (not self.topics or not self.topics.isdisjoint(question.topics))
            and (not self.difficulties or question.difficulty in self.difficulties)
            and (not self.kinds or question.kind in self.kinds)
        )


def choose(
    questions: Sequence[Question],
    schedule: Schedule,
    now: datetime,
    *,
    only: Filter | None = None,
    limit: int | None = None,
    seed: int | None = None,
    ahead: bool = False,
    excused: AbstractSet[str] = frozenset(),
    most_due: int | None = None,
    most_new: int | None = None,
) -> tuple[Question, ...]:
    """Choose the questions to ask: due ones first, the longest overdue before others, then new ones.

    Due questions of one topic are kept apart if possible. New questions come in the bank's order, or shuffled by
    `seed`. Removing questions does not change the order of the rest, so an interrupted session continues where it
    stopped.

    Args:
        questions: The bank.
        schedule: The schedule of the learner's cards.
        now: The time, with a time zone.
        only: The filter.
        limit: The maximal number of questions.
        seed: Shuffles the new questions.
        ahead: Whether to append cards that are not due yet, by due date, and then the excused questions.
        excused: Ids of new questions that the learner can skip.
        most_due: The maximal number of due questions.
        most_new: The maximal number of new questions.

    Raises:
        UnknownNameError: No question has one of the topics.
    """
    only = only or Filter()
    _refuse_unknown_topics(questions, only)
    admitted = {question_card(q.id): q for q in questions if only.admits(q)}
    due = [admitted[state.card] for state in schedule.due(now) if state.card in admitted]
    unseen = [question for card, question in admitted.items() if schedule.state(card) is None]
    new = [question for question in unseen if question.id not in excused]
    if seed is not None:
        # Each question has its own sort key, so removing one does not reorder the others.
        new.sort(key=lambda q: random.Random(f"{seed}:{q.id}").random())  # noqa: S311 - an order, not a secret
    later: list[Question] = []
    if ahead:
        waiting = sorted((s for s in schedule.states() if s.due > now), key=lambda s: (s.due, s.card))
        later = [admitted[state.card] for state in waiting if state.card in admitted]
        later += [question for question in unseen if question.id in excused]

    due = due[:most_due][:limit]
    chosen = interleaved(due)
    new = new[:most_new][: None if limit is None else limit - len(chosen)]
    # The bank's order is an order for learning, topic by topic, and stays. A shuffle can be interleaved.
    chosen += new if seed is None else interleaved(new, after=chosen[-1].home_topic if chosen else None)
    later = later[: None if limit is None else limit - len(chosen)]
    return (*chosen, *later)


def with_exercises(
    chosen: Sequence[Question],
    exercises: Sequence[Heading],
    schedule: Schedule,
    now: datetime,
    *,
    limit: int | None = None,
    most_due: int | None = None,
) -> tuple[Question | Heading, ...]:
    """Put the due ones of some exercises among the due ones of the chosen questions, by topic.

    Args:
        chosen: The questions, from `choose`.
        exercises: The exercises to consider.
        schedule: The schedule of the learner's cards.
        now: The time, with a time zone.
        limit: The maximal number of cards.
        most_due: The maximal number of due cards.
    """
    by_card: dict[str, Question | Heading] = {question_card(q.id): q for q in chosen}
    by_card |= {exercise_card(e.id): e for e in exercises}
    due = [by_card[state.card] for state in schedule.due(now) if state.card in by_card]
    rest = [question for question in chosen if question not in due]
    return (*interleaved(due[:most_due]), *rest)[:limit]


def interleaved(questions: Sequence[_Card], *, after: str | None = None) -> list[_Card]:
    """Reorder cards so that as few neighbours as possible share a home topic; otherwise the order stays.

    Args:
        questions: The cards in the preferred order.
        after: The home topic of the card before the first.
    """
    remaining = list(questions)
    counts = Counter(question.topics[0] for question in remaining)
    order: list[_Card] = []
    while remaining:
        topic, most = max(counts.items(), key=lambda item: (item[1], item[0] != after))
        if topic != after and 2 * most > len(remaining):
            # More than half of the rest has this topic. Put off any longer, two of its questions become neighbours.
            at = next(i for i, question in enumerate(remaining) if question.topics[0] == topic)
        else:
            at = next((i for i, question in enumerate(remaining) if question.topics[0] != after), 0)
        question = remaining.pop(at)
        after = question.topics[0]
        counts[after] -= 1
        order.append(question)
    return order


def _refuse_unknown_topics(questions: Sequence[Question], only: Filter) -> None:
    known = {topic for question in questions for topic in question.topics}
    for topic in sorted(only.topics - known):
        from difflib import get_close_matches

        hint = None if get_close_matches(topic, known) else f"use one of {', '.join(sorted(known))}"
        raise UnknownNameError("topic", topic, get_close_matches(topic, sorted(known)), hint=hint)
