from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.bank.search import search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.bank.questions import Question


@pytest.fixture
def bank(write: Callable[..., Path], text: Callable[..., str]) -> tuple[Question, ...]:
    path = write(
        text(id='"in-the-answer"', Answer="It is the Jacobian."),
        text(id='"in-a-point"', Key_points="- the jacobian\n- two\n- three"),
        text(id='"jacobian-title"'),
    )
    return load_questions(path.parent)


def test_search_puts_titles_first_and_answers_last(bank: tuple[Question, ...]) -> None:
    assert [q.id for q in search(bank, "JACOBIAN")] == ["jacobian-title", "in-a-point", "in-the-answer"]


def test_search_wants_every_word_but_not_in_one_place(bank: tuple[Question, ...]) -> None:
    assert [q.id for q in search(bank, "jacobian point")] == ["in-a-point"]
    assert search(bank, "jacobian elephant") == ()
    assert search(bank, "  ") == ()
