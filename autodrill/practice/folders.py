"""The location of the learner's history and exercise files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOME_VARIABLE", "history_file", "home", "practice_folder"]

HOME_VARIABLE = "AUTODRILL_HOME"


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
