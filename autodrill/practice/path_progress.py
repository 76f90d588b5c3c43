"""A learner's progress on a learning path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.practice.log_records import Rating, exercise_card, question_card

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from autodrill.bank.curriculum import LearningPath, Stage, Step
    from autodrill.practice.log_records import Review

__all__ = ["Standing", "standing", "step_card"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A learning path and the steps that are done.

    Attributes:
        path: The path.
        done: The steps that are done.
    """

    path: LearningPath
    done: frozenset[Step]

    @property
    def left(self) -> tuple[Step, ...]:
        """The remaining steps, in order."""
        return tuple(step for step in self.path.steps if step not in self.done)

    @property
    def stage(self) -> Stage | None:
        """The stage of the first remaining step; None at the end of the path."""
        return next((s for s in self.path.stages if not self.done.issuperset(s.steps)), None)

    def minutes_left(self, minutes: Mapping[Step, float]) -> float:
        """The minutes that the remaining steps take."""
        return sum(minutes[step] for step in self.left)


def step_card(step: Step) -> str:
    """Return the card key of a step."""
    return exercise_card(step.name) if step.is_exercise else question_card(step.name)


def standing(
    path: LearningPath, reviews: Iterable[Review], excused: Collection[str], passed: Collection[str]
) -> Standing:
    """Return the progress on a path, derived from the log.

    A question is done if its last rating is better than Again, or if a placement found that it can be skipped. An
    exercise is done once it is passed. Reviews that become due later do not reopen a step.

    Args:
        path: The path.
        reviews: The reviews that are not undone, oldest first.
        excused: The questions that placements excused.
        passed: The exercises passed.
    """
    # A rating overrides a placement: it came later, or the learner asked for the card all the same.
    last = {question_card(name): Rating.GOOD for name in excused} | {r.card: r.rating for r in reviews}

    def is_done(step: Step) -> bool:
        if step.is_exercise:
            return step.name in passed
        return last.get(question_card(step.name), Rating.AGAIN) > Rating.AGAIN

    return Standing(path, frozenset(filter(is_done, path.steps)))
