"""The search of the bank: the questions that contain all words of a text, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.bank.questions import ChoiceKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.bank.questions import Question

__all__ = ["search"]


def search(questions: Sequence[Question], text: str) -> tuple[Question, ...]:
    """Return the questions that contain every word of `text`; capital letters do not matter.

    A question with the words in its id, title or topics comes before one with the words in its body, options or key
    points, and that one before the rest. Otherwise the order stays.
    """
    words = text.casefold().split()
    ranked = [(rank, question) for question in questions if (rank := _rank(question, words)) is not None]
    return tuple(question for _, question in sorted(ranked, key=lambda pair: pair[0]))


def _rank(question: Question, words: Sequence[str]) -> int | None:
    """Return the number of the first level of texts that, with the levels before it, contains all words."""
    options = question.key.options if isinstance(question.key, ChoiceKey) else ()
    levels = (
        (question.id, question.title, *question.topics),
        (question.body, *(option.text for option in options), *question.key_points),
        (question.answer, *question.wrong_answers, *(f.question for f in question.follow_ups)),
    )
    read = ""
    for rank, texts in enumerate(levels):
        read += "\n".join(texts).casefold() + "\n"
        if words and all(word in read for word in words):
            return rank
    return None
