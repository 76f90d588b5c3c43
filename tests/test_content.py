from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill import content
from autodrill.content import content_root, visible_files

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_content_root_has_the_three_folders() -> None:
    assert all((content_root() / name).is_dir() for name in ("exercises", "solutions", "questions"))


def test_content_root_prefers_the_copy_of_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "autodrill"
    package.mkdir(parents=True)
    monkeypatch.setattr(content, "__file__", str(package / "content.py"))
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


def test_hidden_parent_folder_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "one.py").touch()
    assert visible_files(tmp_path / ".cache", ".py") == [tmp_path / ".cache" / "one.py"]


def test_missing_folder_has_no_files(tmp_path: Path) -> None:
    assert visible_files(tmp_path / "none", ".py") == []
