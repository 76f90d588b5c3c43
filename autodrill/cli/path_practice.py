"""Practice along a learning path: the next cards, the learner's progress, and the list of paths."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from autodrill.bank.curriculum import Step, load_curriculum
from autodrill.errors import UnknownNameError
from autodrill.practice.path_progress import Standing, standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from autodrill.bank.curriculum import LearningPath
    from autodrill.bank.questions import Question
    from autodrill.drills.exercise import Heading
    from autodrill.practice.agenda import DailyLimits
    from autodrill.practice.session import Filter
    from autodrill.practice.store import Store

__all__ = ["Course"]


@dataclass(frozen=True, slots=True)
class Course:
    """The learning paths, with the questions and exercises they refer to.

    Attributes:
        paths: The paths by name.
        questions: The questions by id.
        exercises: The headings of the exercises by id.
    """

    paths: Mapping[str, LearningPath]
    questions: Mapping[str, Question]
    exercises: Mapping[str, Heading]

    @classmethod
    def open(cls, bank: Sequence[Question]) -> Course:
        """Read the paths and check them against the bank and the exercises.

        Raises:
            ContentError: A path is malformed.
        """
        from autodrill.drills.library import Library

        exercises = Library.open().headings()
        curriculum = load_curriculum(bank=bank, exercises=exercises)
        return cls(curriculum.paths, {q.id: q for q in bank}, {e.id: e for e in exercises})

    def find(self, name: str) -> LearningPath:
        """Return the path with this name.

        Raises:
            UnknownNameError: There is no such path; the hint names the paths.
        """
        if name in self.paths:
            return self.paths[name]
        hint = f"use one of {', '.join(f'`{path}`' for path in self.paths)}; `autodrill quiz --paths` describes them"
        raise UnknownNameError("path", name, hint=hint)

    @property
    def minutes(self) -> dict[Step, float]:
        """The minutes that each step takes."""
        answering = {Step(q.id): q.minutes for q in self.questions.values()}
        return answering | {Step(e.id, is_exercise=True): float(e.minutes) for e in self.exercises.values()}

    def cards(
        self,
        path: LearningPath,
        store: Store | None,
        now: datetime,
        only: Filter,
        limits: DailyLimits,
        *,
        limit: int,
        ahead: bool,
    ) -> tuple[Question | Heading, ...]:
        """Choose the next cards of a path: first its due cards, then its remaining steps in order."""
        from autodrill.practice.log_records import question_card
        from autodrill.practice.schedule import Schedule, schedule_of
        from autodrill.practice.session import choose, with_exercises

        schedule = schedule_of(store, now) if store else Schedule()
        excused = store.excused() if store else frozenset[str]()
        chosen = choose(self.questions_of(path), schedule, now, only=only, ahead=ahead, excused=excused)
        is_new = [schedule.state(question_card(q.id)) is None and q.id not in excused for q in chosen]
        known = [question for question, new in zip(chosen, is_new, strict=True) if not new]
        due = [q for q in known if (state := schedule.state(question_card(q.id))) and state.due <= now]
        fresh: dict[Step, Question | Heading] = {Step(q.id): q for q, new in zip(chosen, is_new, strict=True) if new}
        if only.admits_all:
            left = self.standing(path, store).left
            fresh |= {step: self.exercises[step.name] for step in left if step.is_exercise}
        in_order = [fresh[step] for step in path.steps if step in fresh]
        drills = [self.exercises[step.name] for step in path.steps if step.is_exercise and only.admits_all]
        again = with_exercises(due, drills, schedule, now, most_due=limits.reviews_left)
        return tuple([*again, *in_order[: limits.new_left], *known[len(due) :]][:limit])

    def questions_of(self, path: LearningPath) -> list[Question]:
        """Return the questions of a path in its order."""
        return [self.questions[step.name] for step in path.steps if not step.is_exercise]

    def standing(self, path: LearningPath, store: Store | None) -> Standing:
        """Return the learner's progress on a path."""
        if store is None:
            return Standing(path, frozenset())
        return standing(path, store.reviews(), store.excused(), store.passed())

    def line(self, reached: Standing) -> str:
        """Return one line with the learner's progress and current stage."""
        stage = f"; stage: {reached.stage.title}" if reached.stage else ""
        left = f"{ceil(reached.minutes_left(self.minutes))} min left"
        return f"{reached.path.name}: {_done(reached)}, {left}{stage}"

    def as_json(self, reached: Standing) -> dict[str, Any]:
        """Return a path and the learner's progress on it as JSON values."""
        minutes = self.minutes
        stages = [
            {
                "title": stage.title,
                "steps": [str(step) for step in stage.steps],
                "minutes": sum(minutes[step] for step in stage.steps),
                "done": len(reached.done.intersection(stage.steps)),
            }
            for stage in reached.path.stages
        ]
        return {
            "name": reached.path.name,
            "title": reached.path.title,
            "stages": stages,
            "steps": len(reached.path.steps),
            "done": len(reached.done),
            "minutes": sum(minutes[step] for step in reached.path.steps),
            "minutes_left": reached.minutes_left(minutes),
        }

    def listing(self, store: Store | None, chosen: str | None) -> list[str]:
        """Return the lines that list every path with its stages, their length and the learner's progress."""
        minutes = self.minutes
        lines = []
        for path in self.paths.values():
            reached = self.standing(path, store)
            mark = "  (chosen)" if path.name == chosen else ""
            total = sum(minutes[step] for step in path.steps)
            lines += [f"{path.name}  {_done(reached)}, {ceil(total)} min{mark}", f"  {path.title}"]
            for stage in path.stages:
                done = len(reached.done.intersection(stage.steps))
                length = sum(minutes[step] for step in stage.steps)
                lines.append(f"    {done:>2} of {len(stage.steps):>2}  {length:>3g} min  {stage.title}")
        return lines


def _done(reached: Standing) -> str:
    return f"{len(reached.done)} of {len(reached.path.steps)} done"
