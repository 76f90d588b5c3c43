"""One session of the quiz: it asks card after card and saves each rating at once."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodrill.bank.judge import Outcome, letters
from autodrill.bank.questions import ChoiceKey, DeriveKey, NumericKey
from autodrill.cli import bindings
from autodrill.cli.asking import Asker, CardLeftError, Given, judges_of
from autodrill.cli.bindings import Action
from autodrill.drills.exercise import Heading
from autodrill.practice.log_records import Rating, question_card
from autodrill.practice.schedule import Schedule, schedule_of
from autodrill.render.card_frame import Frame
from autodrill.render.card_screen import CardView, ExerciseView
from autodrill.render.quiz_summary import interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from rich.console import RenderableType

    from autodrill.bank.questions import Option, Question
    from autodrill.cli.keyboard import Keyboard
    from autodrill.cli.screen import Screen
    from autodrill.practice.store import Store

__all__ = ["Sitting", "answered", "shuffled_options", "suggested", "suggestion"]


class Sitting:
    """Asks cards in order.

    Args:
        cards: The cards to ask. An exercise is opened in `watch`, which rates it, or only shown.
        store: The history, which takes each rating; None for generated questions, which are not scheduled.
        keyboard: The source of keys and lines.
        screen: Shows the cards.
        now: The clock.
        seed: Shuffles the options of choice questions.
        watch: Opens an exercise and watches its file until the learner quits; None if that is not possible.

    Attributes:
        schedule: The schedule of all cards, with the ratings of this session.
        skipped: How many cards were skipped.
        left: How many cards were not reached.
    """

    def __init__(
        self,
        cards: Sequence[Question | Heading],
        store: Store | None,
        keyboard: Keyboard,
        screen: Screen,
        now: Callable[[], datetime],
        seed: int,
        watch: Callable[[str], None] | None = None,
    ) -> None:
        self._watch = watch
        self._cards = tuple(cards)
        self._store = store
        self._keyboard = keyboard
        self._screen = screen
        self._now = now
        self._seed = seed
        self._history: list[tuple[int, Rating]] = []
        self._asker = Asker(keyboard, screen, lambda: bool(self._history))
        self.schedule = Schedule() if store is None else schedule_of(store, now())
        self.skipped = 0
        self.left = len(self._cards)

    @property
    def rated(self) -> Counter[Rating]:
        """How often each rating was given in this session, without the undone ones."""
        return Counter(rating for _, rating in self._history)

    def run(self) -> None:
        """Ask until the cards or the input end, or the learner quits.

        Raises:
            KeyboardInterrupt: Ctrl-C. Every rating is already on disk.
            StoreError: A rating could not be written.
        """
        at = 0
        while at < len(self._cards):
            self.left = len(self._cards) - at
            try:
                self._card(at)
            except CardLeftError as left:
                if left.action is Action.QUIT:
                    return
                if left.action is Action.UNDO:
                    at = self._undo()
                    continue
                self.skipped += 1
                self._screen.note("skipped")
            except EOFError:
                return
            at += 1
        self.left = 0

    def _card(self, at: int) -> None:
        card = self._cards[at]
        if isinstance(card, Heading):
            self._screen.begin()
            self._asker.turn_page()
            view = ExerciseView(card, self._screen.symbols)
            keys = bindings.passing(opens=self._watch is not None)
            self._asker.press(keys, Frame([view.front(at + 1, len(self._cards))]))
            self._write(card, at)
        else:
            self._question(card, at)

    def _write(self, exercise: Heading, at: int) -> None:
        """Let the learner write an exercise. `watch` rates it, and its ratings can be undone here too."""
        if self._watch is None or self._store is None:
            return
        known = {review.id for review in self._store.reviews()}
        self._watch(exercise.id)
        reviews = self._store.reviews()
        rated = [review for review in reviews if review.id not in known]
        self.schedule = schedule_of(self._store, self._now(), reviews)
        self._history += [(at, review.rating) for review in rated]
        for review in rated:
            self._screen.note(f"{review.card.removeprefix('x:')}: {review.rating.word}, saved", keep=True)

    def _question(self, question: Question, at: int) -> None:
        options = shuffled_options(question, self._seed)
        view = CardView(question, self._screen.symbols, options, self._missed(question))
        started = self._now()
        given = Given()
        heading = view.heading(at + 1, len(self._cards))
        self._asker.ask(
            question, options, Frame([heading], text=[*view.body(), *view.choices(), *view.reminder()]), given
        )
        self._asker.turn_page()
        frame = answered(view, heading, given)
        if not given.judged:
            self._tick(view, frame, given)
        rating = self._rate(view, frame, given)
        self._commit(view, at, rating, given, started)

    def _missed(self, question: Question) -> set[int]:
        """Return the missed points that brought the card back; empty if all needed points were missed."""
        reviews = self._store.reviews(question_card(question.id)) if self._store else []
        if not reviews or reviews[-1].rating > Rating.HARD:
            return set()
        texts = reviews[-1].detail.get("missed", [])
        missed = {index for index, point in enumerate(question.key_points[: question.needed]) if point in texts}
        return missed if len(missed) < question.needed else set()

    def _tick(self, view: CardView, frame: Frame, given: Given) -> None:
        count = len(view.question.key_points)
        keys = bindings.ticking(count, view.parts)
        while True:
            foot = [view.points(given.ticked), view.suggested(*suggested(view.question, given))]
            binding, key = self._asker.press(keys, replace(frame, foot=foot), view)
            match binding.action:
                case Action.TICK:
                    given.ticked ^= {int(key) - 1}
                case Action.TICK_ALL:
                    given.ticked = set() if len(given.ticked) == count else set(range(count))
                case Action.GO_ON:
                    return

    def _rate(self, view: CardView, frame: Frame, given: Given) -> Rating:
        card = question_card(view.question.id)
        intervals = {} if self._store is None else self.schedule.intervals(card, self._now())
        offered, why = suggested(view.question, given)
        points = view.points(None if given.judged else given.ticked)
        keys = bindings.rating(offered, view.parts)
        foot = [points, view.ratings(intervals, offered, why)]
        binding, key = self._asker.press(keys, replace(frame, foot=foot), view)
        return Rating(int(key)) if binding.action is Action.RATE else offered

    def _commit(self, view: CardView, at: int, rating: Rating, given: Given, started: datetime) -> None:
        question = view.question
        if self._store is None:
            self._history.append((at, rating))
            self._screen.note(f"{question.id}: {rating.word}, not scheduled", keep=True)
            return
        now = self._now()
        detail: dict[str, Any] = {"seconds": round((now - started).total_seconds(), 1)}
        if given.typed:
            # The letters of options change from one session to the next, so an option is kept with its text.
            texts = dict(zip(letters(len(view.options)), (option.text for option in view.options), strict=True))
            typed = [(text, texts[text]) if view.options else (label, text) for label, text in given.typed]
            detail["answers"] = [{"label": label, "text": text} for label, text in typed]
        if given.judged:
            detail["right"] = [judgement.outcome is Outcome.RIGHT for _, judgement in given.judged]
        else:
            detail["ticked"] = sorted(given.ticked)
            detail["points"] = len(question.key_points)
            detail["needed"] = question.needed
            # As text, because the points of a question can change.
            needed = enumerate(question.key_points[: question.needed])
            detail["missed"] = [point for index, point in needed if index not in given.ticked]
        review = self._store.add_review(question_card(question.id), rating, now, detail)
        state = self.schedule.add(review)
        self._history.append((at, rating))
        wait = interval(state.due - now)
        self._screen.note(f"{question.id}: {rating.word}, saved. Next in {wait}.", keep=True)

    def _undo(self) -> int:
        """Undo the last rating and return the index of its card."""
        if self._store is not None:
            self._store.undo_review(self._now())
            self.schedule = schedule_of(self._store, self._now())
        at, rating = self._history.pop()
        self._screen.forget()
        self._screen.note(f"{rating.word} undone; here is that card again")
        return at


def answered(view: CardView, heading: RenderableType, given: Given) -> Frame:
    """Return the card after an answer: the verdict, the key and the answer. The key points are its foot."""
    if view.options:
        return Frame([heading, view.chosen(given.typed[0][1] if given.typed else None)], (), [view.answer()])
    if not given.judged:
        return Frame([heading], view.key(), [view.answer()])
    # The verdict on a number or a formula has the right answer with it.
    in_verdict = isinstance(view.question.key, NumericKey | DeriveKey)
    return Frame([heading, view.verdicts(given.judged)], () if in_verdict else view.key(), [view.answer()])


def suggested(question: Question, given: Given) -> tuple[Rating, str]:
    """Return the rating that an answer suggests, and the reason in a few words."""
    if given.judged:
        return suggestion(given.right, max(len(judges_of(question)), 1), "right")
    made = sum(point < question.needed for point in given.ticked)
    return suggestion(made, question.needed, "needed")


def suggestion(good: int, of: int, what: str) -> tuple[Rating, str]:
    """Return the suggested rating for `good` out of `of`, and the reason in a few words.

    Easy is never suggested, because only the learner knows the effort.
    """
    share = good / of
    rating = Rating.GOOD if share > 2 / 3 else Rating.HARD if share > 1 / 3 else Rating.AGAIN
    return rating, f"{good} of {of} {what}"


def shuffled_options(question: Question, seed: int) -> tuple[Option, ...]:
    """Return the options of a choice question, shuffled by the seed; no options for another kind."""
    if not isinstance(question.key, ChoiceKey):
        return ()
    options = list(question.key.options)
    random.Random(f"{seed}:{question.id}").shuffle(options)  # noqa: S311 - an order, not a secret
    return tuple(options)
