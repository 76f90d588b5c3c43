"""`autodrill quiz --placement`: a short test that finds what the learner can skip."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from autodrill.cli import bindings
from autodrill.cli.asking import Asker, CardLeftError, Given, judges_of
from autodrill.cli.bindings import Action
from autodrill.cli.options import Exit, now, open_store
from autodrill.cli.sitting import shuffled_options
from autodrill.errors import UnknownNameError, UsageError
from autodrill.practice.log_records import Rating, question_card
from autodrill.render.card_frame import Frame
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

_UNDO = "undo: autodrill quiz --placement --undo"


def place(bank: Sequence[Question], topics: Collection[str], keyboard: Keyboard, screen: Screen) -> None:
    """Run a placement test. Each answer is saved at once as a rating; the conclusions are saved at the end.

    Raises:
        UnknownNameError: No question has this home topic.
        typer.Exit: Ctrl-C. The answers so far are kept, without conclusions.
    """
    from autodrill.bank.curriculum import load_curriculum
    from autodrill.practice.placement import Placement

    _refuse_unknown(topics, bank)
    with open_store() as store:
        seen = {review.card.removeprefix("q:") for review in store.reviews()}
        placement = Placement(bank, load_curriculum(bank=bank), topics, seen)
        if placement.next() is None:
            say("these topics have too few questions that autodrill can judge, so there is no placement test")
            return
        screen.note(f"at most {placement.most} questions; if you do not know an answer, do not guess")
        reviews: list[int] = []
        try:
            _ask_all(placement, store, reviews, keyboard, screen)
        except KeyboardInterrupt:
            say(f"stopped; {_answers(len(reviews))} saved, but there is no result", err=True)
            raise typer.Exit(Exit.INTERRUPTED) from None
        if not reviews:
            say("there are no answers, so there is no result")
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
    """Show the result of the last placement; nothing is asked.

    Raises:
        UsageError: No placement was taken.
    """
    from autodrill.folders import history_file

    last = None
    if history_file(os.environ).exists():
        with open_store() as store:
            last = next(reversed(store.placements()), None)
    if as_json:
        from autodrill.render.document import write_document

        write_document("quiz", placement=None if last is None else {"at": last.at.isoformat(), **last.detail})
    elif last is None:
        hint = "take a test with `autodrill quiz --placement` on a terminal, or with `--input lines` from a pipe"
        raise UsageError("there is no placement to show yet", hint=hint)
    else:
        _say_conclusions(last.detail, len(bank))


def undo_placement() -> None:
    """Undo the last placement and its ratings.

    Raises:
        UsageError: There is no placement.
    """
    with open_store() as store:
        undone = store.undo_placement(now())
    if undone is None:
        raise UsageError("there is no placement to undo", hint="take a test with `autodrill quiz --placement`")
    say(f"placement undone: {_answers(len(undone.reviews))} removed, {len(undone.excused)} questions are new again")


def _ask_all(placement: Placement, store: Store, reviews: list[int], keyboard: Keyboard, screen: Screen) -> None:
    asker = Asker(keyboard, screen, may_undo=lambda: False)
    while (question := placement.next()) is not None:
        given = Given()
        options = shuffled_options(question, len(reviews))
        view = CardView(question, screen.symbols, options)
        started = now()
        heading = view.heading(len(placement.answered) + 1, placement.most)
        frame = Frame([heading], text=[*view.body(), *view.choices()])
        try:
            asker.ask(question, options, frame, given, _keys(len(options)))
        except CardLeftError as left:
            if left.action is Action.QUIT:
                return
            placement.pass_over(question)
            screen.note("skipped")
            continue
        except EOFError:
            return
        right = given.right == max(len(judges_of(question)), 1)
        for label, judgement in given.judged:
            remark = (f"{label}: " if label else "") + judgement.remark.replace("`", "")
            screen.note(f"{question.id}: {judgement.outcome}  {remark}", keep=True)
        detail: dict[str, Any] = {
            "placement": True,
            "seconds": round((now() - started).total_seconds(), 1),
            "answers": [{"label": label, "text": text} for label, text in given.typed],
        }
        rating = Rating.GOOD if right else Rating.AGAIN
        reviews.append(store.add_review(question_card(question.id), rating, now(), detail).id)
        placement.answer(question, right=right)


def _keys(options: int) -> tuple[Binding, ...]:
    """Return the keys while a question waits for its answer, with "don't know" in place of "reveal"."""
    usual = bindings.asking(options=options, typed=not options)
    brief, said = "don't know", "say that you do not know; the question comes back in practice"
    return tuple(replace(b, brief=brief, help=said) if b.action is Action.REVEAL else b for b in usual)


def _refuse_unknown(topics: Collection[str], bank: Sequence[Question]) -> None:
    from difflib import get_close_matches

    homes = sorted({question.home_topic for question in bank})
    for topic in topics:
        if topic not in homes:
            nearest = get_close_matches(topic, homes)
            raise UnknownNameError("topic", topic, nearest, hint=None if nearest else f"use one of {', '.join(homes)}")


def _say_conclusions(detail: Mapping[str, Any], total: int) -> None:
    from autodrill.render.placement_screen import conclusions

    for line in conclusions(detail["findings"], width_of(sys.stdout, os.environ)):
        say(line)
    count = len(detail["excused"])
    say()
    say(f"{_answers(len(detail['reviews']))}; you can skip {count} of {total} questions; next: autodrill quiz")
    say(_UNDO)


def _answers(count: int) -> str:
    return f"{count} answer{'s' if count != 1 else ''}"
