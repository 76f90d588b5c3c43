"""`due`, `limit`, `next`, `undo` and `rate` as a shell sees them, on a log with questions and exercises."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Rating
from autodrill.practice.progress import log_attempt
from autodrill.practice.store import Store

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Shipped = Callable[..., subprocess.CompletedProcess[str]]

NOW = datetime.now(UTC)


@pytest.fixture
def practised(home: Path) -> None:
    """A log in which an exercise is due, then a question; another question is not due yet, and one is gone."""
    with Store.open(home / "history.db", now=NOW) as store:
        log_attempt(store, "mul_backward", "pass", "code", 1, NOW - timedelta(days=9))
        store.add_review("q:computational-graph", Rating.GOOD, NOW - timedelta(days=4))
        store.add_review("q:gone", Rating.GOOD, NOW - timedelta(days=4))
        store.add_review("q:why-topological-order", Rating.EASY, NOW - timedelta(days=1))


def document(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.usefixtures("practised")
def test_due_lists_questions_and_exercises_together(shipped: Shipped) -> None:
    done = shipped("due")
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"due now +1 question +1 exercise +about \d+ min", lines[0])
    assert re.fullmatch(r"  mul_backward +exercise +3 min  due for 7 days", lines[1])
    assert re.fullmatch(r"  computational-graph  question +[\d.]+ min  due for 2 days", lines[2])
    assert re.fullmatch(r"\w{3} +\d+ \w{3} +1 question +about [\d.]+ min", lines[3])
    assert done.stderr == "next: autodrill watch mul_backward\n"
    found = document(shipped("due", "--output-format", "json"))
    cards = found["cards"]
    assert isinstance(cards, list)
    assert [(card["id"], card["kind"]) for card in cards] == [
        ("mul_backward", "exercise"),
        ("computational-graph", "question"),
    ]


def test_prediction_is_due_like_any_card(shipped: Shipped, home: Path) -> None:
    with Store.open(home / "history.db", now=NOW) as store:
        store.add_review("p:mul_backward", Rating.GOOD, NOW - timedelta(days=9))
        store.add_review("p:gone", Rating.GOOD, NOW - timedelta(days=9))
        store.add_review("q:computational-graph", Rating.GOOD, NOW - timedelta(days=4))
    done = shipped("due")
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"due now +1 question +1 prediction +about [\d.]+ min", lines[0])
    assert re.fullmatch(r"  mul_backward +prediction +2 min  due for \d days", lines[1])
    assert re.fullmatch(r"  computational-graph  question    +[\d.]+ min  due for 2 days", lines[2])
    assert done.stderr == "next: autodrill predict mul_backward\n"
    found = document(shipped("next", "--output-format", "json"))
    assert found["run"] == "autodrill predict mul_backward"
    card = found["next"]
    assert isinstance(card, dict)
    assert (card["id"], card["kind"]) == ("mul_backward", "prediction")
    assert re.search(r"^  predictions  1 due$", shipped().stdout, re.MULTILINE)
    assert shipped("history", "mul_backward").stderr == "due now\n"


def test_due_without_a_log_creates_none(shipped: Shipped, home: Path) -> None:
    done = shipped("due")
    assert (done.returncode, done.stdout) == (0, "nothing is due now\n")
    assert shipped("limit").returncode == 0
    assert not home.exists()


@pytest.mark.usefixtures("practised")
def test_limit_counts_for_due_and_the_first_screen(shipped: Shipped) -> None:
    assert shipped("limit", "--reviews", "1", "--new", "0").stdout.startswith(
        "at most 1 due card a day; 0 rated today\n"
    )
    above = "1 more is due, above your limit of 1 card a day"
    assert above in shipped("due").stdout
    assert above in shipped().stdout
    assert shipped("limit", "--new", "4").stdout.splitlines() == [
        "at most 1 due card a day; 0 rated today",
        "at most 4 new cards a day; 0 rated today",
    ]
    assert "no limit for due cards" in shipped("limit", "--none").stdout
    refused = shipped("limit", "--none", "--new", "4")
    assert (refused.returncode, "leave out `--reviews` and `--new`" in refused.stderr) == (2, True)


def test_undo_says_that_a_rating_was_of_a_prediction(shipped: Shipped) -> None:
    shipped("predict", "mul_broadcast_backward", "--input", "lines", typed="\n" * 3)
    assert shipped("undo").stdout.startswith("prediction of mul_broadcast_backward: Again of ")


@pytest.mark.usefixtures("practised")
def test_undo_takes_back_the_last_rating_of_any_card(shipped: Shipped) -> None:
    assert shipped("undo").stdout.startswith("why-topological-order: Easy of ")
    assert shipped("undo").stdout.startswith("gone: Good of ")
    assert document(shipped("undo", "--output-format", "json"))["id"] == "computational-graph"
    done = shipped("undo")
    assert done.stdout.startswith("mul_backward: Good of ")
    assert done.stderr == "it is not scheduled now\n"
    refused = shipped("undo")
    assert (refused.returncode, refused.stderr.splitlines()[0]) == (2, "error: there is no rating to undo")


def test_undo_refuses_a_rating_of_a_placement(shipped: Shipped, home: Path) -> None:
    with Store.open(home / "history.db", now=NOW) as store:
        review = store.add_review("q:computational-graph", Rating.GOOD, NOW)
        store.add_placement({"excused": [], "unknown": [], "reviews": [review.id]}, NOW)
    refused = shipped("undo")
    assert refused.returncode == 2
    assert "`autodrill quiz --placement --undo` undoes all of it" in refused.stderr


@pytest.mark.usefixtures("practised")
def test_rate_changes_a_rating_and_undo_restores_it(shipped: Shipped) -> None:
    done = shipped("rate", "mul_backward", "easy")
    assert done.stdout == "mul_backward: Easy instead of Good\n"
    days = [line for line in shipped("history", "mul_backward").stdout.splitlines() if "Easy" in line]
    assert len(days) == 1
    assert shipped("undo").stdout.endswith(" undone; the rating before it, Good, counts now\n")
    assert "Easy" not in shipped("history", "mul_backward").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mul_backward", "great"], "`great` is not a rating\n\nhint: use one of again, hard, good, easy"),
        (["sum_backward", "easy"], "`sum_backward` has no rating yet"),
        (["mul_bakward", "easy"], "did you mean `mul_backward`"),
        (["relu_backward", "good"], "Good is too good: you used 2 hints\n\nhint: the best rating here is hard"),
    ],
)
@pytest.mark.usefixtures("practised")
def test_rate_refuses_with_a_hint(shipped: Shipped, home: Path, words: list[str], said: str) -> None:
    with Store.open(home / "history.db", now=NOW) as store:
        store.add_review("x:relu_backward", Rating.AGAIN, NOW, {"hints": 2})
    done = shipped("rate", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.usefixtures("practised")
def test_next_gives_what_is_due_and_its_command(shipped: Shipped) -> None:
    done = shipped("next")
    assert re.match(r"mul_backward   exercise · 3 min · due for 7 days\n", done.stdout)
    assert done.stderr == "next: autodrill watch mul_backward\n"
    found = document(shipped("next", "--output-format", "json"))
    assert found["run"] == "autodrill watch mul_backward"


def test_next_follows_the_chosen_path(shipped: Shipped, home: Path) -> None:
    with Store.open(home / "history.db", now=NOW) as store:
        store.choose_path("night-before", NOW)
    found = document(shipped("next", "--output-format", "json"))
    first = document(shipped("quiz", "--path", "night-before", "--limit", "1", "--output-format", "json"))
    step, cards = found["next"], first["cards"]
    assert isinstance(step, dict)
    assert isinstance(cards, list)
    assert (step["id"], step["why"], found["run"]) == (cards[0]["id"], "path", "autodrill quiz --path night-before")
