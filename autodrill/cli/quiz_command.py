"""`autodrill quiz`: due questions first, then new ones."""

# No `from __future__ import annotations`: typer evaluates the annotations at run time.

import contextlib
import enum
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.bank.questions import Difficulty, Kind, Question
from autodrill.cli.completion import NO_PATH, complete_concepts, complete_paths, complete_question_ids, complete_topics
from autodrill.cli.options import Exit, Format, OutputFormat, now, open_store
from autodrill.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.cli.keyboard import Keyboard
    from autodrill.cli.path_practice import Course
    from autodrill.cli.screen import Screen
    from autodrill.cli.sitting import Sitting
    from autodrill.drills.exercise import Heading
    from autodrill.practice.path_progress import Standing
    from autodrill.practice.schedule import Schedule
    from autodrill.practice.store import Store

    Cards = Sequence[Question | Heading]
    Reached = tuple[Course, Standing]

__all__ = ["quiz"]


class Input(enum.StrEnum):
    """The ways to read answers."""

    KEYS = "keys"
    LINES = "lines"


def quiz(
    topic: Annotated[
        list[str] | None,
        typer.Option(
            help="Ask only about this topic. Repeat the option for more topics.", autocompletion=complete_topics
        ),
    ] = None,
    difficulty: Annotated[
        list[Difficulty] | None, typer.Option(help="Ask only questions of this difficulty. Repeat the option for more.")
    ] = None,
    kind: Annotated[
        list[Kind] | None, typer.Option(help="Ask only this kind of question. Repeat the option for more kinds.")
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="ID,ID",
            help="Ask exactly these questions, even if they are not due.",
            autocompletion=complete_question_ids,
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="List the questions that contain every word of this text, with their ids."),
    ] = None,
    generated: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONCEPT",
            help="Generate questions on this concept, or on `all` concepts. Repeat the option for more.",
            autocompletion=complete_concepts,
        ),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Follow this learning path from now on; `none` stops following one.",
            autocompletion=complete_paths,
        ),
    ] = None,
    paths: Annotated[bool, typer.Option("--paths", help="List the learning paths and your progress.")] = False,
    placement: Annotated[
        bool,
        typer.Option(
            "--placement", help="Take a placement test of at most 20 questions, which finds what you can skip."
        ),
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Together with --placement, undo the last placement.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many cards.")] = 20,
    seed: Annotated[
        int | None, typer.Option(help="Shuffle the new cards, or generate the questions, with this seed.")
    ] = None,
    cram: Annotated[
        bool, typer.Option("--cram", help="Ask questions in random order, due or not. The schedule does not change.")
    ] = False,
    missed: Annotated[
        bool, typer.Option("--missed", help="With --cram, ask only what you rated Again in the last 14 days.")
    ] = False,
    ahead: Annotated[bool, typer.Option("--ahead", help="Also ask cards that are not due yet.")] = False,
    no_input: Annotated[
        bool, typer.Option("--no-input", help="Show the cards with their answers, and do not ask for yours.")
    ] = False,
    answers: Annotated[
        Input, typer.Option("--input", help="Read single keys or whole lines. Lines can come from a pipe.")
    ] = Input.KEYS,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Practise interview questions: due cards first, then new ones.

    Think of an answer or type it, reveal the right answer, tick the key points you made, and rate yourself. The needed
    points suggest the rating. The rating is saved at once, and decides when the card comes back. The line below the
    card shows every key that works.

    If you already know the basics, start with --placement, a short test that finds what you can skip. A learning path
    is a sequence of questions and exercises for one purpose. --paths lists the learning paths. Generated questions are
    judged and rated, but not scheduled. The same --seed generates the same questions again. --cram practises what is
    due and what is not, and saves no rating.

    Examples:
      autodrill quiz --placement
      autodrill quiz --path night-before
      autodrill quiz --topic kinks --limit 5
      autodrill quiz --search "log softmax"
      autodrill quiz --cram --missed
      autodrill quiz --ids why-topological-order
      autodrill quiz --generated graph --difficulty easy
    """
    from autodrill.bank.question_files import load_questions
    from autodrill.practice.session import Filter

    lines = answers is Input.LINES
    interactive = output_format is OutputFormat.TEXT and not no_input
    interactive = interactive and (lines or (sys.stdin.isatty() and sys.stdout.isatty()))
    if generated:
        if topic or kind or ids or ahead or path or paths or placement or search is not None:
            hint = "combine `--generated` with `--difficulty`, `--limit` and `--seed` only"
            raise UsageError("`--generated` makes new questions and does not choose from the question bank", hint=hint)
        _generated(generated, difficulty or (), seed, limit, output_format, interactive=interactive, lines=lines)
        return
    if undo and not placement:
        raise UsageError("`--undo` works only with `--placement`", hint="to undo a rating, press `u` in the quiz")
    if placement and (difficulty or kind or ids or path or paths or ahead or seed is not None):
        raise UsageError("`--placement` chooses its own questions", hint="combine `--placement` with `--topic` only")
    bank = load_questions()
    if search is not None:
        from autodrill.cli.card_search import list_found

        if ids or path or paths or placement or ahead or seed is not None:
            hint = "combine `--search` with `--topic`, `--difficulty`, `--kind` and `--limit` only"
            raise UsageError("`--search` lists questions and asks none", hint=hint)
        only = Filter(frozenset(topic or ()), frozenset(difficulty or ()), frozenset(kind or ()))
        list_found(bank, only, search, limit, output_format)
        return
    if placement:
        _place(bank, topic or (), output_format, undo=undo, interactive=interactive, lines=lines)
        return
    if paths:
        _list_paths(bank, output_format)
        return
    if missed and not cram:
        raise UsageError("`--missed` works only with `--cram`", hint="due questions that you missed come first anyway")
    if cram and (ids or ahead):
        raise UsageError("`--cram` asks what is due and what is not", hint="leave out `--ids` and `--ahead`")
    if path and not cram and (ids or seed is not None):
        raise UsageError("a learning path has its own cards in its own order", hint="leave out `--ids` and `--seed`")
    only = Filter(frozenset(topic or ()), frozenset(difficulty or ()), frozenset(kind or ()))
    course = None
    if path is not None and path != NO_PATH:
        from autodrill.cli.path_practice import Course

        course = Course.open(bank)
        course.find(path)

    def chosen(store: "Store | None") -> "Cards":
        if course and path:
            limits = limits_today(store)
            return course.cards(course.find(path), store, now(), only, limits, limit=limit, ahead=ahead)
        if ids is not None:
            return named_cards(bank, ids)
        return scheduled_cards(bank, store, only, limit=limit, seed=seed, ahead=ahead)

    from autodrill.cli.card_queue import cram_cards, limits_today, named_cards, scheduled_cards
    from autodrill.cli.overview import history_if_any
    from autodrill.practice.schedule import Schedule, schedule_of

    if cram:
        asked = bank if course is None or path is None else course.questions_of(course.find(path))
        number = int.from_bytes(os.urandom(3)) if seed is None else seed
        with history_if_any() as store:
            crammed = cram_cards(asked, store, only, missed=missed, limit=limit, seed=number)
        said = "to practise by schedule: autodrill quiz"
        _ask_unscheduled(crammed, number, "cram: the ratings are not saved", said, output_format, interactive, lines)
        return

    def reached(store: "Store | None") -> "Reached | None":
        return (course, course.standing(course.find(path), store)) if course and path else None

    # Showing cards creates no history, so that it works in a read-only folder too.
    with open_store() if interactive else history_if_any() as store:
        if interactive:
            assert store is not None
            if path is not None:
                store.choose_path("" if path == NO_PATH else path, now())
            _sit_scheduled(chosen(store), store, seed, lambda: reached(store), lines=lines)
        else:
            schedule = schedule_of(store, now()) if store else Schedule()
            _show(chosen(store), schedule, seed or 0, output_format, reached(store))


def _list_paths(bank: Sequence[Question], output_format: OutputFormat) -> None:
    """List the learning paths with the learner's progress."""
    from autodrill.cli.overview import history_if_any
    from autodrill.cli.path_practice import Course

    course = Course.open(bank)
    with history_if_any() as store:
        chosen = store.chosen_path() if store else None
        if output_format is OutputFormat.JSON:
            from autodrill.render.document import write_document

            found = [course.as_json(course.standing(path, store)) for path in course.paths.values()]
            write_document("quiz", paths=found, chosen=chosen)
            return
        from autodrill.render.plain import say

        for line in course.listing(store, chosen):
            say(line)
    say("start a learning path: autodrill quiz --path NAME", err=True)


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
    """Ask or show generated questions, and print the command that repeats them."""
    from itertools import islice

    from autodrill.bank.generated import GENERATORS, generated

    for name in concepts:
        if name not in GENERATORS and name != "all":
            from difflib import get_close_matches

            known = [*GENERATORS, "all"]
            nearest = get_close_matches(name, known)
            raise UnknownNameError("concept", name, nearest, hint=None if nearest else f"use one of {', '.join(known)}")
    wanted = tuple(GENERATORS) if "all" in concepts else tuple(dict.fromkeys(concepts))
    seed = int.from_bytes(os.urandom(3)) if seed is None else seed
    questions = tuple(islice(generated(wanted, difficulties, seed), limit))
    options = [("--generated", name) for name in dict.fromkeys(concepts)]
    options += [("--difficulty", str(level)) for level in difficulties]
    options += [("--limit", str(limit)), ("--seed", str(seed))]
    replay = "replay: autodrill quiz " + " ".join(f"{flag} {value}" for flag, value in options)
    # The seed comes first, so that a session that is killed can be repeated too.
    said = f"seed {seed}; generated questions are not scheduled"
    _ask_unscheduled(questions, seed, said, replay, output_format, interactive, lines)


def _ask_unscheduled(
    questions: Sequence[Question],
    seed: int,
    said: str,
    next_step: str,
    output_format: OutputFormat,
    interactive: bool,
    lines: bool,
) -> None:
    """Ask or show questions without saving a rating."""
    from autodrill.practice.schedule import Schedule
    from autodrill.render.console import stdout_console

    if interactive and not questions:
        stdout_console().print("There is no such question.", next_step, sep="\n", soft_wrap=True)
    elif interactive:
        stdout_console().print(said, style="dim", soft_wrap=True)
        _close(_sit(questions, None, seed, lines=lines), next_step)
    else:
        _show(questions, Schedule(), seed, output_format)
        _warn(next_step)


def _sit_scheduled(
    cards: "Cards", store: "Store", seed: int | None, reached: "Callable[[], Reached | None]", *, lines: bool
) -> None:
    """Ask cards, then summarise the ratings and say when the next card is due."""
    from autodrill.cli.card_queue import limits_today
    from autodrill.practice.schedule import schedule_of
    from autodrill.render.console import stdout_console
    from autodrill.render.plain import Paint, say
    from autodrill.render.quiz_summary import next_due, nothing_due

    def say_how_far() -> None:
        if (on_path := reached()) is not None:
            course, standing = on_path
            say(Paint.for_stream(sys.stdout, os.environ)(course.line(standing), "dim"))

    say_how_far()
    if not cards:
        limits = limits_today(store)
        if 0 in {limits.reviews_left, limits.new_left}:
            stdout_console().print("You have reached a limit of today; `autodrill limit` shows and changes it.")
        stdout_console().print(nothing_due(schedule_of(store, now()), now(), len(store.excused())))
        return
    sitting = _sit(cards, store, int(now().timestamp()) if seed is None else seed, lines=lines)
    _close(sitting, next_due(sitting.schedule, now()))
    say_how_far()


def _sit(cards: "Cards", store: "Store | None", seed: int, *, lines: bool) -> "Sitting":
    """Ask the cards. Without a store, no rating is saved.

    Raises:
        typer.Exit: Ctrl-C.
    """
    from autodrill.cli.card_queue import practisable, watch_from
    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.cli.sitting import Sitting

    with _at_the_keyboard(lines=lines) as (keyboard, screen):
        watch = watch_from(keyboard) if isinstance(keyboard, TerminalKeyboard) else None
        sitting = Sitting(practisable(cards), store, keyboard, screen, now, seed, watch)
        try:
            sitting.run()
        except KeyboardInterrupt:
            count = sitting.rated.total()
            saved = f"{count} rating{'s are' if count != 1 else ' is'} saved"
            _warn(f"stopped; {saved if store else 'the ratings of this session are not saved'}")
            raise typer.Exit(Exit.INTERRUPTED) from None
    return sitting


@contextlib.contextmanager
def _at_the_keyboard(*, lines: bool) -> "Iterator[tuple[Keyboard, Screen]]":
    """Yield the keyboard and the screen of a session."""
    from autodrill.cli.keyboard import LineKeyboard, TerminalKeyboard, terminal_keyboard_works
    from autodrill.cli.screen import Screen
    from autodrill.render.console import stdout_console

    with contextlib.ExitStack() as stack:
        keyboard: LineKeyboard | TerminalKeyboard
        if lines or not terminal_keyboard_works():
            keyboard = LineKeyboard(sys.stdin, sys.stdout)
        else:
            keyboard = stack.enter_context(TerminalKeyboard())
        screen = Screen(stdout_console(), in_place=keyboard.single_keys)
        stack.callback(screen.close)
        yield keyboard, screen


def _place(
    bank: Sequence[Question],
    topics: Sequence[str],
    output_format: OutputFormat,
    *,
    undo: bool,
    interactive: bool,
    lines: bool,
) -> None:
    """Run a placement test, show the last result, or undo it."""
    from autodrill.cli.placement_practice import place, show_placement, undo_placement

    if undo:
        undo_placement()
    elif not interactive:
        show_placement(bank, as_json=output_format is OutputFormat.JSON)
    else:
        with _at_the_keyboard(lines=lines) as (keyboard, screen):
            place(bank, topics, keyboard, screen)


def _close(sitting: "Sitting", next_step: str) -> None:
    from autodrill.render.console import stdout_console
    from autodrill.render.quiz_summary import summary

    console = stdout_console()
    console.print()
    console.print(summary(sitting.rated, sitting.skipped, sitting.left, next_step), soft_wrap=True)


def _show(
    cards: "Cards", schedule: "Schedule", seed: int, output_format: OutputFormat, reached: "Reached | None" = None
) -> None:
    """Show the cards with their answers, without asking or rating."""
    from autodrill.practice.log_records import question_card

    if output_format is OutputFormat.JSON:
        from autodrill.render.card_json import as_json, exercise_as_json
        from autodrill.render.document import write_document

        written = [
            as_json(card, schedule.state(question_card(card.id)))
            if isinstance(card, Question)
            else exercise_as_json(card)
            for card in cards
        ]
        write_document("quiz", cards=written, **({"path": reached[0].as_json(reached[1])} if reached else {}))
        return
    from autodrill.cli.card_queue import practisable
    from autodrill.cli.sitting import shuffled_options
    from autodrill.render.card_screen import CardView, ExerciseView
    from autodrill.render.console import stdout_console
    from autodrill.render.plain import symbols_for

    console = stdout_console()
    symbols = symbols_for(console.file)
    for position, card in enumerate(practisable(cards), 1):
        if not isinstance(card, Question):
            console.print(ExerciseView(card, symbols).front(position, len(cards)), "", sep="")
            continue
        view = CardView(card, symbols, shuffled_options(card, seed))
        console.print(
            view.front(position, len(cards)), view.back(), view.points(None, headed=True), view.rest(), "", sep=""
        )
    if reached:
        _warn(reached[0].line(reached[1]))
    what = f"{len(cards)} card{'s' if len(cards) != 1 else ''} shown, not rated"
    _warn(f"{what}; to rate cards, use a terminal or `--input lines`")


def _warn(text: str) -> None:
    from autodrill.render.plain import say

    say(text, err=True)
