"""Where the learner is: the log, the bank and the exercises, read only as far as a screen needs them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from autodrill.cli.options import now, open_store
from autodrill.errors import UnknownNameError
from autodrill.practice.agenda import Agenda, CardHeading, PredictionHeading, agenda
from autodrill.practice.log_records import exercise_card, prediction_card, question_card
from autodrill.practice.next_step import NextStep, next_step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from autodrill.drills.library import Library
    from autodrill.practice.log_records import Review
    from autodrill.practice.path_progress import Standing
    from autodrill.practice.store import Store

__all__ = ["Overview", "card_names", "history_if_any", "refuse_unknown"]


@contextmanager
def history_if_any() -> Iterator[Store | None]:
    """Open the history if there is one. A command that only reads must not create it."""
    from autodrill.folders import history_file

    if not history_file(os.environ).exists():
        yield None
        return
    with open_store() as store:
        yield store


@dataclass
class Overview:
    """The state of the learner's practice.

    Attributes:
        store: The open history, or None if there is none yet.
        packs: Folders of further exercises.
    """

    store: Store | None
    packs: Sequence[Path] = ()
    _headings: dict[str, CardHeading] = field(default_factory=dict)

    @cached_property
    def library(self) -> Library:
        """The exercises."""
        from autodrill.drills.library import Library

        return Library.open(self.packs)

    @cached_property
    def questions(self) -> list[str]:
        """The ids of all questions."""
        from autodrill.bank.question_index import question_ids

        return question_ids()

    @cached_property
    def reviews(self) -> list[Review]:
        """The reviews that are not undone."""
        return self.store.reviews() if self.store else []

    @cached_property
    def passed(self) -> frozenset[str]:
        """The exercises passed."""
        return self.store.passed() & self.library.paths.keys() if self.store else frozenset()

    @cached_property
    def seen(self) -> set[str]:
        """The questions rated."""
        return {r.card.removeprefix("q:") for r in self.reviews if r.card.startswith("q:")} & set(self.questions)

    @cached_property
    def agenda(self) -> Agenda:
        """What is due, and when."""
        moment = now().astimezone()
        if self.store is None:
            return Agenda(moment)
        # The bank and the exercises are read only as far as the log needs them.
        return agenda(self.store, moment, self.headings(review.card for review in self.reviews), self.reviews)

    @cached_property
    def path(self) -> Standing | None:
        """The progress on the chosen path, if one is chosen."""
        name = self.store.chosen_path() if self.store else None
        if self.store is None or name is None:
            return None
        from autodrill.bank.curriculum import load_curriculum
        from autodrill.practice.path_progress import standing

        path = load_curriculum().paths.get(name)
        return standing(path, self.reviews, self.store.excused(), self.passed) if path else None

    @cached_property
    def step(self) -> NextStep | None:
        """The next thing to do."""
        return next_step(
            self.agenda,
            lambda: self.path,
            lambda: [heading.id for heading in self.library.headings()],
            self._not_excused,
            lambda: self.passed,
            lambda: self.seen,
        )

    def _not_excused(self) -> list[str]:
        excused = self.store.excused() if self.store else frozenset[str]()
        return [name for name in self.questions if name not in excused]

    def headings(self, cards: Iterable[str]) -> dict[str, CardHeading]:
        """Return the headings of cards by their keys, without those whose question or exercise is gone."""
        wanted = set(cards)
        missing = wanted - self._headings.keys()
        questions = {card.removeprefix("q:") for card in missing if card.startswith("q:")}
        if questions:
            from autodrill.bank.question_headings import question_headings

            for name, found in question_headings(questions).items():
                self._headings[question_card(name)] = found
        names = {card.partition(":")[2] for card in missing if card.startswith(("x:", "p:"))}
        if names:
            from autodrill.drills.exercise import load_headings

            paths = self.library.paths
            for drill in load_headings(paths[name] for name in names if name in paths):
                self._headings[exercise_card(drill.id)] = drill
                self._headings[prediction_card(drill.id)] = PredictionHeading(drill.id, drill.title)
        return {card: self._headings[card] for card in wanted if card in self._headings}

    def heading(self, step: NextStep) -> CardHeading:
        """Return the heading of the next thing to do."""
        return self.headings([step.card])[step.card]


def card_names(packs: Iterable[Path] = ()) -> list[str]:
    """Return the ids of all questions and exercises."""
    from autodrill.bank.question_index import question_ids
    from autodrill.drills.library import Library

    return [*question_ids(), *Library.open(packs).paths]


def refuse_unknown(identity: str, packs: Iterable[Path] = ()) -> None:
    """Check that there is a question or an exercise with this id.

    Raises:
        UnknownNameError: There is none; the error has the nearest ids.
    """
    names = card_names(packs)
    if identity not in names:
        from autodrill.drills.library import suggest

        nearest = suggest(identity, names)
        hint = None if nearest else "`autodrill quiz --search TEXT` finds questions, `autodrill list` shows exercises"
        raise UnknownNameError("question or exercise", identity, nearest, hint=hint)
