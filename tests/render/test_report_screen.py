"""A report fits into 14 lines of 80 columns for any content."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.report import Basis, Comparison, Failure, Remark, Report, Verdict
from autodrill.render.plain import ASCII, UNICODE, Paint
from autodrill.render.report_screen import report_lines

PLAIN = Paint(on=False)
LONG = "a word and another " * 20
RULE = Rule("assign", "a node has exactly one consumer", "Who else adds here?", known=True)
WIDE_RULE = Rule("a-rather-long-key-of-a-rule", LONG, LONG)


def failed(kind: FaultKind = FaultKind.VALUE, verdict: Verdict = Verdict.FAIL, **changes: Any) -> Report:
    failure = Failure(
        kind=kind,
        summary="self.grad is wrong",
        rule=RULE,
        case=4,
        label="scalars",
        given={"self.data": "2", "other.data": "3"},
        comparisons=(Comparison("self.grad", "3.5", "3", wrong=True), Comparison("other.grad", "1", "1", wrong=False)),
        line=3,
        code="self.grad = other.data * out.grad",
    )
    return Report("mul_backward", "mul_backward.py", verdict, 5, 12, 3, failure=replace(failure, **changes))


def shown(report: Report, paint: Paint = PLAIN, **options: Any) -> list[str]:
    lines = report_lines(report, paint, UNICODE, **options)
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert len(bare) <= 14, "\n".join(bare)
    assert max(map(len, bare)) <= 80, "\n".join(bare)
    assert not any("\n" in line for line in lines)
    return bare


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT])
@pytest.mark.parametrize("kind", FaultKind)
@pytest.mark.parametrize("rule", [None, RULE, WIDE_RULE])
def test_every_kind_of_fault_fits_at_its_longest(kind: FaultKind, verdict: Verdict, rule: Rule) -> None:
    rows = tuple(Comparison(f"a_long_name_{i}", "1" * 60, "2" * 60, wrong=True) for i in range(5))
    given = {f"argument_{i}": "[1, 2, 3, 4, 5, 6, 7, 8]" for i in range(9)}
    longest = failed(kind, verdict, summary=LONG, rule=rule, label=LONG, given=given, comparisons=rows, code=LONG)
    shown(longest)
    shown(failed(kind, verdict, rule=rule, case=None, given={}, comparisons=(), line=None, code=""))


def test_failure_shows_fault_rule_case_and_command() -> None:
    text = "\n".join(shown(failed()))
    assert text.startswith("✗ FAIL  mul_backward: self.grad is wrong")
    assert "broken rule `assign`: your code behaves as if a node has exactly one consumer" in text
    assert "self.data = 2, other.data = 3" in text
    assert "Who else adds here?" in text
    assert "autodrill check mul_backward --seed 5 --case 4" in text
    assert re.search(r"self\.grad +3\.5 +3 +✗", text)


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_report_names_the_graded_file(verdict: Verdict) -> None:
    report = failed(verdict=verdict)
    assert "  graded mul_backward.py" in shown(report)
    assert shown(replace(report, path="deep/" * 40 + "answer.py"))[-1].endswith("/deep/answer.py")


def test_ascii_marks_tell_success_from_failure() -> None:
    passed, wrong = (report_lines(failed(verdict=v), PLAIN, ASCII)[0] for v in (Verdict.PASS, Verdict.FAIL))
    assert passed.startswith("+ PASS")
    assert wrong.startswith("x FAIL")


def test_command_to_repeat_the_case_is_never_cut() -> None:
    path = "deep/" * 40 + "answer.py"
    lines = report_lines(failed(), PLAIN, UNICODE, file_option=f" --file {path}")
    assert any(line.endswith(f"--case 4 --file {path}") for line in lines)


def test_wrong_result_comes_first() -> None:
    rows = (Comparison("dx", "1", "1", wrong=False), Comparison("dy", "2", "3", wrong=True))
    text = "\n".join(shown(failed(comparisons=rows)))
    assert text.index("dy") < text.index("dx")


def test_stub_report_says_where_to_begin() -> None:
    text = "\n".join(shown(failed(FaultKind.NOT_IMPLEMENTED, summary="not implemented yet", rule=None, case=None)))
    assert "Edit line 3 of mul_backward.py" in text
    assert "autodrill show mul_backward" in text
    assert "autodrill hint mul_backward" in text


def test_stub_report_with_a_long_path_ends_with_what_to_do() -> None:
    path = "practice/" + "deep/" * 10 + "mul.py"  # it does not fit into a line with the words around it
    text = " ".join(
        " ".join(shown(replace(failed(FaultKind.NOT_IMPLEMENTED, rule=None, case=None), path=path))).split()
    )
    assert f"{path}, then check again." in text


def test_internal_error_does_not_count_and_fits() -> None:
    report = Report("mul_backward", "mul_backward.py", Verdict.INTERNAL, 5, detail=LONG)
    text = "\n".join(shown(report))
    assert "INTERNAL" in text
    assert "This attempt does not count." in text
    assert "autodrill check mul_backward --seed 5" in text


def test_pass_shows_cases_and_seed() -> None:
    report = Report("mul_backward", "mul_backward.py", Verdict.PASS, 5, 12, 12, 0.25)
    assert shown(report)[0] == "✓ PASS  mul_backward"
    text = "\n".join(shown(report))
    assert "12 of 12 cases agree" in text
    assert "seed 5, 0.25 s" in text


def test_remarks_on_a_pass_fit() -> None:
    report = Report("m", "m.py", Verdict.PASS, 5, 12, 11, remarks=tuple(Remark(f"key-{i}", LONG) for i in range(9)))
    assert any("remark (key-0)" in line for line in shown(report))


def test_colour_changes_no_word() -> None:
    assert shown(failed(), Paint(on=True)) == shown(failed())


@pytest.mark.parametrize(
    "report", [failed(), Report("m", "m.py", Verdict.PASS, 1), failed(FaultKind.SYNTAX, Verdict.ERROR)]
)
def test_ascii_screens_get_ascii(report: Report) -> None:
    assert "\n".join(report_lines(report, PLAIN, ASCII)).isascii()


@pytest.mark.parametrize("field", ["summary", "label", "code"])
def test_control_characters_of_the_candidate_are_escaped(field: str) -> None:
    text = "\n".join(
        report_lines(failed(FaultKind.VALUE, Verdict.FAIL, **{field: "\x1b[2J\x07 [red]"}), PLAIN, UNICODE)
    )
    assert "\x1b" not in text
    assert "\x07" not in text
    assert r"\x1b[2J\x07 [red]" in text


@pytest.mark.parametrize("basis", Basis)
def test_pass_names_only_the_oracles_that_ran(basis: Basis) -> None:
    (line,) = (line for line in shown(Report("a", "a.py", Verdict.PASS, 5, 12, 12, basis=basis)) if "12 of 12" in line)
    assert ("finite differences" in line) is (basis is Basis.ORACLES)
    assert ("engine" in line) is (basis in {Basis.ORACLES, Basis.ENGINE})
