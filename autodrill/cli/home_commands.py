"""`autodrill` alone and `autodrill next`: the learner's progress, and the next command to type."""

import os
import sys
from typing import TYPE_CHECKING

from autodrill.cli.options import Format, OutputFormat, Packs, again, now, open_store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from autodrill.drills.exercise import Heading
    from autodrill.practice.log_records import Review
    from autodrill.practice.progress import Progress
    from autodrill.practice.store import Store

__all__ = ["next_", "status"]


def status() -> None:
    """Show the learner's progress and the next command to type."""
    exercises, known, questions, due, on_path = _survey()
    from autodrill.practice.log_records import State
    from autodrill.practice.progress import next_exercise
    from autodrill.render.plain import Paint, say

    paint = Paint.for_stream(sys.stdout, os.environ)
    states = [known.state(e.id) for e in exercises]
    passed = sum(s in (State.PASSED, State.DUE) for s in states)
    say(paint("autodrill", "bold") + "  practise autodiff and backprop")
    say()
    say(f"  exercises  {passed} of {len(exercises)} passed, {states.count(State.DUE)} due again")
    say(f"  questions  {questions[0]} of {questions[1]} seen, {due} due")
    if on_path:
        say(f"  path       {on_path}")
    say()
    upcoming = next_exercise([e.id for e in exercises], known)
    if due:
        say(f"  next: {paint('autodrill quiz', 'cyan', 'bold')}   ({due} due)")
    elif passed == 0 and questions[0] == 0:
        say(f"  next: {paint('autodrill quiz', 'cyan', 'bold')}   or write a backward pass: autodrill open {upcoming}")
    elif upcoming:
        say(f"  next: {paint(f'autodrill open {upcoming}', 'cyan', 'bold')}   then: autodrill check {upcoming}")
    else:
        say(f"  next: {paint('autodrill quiz', 'cyan', 'bold')}   every exercise is passed and none is due")
    say(paint("  all commands: autodrill --help", "dim"))


def next_(pack: Packs = None, output_format: Format = OutputFormat.TEXT) -> None:
    """Show which exercise to do next.

    The next exercise is the one that has been due the longest. If no exercise is due, it is the first one that you have
    not passed.

    Example:
      autodrill next
    """
    exercises, known, *_ = _survey(pack or ())
    from autodrill.practice.progress import next_exercise

    name = next_exercise([e.id for e in exercises], known)
    chosen = next((e for e in exercises if e.id == name), None)
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("next", exercise=name, state=known.state(name) if name else None)
        return
    from autodrill.render.plain import Paint, say

    if chosen is None:
        say("every exercise is passed and none is due")
        say("next: autodrill quiz", err=True)
        return
    paint = Paint.for_stream(sys.stdout, os.environ)
    facts = f"{chosen.difficulty}, {chosen.minutes} min, {known.state(chosen.id)}"
    say(f"{paint(chosen.id, 'bold')}  {chosen.title} ({facts})")
    say(f"next: autodrill open {chosen.id}{again(pack)}, then autodrill check {chosen.id}{again(pack)}", err=True)


def _survey(packs: "Sequence[Path]" = ()) -> "tuple[list[Heading], Progress, tuple[int, int], int, str | None]":
    from autodrill.bank.question_index import question_ids
    from autodrill.drills.library import Library
    from autodrill.folders import history_file
    from autodrill.practice.progress import Progress, progress

    exercises = Library.open(packs).headings()
    bank = question_ids()
    if not history_file(os.environ).exists():
        return exercises, Progress({}, {}), (0, len(bank)), 0, None
    with open_store() as store:
        known = progress(store, now())
        reviews = [r for r in store.reviews() if r.card.startswith("q:")]
        on_path = _on_path(store, reviews)
    if not reviews:
        return exercises, known, (0, len(bank)), 0, on_path
    from autodrill.practice.schedule import Schedule

    due = sum(card.due <= now() for card in Schedule(reviews, now()).states())
    return exercises, known, (len({r.card for r in reviews}), len(bank)), due, on_path


def _on_path(store: "Store", reviews: "Sequence[Review]") -> str | None:
    if store.chosen_path() is None:
        return None
    from autodrill.cli.path_practice import home_line

    return home_line(store, reviews)
