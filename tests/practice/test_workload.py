from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from autodrill.practice.log_records import Attempt
from autodrill.practice.workload import by_day, forecast, passings

NOW = datetime(2026, 11, 23, 22, 30, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))


def days(*ahead: float) -> list[datetime]:
    return [NOW + timedelta(days=n) for n in ahead]


def attempt(number: int, exercise: str, minutes: float, verdict: str = "fail") -> Attempt:
    return Attempt(number, exercise, NOW + timedelta(minutes=minutes), verdict, None, "", "")


def test_forecast_counted_by_hand() -> None:
    due = forecast(days(-3, -0.5, 0.01, 0.5, 1.05, 6, 7, 29, 30), NOW, UTC)
    assert (due.overdue, due.today, due.tomorrow, due.week, due.month) == (1, 3, 2, 6, 8)
    assert due.as_json()["next_30_days"] == 8


def test_days_are_those_of_the_time_zone() -> None:
    evening = [NOW, NOW - timedelta(hours=1)]
    assert by_day(evening, NOW, UTC) == [(date(2026, 11, 23), 2)]
    assert by_day(evening, NOW, EAST) == [(date(2026, 11, 23), 1), (date(2026, 11, 24), 1)]
    assert forecast([NOW - timedelta(hours=1)], NOW, EAST).overdue == 1


def test_days_without_practice_count_0() -> None:
    assert [count for _, count in by_day(days(-3, -3, -1), NOW, UTC)] == [2, 0, 1, 0]
    assert by_day([], NOW, UTC) == []


def test_day_of_a_clock_that_was_ahead_is_today() -> None:
    assert by_day(days(400), NOW, UTC) == [(date(2026, 11, 23), 1)]


def test_passing_counts_tries_and_time_without_breaks() -> None:
    log = [attempt(1, "mul", 0), attempt(2, "tanh", 3), attempt(3, "mul", 10), attempt(4, "mul", 600)]
    log += [attempt(5, "mul", 605, "pass"), attempt(6, "mul", 610), attempt(7, "mul", 615, "pass")]
    mul, tanh = passings(log)
    assert (mul.exercise, mul.tries, mul.seconds, mul.passed) == ("mul", 4, 15 * 60, True)
    assert (tanh.exercise, tanh.tries, tanh.seconds, tanh.passed) == ("tanh", 1, 0, False)
