"""A placement test: an adaptive test that finds with few questions what a learner already knows.

The test decides about units. A unit is the set of questions of one topic and one difficulty. Each answer is evidence
for one unit, weighed by Wald's sequential probability ratio test (A. Wald, Sequential Analysis, 1947). A learner who
knows the unit answers right with probability 1 - SLIP, one who does not with the probability of a lucky guess. Two
thresholds bound the error rates: an unknown unit is called known with probability FALSE_KNOWN, and a known unit is
called unknown with probability FALSE_UNKNOWN, both approximately.

A decision about one unit implies decisions about others, as in a knowledge space (Doignon & Falmagne, 1985). A known
unit implies the lower difficulties of its topic and of every topic that it needs. An unknown unit implies that all
units above it are unknown. The next question comes from the unit that decides the most questions in the worse of its
two outcomes, which is bisection in a partial order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from autodrill.bank.questions import ChoiceKey, Difficulty, Question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from autodrill.bank.curriculum import Curriculum

__all__ = ["ENOUGH", "FALSE_KNOWN", "FALSE_UNKNOWN", "GUESS", "MOST", "SLIP", "Finding", "Placement", "Unit", "Verdict"]

MOST = 20
"""The most questions a placement asks."""
ENOUGH = 6
"""The test ends after this many wrong answers in a row."""
SLIP = 0.1
"""The probability that a learner who knows the unit answers wrong."""
GUESS = 0.2
"""The probability that a learner who does not know the unit types a right answer. A choice among n options has 1/n."""
FALSE_KNOWN = 0.1
FALSE_UNKNOWN = 0.15
"""Larger than FALSE_KNOWN, because the error only costs some practice. One wrong answer then decides a unit."""

_KNOWN = math.log((1 - FALSE_UNKNOWN) / FALSE_KNOWN)
_UNKNOWN = math.log(FALSE_UNKNOWN / (1 - FALSE_KNOWN))
_LEVELS = tuple(Difficulty)


class Verdict(StrEnum):
    """The decision about a unit."""

    KNOWN = "known"
    UNKNOWN = "not known"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Unit:
    """The questions of one home topic and difficulty."""

    topic: str
    difficulty: Difficulty

    def __str__(self) -> str:
        return f"{self.topic} {self.difficulty}"


@dataclass(slots=True)
class Finding:
    """The evidence and the decision about one unit.

    Attributes:
        unit: The unit.
        verdict: The decision.
        right: The number of right answers.
        asked: The number of answers.
        because: The unit that implies the verdict; None if the unit was tested itself, or is open.
    """

    unit: Unit
    verdict: Verdict = Verdict.OPEN
    right: int = 0
    asked: int = 0
    because: Unit | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return {
            "topic": self.unit.topic,
            "difficulty": str(self.unit.difficulty),
            "verdict": str(self.verdict),
            "right": self.right,
            "asked": self.asked,
            "because": str(self.because) if self.because else None,
        }


@dataclass
class Placement:
    """One placement test: it returns the next question, takes the answer, and keeps the findings.

    Args:
        bank: Every question. The test asks only judged kinds, because it does not rely on self-ratings.
        curriculum: The topics that each topic needs.
        topics: Only these home topics; all if empty.
        seen: Ids of questions answered before, which are asked last.
        most: The maximal number of questions.
    """

    bank: Sequence[Question]
    curriculum: Curriculum
    topics: Collection[str] = ()
    seen: Collection[str] = ()
    most: int = MOST
    answered: dict[str, bool] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        admitted = [q for q in self.bank if not self.topics or q.home_topic in self.topics]
        self._in_unit: dict[Unit, list[Question]] = {}
        for question in admitted:
            self._in_unit.setdefault(_unit_of(question), []).append(question)
        self._findings = {unit: Finding(unit) for unit in self._in_unit}
        self._scores = dict.fromkeys(self._in_unit, 0.0)
        self._to_ask = {
            unit: sorted((q for q in questions if q.key is not None), key=lambda q: q.id in self.seen)
            for unit, questions in self._in_unit.items()
        }
        self._below = {unit: self._lower(unit) for unit in self._in_unit}
        self._above = {unit: [u for u in self._in_unit if unit in self._below[u]] for unit in self._in_unit}
        self._current: Unit | None = None

    def next(self) -> Question | None:
        """Return the next question, or None if the remaining questions cannot decide anything more."""
        last = list(self.answered.values())[-ENOUGH:]
        if len(self.answered) >= self.most or (len(last) == ENOUGH and not any(last)):
            return None
        if self._current is None or not self._can_decide(self._current):
            self._current = self._most_telling()
        return self._to_ask[self._current][0] if self._current else None

    def answer(self, question: Question, *, right: bool) -> None:
        """Record the answer to the question asked."""
        unit = _unit_of(question)
        self.pass_over(question)
        self.answered[question.id] = right
        finding = self._findings[unit]
        finding.asked += 1
        finding.right += right
        self._scores[unit] += _evidence(question, right=right)
        if self._scores[unit] >= _KNOWN:
            self._decide(unit, Verdict.KNOWN, self._below[unit])
        elif self._scores[unit] <= _UNKNOWN:
            self._decide(unit, Verdict.UNKNOWN, self._above[unit])

    def pass_over(self, question: Question) -> None:
        """Remove a question, so that it is not asked again."""
        self._to_ask[_unit_of(question)].remove(question)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The finding about every unit, in the bank's order."""
        return tuple(self._findings.values())

    @property
    def excused(self) -> frozenset[str]:
        """The questions that can be skipped: those of known units, without any that were answered wrong."""
        return frozenset(q for q in self._ids(Verdict.KNOWN) if self.answered.get(q, True))

    @property
    def unknown(self) -> frozenset[str]:
        """The questions of units that are not known."""
        return frozenset(self._ids(Verdict.UNKNOWN))

    def _ids(self, verdict: Verdict) -> Iterable[str]:
        return (q.id for unit, f in self._findings.items() if f.verdict is verdict for q in self._in_unit[unit])

    def _decide(self, unit: Unit, verdict: Verdict, following: Iterable[Unit]) -> None:
        self._findings[unit].verdict = verdict
        self._current = None
        for other in following:
            finding = self._findings[other]
            if finding.verdict is Verdict.OPEN:
                finding.verdict, finding.because = verdict, unit

    def _most_telling(self) -> Unit | None:
        def tells(unit: Unit) -> int:
            return min(self._open_questions(self._below[unit]), self._open_questions(self._above[unit]))

        # Ties go to the unit that comes first in the bank's order, which is an order for learning.
        return max(filter(self._can_decide, self._findings), key=tells, default=None)

    def _can_decide(self, unit: Unit) -> bool:
        """Say whether right answers to all remaining questions of a unit would show that it is known."""
        best = self._scores[unit] + sum(_evidence(q, right=True) for q in self._to_ask[unit])
        return self._findings[unit].verdict is Verdict.OPEN and best >= _KNOWN

    def _open_questions(self, units: Iterable[Unit]) -> int:
        return sum(len(self._in_unit[u]) for u in units if self._findings[u].verdict is Verdict.OPEN)

    def _lower(self, unit: Unit) -> list[Unit]:
        topics = {unit.topic, *self.curriculum.below(unit.topic)}
        levels = _LEVELS[: _LEVELS.index(unit.difficulty)]
        return [u for u in self._in_unit if u.difficulty in levels and u.topic in topics]


def _unit_of(question: Question) -> Unit:
    return Unit(question.home_topic, question.difficulty)


def _evidence(question: Question, *, right: bool) -> float:
    """Return the log-likelihood ratio of an answer: a learner who knows the unit against one who does not."""
    guess = 1 / len(question.key.options) if isinstance(question.key, ChoiceKey) else GUESS
    return math.log((1 - SLIP) / guess) if right else math.log(SLIP / (1 - guess))
