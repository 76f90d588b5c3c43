"""`interview` without a terminal: the plan, the list, the report and its export."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.interview_log import Event, InterviewLog, What
from autodrill.practice.interview_plan import Form, Level, Plan, Role, Step
from autodrill.practice.store import Store
from tests.cli.conftest import environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Shipped = Callable[..., subprocess.CompletedProcess[str]]

PLAN = Plan(
    Role.POST_TRAINING,
    Level.SENIOR,
    15,
    7,
    (Step(Form.QUESTION, "why-a-is", "What is a?", "graph", "recall", 3.0),),
)
EVENTS = [
    Event(What.ANSWER, 0, 61.0, {"typed": [["", "<b>mine</b>"]]}),
    Event(What.END, None, 61.0, {"why": "done"}),
    Event(What.MARKED, 0, 61.0, {"right": 1, "of": 2, "points": [["it is so", True, False]], "rating": "Again"}),
    Event(What.CLOSE, None, 61.0, {"why": "complete"}),
]


@pytest.fixture
def log(home: Path) -> Callable[[int], None]:
    """Write an interview with some of its events to the learner's history."""

    def log(events: int = len(EVENTS)) -> None:
        at = datetime(2026, 11, 21, tzinfo=UTC)
        with Store.open(home / "history.db", now=at) as store:
            interviews = InterviewLog(store)
            taken = interviews.begin(PLAN, at)
            for event in EVENTS[:events]:
                interviews.write(taken.id, event, at)

    return log


def test_interview_without_a_terminal_asks_nothing(shipped: Shipped, home: Path) -> None:
    done = shipped("interview", typed="\n\n\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "an interview needs a terminal" in done.stderr
    assert "interview --plan" in done.stderr
    assert not home.exists()


def test_plan_prints_what_is_asked_and_is_repeatable(shipped: Shipped, home: Path) -> None:
    done = shipped("interview", "--plan", "--role", "gpu-systems", "--minutes", "45", "--seed", "3")
    assert done.returncode == 0
    assert done.stdout.startswith("interview for GPU systems, mid, 45 min, seed 3\n")
    assert "(code)" in done.stdout
    assert "the rest is for follow-ups" in done.stdout
    again = shipped("interview", "--plan", "--role", "gpu-systems", "--minutes", "45", "--seed", "3")
    assert again.stdout == done.stdout
    assert not home.exists()


def test_plan_leaves_out_what_recent_interviews_asked(shipped: Shipped, home: Path) -> None:
    before = json.loads(shipped("interview", "--plan", "--seed", "3", "--output-format", "json").stdout)["plan"]
    at = datetime(2026, 11, 21, tzinfo=UTC)
    with Store.open(home / "history.db", now=at) as store:
        InterviewLog(store).begin(Plan.from_json(before), at)
    after = json.loads(shipped("interview", "--plan", "--seed", "3", "--output-format", "json").stdout)["plan"]
    assert not {step["id"] for step in before["steps"]} & {step["id"] for step in after["steps"]}


def test_report_is_printed_again(shipped: Shipped, log: Callable[[], None]) -> None:
    log()
    done = shipped("interview", "--report")
    assert done.returncode == 0
    assert done.stdout.startswith("interview 1: post-training, senior, 2026-11-21, 1:01 of 15:00\n")
    assert "You made 1 of 2 needed points." in done.stdout
    assert "✗ missed  it is so" in done.stdout
    assert shipped("interview", "--report", "1").stdout == done.stdout
    document = json.loads(shipped("interview", "--report", "--output-format", "json").stdout)["report"]
    assert (document["right"], document["of"], document["queued"]) == (1, 2, ["why-a-is"])


def test_report_of_an_unfinished_interview_is_refused(shipped: Shipped, log: Callable[[int], None]) -> None:
    log(3)
    done = shipped("interview", "--report")
    assert (done.returncode, done.stdout) == (2, "")
    assert "interview 1 is not finished" in done.stderr


def test_report_of_an_unknown_interview_is_refused(shipped: Shipped, log: Callable[[], None]) -> None:
    assert "there is no interview yet" in shipped("interview", "--report").stderr
    log()
    done = shipped("interview", "--report", "4")
    assert done.returncode == 2
    assert "`4`" in done.stderr


@pytest.mark.parametrize(("name", "mark"), [("i.html", "&lt;b&gt;mine&lt;/b&gt;"), ("i.md", "<b>mine</b>")])
def test_export_writes_a_new_file(
    shipped: Shipped, log: Callable[[], None], tmp_path: Path, name: str, mark: str
) -> None:
    log()
    file = tmp_path / name
    assert shipped("interview", "--export", str(file)).stdout == f"report written to {file}\n"
    assert mark in file.read_text(encoding="utf-8")
    again = shipped("interview", "--export", str(file))
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_export_to_nowhere_is_refused(shipped: Shipped, log: Callable[[], None], tmp_path: Path) -> None:
    log()
    assert "cannot be written" in shipped("interview", "--export", str(tmp_path / "no" / "i.md")).stderr
    assert "neither Markdown nor HTML" in shipped("interview", "--export", "i.pdf").stderr


def test_list_names_every_interview(shipped: Shipped, log: Callable[..., None]) -> None:
    assert shipped("interview", "--list").stdout == "there is no interview yet\n"
    log()
    log(1)
    lines = shipped("interview", "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2"]
    assert lines[0].endswith("1 of 2 points")
    assert lines[1].endswith("paused")
    document = json.loads(shipped("interview", "--list", "--output-format", "json").stdout)
    assert [each["id"] for each in document["interviews"]] == [1, 2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--minutes", "20"), "an interview cannot take 20 minutes"),
        (("--plan", "--list"), "do not go together"),
        (("3",), "interview --report 3"),
        (("--role", "chef"), "chef"),
    ],
)
def test_interview_refuses_what_makes_no_sense(shipped: Shipped, words: tuple[str, ...], said: str) -> None:
    done = shipped("interview", *words)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("words", [["--plan"], ["--list"], ["--report"]])
def test_interview_that_only_reads_imports_no_numpy(home: Path, log: Callable[[], None], words: list[str]) -> None:
    log()
    program = (
        "import sys; sys.argv = ['autodrill', 'interview', *sys.argv[1:]]\n"
        "from autodrill.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert not {'numpy', 'rich', 'fsrs'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], env=environment(home), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
