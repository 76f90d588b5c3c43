from __future__ import annotations

from autodrill.bank.question_files import load_questions
from autodrill.bank.question_headings import question_headings


def test_headings_equal_the_parsed_questions() -> None:
    found = question_headings()
    bank = load_questions()
    assert list(found) == [q.id for q in bank]
    for q in bank:
        heading = found[q.id]
        assert (heading.title, heading.topics, heading.minutes) == (q.title, q.topics, q.minutes), q.id


def test_headings_are_read_only_of_wanted_questions() -> None:
    assert list(question_headings({"computational-graph", "gone"})) == ["computational-graph"]
