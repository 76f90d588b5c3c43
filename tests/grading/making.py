"""Builder of an exercise from its parts, and of a submission graded against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.library import Library
from autodrill.grading.grade import grade
from autodrill.grading.submission import Submission

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.drills.answer_records import FaultKind
    from autodrill.grading.report import Report

    Graded = Callable[..., Report]

HEADER = """# /// autodrill
# title = "A test"
# kind = "{kind}"
# difficulty = "easy"
# minutes = 3
# topics = ["testing"]{more}
# ///
"""
BEFORE = '''"""Why."""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = ("a", "b", "c")
'''


def grader(top: Path) -> Graded:
    """Return a function that grades a file against an exercise made of its parts, in a folder of the test."""

    def graded(
        answer: str,
        kind: str,
        stub: str,
        rest: str,
        *,
        name: str = "thing_backward",
        more: str = "",
        solution: str = "",
    ) -> Report:
        for folder, text in (
            ("exercises", f'{HEADER.format(kind=kind, more=more)}"""Do it."""\n\n{stub}'),
            ("solutions", f"{BEFORE}{rest}\n\n{solution or answer}"),
        ):
            path = top / folder / "demo" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        library = Library([top])
        exercise = library.find(name)
        submission = Submission(answer.encode(), "a.py", "a.py")
        return grade(library.drill(exercise), submission, seed=3)

    return graded


def kind_of(report: Report) -> FaultKind:
    assert report.failure is not None, report
    return report.failure.kind
