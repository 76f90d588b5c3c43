from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions
from tests.content.shared_words import prose, sequences, shared

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = next(q for q in load_questions() if q.id == "why-topological-order")
SENTENCE = next(
    words
    for stretch in prose(QUESTION.answer)
    for words in map(" ".join, sequences(stretch, 8))
    if all(word.isascii() for word in words.split())
)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("One two, (three) four.", ["one two three four"]),
        ("One two. Three four.", []),
        ("One two 3 three four.", []),
        ("One two = three four", []),
        ("it's one two\nthree", ["it's one two three"]),
        ("a b c d e", ["a b c d", "b c d e"]),
    ],
)
def test_sequences_end_at_sentences_numbers_and_formulas(text: str, runs: list[str]) -> None:
    assert [" ".join(run) for run in sequences(text, 4)] == runs


def test_prose_breaks_at_code() -> None:
    assert prose("one `x + y` two\n\n```\nthree\n```\n") == ["one  |  two"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "Before. And **{}** after."),
        ("b.rst", "``x`` {}\n"),
        ("c.py", '"""{}"""'),
        ("d.ipynb", '{{"cells": [{{"source": ["{}"]}}]}}'),
        ("e.html", "<p>{}<script>x</script></p>"),
    ],
)
def test_shared_finds_a_copied_sentence_in_every_format(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text.format(SENTENCE), encoding="utf-8")
    found, read = shared([QUESTION], [tmp_path], 8)
    assert any(SENTENCE in run for run in found)
    assert {file for files in found.values() for file in files} == {name}
    assert "1 other files" in read


def test_shared_ignores_seven_words(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(SENTENCE.rpartition(" ")[0] + " otherwise", encoding="utf-8")
    assert shared([QUESTION], [tmp_path], 8)[0] == {}
