from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from autodrill import folders
from autodrill.folders import content_root, history_file, home, practice_folder, visible_files

if TYPE_CHECKING:
    import pytest


def test_content_root_has_the_three_folders() -> None:
    assert all((content_root() / name).is_dir() for name in ("exercises", "solutions", "questions"))


def test_content_root_prefers_the_copy_of_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "autodrill"
    package.mkdir(parents=True)
    monkeypatch.setattr(folders, "__file__", str(package / "folders.py"))
    assert content_root() == tmp_path / "site"
    (package / "_content").mkdir()
    assert content_root() == package / "_content"


def test_visible_files_have_the_suffix_and_are_sorted(tmp_path: Path) -> None:
    names = ["b/two.py", "a/one.py", "a/_draft.py", ".git/x.py", "__pycache__/y.py", "a/one.pyc", "notes.md", "a/.z.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "folder.py").mkdir()
    assert visible_files(tmp_path, ".py") == [tmp_path / "a/one.py", tmp_path / "b/two.py"]


def test_visible_files_are_found_without_recursion(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a"] * 300)
    deep.mkdir(parents=True)
    (deep / "one.py").touch()
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 200)
    try:
        found = visible_files(tmp_path, ".py")
    finally:
        sys.setrecursionlimit(before)
    assert found == [deep / "one.py"]


def test_hidden_parent_folder_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "one.py").touch()
    assert visible_files(tmp_path / ".cache", ".py") == [tmp_path / ".cache" / "one.py"]


def test_missing_folder_has_no_files(tmp_path: Path) -> None:
    assert visible_files(tmp_path / "none", ".py") == []


def test_home_is_the_folder_of_the_environment() -> None:
    named = {"AUTODRILL_HOME": "~/drills"}
    assert home(named) == Path.home() / "drills"
    assert history_file(named) == Path.home() / "drills" / "history.db"
    assert practice_folder(named) == Path.home() / "drills" / "practice"


def test_relative_home_is_made_absolute() -> None:
    assert home({"AUTODRILL_HOME": "here"}) == Path.cwd() / "here"


def test_home_defaults_to_the_data_folder_of_the_platform() -> None:
    assert home({"AUTODRILL_HOME": ""}) == platformdirs.user_data_path("autodrill", appauthor=False)
