"""The report of an interview: what was covered and missed, the time by topic, and what to practise next."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from autodrill.practice.interview_plan import Form

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from autodrill.practice.interview_log import Interview, InterviewState

__all__ = ["Answered", "Coded", "InterviewReport", "TopicResult", "report_of"]

_STRONG, _WEAK = 2 / 3, 1 / 2
"""Above the one share a topic is strong, and up to the other it is weak."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question or a follow-up that was asked.

    Attributes:
        form: Whether it is a question or a follow-up.
        id: The id of the question.
        title: The question in one line.
        topic: Its home topic.
        kind: Its kind.
        minutes: How long it should take.
        seconds: How long it took.
        typed: The answer, as pairs of label and text.
        judged: Whether autodrill judged it. Otherwise the learner ticked its key points.
        right: How many of its labels are right, or needed points were made.
        of: How many there are; 0 if it is not marked.
        points: Each key point, whether it is needed, and whether it was made.
        answer: The right answer of a judged question or a follow-up.
        rating: The rating that the schedule got; empty for none.
        exercises: Exercises that practise it.
    """

    form: str
    id: str
    title: str
    topic: str
    kind: str
    minutes: float
    seconds: float
    typed: tuple[tuple[str, str], ...]
    judged: bool
    right: int
    of: int
    points: tuple[tuple[str, bool, bool], ...]
    answer: str
    rating: str
    exercises: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """What was typed, line by line. The letter of an option is left out, because it changes with the seed."""
        texts = [f"{label} = {text}" if label and self.kind != "choice" else text for label, text in self.typed]
        return tuple(line for text in texts if text.strip() for line in text.splitlines())

    @property
    def missed(self) -> tuple[str, ...]:
        """The needed points that were missed."""
        return tuple(text for text, needed, made in self.points if needed and not made)


@dataclass(frozen=True, slots=True)
class Coded:
    """The exercise of an interview.

    Attributes:
        id: Its id.
        minutes: How long it should take.
        seconds: How long it took.
        reached: Whether it was shown.
        attempts: The graded files, as JSON values.
        source: The code handed in; empty for none.
    """

    id: str
    minutes: float
    seconds: float
    reached: bool
    attempts: tuple[Mapping[str, Any], ...]
    source: str

    @property
    def passed(self) -> bool:
        """Whether the last graded file passes."""
        return bool(self.attempts) and self.attempts[-1]["verdict"] == "pass"


@dataclass(frozen=True, slots=True)
class TopicResult:
    """The result in one topic: points made, points needed, and the seconds spent."""

    topic: str
    right: int
    of: int
    seconds: float


@dataclass(frozen=True, slots=True)
class InterviewReport:
    """The report of one interview; a function of the log.

    Attributes:
        id: The number of the interview.
        at: When it began (UTC).
        role: The role.
        level: The level.
        minutes: Its length.
        seed: Its seed.
        spent: The seconds on its clock.
        ended: Why the questions were over: `done`, `time`, `early` or `given up`.
        answered: The questions and follow-ups that were answered, in order.
        left: The titles of the questions that were not reached.
        coded: The exercise, or None.
    """

    id: int
    at: datetime
    role: str
    level: str
    minutes: int
    seed: int
    spent: float
    ended: str
    answered: tuple[Answered, ...]
    left: tuple[str, ...]
    coded: Coded | None

    @property
    def right(self) -> int:
        """How many needed points were made."""
        return sum(answer.right for answer in self.answered)

    @property
    def of(self) -> int:
        """How many needed points there were."""
        return sum(answer.of for answer in self.answered)

    @property
    def topics(self) -> tuple[TopicResult, ...]:
        """The result by topic, in the order asked."""
        found: dict[str, TopicResult] = {}
        for answer in self.answered:
            old = found.get(answer.topic, TopicResult(answer.topic, 0, 0, 0.0))
            found[answer.topic] = TopicResult(
                answer.topic, old.right + answer.right, old.of + answer.of, old.seconds + answer.seconds
            )
        return tuple(found.values())

    @property
    def strong(self) -> tuple[TopicResult, ...]:
        """The topics in which nearly everything was covered."""
        return tuple(result for result in self.topics if result.of and result.right / result.of > _STRONG)

    @property
    def weak(self) -> tuple[TopicResult, ...]:
        """The topics in which half or less was covered, the weakest first."""
        found = [result for result in self.topics if result.of and result.right / result.of <= _WEAK]
        return tuple(sorted(found, key=lambda result: result.right / result.of))

    @property
    def queued(self) -> tuple[str, ...]:
        """The questions that were rated Again or Hard, so that the schedule brings them back."""
        return tuple(dict.fromkeys(a.id for a in self.answered if a.rating in {"Again", "Hard"}))

    @property
    def exercises(self) -> tuple[str, ...]:
        """The exercises to do next: the one that does not pass, and those that practise what was missed."""
        missed = [name for a in self.answered if a.rating in {"Again", "Hard"} for name in a.exercises]
        own = [self.coded.id] if self.coded is not None and self.coded.reached and not self.coded.passed else []
        return tuple(dict.fromkeys([*own, *missed]))

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        fields = asdict(self)
        fields["at"] = self.at.isoformat()
        fields["spent"] = round(self.spent, 1)
        results = {"right": self.right, "of": self.of, "queued": self.queued, "exercises": self.exercises}
        topics = [asdict(result) for result in self.topics]
        return {**fields, **results, "topics": topics}


def report_of(interview: Interview, state: InterviewState) -> InterviewReport:
    """Return the report of an interview that is complete or given up."""
    answered, left = [], []
    coded = None
    for at, step in enumerate(state.steps):
        if step.form is Form.EXERCISE:
            attempts = tuple(state.attempts.get(at, ()))
            last = attempts[-1]["source"] if attempts else ""  # time can be over before the code is handed in
            source = state.answers[at]["typed"][0][1] if at in state.answers else last
            coded = Coded(step.id, step.minutes, state.seconds.get(at, 0.0), at in state.begun, attempts, source)
        elif at not in state.answers:
            left.append(step.title)
        else:
            typed = tuple((label, text) for label, text in state.answers[at]["typed"])
            marked = state.marked.get(at, {})
            answered.append(
                Answered(
                    form=str(step.form),
                    id=step.id,
                    title=step.title,
                    topic=step.topic,
                    kind=step.kind,
                    minutes=step.minutes,
                    seconds=state.seconds.get(at, 0.0),
                    typed=typed,
                    judged=bool(state.answers[at].get("of")),
                    right=marked.get("right", 0),
                    of=marked.get("of", 0),
                    points=tuple((text, needed, made) for text, needed, made in marked.get("points", ())),
                    answer=marked.get("answer", ""),
                    rating=marked.get("rating", ""),
                    exercises=tuple(marked.get("exercises", ())),
                )
            )
    plan = interview.plan
    facts_of = (interview.id, interview.at, str(plan.role), str(plan.level), plan.minutes, plan.seed)
    ended = state.closed if state.closed != "complete" else state.ended
    return InterviewReport(*facts_of, state.spent, ended, tuple(answered), tuple(left), coded)
