from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.cli.learner_files import Work, find_work, note_opened
from autodrill.drills.library import Library
from autodrill.errors import FileError, UnknownNameError, UsageError
from autodrill.folders import practice_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Run

RIGHT = """
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""


@pytest.fixture
def find(here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Work]:
    """Find the work in the folder `here`."""
    monkeypatch.chdir(here)
    library = Library.open(environ={})
    return lambda target=None, file=None: find_work(library, target, file, "check")


def save(path: Path, *, seconds_ago: float = 0.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(RIGHT, encoding="utf-8")
    saved = 1_700_000_000 - seconds_ago
    os.utime(path, (saved, saved))
    return path


def test_find_work_takes_the_exercise_from_a_path(find: Callable[..., Work], here: Path) -> None:
    save(here / "mul_backward.py")
    save(here / "more" / "add_backward.py")
    assert find("./mul_backward.py").exercise.id == "mul_backward"
    assert find("./mul_backward.py").named is None
    deeper = find("more/add_backward.py")
    assert (deeper.exercise.id, deeper.named) == ("add_backward", Path("more/add_backward.py"))


def test_find_work_explains_a_path_of_another_name(find: Callable[..., Work], here: Path) -> None:
    save(here / "my_answer.py")
    with pytest.raises(UnknownNameError, match="no exercise named `my_answer`") as caught:
        find("./my_answer.py")
    assert caught.value.hint == "name the exercise: `autodrill check NAME --file my_answer.py`"
    assert find("mul_backward", Path("my_answer.py")).named == Path("my_answer.py")


def test_find_work_refuses_two_files(find: Callable[..., Work], here: Path) -> None:
    save(here / "mul_backward.py")
    with pytest.raises(UsageError, match="are two files"):
        find("./mul_backward.py", Path("other.py"))


def test_find_work_without_a_name_takes_the_only_file(find: Callable[..., Work], here: Path) -> None:
    save(here / "mul_backward.py")
    save(here / "notes.py")
    save(practice_folder(os.environ) / "add_backward.py")
    assert find() == Work(find("mul_backward").exercise, Path("mul_backward.py"))


def test_find_work_takes_the_file_saved_last(find: Callable[..., Work], here: Path) -> None:
    save(here / "mul_backward.py", seconds_ago=10)
    save(here / "add_backward.py")
    assert find().exercise.id == "add_backward"


def test_find_work_refuses_files_saved_at_once(find: Callable[..., Work], here: Path) -> None:
    save(here / "mul_backward.py")
    save(here / "add_backward.py")
    save(here / "exp_backward.py", seconds_ago=100)
    with pytest.raises(UsageError, match="has 2 files saved at the same time") as caught:
        find()
    assert caught.value.hint in {"name one: `autodrill check mul_backward`", "name one: `autodrill check add_backward`"}


def test_find_work_falls_back_to_the_practice_folder(find: Callable[..., Work]) -> None:
    save(practice_folder(os.environ) / "mul_backward.py", seconds_ago=10)
    last = save(practice_folder(os.environ) / "add_backward.py")
    assert (find().path, find().named) == (last, None)


def test_find_work_prefers_the_file_opened_last(find: Callable[..., Work], tmp_path: Path) -> None:
    opened = save(tmp_path / "else where" / "mul_backward.py", seconds_ago=1000)
    save(practice_folder(os.environ) / "add_backward.py")
    assert find().exercise.id == "add_backward"
    note_opened(opened)
    assert (find().path, find().named) == (opened, opened)
    opened.unlink()
    assert find().exercise.id == "add_backward"


def test_find_work_says_what_to_do_without_any_file(find: Callable[..., Work]) -> None:
    with pytest.raises(FileError, match="no exercise file in this folder or in the practice folder") as caught:
        find()
    assert "autodrill open NAME" in (caught.value.hint or "")


def test_check_without_a_name_grades_what_was_opened(run: Run, here: Path, tmp_path: Path) -> None:
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    assert run("open", "mul_backward", "--here").returncode == 0
    assert "✓ PASS  mul_backward" in run("check").stdout
    assert "✓ PASS  mul_backward" in run("check", "./mul_backward.py").stdout
    assert "✓ PASS  mul_backward" in run("check", cwd=tmp_path).stdout


def test_replay_line_names_a_file_given_as_a_path(run: Run, here: Path) -> None:
    folder = here / "my folder"
    folder.mkdir()
    (folder / "mul_backward.py").write_text(RIGHT.replace("+=", "="), encoding="utf-8")
    done = run("check", "my folder/mul_backward.py")
    assert "--file 'my folder/mul_backward.py'" in done.stdout
