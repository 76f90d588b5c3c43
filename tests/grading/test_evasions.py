"""Files that evade one exercise's own checks: sealed, each is graded wrong, and not a word of it is shown.

Each says in its first line which exercise it is for, and would be graded right, or have its own words shown, if what it
attempts worked. Attacks on what all exercises have in common are in `tests/corpus/attacks`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from autodrill.grading.batch import Task, Worker
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.render.console import symbols_for
from autodrill.render.grades import github_lines, grade_line, junit_document
from autodrill.render.plain import Paint

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sealed processes are Linux's")

FILES = sorted((Path(__file__).parents[1] / "corpus" / "evasions").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_fails_and_is_not_quoted(path: Path) -> None:
    source = path.read_bytes()
    exercise = source.split(b"\n", 1)[0].decode().removeprefix("# exercise: ")
    with Worker(Task(exercise, (), seed=7)) as worker:
        report = worker.grade(Submission(source, path.name, path.name))
    assert report.verdict is Verdict.FAIL, report
    paint = Paint.for_stream(sys.stdout, {})
    told = [json.dumps(report.as_dict()), grade_line(report, paint, symbols_for(sys.stdout))]
    told += [junit_document([report]), *github_lines([report])]
    for text in told:
        assert "HIDDEN" not in text
        assert str(int.from_bytes(b"HIDDEN C", "little")) not in text


def test_there_are_some() -> None:
    assert len(FILES) >= 9
