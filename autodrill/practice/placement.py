"""Finding out in a few questions what a learner knows already, so that practice starts beyond it.

What is found out is about units: the questions of one topic and difficulty. Each answer is evidence for one unit,
weighed by Wald's sequential probability ratio test (A. Wald, Sequential Analysis, 1947): someone who knows a unit
answers right with probability 1 - SLIP, someone who does not with the probability of guessing. Two thresholds bound
both errors: a unit is found known wrongly with a probability of about FALSE_KNOWN, not known wrongly of FALSE_UNKNOWN.

A unit decided decides others, as in a knowledge space (Doignon & Falmagne, 1985): knowing one is knowing the same
topic at lower difficulties and, a difficulty lower, the topics it needs; not knowing one is not knowing those above it.
Asked next is the unit that decides most questions whichever way its answers fall: bisection, in a partial order.
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
"""After so many wrong answers in a row there is nothing to test out of."""
SLIP = 0.1
"""The chance that someone who knows answers wrong."""
GUESS = 0.2
"""The chance that someone who does not know types a right answer; an option is guessed at one in so many."""
FALSE_KNOWN = 0.1
FALSE_UNKNOWN = 0.15
"""Larger: it only costs practising what one knows, and lets one wrong answer settle a unit."""

_KNOWN = math.log((1 - FALSE_UNKNOWN) / FALSE_KNOWN)
_UNKNOWN = math.log(FALSE_UNKNOWN / (1 - FALSE_KNOWN))
_LEVELS = tuple(Difficulty)


class Verdict(StrEnum):
    """What was found out about a unit."""

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
    """What is known of a unit so far.

    Attributes:
        unit: What it is about.
        verdict: What was concluded.
        right: How many answers were right.
        asked: How many were given.
        because: The unit it follows from; None where it was asked about, or is open.
    """

    unit: Unit
    verdict: Verdict = Verdict.OPEN
    right: int = 0
    asked: int = 0
    because: Unit | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
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
    """One placement: gives the next question, takes in the answer, says what it found.

    Args:
        bank: Every question; only judged kinds are asked, since nobody's word is taken here.
        curriculum: Which topics need which.
        topics: Only these home topics; all where there are none.
        seen: Ids of questions answered before, which are asked last.
        most: At most so many questions.
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
        """Return the question to ask now, or None where nothing more can be found out in the questions left."""
        last = list(self.answered.values())[-ENOUGH:]
        if len(self.answered) >= self.most or (len(last) == ENOUGH and not any(last)):
            return None
        if self._current is None or not self._can_decide(self._current):
            self._current = self._most_telling()
        return self._to_ask[self._current][0] if self._current else None

    def answer(self, question: Question, *, right: bool) -> None:
        """Take in an answer to the question asked."""
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
        """Do not ask a question again."""
        self._to_ask[_unit_of(question)].remove(question)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found about every unit, in the bank's order."""
        return tuple(self._findings.values())

    @property
    def excused(self) -> frozenset[str]:
        """The questions that need not be asked as new: those of units that are known, less any answered wrong."""
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

        # The first of equals: earlier in the bank's order, which is one to learn in.
        return max(filter(self._can_decide, self._findings), key=tells, default=None)

    def _can_decide(self, unit: Unit) -> bool:
        """Whether right answers to what is left would show that a unit is known."""
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
    """The logarithm of how much likelier an answer is from someone who knows."""
    guess = 1 / len(question.key.options) if isinstance(question.key, ChoiceKey) else GUESS
    return math.log((1 - SLIP) / guess) if right else math.log(SLIP / (1 - guess))
