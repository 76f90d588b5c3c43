"""The course: the exercises by track, each with the learner's state and what it waits for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.drills.tracks import Track
from autodrill.practice.log_records import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from autodrill.drills.exercise import Heading
    from autodrill.practice.progress import Progress

__all__ = ["CourseItem", "CourseTrack", "course_of"]

_PASSED = (State.PASSED, State.DUE)


@dataclass(frozen=True, slots=True)
class CourseItem:
    """An exercise of the course.

    Attributes:
        exercise: Its heading.
        state: The learner's state.
        due: When it comes back, if it is scheduled.
        after: The exercises that it requires and that are not passed yet. They are empty for one that is passed.
    """

    exercise: Heading
    state: State
    due: datetime | None
    after: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the learner has passed it, due or not."""
        return self.state in _PASSED


@dataclass(frozen=True, slots=True)
class CourseTrack:
    """A track of the course.

    Attributes:
        track: Its title and goal.
        items: Its exercises in learning order.
    """

    track: Track
    items: tuple[CourseItem, ...]

    @property
    def passed(self) -> int:
        """How many of its exercises are passed."""
        return sum(item.passed for item in self.items)

    @property
    def minutes_left(self) -> int:
        """The minutes of its exercises that are not passed."""
        return sum(item.exercise.minutes for item in self.items if not item.passed)


def course_of(exercises: Sequence[Heading], tracks: Mapping[str, Track], known: Progress) -> list[CourseTrack]:
    """Return the tracks in the order of the course.

    Args:
        exercises: The exercises in learning order.
        tracks: The tracks in order. A track that is not among them comes after them, by name.
        known: The learner's progress.
    """
    names = {exercise.id for exercise in exercises}
    passed = {name for name in names if known.state(name) in _PASSED}
    items: dict[str, list[CourseItem]] = {}
    for exercise in exercises:
        state = known.state(exercise.id)
        after = () if state in _PASSED else tuple(r for r in exercise.requires if r in names and r not in passed)
        item = CourseItem(exercise, state, known.due.get(exercise.id), after)
        items.setdefault(exercise.track, []).append(item)
    return [CourseTrack(tracks.get(name, Track(name)), tuple(items[name])) for name in _in_order(items, tracks)]


def _in_order(found: Iterable[str], tracks: Mapping[str, Track]) -> list[str]:
    place = {name: at for at, name in enumerate(tracks)}
    return sorted(found, key=lambda name: (place.get(name, len(place)), name))
