"""`autodrill quiz --placement`: a short quiz that finds out what one need not be asked."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from autodrill.cli import bindings
from autodrill.cli.asking import Asker, CardLeftError, Given, judges_of
from autodrill.cli.bindings import Action
from autodrill.cli.exits import Exit
from autodrill.cli.options import now, open_store
from autodrill.cli.sitting import shuffled_options
from autodrill.errors import UnknownNameError, UsageError
from autodrill.practice.log_records import Rating, question_card
from autodrill.render.card_screen import CardView
from autodrill.render.plain import say, width_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from autodrill.bank.questions import Question
    from autodrill.cli.bindings import Binding
    from autodrill.cli.keyboard import Keyboard
    from autodrill.cli.screen import Screen
    from autodrill.practice.placement import Placement
    from autodrill.practice.store import Store

__all__ = ["place", "show_placement", "undo_placement"]

_UNDO = "take it back: autodrill quiz --placement --undo"


def place(bank: Sequence[Question], topics: Collection[str], keyboard: Keyboard, screen: Screen) -> None:
    """Ask, keep every answer as a rating as it is given, and in the end what follows from them.

    Raises:
        UnknownNameError: A topic that is no question's home.
        typer.Exit: Ctrl-C; the answers given are kept, nothing is concluded.
    """
    from autodrill.bank.curriculum import load_curriculum
    from autodrill.practice.placement import Placement

    _refuse_unknown(topics, bank)
    with open_store() as store:
        seen = {review.card.removeprefix("q:") for review in store.reviews()}
        placement = Placement(bank, load_curriculum(bank=bank), topics, seen)
        if placement.next() is None:
            say("there are too few judged questions on that to conclude anything from")
            return
        screen.note(f"at most {placement.most} questions, each judged; what you do not know, say so")
        reviews: list[int] = []
        try:
            _ask_all(placement, store, reviews, keyboard, screen)
        except KeyboardInterrupt:
            say(f"stopped; {len(reviews)} answers are kept, nothing is concluded", err=True)
            raise typer.Exit(Exit.INTERRUPTED) from None
        if not reviews:
            say("no answer, so nothing is concluded")
            return
        detail = {
            "excused": sorted(placement.excused),
            "unknown": sorted(placement.unknown),
            "reviews": reviews,
            "findings": [finding.as_json() for finding in placement.findings],
        }
        store.add_placement(detail, now())
    say()
    _say_conclusions(detail, len(bank))


def show_placement(bank: Sequence[Question], *, as_json: bool) -> None:
    """Write what the last placement found; nothing is asked.

    Raises:
        UsageError: There was none.
    """
    from autodrill.practice.folders import history_file

    last = None
    if history_file(os.environ).exists():
        with open_store() as store:
            last = next(reversed(store.placements()), None)
    if as_json:
        from autodrill.render.document import write_document

        write_document("quiz", placement=None if last is None else {"at": last.at.isoformat(), **last.detail})
    elif last is None:
        hint = "use a terminal, or `--input lines` to answer from a pipe"
        raise UsageError("there is no placement to show, and none can be asked here", hint=hint)
    else:
        _say_conclusions(last.detail, len(bank))


def undo_placement() -> None:
    """Take the last placement back, with the ratings it gave.

    Raises:
        UsageError: There is none.
    """
    with open_store() as store:
        undone = store.undo_placement(now())
    if undone is None:
        raise UsageError("there is no placement to take back")
    say(f"taken back: {len(undone.reviews)} ratings; {len(undone.excused)} questions are new again")


def _ask_all(placement: Placement, store: Store, reviews: list[int], keyboard: Keyboard, screen: Screen) -> None:
    asker = Asker(keyboard, screen, may_undo=lambda: False)
    while (question := placement.next()) is not None:
        given = Given()
        options = shuffled_options(question, len(reviews))
        view = CardView(question, screen.symbols, options)
        started = now()
        screen.show("")
        screen.show(view.front(len(placement.answered) + 1, placement.most))
        try:
            asker.ask(question, options, view, given, _keys(len(options)))
        except CardLeftError as left:
            if left.action is Action.QUIT:
                return
            placement.pass_over(question)
            screen.note("skipped")
            continue
        except EOFError:
            return
        right = given.right == max(len(judges_of(question)), 1)
        if given.judged:
            screen.show(view.verdicts(given.judged))
        detail: dict[str, Any] = {
            "placement": True,
            "seconds": round((now() - started).total_seconds(), 1),
            "answers": [{"label": label, "text": text} for label, text in given.typed],
        }
        rating = Rating.GOOD if right else Rating.AGAIN
        reviews.append(store.add_review(question_card(question.id), rating, now(), detail).id)
        placement.answer(question, right=right)


def _keys(options: int) -> tuple[Binding, ...]:
    """The keys while a question stands; here the answer is not shown: it would be remembered, not known."""
    usual = bindings.asking(options=options, typed=not options)
    brief, said = "don't know", "say that you do not know; it comes back in practice"
    return tuple(replace(b, brief=brief, help=said) if b.action is Action.REVEAL else b for b in usual)


def _refuse_unknown(topics: Collection[str], bank: Sequence[Question]) -> None:
    from difflib import get_close_matches

    homes = sorted({question.home_topic for question in bank})
    for topic in topics:
        if topic not in homes:
            nearest = get_close_matches(topic, homes)
            raise UnknownNameError("topic", topic, nearest, hint=None if nearest else f"topics: {', '.join(homes)}")


def _say_conclusions(detail: Mapping[str, Any], total: int) -> None:
    from autodrill.render.placement_screen import conclusions

    for line in conclusions(detail["findings"], width_of(sys.stdout, os.environ)):
        say(line)
    count = len(detail["excused"])
    say()
    answers = f"{len(detail['reviews'])} answer{'s' if len(detail['reviews']) != 1 else ''}"
    say(f"{answers}; {count} of {total} questions are not asked as new: autodrill quiz goes on")
    say(_UNDO)
