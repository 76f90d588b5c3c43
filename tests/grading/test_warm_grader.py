from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.cases import battery
from autodrill.errors import ContentError
from autodrill.grading.report import Report
from autodrill.grading.submission import Submission
from autodrill.grading.warm_grader import Graded, WarmGrader
from autodrill.sandbox.fork_server import own_code_launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from tests.conftest import Pack

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"
WRONG = "def cube_backward(g, x):\n    return 3 * x * g\n"
ENDLESS = "def cube_backward(g, x):\n    while True: pass\n"


@pytest.fixture
def grader(pack: Pack) -> Iterator[WarmGrader]:
    pack.add()
    with own_code_launcher() as launcher, WarmGrader(pack.library, launcher, 7) as grader:
        yield grader


def hand_in(grader: WarmGrader, pack: Pack, source: str, name: str = "cube_backward") -> Submission:
    submission = Submission(source.encode(), f"{name}.py", f"{name}.py")
    grader.submit(pack.library.find(name), submission)
    return submission


def next_result(grader: WarmGrader) -> Graded:
    assert select.select([grader.fileno()], [], [], 60)[0], "no result came"
    (graded,) = grader.results()
    return graded


def verdict(graded: Graded) -> str:
    assert isinstance(graded.outcome, Report)
    return graded.outcome.verdict


def test_grader_grades_one_version_after_another(grader: WarmGrader, pack: Pack) -> None:
    for source, expected in ((WRONG, "fail"), (RIGHT, "pass"), ("x =", "error"), (RIGHT, "pass")):
        submission = hand_in(grader, pack, source)
        graded = next_result(grader)
        assert (graded.submission, verdict(graded)) == (submission, expected)
    assert not grader.busy


def test_grader_makes_the_cases_once(grader: WarmGrader, pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(drill: Drill, seed: int) -> list[Case]:
        made.append(seed)
        return battery(drill, seed)

    monkeypatch.setattr("autodrill.grading.cases.case_set.battery", counted)
    for source in (WRONG, RIGHT, WRONG):
        hand_in(grader, pack, source)
        next_result(grader)
    assert made == [7]


@pytest.mark.slow
def test_grader_replaces_a_submission_that_waits(grader: WarmGrader, pack: Pack) -> None:
    hand_in(grader, pack, ENDLESS)
    while grader._waiting is not None:
        time.sleep(0.001)
    hand_in(grader, pack, WRONG)
    last = hand_in(grader, pack, RIGHT)
    assert verdict(next_result(grader)) == "timeout"
    assert next_result(grader).submission is last


def test_grader_changes_exercises(grader: WarmGrader, pack: Pack) -> None:
    pack.add("other_backward")
    hand_in(grader, pack, RIGHT)
    assert verdict(next_result(grader)) == "pass"
    hand_in(grader, pack, RIGHT.replace("cube", "other"), "other_backward")
    graded = next_result(grader)
    assert (graded.exercise.id, verdict(graded)) == ("other_backward", "pass")


def test_grader_returns_the_error_of_a_malformed_exercise(grader: WarmGrader, pack: Pack) -> None:
    pack.add("bad_backward", solution=("HINTS = ", "NOTES = "))
    hand_in(grader, pack, RIGHT, "bad_backward")
    assert isinstance(next_result(grader).outcome, ContentError)
    hand_in(grader, pack, RIGHT)
    assert verdict(next_result(grader)) == "pass"


def test_grader_confines_each_version_in_its_own_process(grader: WarmGrader, pack: Pack) -> None:
    state = "import sys\nassert not hasattr(sys, 'seen')\nsys.seen = 1\n" + RIGHT
    for _ in range(3):
        hand_in(grader, pack, state)
        graded = next_result(grader)
        assert verdict(graded) == "pass"
        assert isinstance(graded.outcome, Report)
        assert "seccomp" in graded.outcome.layers or graded.outcome.lost
