"""Every question on terminals of 80 and 60 columns: no text is cut and no markup is shown raw."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console, Group

from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, NumericKey, PredictKey
from autodrill.render.card_screen import CardView
from autodrill.render.plain import UNICODE
from autodrill.render.terminal_markdown import markdown

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autodrill.bank.questions import Question

QUESTIONS = load_questions()
BY_ID = {question.id: question for question in QUESTIONS}
FILES = sorted({question.path for question in QUESTIONS})
EACH_FILE = pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.name, marks=[pytest.mark.slow] if at % 16 else []) for at, path in enumerate(FILES)],
)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
RAW = re.compile(r"\*\*|`|\$|\\[a-zA-Z(\[]|\[/?(?:bold|red|dim|italic)\]|__|\]\(|^#+ |(?<!\w)\*\w")
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
SHOWN_CODE = 76
"""Columns for a line of code: 80 less a bar, a blank and an indentation of two."""


def texts(question: Question) -> list[str]:
    """All texts of a question that a card shows as Markdown."""
    shown = [question.title, question.body, question.answer, *question.key_points, *question.wrong_answers]
    shown += [text for read in question.commonly_read for text in (read.claim, read.fact)]
    shown += [text for ask in question.follow_ups for text in (ask.question, ask.answer or "")]
    match question.key:
        case ChoiceKey(options):
            shown += [text for option in options for text in (option.text, option.explanation or "")]
        case NumericKey(answers=answers) | DeriveKey(answers=answers):
            shown += [f"`{answer}`" for answer in answers.values()]
        case PredictKey(output=output):
            shown.append(f"````text\n{output.strip()}\n````")
        case BugKey(fix=fix):
            shown.append(f"````diff\n+{fix}\n````")
        case None:
            pass
    return [text for text in shown if text]


def pieces(text: str) -> tuple[list[str], list[str]]:
    """The prose and the code of a Markdown text, in pieces that a wide screen does not break."""
    prose: list[str] = []
    code: list[str] = []
    for token in PARSER.parse(text):
        if token.type in {"fence", "code_block"}:
            code += token.content.splitlines()
        for child in token.children or []:
            if child.type == "text":
                prose.append(child.content)
            elif child.type == "code_inline":
                code.append(child.content)
    return prose, code


@cache
def card(identity: str, width: int) -> str:
    """The whole card on a terminal with colour, without its escape sequences."""
    question = BY_ID[identity]
    options = question.key.options if isinstance(question.key, ChoiceKey) else ()
    view = CardView(question, UNICODE, options)
    return on_screen(Group(view.front(1, 1), view.back(), view.points(()), view.rest()), width)


def on_screen(part: RenderableType, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, height=25, color_system="standard", force_terminal=True)
    console.print(part)
    assert isinstance(console.file, io.StringIO)
    return ESCAPE.sub("", console.file.getvalue())


def squeezed(text: str) -> str:
    return re.sub(r"[\s┃]", "", text)


def of(path: object) -> list[Question]:
    return [question for question in QUESTIONS if question.path == path]


@pytest.mark.parametrize("width", [60, 80])
@EACH_FILE
def test_card_cuts_nothing(path: object, width: int) -> None:
    wrong: list[str] = []
    for question in of(path):
        screen = card(question.id, width)
        wrong += [f"{question.id}: {line!r}" for line in screen.splitlines() if cell_len(line) > width]
        read = squeezed(screen)
        wanted = [piece for text in texts(question) for part in pieces(text) for piece in part]
        wrong += [f"{question.id}: not to be read: {piece!r}" for piece in wanted if squeezed(piece) not in read]
    assert not wrong, "\n".join(wrong)


@EACH_FILE
def test_card_shows_no_raw_markup(path: object) -> None:
    wrong: list[str] = []
    for question in of(path):
        found = [raw[0] for text in texts(question) for piece in pieces(text)[0] if (raw := RAW.search(piece))]
        # The card without its code contains no sign of markup either.
        rest = squeezed(card(question.id, 80))
        code = [squeezed(piece) for text in texts(question) for piece in pieces(text)[1]]
        for piece in sorted(code, key=len, reverse=True):
            rest = rest.replace(piece, "", 1) if piece else rest
        found += re.findall(r"\*\*|`|\$|\\[a-zA-Z]{2,}|\[/?bold\]", rest)
        wrong += [f"{question.id}: {raw!r}" for raw in found]
    assert not wrong, "\n".join(wrong)


@EACH_FILE
def test_code_is_not_folded_at_80_columns(path: object) -> None:
    wrong: list[str] = []
    for question in of(path):
        for text in texts(question):
            numbers = 4 if isinstance(question.key, BugKey) and text == question.body else 0
            for token in PARSER.parse(text):
                if token.type == "fence":
                    long = [line for line in token.content.splitlines() if cell_len(line) > SHOWN_CODE - numbers]
                    wrong += [f"{question.id}: {cell_len(line)} columns: {line}" for line in long]
    assert not wrong, "\n".join(wrong)


@EACH_FILE
def test_proof_is_not_cut_at_60_columns(path: object) -> None:
    wrong: list[str] = []
    for question in of(path):
        for proof in question.proofs:
            read = squeezed(on_screen(markdown(f"````{proof.info}\n{proof.code}\n````"), 60))
            lines = [squeezed(line) for line in proof.code.splitlines()]
            wrong += [f"{question.id}: {line!r}" for line in lines if line not in read]
    assert not wrong, "\n".join(wrong)
