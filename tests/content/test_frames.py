"""Every question as a session shows it on a terminal of 24 lines, at 60, 80 and 140 columns."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from autodrill.bank.judge import judge_choice
from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import ChoiceKey
from autodrill.cli import bindings
from autodrill.cli.asking import Given, judges_of
from autodrill.cli.screen import Screen
from autodrill.cli.sitting import answered, suggested
from autodrill.practice.log_records import Rating
from autodrill.render.card_frame import Frame
from autodrill.render.card_screen import CardView
from autodrill.render.plain import ASCII, UNICODE
from tests.cli.screens import grid

if TYPE_CHECKING:
    from autodrill.bank.questions import Question
    from autodrill.cli.bindings import Binding
    from autodrill.render.plain import Symbols

QUESTIONS = load_questions()
FILES = sorted({question.path for question in QUESTIONS})
EACH_FILE = pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.name, marks=[pytest.mark.slow] if at % 16 else []) for at, path in enumerate(FILES)],
)
WRONG = "987654"
WAITS = {rating: timedelta(days=90 * rating) for rating in Rating}


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    return Screen(Console(file=io.StringIO(), force_terminal=True, color_system=None), in_place=True)


def pages(screen: Screen, frame: Frame, keys: tuple[Binding, ...]) -> list[list[str]]:
    """The screens of a frame, from its first page to its last."""
    file = screen._console.file
    assert isinstance(file, io.StringIO)
    found: list[list[str]] = []
    place: int | None = 0
    while place is not None:
        shown, working = screen.draw(frame, keys, place)
        found.append(grid(file.getvalue()))
        file.seek(0)
        file.truncate()
        assert ("j" in [key for binding in working for key in binding.keys]) == (shown.later is not None)
        place = shown.later
    return found


def lines_of(part: object, columns: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=columns, color_system=None)
    console.print(part)
    assert isinstance(console.file, io.StringIO)
    return [line for line in console.file.getvalue().splitlines() if line.strip("┃| ")]


def missing(wanted: list[str], screens: list[list[str]]) -> list[str]:
    """The lines that no page shows, or that come before the line before them."""
    lost, at = [], 0
    for line in wanted:
        found = next((number for number in range(at, len(screens)) if line in screens[number]), None)
        if found is None:
            lost.append(line)
        else:
            at = found
    return lost


def wrong_answer(question: Question, view: CardView) -> Given:
    given = Given()
    if isinstance(question.key, ChoiceKey):
        letter = "abcdefgh"[next(i for i, option in enumerate(view.options) if not option.right)]
        given.typed.append(("", letter))
        given.judged.append(("", judge_choice(letter, view.options)))
    for label, judge in judges_of(question):
        given.typed.append((label, WRONG[:3]))
        given.judged.append((label, judge(WRONG[:3])))
    return given


def of(path: object, symbols: Symbols = UNICODE) -> list[tuple[Question, CardView]]:
    found = [question for question in QUESTIONS if question.path == path]
    return [(q, CardView(q, symbols, q.key.options if isinstance(q.key, ChoiceKey) else ())) for q in found]


@EACH_FILE
def test_question_pages_on_24_lines(path: object, screen: Screen) -> None:
    wrong: list[str] = []
    for question, view in of(path):
        frame = Frame([view.heading(1, 20)], text=[*view.body(), *view.choices()])
        keys = bindings.asking(options=len(view.options), typed=bool(judges_of(question)))
        screens = pages(screen, frame, keys)
        wrong += [
            f"{question.id}: {line}"
            for part in (*view.body(), *view.choices())
            for line in missing(lines_of(part), screens)
        ]
        wrong += [f"{question.id}: no title" for shown in screens if lines_of(view.heading(1, 20))[1] not in shown]
    assert not wrong, "\n".join(wrong)


@EACH_FILE
@pytest.mark.parametrize("told", [False, True], ids=["revealed", "wrong"])
def test_verdict_key_and_points_are_on_the_first_screen(path: object, told: bool, screen: Screen) -> None:
    wrong: list[str] = []
    for question, view in of(path):
        given = wrong_answer(question, view) if told else Given()
        rating, why = suggested(question, given)
        boxes = None if given.judged else given.ticked
        frame = answered(view, view.heading(1, 20), given)
        frame = replace(frame, foot=[view.points(boxes), view.ratings(WAITS, rating, why)])
        screens = pages(screen, frame, bindings.rating(rating, view.parts))
        first = [*frame.head, *frame.key, *frame.foot]
        wrong += [f"{question.id}: {line}" for part in first for line in missing(lines_of(part), screens[:1])]
        verdicts = lines_of(frame.head[-1])
        wrong += [f"{question.id}: {line}" for shown in screens for line in missing(verdicts, [shown])]
        wrong += [f"{question.id}: {line}" for part in frame.text for line in missing(lines_of(part), screens)]
    assert not wrong, "\n".join(wrong)


@EACH_FILE
@pytest.mark.parametrize(("columns", "symbols"), [(60, ASCII), (140, UNICODE)], ids=["60", "140"])
def test_verdict_and_key_come_first_at_other_widths(
    path: object, columns: int, symbols: Symbols, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    wrong: list[str] = []
    for question, view in of(path, symbols):
        given = wrong_answer(question, view)
        rating, why = suggested(question, given)
        frame = answered(view, view.heading(1, 20), given)
        points = [view.points(None if given.judged else given.ticked), view.ratings(WAITS, rating, why)]
        shown, working = screen.draw(replace(frame, foot=points), bindings.rating(rating, view.parts), 0)
        file = screen._console.file
        assert isinstance(file, io.StringIO)
        first = grid(file.getvalue(), columns)
        file.seek(0)
        file.truncate()
        # On 60 columns the key points of a few cards begin on the first screen and go on after it.
        held = [*frame.head, *frame.key, *(points if columns > 60 else ())]
        wrong += [f"{question.id}: {line}" for part in held for line in missing(lines_of(part, columns), [first])]
        assert bindings.find(working, "page down") is None or shown.left > 0
    assert not wrong, "\n".join(wrong)
