from __future__ import annotations

from datetime import UTC, datetime, timedelta

from autodrill.practice.broken_rules import broken_rules
from autodrill.practice.log_records import Attempt

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


class Log:
    """A log of attempts, each some days ago."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []

    def add(self, exercise: str, days: float, rule: str = "", verdict: str = "fail") -> Log:
        detail = {"fault": "value", "rule": rule, "because": f"it is {rule}"} if rule else {}
        number = len(self.attempts) + 1
        at = NOW - timedelta(days=days)
        self.attempts.append(Attempt(number, exercise, at, verdict, None, "", "", detail))
        return self


def test_broken_rules_of_a_log_counted_by_hand() -> None:
    log = Log().add("sum", 50, "not-summed").add("sum", 40, "not-summed").add("mul", 15, "no-unbroadcast")
    log.add("mul", 15, "no-unbroadcast").add("mul", 14, verdict="pass").add("tanh", 1, "negated").add("pow", 0)
    summed, sign = broken_rules(log.attempts, NOW)
    assert (summed.name, summed.exercises, summed.tried, summed.attempts) == ("broadcast axes not summed", 2, 4, 3)
    assert summed.weeks == (1, 0, 0, 1, 0, 0)
    assert (summed.last, summed.passed, summed.because) == ("mul", True, "it is no-unbroadcast")
    assert (sign.name, sign.exercises, sign.last, sign.passed) == ("wrong sign", 1, "tanh", False)
    assert sign.weeks == (0, 0, 0, 0, 0, 1)


def test_broken_rule_counts_an_exercise_once_a_week() -> None:
    log = Log()
    for hours in range(20, 0, -1):
        log.add("mul", hours / 24, "negated")
    (rule,) = broken_rules(log.attempts, NOW)
    assert (rule.exercises, rule.attempts, rule.weeks[-1]) == (1, 20, 1)


def test_broken_rule_of_one_exercise_is_named_by_its_key() -> None:
    (rule,) = broken_rules(Log().add("gelu", 1, "erf-of-everything").attempts, NOW)
    assert rule.name == "erf of everything"


def test_attempts_without_a_rule_or_too_old_break_none() -> None:
    assert broken_rules(Log().add("mul", 43, "negated").add("mul", 1).attempts, NOW) == []


def test_broken_rules_survive_a_clock_that_was_ahead() -> None:
    (rule,) = broken_rules(Log().add("mul", -100, "negated").attempts, NOW)
    assert rule.weeks[-1] == 1
