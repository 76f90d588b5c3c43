"""Grades as lines, JUnit and annotations: names and texts of submissions are escaped."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.report import Failure, Remark, Report, Verdict
from autodrill.render.grades import github_lines, grade_line, hanging, junit_document, summary
from autodrill.render.plain import ASCII, Paint
from autodrill.render.watch_screen import columns_of

NASTY = "a\x1b[2J\x00<b>&\"'\u202e,:%\n.py"


def report(verdict: Verdict = Verdict.FAIL, **changes: object) -> Report:
    failure = Failure(FaultKind.VALUE, "da is wrong\x07", Rule("transposed", "", ""), line=3)
    fields = {"exercise": "e", "path": NASTY, "verdict": verdict, "seed": 1, "failure": failure, **changes}
    return Report(**fields)  # type: ignore[arg-type]  # a builder: each field has its type above


def test_line_has_verdict_file_and_rule() -> None:
    line = grade_line(report(path="a.py"), Paint(on=False), ASCII)
    assert line == "x FAIL     a.py  line 3: transposed: da is wrong\\x07"
    assert grade_line(report(Verdict.PASS, path="a.py"), Paint(on=False), ASCII) == "+ PASS     a.py"


@pytest.mark.parametrize("filler", ["x", "\u6f22"])
@pytest.mark.parametrize("on", [True, False])
def test_no_row_of_a_name_looks_like_a_verdict(filler: str, on: bool) -> None:
    forged = "+ PASS     bob.py"
    for length in range(120):
        line = grade_line(report(path=filler * length + forged, failure=None), Paint(on=on), ASCII)
        first, *rest = hanging(line, 80)
        assert all(columns_of(row) <= 80 for row in (first, *rest))
        assert all(row.startswith(" " * 11) for row in rest)
        shown = first + "".join(row.removeprefix(" " * 11) for row in rest)
        assert shown == line


def test_control_characters_are_escaped() -> None:
    for text in (grade_line(report(), Paint(on=False), ASCII), *github_lines([report()])):
        assert text.isprintable()


def test_junit_is_well_formed_for_any_name() -> None:
    surrogate = report(path="\udcff.py")
    root = ET.fromstring(junit_document([report(), surrogate, report(Verdict.INTERNAL, failure=None, detail="x")]))
    assert (root.get("failures"), root.get("errors")) == ("2", "1")


def test_junit_shows_remarks_on_a_pass() -> None:
    passed = report(Verdict.PASS, failure=None, remarks=(Remark("reaches-out", "line 5 reads `a<b>`\x07"),))
    root = ET.fromstring(junit_document([passed, report(Verdict.PASS, failure=None)]))
    assert [said.text for said in root.iter("system-out")] == ["reaches-out: line 5 reads `a<b>`\\x07"]


def test_annotation_escapes_its_text() -> None:
    (line,) = github_lines([report()])
    head, _, message = line.removeprefix("::").partition("::")
    assert head.startswith("error file=")
    assert head.count("=") == 3
    assert message == "line 3: transposed: da is wrong\\x07"


def test_summary_counts_and_names_the_layers() -> None:
    graded = [report(), report(Verdict.PASS, layers=("rlimits", "seccomp"))]
    assert summary(graded, 5) == "2 graded: 1 pass, 1 fail; seed 5; sandbox: rlimits, seccomp"
