"""How far a learner is on a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.practice.log_records import Rating, question_card

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from autodrill.bank.curriculum import LearningPath, Stage, Step
    from autodrill.practice.log_records import Review

__all__ = ["Standing", "standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A path and what of it is done.

    Attributes:
        path: The path.
        done: The steps that are done.
    """

    path: LearningPath
    done: frozenset[Step]

    @property
    def left(self) -> tuple[Step, ...]:
        """What is still to do, in order."""
        return tuple(step for step in self.path.steps if step not in self.done)

    @property
    def stage(self) -> Stage | None:
        """The stage of the first step that is still to do; None at the end."""
        return next((s for s in self.path.stages if not self.done.issuperset(s.steps)), None)

    def minutes_left(self, minutes: Mapping[Step, float]) -> float:
        """How long what is left takes."""
        return sum(minutes[step] for step in self.left)


def standing(
    path: LearningPath, reviews: Iterable[Review], excused: Collection[str], passed: Collection[str]
) -> Standing:
    """Derive from the log how far someone is.

    A question is done once its last rating is better than Again, or a placement tested out of it; an exercise is done
    once it is passed. That either is due again later is the schedule's affair: a path is walked once.

    Args:
        path: The path.
        reviews: The ratings that count, oldest first.
        excused: The questions that placements tested out of.
        passed: The exercises passed.
    """
    # A rating says more than a placement: it came later, or was asked for in spite of it.
    last = {question_card(name): Rating.GOOD for name in excused} | {r.card: r.rating for r in reviews}

    def is_done(step: Step) -> bool:
        if step.is_exercise:
            return step.name in passed
        return last.get(question_card(step.name), Rating.AGAIN) > Rating.AGAIN

    return Standing(path, frozenset(filter(is_done, path.steps)))
