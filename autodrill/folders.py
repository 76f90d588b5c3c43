"""The folders that autodrill reads and writes: the content, the learner's history and the exercise files.

The content is next to the package in a checkout, and inside it in an installed wheel.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOME_VARIABLE", "content_root", "history_file", "home", "practice_folder", "visible_files"]


HOME_VARIABLE = "AUTODRILL_HOME"
_HIDDEN = (".", "_")


def content_root() -> Path:
    """Return the folder that holds `exercises/`, `solutions/` and `questions/`."""
    package = Path(__file__).resolve().parent
    packaged = package / "_content"
    return packaged if packaged.is_dir() else package.parent


def visible_files(folder: Path, suffix: str) -> list[Path]:
    """List the files below `folder` with `suffix`, sorted, without names that start with a dot or an underscore."""
    found: list[Path] = []
    folders = [folder]
    while folders:  # not `os.walk`: before Python 3.12 it recurses, and a pack may be a thousand folders deep
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.startswith(_HIDDEN):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry))
                elif entry.name.endswith(suffix) and Path(entry).is_file():
                    found.append(Path(entry))
    return sorted(found)


def home(environment: Mapping[str, str]) -> Path:
    """Return autodrill's folder: `AUTODRILL_HOME` if set, else the platform's folder for user data."""
    named = environment.get(HOME_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("autodrill", appauthor=False)


def history_file(environment: Mapping[str, str]) -> Path:
    """Return the path of the SQLite file with the learner's history; it may not exist yet."""
    return home(environment) / "history.db"


def practice_folder(environment: Mapping[str, str]) -> Path:
    """Return the default folder for the learner's exercise files; it may not exist yet."""
    return home(environment) / "practice"
