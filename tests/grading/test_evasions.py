"""Evasions: files that try to evade the checks of one exercise. Sealed, each fails, and no text of it is shown.

The first line of each names its exercise. It would pass, or its text would be shown, if its attempt worked. Attacks on
what all exercises share are in `tests/corpus/attacks`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from autodrill.grading.batch import Task, Worker
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.render.grades import github_lines, grade_line, junit_document
from autodrill.render.plain import Paint, symbols_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sealed processes are Linux's")

FILES = sorted((Path(__file__).parents[1] / "corpus" / "evasions").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_evasion_fails_and_is_not_quoted(path: Path) -> None:
    source = path.read_bytes()
    exercise = source.split(b"\n", 1)[0].decode().removeprefix("# exercise: ")
    with Worker(Task(exercise, (), seed=7)) as worker:
        report = worker.grade(Submission(source, path.name, path.name))
    # An evasion that unmaps libraries may crash its own process while it is loaded.
    crashes = path.stem.startswith("library_") and "ended its process" in str(report.failure)
    assert report.verdict is Verdict.FAIL or crashes, report
    paint = Paint.for_stream(sys.stdout, {})
    documents = [json.dumps(report.as_dict()), grade_line(report, paint, symbols_for(sys.stdout))]
    documents += [junit_document([report]), *github_lines([report])]
    for text in documents:
        assert "HIDDEN" not in text
        assert str(int.from_bytes(b"HIDDEN C", "little")) not in text


def test_evasions_are_collected() -> None:
    assert len(FILES) >= 9
