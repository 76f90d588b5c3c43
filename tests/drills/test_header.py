from __future__ import annotations

from pathlib import Path

import pytest

from autodrill.drills.exercise import Difficulty
from autodrill.drills.header import parse_header
from autodrill.drills.kinds import kind_names

PATH = Path("cube.py")
LINES = (
    "# /// autodrill",
    '# title = "Backward of a cube"',
    '# kind = "backward"',
    '# difficulty = "easy"',
    "# minutes = 3",
    '# topics = ["chain rule"]',
    '# requires = ["square"]',
    "# ///",
)


def text(number: int = 1, line: str | None = LINES[0]) -> str:
    """A sound header whose line of that number is another, or is missing."""
    lines = [*LINES[: number - 1], *([line] if line is not None else []), *LINES[number:]]
    return "\n".join([*lines, '"""The task."""', ""])


def test_a_sound_header_gives_its_record() -> None:
    header, problems = parse_header(text(), PATH)
    assert problems == []
    assert header is not None
    assert (header.title, header.kind, header.difficulty) == ("Backward of a cube", "backward", Difficulty.EASY)
    assert (header.minutes, header.topics, header.requires, header.lines) == (3, ("chain rule",), ("square",), 8)


def test_prerequisites_may_be_left_out() -> None:
    header, _ = parse_header(text(7, None), PATH)
    assert header is not None
    assert header.requires == ()


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (2, "# title = 3", "`title` must be a string"),
        (
            3,
            '# kind = "forward"',
            f"`kind` is `forward`; it must be one of {', '.join(kind_names())}",
        ),
        (4, '# difficulty = "trivial"', "`difficulty` is `trivial`; it must be one of easy, medium, hard, expert"),
        (5, "# minutes = 0", "`minutes` must be a whole number, at least 1"),
        (5, "# minutes = true", "`minutes` must be a whole number, at least 1"),
        (5, "# minutes = 2.5", "`minutes` must be a whole number, at least 1"),
        (6, '# topics = "chain rule"', "`topics` must be a list of strings"),
        (7, "# requires = [1]", "`requires` must be a list of strings"),
        (
            7,
            '# require = ["square"]',
            "unknown key `require`; known are title, kind, difficulty, entry, minutes, topics, requires",
        ),
    ],
)
def test_a_problem_is_told_at_its_own_line(number: int, line: str, message: str) -> None:
    header, problems = parse_header(text(number, line), PATH)
    assert header is None
    assert [(p.line, p.message) for p in problems] == [(number, message)]


@pytest.mark.parametrize(
    ("number", "key"), [(2, "title"), (3, "kind"), (4, "difficulty"), (5, "minutes"), (6, "topics")]
)
def test_a_missing_key_is_named(number: int, key: str) -> None:
    _, problems = parse_header(text(number, None), PATH)
    assert [str(p) for p in problems] == [f"cube.py:1: the header lacks `{key}`"]


def test_every_problem_is_told_at_once() -> None:
    spoiled = text(5, "# minutes = 0").replace('"easy"', '"trivial"').replace('"backward"', '"forward"')
    _, problems = parse_header(spoiled, PATH)
    assert sorted(p.line for p in problems) == [3, 4, 5]


@pytest.mark.parametrize("line", ["# minutes = = 3", '# title = "again"'])
def test_what_is_not_toml_is_told_at_its_line(line: str) -> None:
    _, problems = parse_header(text(5, line), PATH)
    assert [p.line for p in problems] == [5]
    assert "not valid TOML" in problems[0].message


@pytest.mark.parametrize("body", ["", "x = 1\n", text()[1:], " " + text(), text(8, None)])
def test_a_file_without_the_block_at_its_top_is_refused(body: str) -> None:
    _, problems = parse_header(body, PATH)
    assert [p.line for p in problems] == [1]
    assert "must begin with a block" in problems[0].message
