"""The report of an interview, from its log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from autodrill.practice.interview_log import Event, Interview, InterviewState, What
from autodrill.practice.interview_plan import Form, Level, Plan, Role, Step
from autodrill.practice.interview_report import InterviewReport, report_of

PLAN = Plan(
    Role.POST_TRAINING,
    Level.SENIOR,
    30,
    7,
    (
        Step(Form.QUESTION, "a", "What is a?", "graph", "recall", 3.0),
        Step(Form.QUESTION, "b", "Which is b?", "losses", "choice", 2.0),
        Step(Form.EXERCISE, "mul_backward", "A product", "scalar", "code", 5.0),
        Step(Form.QUESTION, "c", "What is c?", "graph", "recall", 3.0),
    ),
)
FAILED = {
    "verdict": "fail",
    "rule": "no-unbroadcast",
    "because": "",
    "summary": "",
    "source": "x",
    "passed": 3,
    "cases": 9,
}
EVENTS: list[tuple[What, int | None, float, dict[str, Any]]] = [
    (What.BEGIN, 0, 0.0, {}),
    (What.ANSWER, 0, 60.0, {"typed": [["", "two\nlines"]]}),
    (What.ANSWER, 1, 90.0, {"typed": [["b", "the option"]], "right": 1, "of": 1}),
    (What.BEGIN, 2, 90.0, {}),
    (What.ATTEMPT, 2, 200.0, FAILED),
    (What.ATTEMPT, 2, 300.0, {**FAILED, "verdict": "pass", "rule": ""}),
    (What.ANSWER, 2, 310.0, {"typed": [["", "code"]]}),
    (What.END, None, 310.0, {"why": "time"}),
    (
        What.MARKED,
        0,
        310.0,
        {
            "right": 1,
            "of": 2,
            "points": [["first", True, True], ["second", True, False], ["third", False, False]],
            "rating": "Hard",
            "exercises": ["mul_backward"],
        },
    ),
    (What.MARKED, 1, 310.0, {"right": 1, "of": 1, "answer": "the option", "rating": "Good", "exercises": ["x"]}),
    (What.CLOSE, None, 310.0, {"why": "complete"}),
]


def report(*left_out: int) -> InterviewReport:
    events = [Event(*event) for number, event in enumerate(EVENTS) if number not in left_out]
    interview = Interview(3, datetime(2026, 11, 21, tzinfo=UTC), PLAN)
    return report_of(interview, InterviewState.of(PLAN, events))


def test_report_counts_points_and_time_by_topic() -> None:
    made = report()
    assert (made.right, made.of, made.ended, made.spent) == (2, 3, "time", 310.0)
    assert [(t.topic, t.right, t.of, t.seconds) for t in made.topics] == [("graph", 1, 2, 60.0), ("losses", 1, 1, 30.0)]
    assert [t.topic for t in made.strong] == ["losses"]
    assert [t.topic for t in made.weak] == ["graph"]


def test_report_names_what_was_missed_and_not_reached() -> None:
    made = report()
    assert made.answered[0].missed == ("second",)
    assert made.left == ("What is c?",)


def test_report_queues_what_was_rated_low() -> None:
    made = report()
    assert made.queued == ("a",)
    assert made.exercises == ("mul_backward",)


def test_report_leaves_out_the_letter_of_an_option() -> None:
    assert [answer.lines for answer in report().answered] == [("two", "lines"), ("the option",)]


def test_report_has_the_attempts_at_the_exercise() -> None:
    coded = report().coded
    assert coded is not None
    assert (coded.passed, coded.seconds, coded.source, len(coded.attempts)) == (True, 220.0, "code", 2)
    over = report(6).coded
    assert over is not None
    assert over.source == "x"
    failed = report(5).coded
    assert failed is not None
    assert not failed.passed
    assert report(5).exercises == ("mul_backward",)


def test_report_total_equals_the_log() -> None:
    made = report()
    assert sum(topic.seconds for topic in made.topics) + (made.coded.seconds if made.coded else 0) == made.spent


def test_report_is_json() -> None:
    written = json.loads(json.dumps(report().as_json()))
    assert (written["id"], written["right"], written["of"], written["queued"]) == (3, 2, 3, ["a"])
