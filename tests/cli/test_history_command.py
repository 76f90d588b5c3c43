from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from autodrill.folders import history_file
from autodrill.practice.log_records import Rating, question_card
from autodrill.practice.store import Store
from tests.cli.conftest import environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Shipped = Callable[..., subprocess.CompletedProcess[str]]

TOPOLOGICAL = "why-topological-order"
MISSED = "you missed  Otherwise it passes on a partial gradient"


@pytest.fixture
def practised(shipped: Shipped) -> Shipped:
    """A learner who typed an answer, made two of three needed points, and chose an option."""
    typed = "t\nthey [red]add[/red]\x1b[2J\n134\n\n2\na\n1\n"
    shipped("quiz", "--ids", f"{TOPOLOGICAL},attention-scale-gradient", "--input", "lines", "--seed", "1", typed=typed)
    return shipped


def test_history_shows_what_was_typed_and_missed(practised: Shipped) -> None:
    done = practised("history", TOPOLOGICAL)
    assert done.returncode == 0
    assert "  Hard   1 of 2 needed points  " in done.stdout
    assert "you typed  they [red]add[/red]\\x1b[2J" in done.stdout
    assert MISSED in done.stdout
    assert "attention" not in done.stdout
    assert done.stderr.startswith("due on 20")


def test_history_names_a_chosen_option_by_its_text(practised: Shipped) -> None:
    document = json.loads(practised("history", "attention-scale-gradient", "--output-format", "json").stdout)
    (entry,) = document["entries"]
    (typed,) = entry["typed"]
    assert (entry["what"], typed["label"]) == ("Again", "a")
    assert len(typed["text"]) > 20


def test_history_without_an_id_shows_the_last_entries(practised: Shipped) -> None:
    assert practised("history").stdout.count("20") >= 2
    last = practised("history", "--limit", "1").stdout
    assert "attention-scale-gradient" in last
    assert TOPOLOGICAL not in last


def test_history_shows_a_retired_question(shipped: Shipped, home: Path) -> None:
    with Store.open(history_file({"AUTODRILL_HOME": str(home)}), now=datetime.now(UTC)) as store:
        store.add_review(question_card("relu-at-zero"), Rating.GOOD, datetime.now(UTC))
    done, empty = shipped("history", "relu-at-zero"), shipped("history", "weights-only-load")
    assert done.stdout.startswith("relu-at-zero  relu′(0): what does mathematics say")
    assert "  Good" in done.stdout
    assert done.stderr == "note: it is not asked any more; `gradient-at-kink` covers it\n"
    assert (empty.returncode, empty.stderr) == (0, "note: it is not asked any more\n")


def test_quiz_by_the_id_of_a_retired_question(shipped: Shipped) -> None:
    done = shipped("quiz", "--ids", "relu-at-zero")
    assert done.returncode == 2
    assert "hint: it is not asked any more; `gradient-at-kink` covers it" in done.stderr


def test_history_of_an_unknown_or_new_card(shipped: Shipped) -> None:
    unknown, new = shipped("history", "why-topological-ordr"), shipped("history", TOPOLOGICAL)
    assert (unknown.returncode, new.returncode) == (2, 0)
    assert f"did you mean `{TOPOLOGICAL}`" in unknown.stderr
    assert f"there is no entry of `{TOPOLOGICAL}` yet" in new.stdout


def test_history_imports_neither_numpy_nor_rich(practised: Shipped, home: Path) -> None:
    program = (
        f"import sys; sys.argv = ['autodrill', 'history', '{TOPOLOGICAL}']\nfrom autodrill.cli.app import main\n"
        "try: main()\nexcept SystemExit: pass\nprint(sorted({'numpy', 'rich'} & set(sys.modules)))"
    )
    assert practised("history").returncode == 0
    command, env = [sys.executable, "-c", program], environment(home)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert MISSED in done.stdout
    assert done.stdout.endswith("[]\n")


def test_card_asked_again_begins_with_the_missed_point(practised: Shipped) -> None:
    done = practised("quiz", "--ids", TOPOLOGICAL, "--input", "lines", typed="\n\n3\n")
    assert "Last time you missed 1 of the 2 points you need. Begin with it." in done.stdout
    assert done.stdout.index("[ ] 2 missed last time: Otherwise") < done.stdout.index("[ ] 1 A node may")
    again = practised("quiz", "--ids", TOPOLOGICAL, "--input", "lines", typed="\n\n3\n")
    assert "Last time" not in again.stdout


def test_search_lists_questions_with_their_ids(shipped: Shipped) -> None:
    done = shipped("quiz", "--search", "topological ORDER", "--limit", "2")
    assert done.returncode == 0
    assert f"{TOPOLOGICAL}  medium recall" in done.stdout
    assert f"ask some of them: autodrill quiz --ids {TOPOLOGICAL}" in done.stderr
    assert "more: add `--limit " in done.stderr
    filtered = shipped("quiz", "--search", "topological", "--difficulty", "easy", "--output-format", "json")
    assert {card["difficulty"] for card in json.loads(filtered.stdout)["cards"]} == {"easy"}


def test_search_without_words_or_hits_says_so(shipped: Shipped) -> None:
    empty, none, mixed = (shipped("quiz", "--search", *words) for words in ([" "], ["xyzzy"], ["x", "--ahead"]))
    assert (empty.returncode, none.returncode, mixed.returncode) == (2, 0, 2)
    assert "no question contains `xyzzy`" in none.stderr
