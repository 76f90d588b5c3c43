"""The index of the bank: its files, and the ids, topics and paths, without parsing a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from autodrill.errors import FileError
from autodrill.folders import content_root, visible_files

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["path_names", "question_files", "question_ids", "text_of", "topic_names"]

_ID_LINE = re.compile(r'^id\s*=\s*"([^"]*)"', re.MULTILINE)


def question_files(folder: Path | None = None) -> list[Path]:
    """Return the question files below `folder`, in the order of its `_order.txt`; unlisted files follow by name.

    Args:
        folder: The folder of the question files; by default the bank that ships with autodrill.
    """
    folder = content_root() / "questions" if folder is None else folder
    order = folder / "_order.txt"
    listed = order.read_text(encoding="utf-8").split() if order.is_file() else []
    return sorted(visible_files(folder, ".md"), key=lambda p: listed.index(p.stem) if p.stem in listed else len(listed))


def question_ids(folder: Path | None = None) -> list[str]:
    """Return the ids of the questions in `question_files(folder)`, in order.

    Raises:
        FileError: A file cannot be read or is not UTF-8.
    """
    return [identity for path in question_files(folder) for identity in _ID_LINE.findall(text_of(path))]


def topic_names() -> list[str]:
    """Return the topics of the shipped questions and exercises, in the order of `paths.toml`."""
    return list(_paths_file().get("topics", ()))


def path_names() -> list[str]:
    """Return the names of the shipped learning paths."""
    return list(_paths_file().get("paths", ()))


def _paths_file() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text_of(content_root() / "questions" / "paths.toml"))


def text_of(path: Path) -> str:
    """Return the text of a question file.

    Raises:
        FileError: The file cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        hint = "reinstall autodrill, which contains this file"
        raise FileError(f"`{path}` cannot be read: {error}", hint=hint, where=str(path)) from None
