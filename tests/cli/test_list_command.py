"""`autodrill list`: filters, the JSON document, and a course that holds for 150 exercises."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Pack, Run


def document(run: Run, *words: str) -> Any:
    return json.loads(run("list", *words, "--output-format", "json").stdout)


def ids(run: Run, *words: str) -> list[str]:
    return [exercise["id"] for exercise in document(run, *words)["exercises"]]


def test_list_filters_by_track_topic_and_state(run: Run) -> None:
    run("solution", "matmul_backward", "--give-up")
    every = {exercise["id"]: exercise for exercise in document(run)["exercises"]}
    found = ids(run, "--track", "linalg", "--topic", "shapes")
    track = [name for name, exercise in every.items() if exercise["track"] == "linalg"]
    assert {"matmul_backward", "einsum_backward"} <= set(found) < set(track)
    assert found == [name for name in track if "shapes" in every[name]["topics"]]
    assert ids(run, "--state", "passed") == []
    assert len(ids(run, "--state", "new")) == len(ids(run))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--topic", "softmx"], "no topic named `softmx`\n\nhint: did you mean `softmax`?"),
        (["--track", "scaler"], "no track named `scaler`\n\nhint: did you mean `scalar`?"),
        (["--state", "done"], "'done' is not one of 'new', 'tried', 'passed', 'due'."),
    ],
)
def test_list_suggests_the_nearest_name(run: Run, words: list[str], said: str) -> None:
    done = run("list", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_list_json_has_tracks_and_what_comes_next(run: Run) -> None:
    found = document(run)
    assert found["next"] == "add_backward"
    by_id = {exercise["id"]: exercise for exercise in found["exercises"]}
    assert (by_id["mul_backward"]["after"], by_id["mul_backward"]["due"]) == (["add_backward"], None)
    assert [track["track"] for track in found["tracks"]][:3] == ["scalar", "elementwise", "broadcast"]
    assert sum(track["exercises"] for track in found["tracks"]) == len(by_id)


def test_list_holds_150_exercises_of_a_pack(run: Run, pack: Pack) -> None:
    for number in range(150):
        pack.add(f"exercise_number_{number}_backward", solution=None)
    done = run("list", "--pack", str(pack.root), "--track", "demo", COLUMNS="60")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["demo", "0", "of", "150", "passed"]
    assert len(lines) == 1 + 150 + 3
    assert max(map(len, lines)) <= 60
    assert f"autodrill open add_backward --pack {pack.root}" in done.stderr
