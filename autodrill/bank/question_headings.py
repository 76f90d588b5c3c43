"""The headings of questions, read without parsing the questions: enough to say what is due and how long it takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from autodrill.bank.question_index import question_files, text_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

__all__ = ["QuestionHeading", "question_headings"]

_WORDS_A_MINUTE = 200  # `questions.WORDS_A_MINUTE`, whose module takes longer to import than this one to run
_ID = re.compile(r'^id\s*=\s*"([^"]*)"', re.MULTILINE)
_MINUTES = re.compile(r"^minutes\s*=\s*([\d.]+)", re.MULTILINE)
_TOPICS = re.compile(r"^topics\s*=\s*(.*)$", re.MULTILINE)
_TITLE = re.compile(r"^## (.*)$", re.MULTILINE)
_SECTION = re.compile(r"^### (.*)\n", re.MULTILINE)
_MARKS = re.compile(r"^[-+] (?:\[[ x]\] )?|(?<=\s)::(?=\s)", re.MULTILINE)
_READ = {"Answer", "Key points", "Options"}
"""The sections that are read before the card is rated."""


class QuestionHeading:
    """What a list shows of a question.

    Args:
        identity: Its id.
        matter: Its front matter.
        body: The rest of it.

    Attributes:
        id: Its id.
    """

    __slots__ = ("_body", "_matter", "id")

    def __init__(self, identity: str, matter: str, body: str) -> None:
        self.id = identity
        self._matter = matter
        self._body = body

    @property
    def title(self) -> str:
        """The question in one line."""
        found = _TITLE.search(self._body)
        return found[1] if found else self.id

    @property
    def topics(self) -> tuple[str, ...]:
        """Its topics; the first one is the home topic."""
        found = _TOPICS.search(self._matter)
        return tuple(re.findall(r'"([^"]*)"', found[1])) if found else ()

    @property
    def minutes(self) -> float:
        """As `Question.minutes`."""
        ask, *sections = _SECTION.split(self._body)
        texts = [ask.removeprefix("## ")]
        for heading, section in zip(sections[::2], sections[1::2], strict=True):
            if heading in _READ:
                texts.append(section if heading == "Answer" else _MARKS.sub("", section))
        words = sum(len(part.split()) for part in texts)
        answering = _MINUTES.search(self._matter)
        return round(2 * (float(answering[1] if answering else 0) + words / _WORDS_A_MINUTE)) / 2


def question_headings(wanted: Container[str] | None = None, folder: Path | None = None) -> dict[str, QuestionHeading]:
    """Return the headings of the wanted questions by id, in the order of the bank.

    Args:
        wanted: Ids; every question by default.
        folder: The folder of the question files; by default the bank that ships with autodrill.

    Raises:
        FileError: A file cannot be read.
    """
    return {heading.id: heading for path in question_files(folder) for heading in _headings(text_of(path), wanted)}


def _headings(text: str, wanted: Container[str] | None) -> Iterator[QuestionHeading]:
    _, *parts = f"\n{text}".split("\n+++\n")
    for matter, body in zip(parts[::2], parts[1::2], strict=False):
        found = _ID.search(matter)  # usually in the first line
        name = found[1] if found else ""
        if wanted is not None and name not in wanted:
            continue
        yield QuestionHeading(name, matter, body)
