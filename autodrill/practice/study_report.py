"""The statistics of a learner's log, and the one command to type next."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.practice.broken_rules import broken_rules
from autodrill.practice.log_records import exercise_card
from autodrill.practice.recall_rates import rate, rates, recalls
from autodrill.practice.schedule import Schedule
from autodrill.practice.workload import by_day, forecast, passings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import date, datetime, tzinfo

    from autodrill.practice.broken_rules import BrokenRule
    from autodrill.practice.log_records import Attempt, Review
    from autodrill.practice.recall_rates import Rate
    from autodrill.practice.workload import Forecast, Passing

__all__ = ["StudyReport", "study_report"]

_MISCALIBRATED = 0.05
"""A topic remembered this much less often than predicted deserves a session of its own."""


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The statistics of a log.

    Attributes:
        topic: The topic that is counted; empty for all topics.
        overall: The recall of all cards.
        topics: The recall by topic, the weakest first.
        rules: The rules broken in the last weeks, those broken in most exercises first.
        tried: The number of exercises ever tried.
        passings: The way to the first pass of each exercise, the longest first.
        due: The number of cards due by day.
        days: The number of reviews and attempts on each day since the first, today at the end.
        next: The words after `autodrill` to type next.
    """

    topic: str
    overall: Rate
    topics: tuple[Rate, ...]
    rules: tuple[BrokenRule, ...]
    tried: int
    passings: tuple[Passing, ...]
    due: Forecast
    days: tuple[tuple[date, int], ...]
    next: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing is logged."""
        return not self.days

    @property
    def command(self) -> str:
        """The command to type next."""
        return shlex.join(("autodrill", *self.next))

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values, as fields of a document."""
        return {
            "topic": self.topic or None,
            "recall": self.overall.as_json() | {"topic": None},
            "topics": [each.as_json() for each in self.topics],
            "rules": [rule.as_json() for rule in self.rules],
            "exercises": [passing.as_json() for passing in self.passings],
            "due": self.due.as_json(),
            "days": [{"day": day.isoformat(), "entries": count} for day, count in self.days],
            "next": self.command,
        }


def study_report(
    reviews: Sequence[Review],
    attempts: Sequence[Attempt],
    topics: Mapping[str, str],
    now: datetime,
    *,
    topic: str = "",
    zone: tzinfo | None = None,
    weights: Sequence[float] | None = None,
) -> StudyReport:
    """Return the statistics of a log.

    Args:
        reviews: The reviews that are not undone, oldest first.
        attempts: The attempts, oldest first.
        topics: The topic of each card of the bank. A card that the bank no longer has cannot be asked, so it is not
            due; its reviews count.
        now: The time.
        topic: Counts only the cards of this topic.
        zone: The time zone of the learner's days; by default that of the machine.
        weights: The weights of FSRS-6, if they were fitted to the learner.
    """
    if topic:
        reviews = [r for r in reviews if topics.get(r.card) == topic]
        attempts = [a for a in attempts if topics.get(exercise_card(a.exercise)) == topic]
    schedule = Schedule(reviews, now, weights)
    found = recalls(reviews, schedule)
    waiting = {state.card: state.due for state in schedule.states() if state.card in topics}
    due = {card for card, at in waiting.items() if at <= now}
    by_topic, rules = rates(found, topics), broken_rules(attempts, now)
    return StudyReport(
        topic=topic,
        overall=rate(found),
        topics=tuple(by_topic),
        rules=tuple(rules),
        tried=len({a.exercise for a in attempts}),
        passings=tuple(passings(attempts)),
        due=forecast(waiting.values(), now, zone),
        days=tuple(by_day([*(r.at for r in reviews), *(a.at for a in attempts)], now, zone)),
        next=_next(rules, by_topic, due, topics, topic),
    )


def _next(
    rules: list[BrokenRule], by_topic: list[Rate], due: AbstractSet[str], topics: Mapping[str, str], topic: str
) -> tuple[str, ...]:
    """Return the command that helps most.

    A rule that is broken again and again comes first, then a topic that is forgotten more often than predicted, then
    what is due.

    Args:
        rules: The broken rules.
        by_topic: The recall by topic.
        due: The due cards.
        topics: The topic of each card of the bank.
        topic: The only topic counted, or an empty string.
    """
    for rule in rules:
        if rule.exercises > 1 and not rule.passed and exercise_card(rule.last) in topics:
            return ("watch", rule.last)
    questions = {of for card, of in topics.items() if card.startswith("q:")}
    asked = {topics[card] for card in due if card.startswith("q:")}
    for each in by_topic:
        if each.observed is None or each.predicted is None:
            break
        if each.topic in asked and each.observed < each.predicted - _MISCALIBRATED:
            return ("quiz", "--topic", each.topic)
    if topic:
        return ("quiz" if topic in questions else "list", "--topic", topic)
    if asked or not due:
        return ("quiz",)
    return ("next",) if any(card.startswith("x:") for card in due) else ("predict",)
