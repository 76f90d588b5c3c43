from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Attempt, Rating, Review
from autodrill.practice.study_report import study_report
from autodrill.render.plain import Paint
from autodrill.render.sparkline import bar, sparkline
from autodrill.render.stats_screen import csv_rows, lines

if TYPE_CHECKING:
    from autodrill.practice.study_report import StudyReport

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
TOPICS = {f"q:{n}": "higher-order-derivatives" for n in range(9)} | {"x:mul_broadcast_backward": "broadcasting"}


def report(*, many: bool = True) -> StudyReport:
    reviews = [
        Review(1, f"q:{n}", NOW - timedelta(days=day, hours=n), Rating.GOOD if n else Rating.AGAIN, {})
        for day in ((90, 60, 20) if many else (3,))
        for n in range(9)
    ]
    reviews.sort(key=lambda review: review.at)
    attempts = [
        Attempt(
            n,
            "mul_broadcast_backward" if n < 3 else "flash_attention_backward_with_a_long_name",
            NOW - timedelta(days=30, minutes=60 - n * 7),
            "fail",
            None,
            "",
            "",
            {"rule": "not-summed" if n % 2 else "a-rule-of-one-exercise-with-a-very-long-key-of-its-own"},
        )
        for n in range(1, 7 if many else 1)
    ]
    return study_report(reviews, attempts, TOPICS, NOW, zone=UTC)


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("plain", [True, False])
def test_stats_fit_the_screen(width: int, *, plain: bool) -> None:
    shown = list(lines(report(), Paint(on=False), width, plain=plain))
    assert max(map(len, shown)) <= width
    assert len(shown) <= 24
    assert not plain or all(line.isascii() for line in shown)


def test_stats_begin_with_what_to_work_on() -> None:
    text = "\n".join(lines(report(), Paint(on=False), 80, plain=False))
    order = ["recall 0.89, predicted 0.", "weakest rules", "2 of 2 exercises", "weakest topics", "cards due", "by day"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "next: autodrill watch" not in text.splitlines()[0]
    assert text.splitlines()[-2].startswith("next: autodrill ")


def test_stats_of_a_small_log_give_no_share() -> None:
    text = "\n".join(lines(report(many=False), Paint(on=False), 80, plain=False))
    assert "0 reviews so far, recall needs 10" in text
    assert "none has 10 reviews of known cards yet" in text
    assert "no exercise is tried yet" in text
    assert "0.0" not in text


def test_csv_has_a_row_for_every_figure() -> None:
    rows = list(csv_rows(report().as_json()))
    assert rows[0] == ("table", "name", "measure", "value")
    assert ("recall", "", "reviews", 18) in rows
    assert ("topics", "higher-order-derivatives", "recalled", 16) in rows
    assert ("rules", "broadcast axes not summed", "exercises_by_week[1]", 2) in rows
    assert ("due", "", "next_30_days", report().due.month) in rows
    assert ("days", "2026-11-23", "entries", 0) in rows


def test_csv_leaves_an_unknown_share_empty() -> None:
    assert ("recall", "", "observed_recall", "") in list(csv_rows(report(many=False).as_json()))


def test_sparkline_tells_0_from_the_smallest_number() -> None:
    assert sparkline([0, 1, 500, 1000], plain=False) == "·▁▄█"
    assert sparkline([0, 1, 500, 1000], plain=True) == "._=#"
    assert sparkline([0, 3], plain=False, most=6) == "·▄"
    assert sparkline([], plain=False) == ""


def test_bar_is_filled_to_the_share() -> None:
    assert [bar(share, 4, plain=True) for share in (0.0, 0.5, 1.0)] == ["....", "##..", "####"]
