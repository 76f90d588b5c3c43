from __future__ import annotations

from pathlib import Path

import platformdirs

from autodrill.practice.folders import history_file, home, practice_folder


def test_the_home_folder_may_be_named() -> None:
    named = {"AUTODRILL_HOME": "~/drills"}
    assert home(named) == Path.home() / "drills"
    assert history_file(named) == Path.home() / "drills" / "history.db"
    assert practice_folder(named) == Path.home() / "drills" / "practice"


def test_a_relative_home_does_not_move_with_the_working_folder() -> None:
    assert home({"AUTODRILL_HOME": "here"}) == Path.cwd() / "here"


def test_otherwise_it_is_the_platforms_folder_for_data() -> None:
    assert home({"AUTODRILL_HOME": ""}) == platformdirs.user_data_path("autodrill", appauthor=False)
