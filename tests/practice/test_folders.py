from __future__ import annotations

from pathlib import Path

import platformdirs

from autodrill.practice.folders import history_file, home, practice_folder


def test_home_is_the_folder_of_the_environment() -> None:
    named = {"AUTODRILL_HOME": "~/drills"}
    assert home(named) == Path.home() / "drills"
    assert history_file(named) == Path.home() / "drills" / "history.db"
    assert practice_folder(named) == Path.home() / "drills" / "practice"


def test_relative_home_is_made_absolute() -> None:
    assert home({"AUTODRILL_HOME": "here"}) == Path.cwd() / "here"


def test_home_defaults_to_the_data_folder_of_the_platform() -> None:
    assert home({"AUTODRILL_HOME": ""}) == platformdirs.user_data_path("autodrill", appauthor=False)
