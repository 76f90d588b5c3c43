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
from autodrill.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from autodrill.cli.sitting import Sitting
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
    generated: Annotated[
        list[str] | None,
        typer.Option(metavar="CONCEPT", help="Fresh questions on a concept, or `all`; may be given again."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many cards.")] = 20,
    seed: Annotated[
        int | None, typer.Option(help="Shuffle the new cards, or generate questions, the same way each time.")
    ] = None,
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
    is saved as it is given. Generated questions are judged and rated too, but never come back: a seed replays them.

    Examples: autodrill quiz --topic kinks --limit 5; autodrill quiz --ids why-topological-order;
    autodrill quiz --generated graph --difficulty easy
    """
    from autodrill.bank.loader import load_questions
    from autodrill.practice.paths import history_file
    from autodrill.practice.schedule import Schedule
    from autodrill.practice.session import Filter, choose

    lines = answers is Input.LINES
    interactive = output_format is OutputFormat.TEXT and not no_input
    interactive = interactive and (lines or (sys.stdin.isatty() and sys.stdout.isatty()))
    if generated:
        if topic or kind or ids or ahead:
            hint = "`--difficulty`, `--limit` and `--seed` go with it"
            raise UsageError("`--generated` makes its own questions: it does not choose among the bank's", hint=hint)
        _generated(generated, difficulty or (), seed, limit, output_format, interactive=interactive, lines=lines)
        return
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
            _sit_scheduled(questions, store, seed, lines=lines)
        else:
            _show(questions, schedule, seed or 0, output_format)


def _generated(
    concepts: Sequence[str],
    difficulties: Sequence[Difficulty],
    seed: int | None,
    limit: int,
    output_format: OutputFormat,
    *,
    interactive: bool,
    lines: bool,
) -> None:
    """Ask or show generated questions, and say how to have the same ones again."""
    from itertools import islice

    from autodrill.bank.generated import GENERATORS, generated
    from autodrill.practice.schedule import Schedule

    for name in concepts:
        if name not in GENERATORS and name != "all":
            from difflib import get_close_matches

            known = [*GENERATORS, "all"]
            nearest = get_close_matches(name, known)
            raise UnknownNameError("concept", name, nearest, hint=None if nearest else f"known are {', '.join(known)}")
    wanted = tuple(GENERATORS) if "all" in concepts else tuple(dict.fromkeys(concepts))
    seed = int.from_bytes(os.urandom(3)) if seed is None else seed
    questions = tuple(islice(generated(wanted, difficulties, seed), limit))
    options = [("--generated", name) for name in dict.fromkeys(concepts)]
    options += [("--difficulty", str(level)) for level in difficulties]
    options += [("--limit", str(limit)), ("--seed", str(seed))]
    replay = "replay: autodrill quiz " + " ".join(f"{flag} {value}" for flag, value in options)
    if interactive:
        from autodrill.render.console import stdout_console

        console = stdout_console()
        # Said first, so that a sitting which is killed can be replayed too.
        console.print(f"seed {seed}; generated questions are not scheduled", style="dim", soft_wrap=True)
        sitting = _sit(questions, None, seed, lines=lines)
        _close(sitting, replay)
    else:
        _show(questions, Schedule(), seed, output_format)
        _warn(replay)


def _sit_scheduled(questions: Sequence[Question], store: "Store", seed: int | None, *, lines: bool) -> None:
    """Ask questions of the bank, and say at the end what became of them and when the next is due."""
    from autodrill.practice.schedule import Schedule
    from autodrill.render.console import stdout_console
    from autodrill.render.quiz import next_due, nothing_due

    if not questions:
        stdout_console().print(nothing_due(Schedule(store.reviews()), now()))
        return
    sitting = _sit(questions, store, int(now().timestamp()) if seed is None else seed, lines=lines)
    _close(sitting, next_due(sitting.schedule, now()))


def _sit(questions: Sequence[Question], store: "Store | None", seed: int, *, lines: bool) -> "Sitting":
    """Ask the questions; without a store no rating is kept.

    Raises:
        typer.Exit: Ctrl-C.
    """
    import contextlib

    from autodrill.cli.keys import LineKeyboard, TerminalKeyboard, terminal_keyboard_works
    from autodrill.cli.screen import Screen
    from autodrill.cli.sitting import Sitting
    from autodrill.render.console import stdout_console

    with contextlib.ExitStack() as stack:
        keyboard: LineKeyboard | TerminalKeyboard
        if lines or not terminal_keyboard_works():
            keyboard = LineKeyboard(sys.stdin, sys.stdout)
        else:
            keyboard = stack.enter_context(TerminalKeyboard())
        screen = Screen(stdout_console(), in_place=keyboard.single_keys)
        sitting = Sitting(_practisable(questions), store, keyboard, screen, now, seed)
        try:
            sitting.run()
        except KeyboardInterrupt:
            count = sitting.rated.total()
            kept = "saved" if store else "given, none is kept"
            _warn(f"stopped; {count} rating{'s are' if count != 1 else ' is'} {kept}")
            raise typer.Exit(Exit.INTERRUPTED) from None
    return sitting


def _close(sitting: "Sitting", next_step: str) -> None:
    from autodrill.render.console import stdout_console
    from autodrill.render.quiz import summary

    console = stdout_console()
    console.print()
    console.print(summary(sitting.rated, sitting.skipped, sitting.left, next_step), soft_wrap=True)


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
