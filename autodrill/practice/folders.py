"""Where a learner's history and exercise files live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOME_VARIABLE", "history_file", "home", "practice_folder"]

HOME_VARIABLE = "AUTODRILL_HOME"


def home(environment: Mapping[str, str]) -> Path:
    """Return autodrill's folder: what `AUTODRILL_HOME` names, else the platform's folder for a user's data."""
    named = environment.get(HOME_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("autodrill", appauthor=False)


def history_file(environment: Mapping[str, str]) -> Path:
    """Return the SQLite file of everything the learner answered and tried; it need not exist yet."""
    return home(environment) / "history.db"


def practice_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder exercise files are opened in where the learner names no other; it need not exist yet."""
    return home(environment) / "practice"
