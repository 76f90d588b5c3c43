from __future__ import annotations

from autodrill.bank.questions import Difficulty
from autodrill.practice.placement import Finding, Unit, Verdict
from autodrill.render.placement_screen import conclusions

EASY, MEDIUM, HARD = Difficulty


def told(*findings: Finding, width: int = 80) -> list[str]:
    return conclusions([finding.as_json() for finding in findings], width)


def test_topic_shows_what_is_known_and_where_to_practise() -> None:
    assert told(
        Finding(Unit("modes", MEDIUM), Verdict.KNOWN, right=2, asked=2),
        Finding(Unit("modes", HARD), Verdict.UNKNOWN, right=0, asked=1),
        Finding(Unit("modes", EASY), Verdict.KNOWN, because=Unit("modes", MEDIUM)),
    ) == [
        "modes: you know the easy and medium questions; start with the hard questions",
        "  (easy: implied by the result for modes medium; medium: 2 of 2 right; hard: 0",
        "  of 1 right)",
    ]


def test_known_topic_has_nothing_left() -> None:
    (line,) = told(Finding(Unit("complex", EASY), Verdict.KNOWN, right=2, asked=2))
    assert line == "complex: you know the easy questions; no new questions left (easy: 2 of 2 right)"


def test_topics_left_out_are_listed_with_the_reason() -> None:
    lines = told(
        Finding(Unit("graph", EASY), Verdict.UNKNOWN, right=0, asked=1),
        Finding(Unit("jax", MEDIUM), Verdict.UNKNOWN, because=Unit("graph", EASY)),
        Finding(Unit("conv", EASY)),
    )
    assert lines == [
        "graph: start with the easy questions (easy: 0 of 1 right)",
        "these need topics you do not know yet, so start them from the beginning: jax",
        "the test did not reach these topics, so start them from the beginning: conv",
    ]


def test_placement_lines_fit_the_screen() -> None:
    many = [Finding(Unit(f"topic-{n}", EASY)) for n in range(20)]
    assert max(map(len, told(*many, width=60))) <= 60
