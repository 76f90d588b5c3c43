from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.bank.curriculum import Step, load_curriculum, misplaced
from autodrill.bank.question_files import load_questions
from autodrill.errors import ContentError, FileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.bank.questions import Question

GOOD = """\
[topics]
graph = []
modes = ["graph"]

[questions]
fork = ["node"]

[paths.short]
title = "A short one"
[paths.short.stages]
"First" = ["node", "fork", "x:add_backward"]
"Then" = ["mode"]
"""


@pytest.fixture
def bank(write: Callable[..., Path], text: Callable[..., str]) -> tuple[Question, ...]:
    """Two questions on graphs and one on modes."""
    topics = {"node": "graph", "fork": "graph", "mode": "modes"}
    file = write(*(text(id=f'"{name}"', topics=f'["{topic}"]') for name, topic in topics.items()))
    return load_questions(file.parent)


@pytest.fixture
def problems(tmp_path: Path, bank: tuple[Question, ...]) -> Callable[..., list[str]]:
    """Change one passage of the sound file and return its problems as `line: message`."""

    def problems(old: str = "", new: str = "", *, exercises: bool = False) -> list[str]:
        assert old in GOOD
        file = tmp_path / "paths.toml"
        file.write_text(GOOD.replace(old, new, 1) if old else GOOD, encoding="utf-8")
        try:
            load_curriculum(file, bank=bank, exercises=[] if exercises else None)
        except ContentError as error:
            return [str(problem).removeprefix(f"{file}:") for problem in error.problems]
        return []

    return problems


def test_path_has_its_steps_in_order(tmp_path: Path, bank: tuple[Question, ...]) -> None:
    file = tmp_path / "paths.toml"
    file.write_text(GOOD, encoding="utf-8")
    path = load_curriculum(file, bank=bank).paths["short"]
    assert path.title == "A short one"
    assert [stage.title for stage in path.stages] == ["First", "Then"]
    assert path.steps == (Step("node"), Step("fork"), Step("add_backward", is_exercise=True), Step("mode"))


def test_below_follows_prerequisites_of_prerequisites(tmp_path: Path) -> None:
    file = tmp_path / "paths.toml"
    file.write_text('[topics]\na = []\nb = ["a"]\nc = ["b"]\nd = ["a"]\n', encoding="utf-8")
    curriculum = load_curriculum(file)
    assert (curriculum.below("c"), curriculum.below("a")) == (frozenset("ab"), frozenset())


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"node", "fork"', '"nod", "fork"', "11: no question named `nod`; did you mean `node`?"),
        ('fork = ["node"]', 'fork = ["mod"]', "6: no question named `mod`; did you mean `mode`?"),
        ('modes = ["graph"]', 'modes = ["grap"]', "3: no topic named `grap`; did you mean `graph`?"),
        (
            "graph = []\n",
            "",
            "1: the topic `graph` has no line in this table; add a line with the topics it needs, or `[]`",
        ),
        ("graph = []", 'graph = ["modes"]', "2: circular prerequisites: `graph` needs `modes` needs `graph`"),
        ('fork = ["node"]', 'fork = ["fork"]', "6: circular prerequisites: `fork` needs `fork`"),
        ('"node", "fork"', '"fork", "node"', "11: `fork` needs `node`, but comes before it"),
        (
            '"node", "fork", "x:add_backward"]\n"Then" = ["mode"]',
            '"mode", "node"]',
            "11: the topic `modes` starts here, but it needs `graph`, which comes later",
        ),
        ('["mode"]', '["mode", "node"]', "12: `node` is in the path twice"),
        ('["mode"]', '["q:mode"]', "12: `q:mode` must be a question's id, or `x:` and an exercise's id"),
        ('["mode"]', '"mode"', "12: `Then` must be a list of names, not 'mode'"),
        ('title = "A short one"\n', "", "8: the path `short` has no title"),
        ('title = "A short one"', 'title = "A"\ndays = 3', "10: unknown field `days`; use `title` or `stages`"),
        ("[topics]", "[topic]", "1: unknown table `topic`; use `topics`, `questions` or `paths`"),
        ("graph = []", "graph = [", "3: this is not valid TOML:"),
    ],
)
def test_malformed_curriculum_is_reported_with_its_line(
    problems: Callable[..., list[str]], old: str, new: str, found: str
) -> None:
    assert [told for told in problems(old, new) if told.startswith(found)], problems(old, new)


def test_sound_curriculum_has_no_problems(problems: Callable[..., list[str]]) -> None:
    assert problems() == []


def test_missing_exercise_is_reported(problems: Callable[..., list[str]]) -> None:
    assert problems(exercises=True) == ["11: no exercise named `add_backward`"]


def test_path_may_omit_a_prerequisite(problems: Callable[..., list[str]]) -> None:
    assert problems('"node", "fork"', '"fork"') == []


def test_error_has_every_problem(problems: Callable[..., list[str]]) -> None:
    assert len(problems('"node", "fork", "x:add_backward"', '"nod", "for"')) == 2


def test_misplaced_ignores_names_outside_the_list() -> None:
    needs = {"b": ["a", "z"], "c": ["b"]}
    assert list(misplaced(["b", "a", "c"], needs)) == [("b", "a")]
    assert list(misplaced(["a", "b", "c"], needs)) == []


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        load_curriculum(tmp_path / "none.toml")
