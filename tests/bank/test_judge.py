from __future__ import annotations

import pytest

from autodrill.bank.judge import (
    Outcome,
    judge_choice,
    judge_formula,
    judge_line,
    judge_number,
    judge_output,
    probe,
)
from autodrill.bank.questions import BugKey, Fence, Option, PredictKey

RIGHT, WRONG, UNREADABLE = Outcome.RIGHT, Outcome.WRONG, Outcome.UNREADABLE


@pytest.mark.parametrize("typed", ["1/3", ".3333", "0.33333", " 0.3333 ", "dL/dx = 1/3", "3^-1", "0.33366"])
def test_number_is_right_in_every_notation(typed: str) -> None:
    assert judge_number(typed, 1 / 3, 1e-3).outcome is RIGHT


def test_rough_number_is_wrong_with_its_distance() -> None:
    judgement = judge_number("0.33", 1 / 3, 1e-3)
    assert judgement.outcome is WRONG
    assert judgement.remark == "0.33 is off by 1 % (tolerance 0.1 %)"


def test_wrong_sign_is_named() -> None:
    judgement = judge_number("2", -2.0, 1e-3)
    assert (judgement.outcome, "wrong sign" in judgement.remark) == (WRONG, True)


def test_tolerance_is_absolute_around_zero() -> None:
    assert judge_number("0.0005", 0.0, 1e-3).outcome is RIGHT
    assert judge_number("0.002", 0.0, 1e-3).outcome is WRONG


@pytest.mark.parametrize("typed", ["", "about a third", "1/0", "0,33"])
def test_number_that_cannot_be_read_is_unreadable(typed: str) -> None:
    assert judge_number(typed, 1 / 3, 1e-3).outcome is UNREADABLE


OPTIONS = (Option("zero", False, "no"), Option("one", True, None), Option("two", False, "no"))


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [("b", RIGHT), (" B) ", RIGHT), ("(b)", RIGHT), ("a", WRONG), ("d", UNREADABLE), ("", UNREADABLE)],
)
def test_letter_chooses_an_option(typed: str, outcome: Outcome) -> None:
    assert judge_choice(typed, OPTIONS).outcome is outcome


PRINTS = PredictKey(Fence("", "python", 1), "tensor([3.0000, -4.0000])\nTrue")


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [
        ("tensor([3.0000, -4.0000])\nTrue", RIGHT),
        ("tensor( [3, −4.] )  true", RIGHT),
        ("tensor([3.0, -4.0])", WRONG),
        ("tensor([3.0, 4.0]) True", WRONG),
        ("tensor([3.0 -4.0]) True", WRONG),
        (" ", UNREADABLE),
    ],
)
def test_output_is_compared_by_numbers_without_blanks(typed: str, outcome: Outcome) -> None:
    assert judge_output(typed, PRINTS).outcome is outcome


BUG = BugKey(Fence("a\nb\nc\n", "python", 1), 2, "B")


@pytest.mark.parametrize(
    ("typed", "outcome"), [("2", RIGHT), ("line 2", RIGHT), ("Line 2:", RIGHT), ("3", WRONG), ("two", UNREADABLE)]
)
def test_line_is_named_by_its_number(typed: str, outcome: Outcome) -> None:
    assert judge_line(typed, BUG).outcome is outcome


@pytest.mark.parametrize(
    ("typed", "outcome"),
    [
        ("2*x + ln(y)", RIGHT),
        ("df/dx = x + x + log(y)", RIGHT),
        ("log(y*exp(x)^2)", RIGHT),
        ("2*x", WRONG),
        ("2*x + log(y) + 0.00001", WRONG),
        ("2*abs(x)", UNREADABLE),
        ("2*z + log(y)", UNREADABLE),
        ("2x + log(y)", UNREADABLE),
    ],
)
def test_formula_is_right_if_it_agrees_everywhere(typed: str, outcome: Outcome) -> None:
    assert judge_formula(typed, "2*x + log(y)", ("x", "y")).outcome is outcome


def test_formula_right_for_positive_values_only_is_wrong() -> None:
    assert judge_formula("sqrt(x^2)", "x", ("x",)).outcome is WRONG


def test_formula_undefined_at_a_point_is_wrong() -> None:
    judgement = judge_formula("x + 0*log(x - 5)", "x", ("x",))
    assert (judgement.outcome, "no value" in judgement.remark) == (WRONG, True)


def test_probe_repeats_its_points_within_the_domain() -> None:
    points = probe("log(x)", ("x",))
    assert len(points) >= 7
    assert all(point["x"] > 0 for point, _ in points)
    assert points == probe("log(x)", ("x",))


def test_remarks_have_one_line() -> None:
    said = [judge_number("1", 3.0, 1e-3), judge_line("9", BUG), judge_formula("y", "x", ("x", "y"))]
    assert all("\n" not in judgement.remark and judgement.remark for judgement in said)
