"""`autodrill quiz`: the questions that are due, then new ones."""

# No `from __future__ import annotations` here: typer has to find the annotations' names at run time.

import enum
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.bank.questions import Difficulty, Kind, Question
from autodrill.cli.exits import Exit
from autodrill.cli.options import Format, OutputFormat, now, open_store

if TYPE_CHECKING:
    from autodrill.practice.schedule import Schedule
    from autodrill.practice.store import Store

__all__ = ["quiz"]


class Input(enum.StrEnum):
    """How answers are read."""

    KEYS = "keys"
    LINES = "lines"


def quiz(
    topic: Annotated[list[str] | None, typer.Option(help="Only this topic; may be given again.")] = None,
    difficulty: Annotated[
        list[Difficulty] | None, typer.Option(help="Only this difficulty; may be given again.")
    ] = None,
    kind: Annotated[list[Kind] | None, typer.Option(help="Only this kind of question; may be given again.")] = None,
    ids: Annotated[str | None, typer.Option(metavar="ID,ID", help="These questions, due or not.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many cards.")] = 20,
    seed: Annotated[int | None, typer.Option(help="Shuffle the new cards, the same way each time.")] = None,
    ahead: Annotated[bool, typer.Option("--ahead", help="Go on with cards that are not due yet.")] = False,
    no_input: Annotated[
        bool, typer.Option("--no-input", help="Show the cards with their answers; ask nothing.")
    ] = False,
    answers: Annotated[
        Input, typer.Option("--input", help="Read single keys, or whole lines (also from a pipe).")
    ] = Input.KEYS,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Practise the question bank: what is due first, then what is new.

    Think or type, reveal, tick what you said, rate yourself: the rating decides when the card comes back. Every rating
    is saved as it is given.

    Examples: autodrill quiz --topic kinks --limit 5; autodrill quiz --ids why-topological-order
    """
    from autodrill.bank.loader import load_questions
    from autodrill.practice.paths import history_file
    from autodrill.practice.schedule import Schedule
    from autodrill.practice.session import Filter, choose

    lines = answers is Input.LINES
    interactive = output_format is OutputFormat.TEXT and not no_input
    interactive = interactive and (lines or (sys.stdin.isatty() and sys.stdout.isatty()))
    bank = load_questions()
    only = Filter(frozenset(topic or ()), frozenset(difficulty or ()), frozenset(kind or ()))

    def chosen(schedule: Schedule) -> tuple[Question, ...]:
        if ids is not None:
            return _named(bank, ids)
        return choose(bank, schedule, now(), only=only, limit=limit, seed=seed, ahead=ahead)

    path = history_file(os.environ)
    if not interactive and not path.exists():
        # Only showing cards leaves no trace, and works where nothing can be written.
        schedule = Schedule()
        _show(chosen(schedule), schedule, seed or 0, output_format)
        return
    with open_store() as store:
        schedule = Schedule(store.reviews())
        questions = chosen(schedule)
        if interactive:
            _sit(questions, store, seed, lines=lines)
        else:
            _show(questions, schedule, seed or 0, output_format)


def _sit(questions: Sequence[Question], store: "Store", seed: int | None, *, lines: bool) -> None:
    """Ask the questions, and say at the end what became of them."""
    import contextlib

    from autodrill.cli.keys import LineKeyboard, TerminalKeyboard, terminal_keyboard_works
    from autodrill.cli.screen import Screen
    from autodrill.cli.sitting import Sitting
    from autodrill.practice.schedule import Schedule
    from autodrill.render.console import stdout_console
    from autodrill.render.quiz import nothing_due, summary

    console = stdout_console()
    if not questions:
        console.print(nothing_due(Schedule(store.reviews()), now()))
        return
    with contextlib.ExitStack() as stack:
        keyboard: LineKeyboard | TerminalKeyboard
        if lines or not terminal_keyboard_works():
            keyboard = LineKeyboard(sys.stdin, sys.stdout)
        else:
            keyboard = stack.enter_context(TerminalKeyboard())
        screen = Screen(console, in_place=keyboard.single_keys)
        order = int(now().timestamp()) if seed is None else seed
        sitting = Sitting(_practisable(questions), store, keyboard, screen, now, order)
        try:
            sitting.run()
        except KeyboardInterrupt:
            count = sitting.rated.total()
            _warn(f"stopped; {count} rating{'s are' if count != 1 else ' is'} saved")
            raise typer.Exit(Exit.INTERRUPTED) from None
        console.print()
        console.print(summary(sitting.rated, sitting.skipped, sitting.left, sitting.schedule, now()))


def _show(questions: Sequence[Question], schedule: "Schedule", seed: int, output_format: OutputFormat) -> None:
    """Write the cards with their answers, nothing asked and nothing rated."""
    from autodrill.practice.records import question_card

    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document
        from autodrill.render.quiz_json import as_json

        states = [schedule.state(question_card(question.id)) for question in questions]
        write_document("quiz", cards=[as_json(q, state) for q, state in zip(questions, states, strict=True)])
        return
    from autodrill.cli.sitting import shuffled_options
    from autodrill.render.console import stdout_console, symbols_for
    from autodrill.render.quiz import CardView

    console = stdout_console()
    for position, question in enumerate(_practisable(questions), 1):
        view = CardView(question, symbols_for(console.file), shuffled_options(question, seed))
        console.print(view.front(position, len(questions)), view.back(), view.points(None), view.rest(), "", sep="")
    what = f"{len(questions)} card{'s' if len(questions) != 1 else ''} shown, not rated"
    _warn(f"{what}: rating needs a terminal, or `--input lines`")


def _named(bank: Sequence[Question], ids: str) -> tuple[Question, ...]:
    """Return the questions with these ids, in the order asked for."""
    from difflib import get_close_matches

    from autodrill.errors import UnknownNameError

    by_id = {question.id: question for question in bank}
    names = [name.strip() for name in ids.split(",") if name.strip()]
    for name in names:
        if name not in by_id:
            raise UnknownNameError("question", name, get_close_matches(name, by_id))
    return tuple(by_id[name] for name in names)


def _practisable(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Leave out the exercises that do not exist yet: what a card says to type must work."""
    from autodrill.content import content_root, visible_files

    there = {path.stem for path in visible_files(content_root() / "exercises", ".py")}
    return tuple(replace(q, exercises=tuple(e for e in q.exercises if e in there)) for q in questions)


def _warn(text: str) -> None:
    from autodrill.render.console import stderr_console

    stderr_console().print(text, soft_wrap=True)
