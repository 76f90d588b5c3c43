"""The queue of a quiz: due questions and exercises together, daily limits, and cramming."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.agenda import LIMITS
from autodrill.practice.log_records import Rating
from autodrill.practice.progress import log_attempt
from autodrill.practice.store import Store
from tests.cli.conftest import ADOPT, Terminal, environment

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Shipped = Callable[..., subprocess.CompletedProcess[str]]

NOW = datetime.now(UTC)
GRAPH = ["computational-graph", "label-graph-7"]


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    """A log in which two questions on graphs and an exercise are due, the exercise last."""
    with Store.open(home / "history.db", now=NOW) as store:
        for name in GRAPH:
            store.add_review(f"q:{name}", Rating.AGAIN, NOW - timedelta(days=9))
        log_attempt(store, "relu_backward", "pass", "code", 1, NOW - timedelta(days=7))
        yield store


def ids(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [card["id"] for card in json.loads(done.stdout)["cards"]]


def test_due_exercise_comes_between_questions_of_a_topic(shipped: Shipped, store: Store) -> None:
    asked = ids(shipped("quiz", "--limit", "4", "--output-format", "json"))
    assert asked[:3] == [GRAPH[0], "relu_backward", GRAPH[1]]
    assert len(asked) == 4
    assert "relu_backward" not in ids(shipped("quiz", "--kind", "recall", "--output-format", "json"))
    assert "relu_backward" not in ids(shipped("quiz", "--topic", "graph", "--output-format", "json"))


def test_path_asks_its_due_exercises(shipped: Shipped, store: Store) -> None:
    assert "relu_backward" in ids(shipped("quiz", "--path", "night-before", "--limit", "3", "--output-format", "json"))


def test_daily_limits_hold_in_the_quiz(shipped: Shipped, store: Store) -> None:
    store.set(LIMITS, {"reviews": 2, "new": 1}, NOW)
    for path, due in (([], GRAPH), (["--path", "night-before"], [GRAPH[0], "relu_backward"])):
        asked = ids(shipped("quiz", *path, "--output-format", "json"))
        assert len(asked) == 3
        assert set(due) == set(asked[:2])
    store.set(LIMITS, {"reviews": 1, "new": 0}, NOW)
    store.add_review(f"q:{GRAPH[0]}", Rating.GOOD, NOW)
    done = shipped("quiz", "--input", "lines")
    assert "You have reached a limit of today; `autodrill limit` shows and changes it." in done.stdout


def test_cram_asks_what_is_not_due_and_saves_nothing(shipped: Shipped, store: Store) -> None:
    before = store.reviews()
    words = ("quiz", "--cram", "--topic", "kinks", "--limit", "2", "--seed", "1")
    done = shipped(*words, "--input", "lines", typed="\n" + "a\n\n4\n" * 6)
    assert "cram: the ratings are not saved" in done.stdout
    assert "not scheduled" in done.stdout
    assert store.reviews() == before
    asked = [ids(shipped(*words, "--output-format", "json")) for _ in range(2)]
    assert asked[0] == asked[1]
    assert len(asked[0]) == 2


def test_cram_missed_asks_what_was_rated_again_lately(shipped: Shipped, store: Store) -> None:
    store.add_review("q:unused-input-none", Rating.AGAIN, NOW - timedelta(days=20))
    store.add_review("q:tape-vs-graph", Rating.HARD, NOW)
    assert set(ids(shipped("quiz", "--cram", "--missed", "--output-format", "json"))) == set(GRAPH)
    for name in GRAPH:
        store.add_review(f"q:{name}", Rating.GOOD, NOW)
    assert set(ids(shipped("quiz", "--cram", "--missed", "--output-format", "json"))) == set(GRAPH)


def test_cram_with_a_path_does_not_choose_it(shipped: Shipped, store: Store) -> None:
    asked = ids(shipped("quiz", "--cram", "--path", "gpu-systems", "--limit", "3", "--output-format", "json"))
    on_it = shipped("quiz", "--path", "gpu-systems", "--limit", "500", "--output-format", "json")
    assert set(asked) <= set(ids(on_it))
    shipped("quiz", "--cram", "--path", "gpu-systems", "--input", "lines", typed="q\n")
    assert store.chosen_path() is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--missed"], "`--missed` works only with `--cram`"),
        (["--cram", "--ahead"], "leave out `--ids` and `--ahead`"),
        (["--cram", "--missed", "--topic", "zzz"], "no topic named `zzz`"),
    ],
)
def test_cram_refuses_with_a_hint(shipped: Shipped, words: list[str], said: str) -> None:
    done = shipped("quiz", *words)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_cram_without_a_missed_card_says_so(shipped: Shipped, home: Path) -> None:
    done = shipped("quiz", "--cram", "--missed", "--input", "lines")
    assert done.stdout.startswith("There is no such question.\n")
    assert not home.exists()


def test_quiz_opens_a_due_exercise_in_watch(home: Path, store: Store, tmp_path: Path) -> None:
    answer = home / "practice" / "relu_backward.py"
    answer.parent.mkdir()
    answer.write_text("the old answer", encoding="utf-8")
    os.utime(answer, ((NOW - timedelta(days=7)).timestamp(),) * 2)
    program = ADOPT + "from autodrill.__main__ import main; main()"
    env = environment(home)
    del env["COLUMNS"]
    command = [sys.executable, "-c", program, "quiz", "--limit", "3"]
    with Terminal(command, env, 80, 40) as term:
        term.press("s")
        assert "Now code: " in term.wait_for("Enter watch it")
        term.press("\r")
        term.wait_for("relu_backward is due, so its file is blank again")
        term.wait_for("the file is unchanged")
        source = "def relu_backward(self, out):\n"
        answer.write_text(source + "    self.grad += (out.data > 0) * out.grad\n", encoding="utf-8")
        term.wait_for("rated Good, next review")
        term.press("q")
        term.wait_for("relu_backward: Good, saved")
        assert len(store.reviews()) == 4
        term.press("u")  # takes back the rating of the exercise
        assert "Now code: " in term.wait_for("Enter watch it")
        assert len(store.reviews()) == 3
        term.press("q")
        assert term.finish() == 0
