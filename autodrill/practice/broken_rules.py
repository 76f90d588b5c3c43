"""The rules that a learner's attempts break, counted over the last weeks."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from autodrill.practice.rule_names import rule_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from autodrill.practice.log_records import Attempt

__all__ = ["WEEKS", "BrokenRule", "broken_rules"]

WEEKS = 6
"""How many weeks are counted. A rule that was broken only before is a rule that was learnt."""


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One rule that attempts broke.

    Attributes:
        name: Its name for a reader. Several keys can share it.
        exercises: The number of exercises in which it was broken.
        tried: The number of exercises tried.
        attempts: The number of attempts that broke it.
        weeks: The number of exercises in which it was broken, for each week, the last one at the end.
        last: The exercise in which it was broken last.
        passed: Whether that exercise was passed afterwards.
        because: What the code did wrong in that attempt; empty if the log does not say.
    """

    name: str
    exercises: int
    tried: int
    attempts: int
    weeks: tuple[int, ...]
    last: str
    passed: bool
    because: str

    def as_json(self) -> dict[str, Any]:
        """Return the rule as JSON values."""
        return {
            "name": self.name,
            "exercises": self.exercises,
            "exercises_tried": self.tried,
            "attempts": self.attempts,
            "exercises_by_week": list(self.weeks),
            "last_exercise": self.last,
            "last_exercise_passed": self.passed,
            "because": self.because,
        }


def broken_rules(attempts: Iterable[Attempt], now: datetime) -> list[BrokenRule]:
    """Return the rules broken in the last `WEEKS` weeks, those broken in most exercises first.

    An exercise counts once however many of its attempts break the rule, because `watch` logs an attempt at each save.

    Args:
        attempts: The attempts, oldest first.
        now: The time.
    """
    recent = [a for a in attempts if a.at > now - timedelta(weeks=WEEKS)]
    tried = len({a.exercise for a in recent})
    last_pass = {a.exercise: a.id for a in recent if a.verdict == "pass"}
    breaking: defaultdict[str, list[Attempt]] = defaultdict(list)
    for attempt in recent:
        if key := attempt.detail.get("rule"):
            breaking[rule_name(key)].append(attempt)
    found = []
    for name, those in breaking.items():
        last = those[-1]
        weekly = Counter(week for week, _ in {(_weeks_ago(a.at, now), a.exercise) for a in those})
        found.append(
            BrokenRule(
                name=name,
                exercises=len({a.exercise for a in those}),
                tried=tried,
                attempts=len(those),
                weeks=tuple(weekly[week] for week in reversed(range(WEEKS))),
                last=last.exercise,
                passed=last_pass.get(last.exercise, 0) > last.id,
                because=last.detail.get("because", ""),
            )
        )
    return sorted(found, key=lambda rule: (-rule.exercises, -rule.attempts, rule.name))


def _weeks_ago(at: datetime, now: datetime) -> int:
    return max(0, (now - at) // timedelta(weeks=1))  # a clock that was ahead is now
