from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from autodrill.practice.log_records import Attempt, Rating, Review
from autodrill.practice.study_report import study_report

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
TOPICS = {"q:fork": "graph", "q:join": "graph", "q:relu": "kinks", "x:mul": "chain rule", "x:add": "graph"}


def review(card: str, days: float, rating: Rating = Rating.GOOD) -> Review:
    return Review(1, card, NOW - timedelta(days=days), rating, {})


def attempt(number: int, exercise: str, rule: str, verdict: str = "fail") -> Attempt:
    detail = {"rule": rule} if rule else {}
    return Attempt(number, exercise, NOW - timedelta(hours=100 - number), verdict, None, "", "", detail)


def forgotten(card: str) -> list[Review]:
    """Twelve reviews of a card that was known once and never again."""
    return [review(card, 50), *(review(card, 48 - 4 * n, Rating.AGAIN) for n in range(12))]


def test_next_is_the_exercise_that_breaks_the_weakest_rule() -> None:
    log = [attempt(1, "mul", "negated"), attempt(2, "add", "negated")]
    assert study_report([], log, TOPICS, NOW).next == ("watch", "add")
    passed = [*log, attempt(3, "add", "", "pass")]
    assert study_report([], passed, TOPICS, NOW).next == ("quiz",)
    of_a_pack = [attempt(1, "mul", "negated"), attempt(2, "gone", "negated")]
    assert study_report([], of_a_pack, TOPICS, NOW).next == ("quiz",)


def test_next_is_a_topic_recalled_less_than_predicted() -> None:
    log = [*forgotten("q:relu"), review("q:fork", 30)]
    assert study_report(log, [], TOPICS, NOW).command == "autodrill quiz --topic kinks"


def test_next_is_what_is_due() -> None:
    assert study_report([review("q:fork", 30)], [], TOPICS, NOW).next == ("quiz",)
    assert study_report([review("x:mul", 30)], [], TOPICS, NOW).next == ("next",)
    assert study_report([review("p:mul", 30)], [], {**TOPICS, "p:mul": "graph"}, NOW).next == ("predict",)
    assert study_report([], [], TOPICS, NOW).next == ("quiz",)


@pytest.mark.parametrize(("topic", "command"), [("graph", "quiz --topic graph"), ("chain rule", "list --topic 'chain")])
def test_next_stays_on_the_topic(topic: str, command: str) -> None:
    assert study_report([], [], TOPICS, NOW, topic=topic).command.startswith(f"autodrill {command}")


def test_report_of_a_topic_counts_only_its_cards() -> None:
    log, tried = [*forgotten("q:relu"), review("q:fork", 2)], [attempt(1, "mul", "negated"), attempt(2, "add", "sign")]
    report = study_report(log, tried, TOPICS, NOW, topic="graph", zone=UTC)
    assert (report.overall.reviews, report.tried, [r.last for r in report.rules]) == (0, 1, ["add"])
    assert sum(count for _, count in report.days) == 2


def test_card_that_the_bank_lost_is_not_due() -> None:
    report = study_report([review("q:gone", 30), review("q:fork", 30)], [], TOPICS, NOW, zone=UTC)
    assert (report.due.today, report.days[0][1]) == (1, 2)


def test_report_of_an_empty_log_is_empty() -> None:
    report = study_report([], [], TOPICS, NOW)
    assert (report.empty, report.topics, report.rules, report.due.month) == (True, (), (), 0)
    assert report.as_json()["recall"]["observed_recall"] is None
