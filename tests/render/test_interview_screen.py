"""The screens of an interview."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.report import Failure, Report, Verdict
from autodrill.practice.interview_plan import Form, Level, Plan, Role, Step
from autodrill.practice.interview_report import Answered, Coded, InterviewReport
from autodrill.render.interview_screen import (
    clock,
    code_line,
    plan_lines,
    report_lines,
    right_answer,
    sober_verdict,
)
from autodrill.render.plain import ASCII, UNICODE, Paint

PLAIN = Paint(on=False)
ATTEMPT = {
    "verdict": "fail",
    "rule": "no-unbroadcast",
    "because": "a gradient has the shape of the output",
    "summary": "s",
}


def answered(title: str = "What is a?", typed: str = "mine", *, made: bool = True) -> Answered:
    return Answered(
        form="question",
        id="why-a-is",
        title=title,
        topic="graph",
        kind="recall",
        minutes=3.0,
        seconds=61.0,
        typed=(("", typed),),
        judged=False,
        right=1 + made,
        of=2,
        points=(("first point", True, True), ("second point", True, made), ("third point", False, False)),
        answer="",
        rating="Good" if made else "Hard",
        exercises=("mul_backward",),
    )


def report(*given: Answered, coded: Coded | None = None, ended: str = "done") -> InterviewReport:
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    left = ("What is left?",) if ended == "time" else ()
    return InterviewReport(3, at, "gpu-systems", "mid", 30, 7, 1880.0, ended, given, left, coded)


def text(made: InterviewReport, *, width: int = 80, brief: bool = False) -> str:
    return "\n".join(report_lines(made, PLAIN, UNICODE, width, brief=brief))


def grade(kind: FaultKind, verdict: Verdict = Verdict.FAIL) -> Report:
    failure = Failure(kind, "db must have shape (2,)", rule=Rule("no-unbroadcast", "", ""), case=1, line=4)
    return Report("x", "x.py", verdict, 1, cases=9, passed=4, failure=failure)


def test_clock_shows_minutes_and_seconds() -> None:
    assert [clock(seconds) for seconds in (0, 59.9, 60, 2700)] == ["0:00", "0:59", "1:00", "45:00"]


def test_sober_verdict_counts_cases_and_names_no_rule() -> None:
    said, _ = sober_verdict(grade(FaultKind.SHAPE), UNICODE)
    assert said == "✗ FAIL  4 of 9 cases pass"


def test_sober_verdict_shows_why_code_does_not_run() -> None:
    said, _ = sober_verdict(grade(FaultKind.SYNTAX, Verdict.ERROR), ASCII)
    assert said == "x ERROR  line 4: db must have shape (2,)"


def test_sober_verdict_of_a_pass_counts_all_cases() -> None:
    assert sober_verdict(Report("x", "x.py", Verdict.PASS, 1, cases=9, passed=9), UNICODE)[0].endswith(
        "all 9 cases pass"
    )


def test_sober_verdict_of_a_stub_says_what_to_do() -> None:
    assert sober_verdict(grade(FaultKind.NOT_IMPLEMENTED), UNICODE)[0].startswith("Write the answer")


def test_right_answer_exists_for_every_judged_question() -> None:
    for question in load_questions():
        assert bool(right_answer(question)) == (question.key is not None), question.id


@pytest.mark.parametrize("width", [60, 80, 140])
@pytest.mark.parametrize("brief", [True, False])
def test_report_lines_fit(width: int, brief: bool) -> None:
    long = answered("What " + "is a long question " * 20 + "?", "typed " * 60 + "x" * 200, made=False)
    coded = Coded("mul_backward", 5.0, 90.0, True, (ATTEMPT,), "")
    assert all(
        len(line) <= width for line in text(report(*[long] * 9, coded=coded), width=width, brief=brief).split("\n")
    )


def test_report_lines_keep_names_whole() -> None:
    many = [replace(answered(made=False), id=f"a-name-with-many-parts-{n}") for n in range(9)]
    shown = text(report(*many), width=60)
    assert all(f"a-name-with-many-parts-{n}" in shown for n in range(9))


def test_brief_report_fits_on_a_screen() -> None:
    many = [replace(answered(made=False), id=f"q-{n}", topic=f"topic{n}") for n in range(9)]
    coded = Coded("mul_backward", 5.0, 90.0, True, (ATTEMPT,), "")
    shown = text(report(*many, coded=coded), brief=True)
    assert len(shown.split("\n")) <= 24
    assert "missed second point" in shown
    assert "and 4 more" in shown
    assert "mine" not in shown


def test_report_shows_answers_beside_their_points() -> None:
    shown = text(report(answered(made=False)))
    assert shown.index("> mine") < shown.index("✓ made    first point") < shown.index("✗ missed  second point")
    assert "third point" in shown


def test_report_escapes_what_was_typed() -> None:
    assert "\x1b" not in text(report(answered(typed="\x1b[2J and \u202e")))


def test_report_says_when_time_was_over() -> None:
    assert "Time was over with 1 question left." in text(report(answered(), ended="time"))


def test_code_line_names_the_broken_rules() -> None:
    coded = Coded("mul_backward", 5.0, 90.0, True, (ATTEMPT, {**ATTEMPT, "verdict": "pass", "rule": ""}), "x")
    assert code_line(coded) == "mul_backward: passed in 1:30 with 2 tries; broken on the way: no-unbroadcast"
    failed = code_line(replace(coded, attempts=(ATTEMPT,)))
    assert "not passed in 1:30 with 1 try; the code behaves as if a gradient has the shape of the output" in failed
    assert code_line(replace(coded, attempts=())) == "mul_backward: nothing was written in 1:30"
    assert code_line(replace(coded, reached=False)) == "mul_backward: not reached"


def test_plan_lines_show_no_answer() -> None:
    question = next(q for q in load_questions() if q.key is None)
    step = Step(Form.QUESTION, question.id, question.title, question.home_topic, "recall", 3.0)
    shown = "\n".join(plan_lines(Plan(Role.GPU_SYSTEMS, Level.MID, 15, 7, (step,)), PLAIN, 200))
    assert question.title in shown
    assert not any(point in shown for point in question.key_points)


def test_topic_and_its_number_stay_in_one_line() -> None:
    topics = ["losses", "graph", "inplace", "modes", "norm", "memory", "jax", "estimators", "fusion"]
    made = report(*(replace(answered(made=False), topic=topic, right=0) for topic in topics))
    for width in range(40, 81):
        lines = list(report_lines(made, PLAIN, UNICODE, width, brief=True))
        assert not [line for line in lines if re.match(r"\s*(\(|1:01|\d\))", line)], width
        assert max(map(len, lines)) <= width
        assert not any("\0" in line for line in lines)
