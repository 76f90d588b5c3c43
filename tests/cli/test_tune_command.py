from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.cli import tune_command
from autodrill.practice import weight_fitting
from autodrill.practice.log_records import Rating
from autodrill.practice.memory_model import DEFAULT_WEIGHTS
from autodrill.practice.schedule import WEIGHTS, Schedule, schedule_of
from autodrill.practice.store import Store
from autodrill.practice.weight_fitting import Fit

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.practice.log_records import Review

    Shipped = Callable[..., subprocess.CompletedProcess[str]]

NOW = datetime.now(UTC)
OWN = (*DEFAULT_WEIGHTS[:2], 9.0, *DEFAULT_WEIGHTS[3:])


def test_tune_refuses_a_short_log(shipped: Shipped, home: Path) -> None:
    done = shipped("tune")
    said = "the log is too short to fit the schedule: 0 of 400 reviews, 0 of 40 forgotten, 0 of 30 days"
    assert (done.returncode, said in done.stderr, home.exists()) == (2, True, False)


@pytest.mark.parametrize("after", [0.3, 0.5])
def test_tune_uses_weights_only_if_they_predict_better(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], after: float
) -> None:
    monkeypatch.setenv("AUTODRILL_HOME", str(home))
    monkeypatch.setattr(weight_fitting, "fit", lambda _: Fit(OWN, 0.4, after, 100))
    with Store.open(home / "history.db", now=NOW) as store:
        store._connection.execute("PRAGMA synchronous = OFF")
        for day in range(45):
            for card in range(10):
                rating = Rating.AGAIN if (day + card) % 8 == 0 else Rating.GOOD
                store.add_review(f"q:{card}", rating, NOW - timedelta(days=45 - day))
        tune_command.tune()
        shown = capsys.readouterr().out.splitlines()
        assert shown[1:3] == ["  default weights  0.4000", f"  fitted weights   {after:.4f}"]
        assert store.setting(WEIGHTS) == (list(OWN) if after < 0.4 else None)
        tune_command.tune(reset=True)
        assert store.setting(WEIGHTS) is None


def test_schedule_uses_the_fitted_weights_everywhere(shipped: Shipped, home: Path) -> None:
    with Store.open(home / "history.db", now=NOW) as store:
        store.add_review("q:computational-graph", Rating.GOOD, NOW - timedelta(days=4))
        store.set(WEIGHTS, list(OWN), NOW)
        (state,) = schedule_of(store, NOW).states()
    assert state == Schedule(_reviews(home), NOW, OWN).states()[0]
    assert state.due > NOW
    due = json.loads(shipped("due", "--output-format", "json").stdout)
    assert (due["cards"], [day["cards"][0]["due"] for day in due["later"] if day["cards"]]) == (
        [],
        [state.due.isoformat()],
    )


def _reviews(home: Path) -> list[Review]:
    with Store.open(home / "history.db", now=NOW) as store:
        return store.reviews()
