"""The shipped learning paths, with the installed program."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.render.agenda_screen import in_hours

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


def cards(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done.stdout)["cards"]
    return found


def test_path_cards_follow_the_order_of_the_path(shipped: Run, home: Path) -> None:
    done = shipped("quiz", "--path", "night-before", "--limit", "4", "--output-format", "json")
    found = cards(done)
    listed = json.loads(done.stdout)["path"]["stages"][0]["steps"]
    assert [card["id"] for card in found] == [step.removeprefix("x:") for step in listed[:4]]
    assert [card["command"] for card in found if card["kind"] == "exercise"] == ["autodrill check mul_backward"]
    assert not home.exists(), "showing cards must not create a history"


def test_path_exercise_shows_its_commands_and_is_not_rated(shipped: Run) -> None:
    done = shipped("quiz", "--path", "night-before", "--input", "lines", "--limit", "4", typed="s\ns\ns\n\n")
    assert "4/4 · easy · exercise · 3 min" in done.stdout
    assert "┃   autodrill open mul_backward\n┃   autodrill check mul_backward\n" in done.stdout
    assert "0 cards rated  3 skipped" in done.stdout


def test_path_progress_counts_ratings_on_every_screen(shipped: Run) -> None:
    first = shipped("quiz", "--path", "night-before", "--input", "lines", "--limit", "1", typed="\na\n\n3\n")
    lines = re.findall(r"^night-before: (\d) of 37 done, (\d+) min left; stage: Graphs", first.stdout, re.MULTILINE)
    assert [done for done, _ in lines] == ["0", "1"]
    whole, left = (int(minutes) for _, minutes in lines)
    assert left < whole
    assert re.search(rf"path +night-before  .*  1 of 37   about {in_hours(left)} left", shipped().stdout)
    assert f"night-before  1 of 37 done, {whole} min  (chosen)" in shipped("quiz", "--paths").stdout
    following = shipped("quiz", "--path", "night-before", "--limit", "1", "--output-format", "json")
    assert cards(following)[0]["id"] != "computational-graph"


def test_path_none_leaves_the_path(shipped: Run) -> None:
    shipped("quiz", "--path", "one-week", "--input", "lines", typed="q\n")
    assert "one-week" in shipped().stdout
    shipped("quiz", "--path", "none", "--input", "lines", typed="q\n")
    assert "one-week" not in shipped().stdout


def test_path_unknown_name_lists_the_paths(shipped: Run) -> None:
    done = shipped("quiz", "--path", "weekend")
    assert done.returncode == 2
    assert "no path named `weekend`" in done.stderr
    assert all(name in done.stderr for name in ("night-before", "one-week", "gpu-systems", "research-scientist"))


def test_paths_json_lists_stages_and_minutes(shipped: Run) -> None:
    document = json.loads(shipped("quiz", "--paths", "--output-format", "json").stdout)
    week = next(path for path in document["paths"] if path["name"] == "one-week")
    assert week["minutes"] == sum(stage["minutes"] for stage in week["stages"]) == week["minutes_left"]
    assert (document["chosen"], week["done"], len(week["stages"])) == (None, 0, 7)


@pytest.mark.parametrize("arguments", [("--ids", "why-topological-order"), ("--seed", "1"), ("--generated", "graph")])
def test_path_rejects_options_that_choose_cards(shipped: Run, arguments: tuple[str, ...]) -> None:
    assert shipped("quiz", "--path", "one-week", *arguments).returncode == 2
