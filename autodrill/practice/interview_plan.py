"""The plan of an interview: which questions and which exercise, for a role, a level and a length."""

from __future__ import annotations

import random
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from autodrill.bank.questions import WORDS_A_MINUTE, ChoiceKey, Difficulty
from autodrill.drills.exercise import Difficulty as CodeDifficulty

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from autodrill.bank.questions import Question
    from autodrill.drills.exercise import Heading

__all__ = [
    "FOLLOW_UP_MINUTES",
    "LENGTHS",
    "ROLES",
    "Emphasis",
    "Form",
    "Level",
    "Plan",
    "Role",
    "Step",
    "asking_minutes",
    "follow_up",
    "follow_ups",
    "make_plan",
    "share_mentioned",
]


class Role(StrEnum):
    """The job that the interview is for."""

    RESEARCH_SCIENTIST = "research-scientist"
    RESEARCH_ENGINEER = "research-engineer"
    GPU_SYSTEMS = "gpu-systems"
    POST_TRAINING = "post-training"


class Level(StrEnum):
    """The seniority that the interview is for."""

    JUNIOR = "junior"
    MID = "mid"
    SENIOR = "senior"


class Form(StrEnum):
    """The form of a step."""

    QUESTION = "question"
    EXERCISE = "exercise"
    FOLLOW_UP = "follow-up"


@dataclass(frozen=True, slots=True)
class Emphasis:
    """What a role is asked.

    Attributes:
        topics: The home topics of its questions, each with its weight. The topics with the largest weight are its core.
        tracks: The tracks of its exercises.
    """

    topics: Mapping[str, int]
    tracks: tuple[str, ...]

    @property
    def core(self) -> frozenset[str]:
        """The topics with the largest weight, at least one of which is always asked."""
        most = max(self.topics.values())
        return frozenset(topic for topic, weight in self.topics.items() if weight == most)


ROLES = {
    Role.RESEARCH_SCIENTIST: Emphasis(
        {
            **dict.fromkeys(("modes", "linalg", "estimators", "higher-order"), 4),
            **dict.fromkeys(("graph", "losses", "implicit", "attention", "kinks"), 2),
            **dict.fromkeys(("norm", "depth", "recurrent", "jax", "gradcheck", "complex"), 1),
        },
        ("linalg", "estimators", "implicit", "losses", "activations", "norm", "recurrent"),
    ),
    Role.RESEARCH_ENGINEER: Emphasis(
        {
            **dict.fromkeys(("engine", "pytorch", "attention", "losses"), 4),
            **dict.fromkeys(("graph", "shapes", "norm", "memory", "optim", "gradcheck", "custom"), 2),
            **dict.fromkeys(("modes", "amp", "distributed", "inplace", "hooks", "conv", "depth", "compile"), 1),
        },
        ("engine", "broadcast", "bugs", "norm", "attention", "indexing", "conv", "losses", "plumbing"),
    ),
    Role.GPU_SYSTEMS: Emphasis(
        {
            **dict.fromkeys(("cuda", "memory", "distributed", "amp"), 4),
            **dict.fromkeys(("compile", "attention", "shapes"), 2),
            **dict.fromkeys(("linalg", "norm", "conv", "custom", "optim", "sparse"), 1),
        },
        ("cuda", "attention", "plumbing", "norm", "conv", "indexing", "linalg"),
    ),
    Role.POST_TRAINING: Emphasis(
        {
            **dict.fromkeys(("losses", "estimators", "optim", "attention"), 4),
            **dict.fromkeys(("distributed", "memory", "amp", "kinks", "pytorch"), 2),
            **dict.fromkeys(("graph", "norm", "depth", "inplace", "gradcheck"), 1),
        },
        ("losses", "estimators", "plumbing", "bugs", "activations", "attention", "indexing"),
    ),
}
"""What each role is asked: the one table to edit."""

_QUESTIONS = {
    Level.JUNIOR: {Difficulty.EASY: 4, Difficulty.MEDIUM: 2},
    Level.MID: {Difficulty.EASY: 1, Difficulty.MEDIUM: 4, Difficulty.HARD: 1},
    Level.SENIOR: {Difficulty.MEDIUM: 3, Difficulty.HARD: 4},
}
_EXERCISES = {
    Level.JUNIOR: {CodeDifficulty.EASY: 4, CodeDifficulty.MEDIUM: 2},
    Level.MID: {CodeDifficulty.EASY: 1, CodeDifficulty.MEDIUM: 4, CodeDifficulty.HARD: 1},
    Level.SENIOR: {CodeDifficulty.MEDIUM: 2, CodeDifficulty.HARD: 4, CodeDifficulty.EXPERT: 2},
}
LENGTHS = {15: 0, 30: 12, 45: 20}
"""For each length in minutes, how many of them the exercise can take; 0 for no exercise."""

_PLANNED = 0.9
"""The share of the time that is planned. The rest is for follow-ups."""
_UNPLANNED = 0.15
"""The share of the time that may stay unplanned rather than repeat a question of a recent interview."""
FOLLOW_UP_MINUTES = 1.0
_CODE = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[a-z0-9_]{4,}")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is asked.

    Attributes:
        form: A question, an exercise or a follow-up.
        id: The id of the question or the exercise; for a follow-up, of its question.
        title: The question in one line.
        topic: The home topic, or the track of an exercise.
        kind: The kind of the question, `code` or `follow-up`.
        minutes: How long it should take.
        number: For a follow-up, its number among those of the question, from 0.
    """

    form: Form
    id: str
    title: str
    topic: str
    kind: str
    minutes: float
    number: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the step as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, read: Mapping[str, Any]) -> Step:
        """Return the step that `as_json` wrote."""
        return cls(**{**read, "form": Form(read["form"])})


@dataclass(frozen=True, slots=True)
class Plan:
    """What an interview asks, in order. Follow-ups are added while it runs."""

    role: Role
    level: Level
    minutes: int
    seed: int
    steps: tuple[Step, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {**asdict(self), "steps": [step.as_json() for step in self.steps]}

    @classmethod
    def from_json(cls, read: Mapping[str, Any]) -> Plan:
        """Return the plan that `as_json` wrote."""
        steps = tuple(Step.from_json(step) for step in read["steps"])
        return cls(Role(read["role"]), Level(read["level"]), read["minutes"], read["seed"], steps)


def asking_minutes(question: Question) -> float:
    """Return how many minutes a question takes in an interview: reading it and answering it; in halves.

    `Question.minutes` also counts the time to read the answer, which comes after the interview.
    """
    options = question.key.options if isinstance(question.key, ChoiceKey) else ()
    texts = (question.title, question.body, *(option.text for option in options))
    words = sum(len(text.split()) for text in texts)
    return round(2 * (question.answering + words / WORDS_A_MINUTE)) / 2


def make_plan(
    bank: Sequence[Question],
    exercises: Sequence[Heading],
    role: Role,
    level: Level,
    minutes: int,
    seed: int,
    recent: Collection[str] = (),
) -> Plan:
    """Return the plan that the arguments determine.

    Topics are drawn by the weights of the role, one of its core first. Each topic gives one question before any gives
    a second. Questions go from easy to hard, with the exercise in the middle.

    Args:
        bank: The questions.
        exercises: The exercises that can be graded here.
        role: The role.
        level: The level.
        minutes: The length, a key of `LENGTHS`.
        seed: The seed.
        recent: Ids that recent interviews asked. They are asked again only if the rest leaves much time unplanned.
    """
    emphasis = ROLES[role]
    code = _exercise(exercises, emphasis.tracks, _EXERCISES[level], LENGTHS[minutes], seed, recent)
    left = _PLANNED * minutes - (code.minutes if code else 0)
    order = sorted(emphasis.topics, key=lambda topic: _rank(seed, topic, emphasis.topics[topic]))
    first = next(topic for topic in order if topic in emphasis.core)
    order.sort(key=lambda topic: topic != first)
    levels = _QUESTIONS[level]
    pool = sorted(
        (q for q in bank if q.home_topic in emphasis.topics and q.difficulty in levels),
        key=lambda q: _rank(seed, q.id, levels[q.difficulty]),
    )
    chosen: list[Question] = []
    for usable in ([q for q in pool if q.id not in recent], [q for q in pool if q.id in recent]):
        found = left > _UNPLANNED * minutes or not chosen
        while found:
            found = False
            for topic in order:
                question = next((q for q in usable if q.home_topic == topic and asking_minutes(q) <= left), None)
                if question is not None:
                    found = True
                    usable.remove(question)
                    chosen.append(question)
                    left -= asking_minutes(question)
    chosen.sort(key=lambda q: list(Difficulty).index(q.difficulty))
    steps = [Step(Form.QUESTION, q.id, q.title, q.home_topic, str(q.kind), asking_minutes(q)) for q in chosen]
    if code is not None:
        asked = Step(Form.EXERCISE, code.id, code.title, code.track, "code", float(code.minutes))
        steps.insert((len(steps) + 1) // 2, asked)
    return Plan(role, level, minutes, seed, tuple(steps))


def _exercise(
    exercises: Sequence[Heading],
    tracks: Collection[str],
    levels: Mapping[CodeDifficulty, int],
    most: int,
    seed: int,
    recent: Collection[str],
) -> Heading | None:
    """Return the exercise to write in at most so many minutes, the one that fits best; None if there is no time."""
    short = [exercise for exercise in exercises if exercise.minutes <= most]

    def rank(exercise: Heading) -> tuple[bool, bool, bool, bool, float]:
        unfit = (exercise.track not in tracks, exercise.id in recent, exercise.difficulty not in levels)
        return (*unfit, 3 * exercise.minutes < most, _rank(seed, exercise.id, levels.get(exercise.difficulty, 1)))

    return min(short, key=rank, default=None)


def _rank(seed: int, name: str, weight: int) -> float:
    """Return a sort key. In its order, names are drawn without replacement with the probabilities of their weights.

    Each name has its own key, so that a new question does not reorder the others.
    """
    return random.Random(f"{seed}:{name}").expovariate(weight)  # noqa: S311 - an order, not a secret


def share_mentioned(points: Sequence[str], typed: str) -> float:
    """Return the share of the points whose words occur in a typed text; a point counts if half of its words do.

    The words of a point are its code and its words of four letters or more. The share chooses follow-ups and never
    counts as a result, because other words can say the same.
    """
    if not points:
        return 1.0
    said = typed.casefold()
    made = 0
    for point in points:
        words = {*_CODE.findall(point.casefold()), *_WORD.findall(_CODE.sub("", point.casefold()))}
        made += 2 * sum(word in said for word in words) >= max(len(words), 1)
    return made / len(points)


def follow_ups(minutes: int) -> int:
    """Return how many follow-ups an interview of so many minutes has at most."""
    return minutes // 10 + 1


def follow_up(asked: Sequence[Step], scores: Mapping[str, float], bank: Iterable[Question], seed: int) -> Step | None:
    """Return the next follow-up: of the weakest answer in the weakest topic; at most one for a question.

    There is always a follow-up as long as an answered question has one left, whether its answer was right or not.
    So being asked says nothing about the answer.

    Args:
        asked: The steps so far.
        scores: For each answered question, how good its answer seems, from 0 to 1.
        bank: The questions.
        seed: Chooses among the follow-ups of the question.
    """
    questions = {question.id: question for question in bank}
    done = {step.id for step in asked if step.form is Form.FOLLOW_UP}
    by_topic: dict[str, list[float]] = {}
    for step in asked:
        if step.form is Form.QUESTION and step.id in scores:
            by_topic.setdefault(step.topic, []).append(scores[step.id])
    means = {topic: sum(found) / len(found) for topic, found in by_topic.items()}
    open_ones = [
        step
        for step in asked
        if step.form is Form.QUESTION
        and step.id in scores
        and step.id not in done
        and step.id in questions
        and questions[step.id].follow_ups
    ]
    if not open_ones:
        return None
    weakest = min(open_ones, key=lambda step: (means[step.topic], scores[step.id]))
    choices = questions[weakest.id].follow_ups
    number = random.Random(f"{seed}:{weakest.id}").randrange(len(choices))  # noqa: S311 - a choice, not a secret
    title = choices[number].question
    return Step(Form.FOLLOW_UP, weakest.id, title, weakest.topic, "follow-up", FOLLOW_UP_MINUTES, number)
