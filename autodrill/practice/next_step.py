"""The one next thing to do: a due card, the next step of the chosen path, or something new."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from autodrill.practice.log_records import CardKind, exercise_card, kind_of, question_card
from autodrill.practice.path_progress import step_card

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from autodrill.practice.agenda import Agenda
    from autodrill.practice.path_progress import Standing

__all__ = ["NextStep", "Why", "next_step"]


class Why(StrEnum):
    """Why something comes next."""

    DUE = "due"
    PATH = "path"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do next.

    Attributes:
        card: The key of a question, an exercise or a prediction.
        why: Why it comes next.
        due: Since when it is due; None if it is new.
        path: The path that it is a step of; empty if it is due, or on no path.
    """

    card: str
    why: Why
    due: datetime | None = None
    path: str = ""

    @property
    def id(self) -> str:
        """The question or the exercise."""
        return self.card.partition(":")[2]

    @property
    def command(self) -> tuple[str, ...]:
        """The arguments of `autodrill` that lead to it."""
        kind = kind_of(self.card)
        if kind is not CardKind.QUESTION:
            return ("watch" if kind is CardKind.EXERCISE else "predict", self.id)
        return ("quiz", "--path", self.path) if self.path else ("quiz",)


def next_step(
    agenda: Agenda,
    on_path: Callable[[], Standing | None],
    exercises: Callable[[], Sequence[str]],
    questions: Callable[[], Sequence[str]],
    passed: Callable[[], Collection[str]],
    seen: Callable[[], Collection[str]],
) -> NextStep | None:
    """Return what to do next, or None if nothing is due and the new cards are used up, for today or at all.

    What is due comes first, the longest overdue before the rest; then the next step of the path. Without a path, new
    exercises and questions take turns, so that equal shares of both are known.

    Args:
        agenda: What is due, and the daily limits.
        on_path: Returns the progress on the chosen path, or None. It is called only if needed, as the others.
        exercises: Returns the ids of all exercises, in the order for learning.
        questions: Returns the ids of all questions that are not excused, in the order of the bank.
        passed: Returns the exercises passed.
        seen: Returns the questions rated.
    """
    if agenda.due:
        return NextStep(agenda.due[0].card, Why.DUE, agenda.due[0].due)
    if agenda.limits.new_left == 0:
        return None
    if (reached := on_path()) is not None:
        # A question of the path that was rated Again is no new card: it comes back when it is due.
        step = next((step for step in reached.left if step.is_exercise or step.name not in seen()), None)
        if step is not None:
            return NextStep(step_card(step), Why.PATH, path=reached.path.name)
    drills, asked = exercises(), questions()
    to_write = [name for name in drills if name not in passed()]
    to_ask = [name for name in asked if name not in seen()]
    return _first_new(to_write, to_ask, len(drills), len(asked))


def _first_new(to_write: Sequence[str], to_ask: Sequence[str], drills: int, questions: int) -> NextStep | None:
    # The share of exercises that are left, against the share of questions: the larger one is next.
    if to_write and len(to_write) * questions >= len(to_ask) * drills:
        return NextStep(exercise_card(to_write[0]), Why.NEW)
    return NextStep(question_card(to_ask[0]), Why.NEW) if to_ask else None
