from __future__ import annotations

import csv
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_headings import question_headings
from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
from tests.cli.conftest import environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Shipped = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def practised(shipped: Shipped, home: Path) -> Shipped:
    """A learner with four reviews of four questions on graphs, and a rule broken in two exercises."""
    now = datetime.now(UTC)
    graph = [name for name, heading in question_headings().items() if heading.topics[0] == "graph"][:4]
    with Store.open(home / "history.db", now=now) as store:
        for days in (40, 30, 20, 10):
            for n, name in enumerate(graph):
                rating = Rating.GOOD if n or days > 30 else Rating.AGAIN
                store.add_review(f"q:{name}", rating, now - timedelta(days=days))
        for minutes, name in enumerate(("sum_backward", "unbroadcast", "unbroadcast")):
            at = now - timedelta(days=1, minutes=-minutes)
            store.add_attempt(name, "fail", "", at, detail={"fault": "shape", "rule": "not-summed"})
    return shipped


def test_stats_name_the_weakest_rule_and_what_to_type(practised: Shipped) -> None:
    done = practised("stats")
    assert (done.returncode, done.stderr) == (0, "")
    assert "recall 0.75, predicted 0." in done.stdout
    assert "broadcast axes not summed  2 of 2 exercises" in done.stdout
    assert "unbroadcast    1 min    2 tries  not passed" in done.stdout
    assert "next: autodrill watch unbroadcast" in done.stdout


def test_stats_as_json_and_csv_have_the_same_figures(practised: Shipped) -> None:
    document = json.loads(practised("stats", "--output-format", "json").stdout)
    rows = list(csv.DictReader(practised("stats", "--csv").stdout.splitlines()))
    assert (document["schema"], document["command"], document["topics"][0]["recalled"]) == (1, "stats", 9)
    (recalled,) = (r for r in rows if (r["table"], r["name"], r["measure"]) == ("topics", "graph", "recalled"))
    assert recalled["value"] == "9"
    assert document["next"] == "autodrill watch unbroadcast"


def test_stats_of_a_topic_leave_out_the_others(practised: Shipped) -> None:
    assert "stats · graph · " in practised("stats", "--topic", "graph").stdout
    other = practised("stats", "--topic", "kinks")
    assert (other.returncode, other.stdout) == (0, "nothing on `kinks` is logged yet\n")
    assert other.stderr == "next: autodrill quiz --topic kinks\n"


def test_stats_refuse_an_unknown_topic_and_two_formats(shipped: Shipped) -> None:
    unknown, both = shipped("stats", "--topic", "grpah"), shipped("stats", "--csv", "--output-format", "json")
    assert (unknown.returncode, both.returncode) == (2, 2)
    assert "did you mean `graph`" in unknown.stderr
    assert "leave out one of them" in both.stderr


def test_stats_without_a_log_say_so_and_write_nothing(shipped: Shipped, home: Path) -> None:
    done = shipped("stats")
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing is logged yet\n", "next: autodrill quiz\n")
    assert not (home / "history.db").exists()


def test_stats_are_ascii_without_colour_where_needed(practised: Shipped, home: Path) -> None:
    command = [sys.executable, "-m", "autodrill", "stats"]
    env = environment(home, PYTHONUTF8="0", LC_ALL="C", PYTHONCOERCECLOCALE="0", COLUMNS="60")
    assert practised("stats").stdout.count("\x1b") == 0
    plain = subprocess.run(command, capture_output=True, env=env, check=True).stdout.decode("ascii")
    assert max(map(len, plain.splitlines())) <= 60
    coloured = subprocess.run(command, capture_output=True, env=environment(home, FORCE_COLOR="1"), check=True).stdout
    assert b"\x1b[36;1mautodrill watch unbroadcast" in coloured


def test_stats_import_neither_numpy_nor_rich(practised: Shipped, home: Path) -> None:
    program = (
        "import sys; sys.argv = ['autodrill', 'stats']\nfrom autodrill.cli.app import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'rich', 'pydantic', 'csv', 'autodrill.bank.questions'} & set(sys.modules)))"
    )
    assert practised("stats").returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment(home)
    )
    assert "cards due" in done.stdout
    assert done.stdout.endswith("[]\n")
