from __future__ import annotations

import json
import signal
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
from tests.cli.conftest import Terminal, environment

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Shipped = Callable[..., subprocess.CompletedProcess[str]]

PRODUCT = "mul_broadcast_backward"


@pytest.fixture
def answers(shipped: Shipped) -> list[str]:
    """The right answers of the first case."""
    document = json.loads(shipped("predict", PRODUCT, "--output-format", "json").stdout)
    return [question["answer"] for question in document["questions"]]


def reviews(home: Path) -> list[tuple[str, Rating]]:
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        return [(review.card, review.rating) for review in store.reviews()]


def test_prediction_right_at_once_is_good(shipped: Shipped, home: Path, answers: list[str]) -> None:
    done = shipped("predict", PRODUCT, "--input", "lines", typed="\n".join(answers) + "\n")
    assert (done.returncode, reviews(home)) == (0, [(f"p:{PRODUCT}", Rating.GOOD)])
    assert "Good: 3 of 3 right; asked again in " in done.stdout
    assert done.stderr == f"next: autodrill open {PRODUCT}\n"


def test_prediction_is_explained_and_asked_twice(shipped: Shipped, home: Path, answers: list[str]) -> None:
    typed = ["what?", "9, 9", answers[0], answers[1], "0", "0"]
    done = shipped("predict", PRODUCT, "--input", "lines", typed="\n".join(typed) + "\n")
    assert "type a shape, such as (2, 3)" in done.stdout
    assert "✗ wrong  (9, 9) is not right: a gradient has the shape of its input a" in done.stdout
    assert "0 is not right: the value is not 0" in done.stdout
    assert f"→ the answer is {answers[2]}" in done.stdout
    assert "Again: 2 of 3 right" in done.stdout
    assert reviews(home) == [(f"p:{PRODUCT}", Rating.AGAIN)]


def test_prediction_that_stops_early_is_not_rated(shipped: Shipped, home: Path, answers: list[str]) -> None:
    done = shipped("predict", PRODUCT, "--input", "lines", typed=f"{answers[0]}\n")
    assert "stopped; the prediction is not rated" in done.stderr
    assert not (home / "history.db").exists()


def test_prediction_in_a_pipe_shows_the_answers(shipped: Shipped, home: Path, answers: list[str]) -> None:
    done = shipped("predict", PRODUCT)
    assert done.returncode == 0
    assert f"shape of da: {answers[0]}\n" in done.stdout
    assert "shown, not rated" in done.stderr
    assert not (home / "history.db").exists()


def test_predict_alone_asks_what_is_due(shipped: Shipped, home: Path) -> None:
    new = shipped("predict")
    assert (new.returncode, new.stdout) == (0, "no prediction is due\n")
    assert new.stderr == "next: autodrill predict add_backward\n"
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        store.add_review("p:add_backward", Rating.GOOD, datetime.now(UTC) - timedelta(hours=1))
        store.add_review(f"p:{PRODUCT}", Rating.GOOD, datetime.now(UTC) - timedelta(days=30))
    assert shipped("predict").stdout.startswith(f"{PRODUCT}  ")
    assert json.loads(shipped("predict", "--output-format", "json").stdout)["exercise"] == PRODUCT


def test_prediction_of_another_day_has_other_numbers(shipped: Shipped, home: Path) -> None:
    before = shipped("predict", PRODUCT, "--output-format", "json").stdout
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        store.add_review(f"p:{PRODUCT}", Rating.GOOD, datetime.now(UTC))
    assert shipped("predict", PRODUCT, "--output-format", "json").stdout != before


def test_predict_says_why_there_is_nothing_to_predict(shipped: Shipped) -> None:
    done = shipped("predict", "adamw_step")
    assert done.returncode == 2
    assert "`adamw_step` has nothing to predict: its answer is not a gradient" in done.stderr


def test_open_offers_the_prediction_once(shipped: Shipped, home: Path) -> None:
    offer = f"predict first: autodrill predict {PRODUCT}"
    assert offer in shipped("open", PRODUCT).stderr
    assert offer not in shipped("open", PRODUCT).stderr
    assert "predict" not in shipped("open", "adamw_step").stderr
    assert (home / "practice").is_dir()


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_prediction_on_a_terminal_fits(home: Path, answers: list[str], columns: int) -> None:
    env = environment(home)
    del env["COLUMNS"]
    with Terminal([sys.executable, "-m", "autodrill", "predict", PRODUCT], env, columns, 24) as terminal:
        terminal.type("(2, 3)", after="shape of da: ")
        for prompt, answer in zip(("shape of da: ", "shape of db: ", "da[0, 0]: "), answers, strict=True):
            terminal.type(answer, after=prompt)
        assert terminal.finish() == 0
    lines = terminal.text.splitlines()
    assert any("Hard: 3 of 3 right" in line for line in lines)
    assert max(map(len, map(str.rstrip, lines))) <= columns


def test_prediction_interrupted_is_code_130(home: Path) -> None:
    with Terminal([sys.executable, "-m", "autodrill", "predict", PRODUCT], environment(home), 80, 24) as terminal:
        terminal.type("(2, 1)", after="shape of da: ")
        terminal.wait_for("shape of db: ")
        assert terminal.end_by(signal.SIGINT) == 130
    assert "not rated" in terminal.text
    assert not (home / "history.db").exists()
