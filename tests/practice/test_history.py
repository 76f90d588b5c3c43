from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from autodrill.practice.history import entries
from autodrill.practice.log_records import Attempt, Rating, Review

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def review(card: str, hours: int, detail: Mapping[str, Any]) -> Review:
    return Review(1, card, NOW + timedelta(hours=hours), Rating.HARD, detail)


def test_entries_are_sorted_by_date_and_filtered_by_id() -> None:
    reviews = [review("q:fork", 3, {}), review("q:join", 1, {}), review("x:mul", 2, {"hints": 0})]
    attempts = [Attempt(1, "mul", NOW, "fail", None, "", "", {"rule": "sign"})]
    assert [(e.id, e.what) for e in entries(reviews, attempts)] == [
        ("mul", "fail"),
        ("join", "Hard"),
        ("mul", "Hard"),
        ("fork", "Hard"),
    ]
    assert [(e.what, e.rule) for e in entries(reviews, attempts, "mul")] == [("fail", "sign"), ("Hard", "")]


def test_entry_has_what_was_typed_and_missed() -> None:
    typed = {"answers": [{"label": "a", "text": "3"}, {"label": "b", "text": "4"}], "right": [True, False]}
    (judged,) = entries([review("q:fork", 0, {**typed, "seconds": 12.0})], [])
    assert (judged.typed, judged.made, judged.seconds) == ((("a", "3", True), ("b", "4", False)), None, 12.0)
    ticked = {"ticked": [0, 3], "points": 5, "needed": 3, "missed": ["two", "three"]}
    (recalled,) = entries([review("q:fork", 0, ticked)], [])
    assert (recalled.made, recalled.missed) == ((1, 3), ("two", "three"))


def test_entry_of_an_older_log_counts_all_points() -> None:
    (old,) = entries([review("q:fork", 0, {"ticked": [0, 3], "points": 5})], [])
    assert old.made == (2, 5)
