"""The headings of questions, read without parsing the questions: enough to say what is due and how long it takes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.question_index import question_files, text_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

__all__ = ["QuestionHeading", "question_headings"]

_WORDS_A_MINUTE = 200  # `questions.WORDS_A_MINUTE`, whose module takes longer to import than this one to run
_FIELD = re.compile(r"^(id|minutes|topics)\s*=\s*(.*)$", re.MULTILINE)
_TITLE = re.compile(r"^## (.*)$", re.MULTILINE)
_SECTION = re.compile(r"^### (.*)\n", re.MULTILINE)
_MARKS = re.compile(r"^[-+] (?:\[[ x]\] )?|(?<=\s)::(?=\s)", re.MULTILINE)
_READ = {"Answer", "Key points", "Options"}
"""The sections that are read before the card is rated."""


@dataclass(frozen=True, slots=True)
class QuestionHeading:
    """What a list shows of a question.

    Attributes:
        id: Its id.
        title: The question in one line.
        topics: Its topics; the first one is the home topic.
        minutes: As `Question.minutes`.
    """

    id: str
    title: str
    topics: tuple[str, ...]
    minutes: float


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
        fields = dict(_FIELD.findall(matter))
        name = fields.get("id", "").strip('" ')
        if wanted is not None and name not in wanted:
            continue
        ask, *sections = _SECTION.split(body)
        title = _TITLE.search(ask)
        texts = [ask.removeprefix("## ")]
        for heading, section in zip(sections[::2], sections[1::2], strict=True):
            if heading in _READ:
                texts.append(section if heading == "Answer" else _MARKS.sub("", section))
        words = sum(len(part.split()) for part in texts)
        minutes = round(2 * (float(fields.get("minutes", 0)) + words / _WORDS_A_MINUTE)) / 2
        topics = tuple(re.findall(r'"([^"]*)"', fields.get("topics", "")))
        yield QuestionHeading(name, title[1] if title else name, topics, minutes)
