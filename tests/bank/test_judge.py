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
    assert judgement.remark == "0.33 is 1 % too small; keep more digits (tolerance 0.1 %)"


def test_wrong_sign_is_named() -> None:
    judgement = judge_number("2", -2.0, 1e-3)
    assert (judgement.outcome, "wrong sign" in judgement.remark) == (WRONG, True)


@pytest.mark.parametrize(
    ("typed", "want", "remark"),
    [
        ("6", 3.0, "6 is twice the right value"),
        ("1", 3.0, "1 is a third of the right value"),
        ("4.5", 3.0, "4.5 is too large by the factor 1.5"),
        ("3*pi", 3.0, "9.42478 is too large by the factor π"),
        ("-6", -3.0, "-6 is too large in size by the factor 2"),
        ("-6", 3.0, "-6 is too large in size by the factor 2, and the sign is wrong"),
        ("2", -2.0, "2 has the right size and the wrong sign"),
        ("11", 12.0, "11 is 1 too small"),
        ("0.07", 7.0, "0.07 is 100 times too small: check for a percentage or the decimal point"),
        ("7e9", 7.0, "7e+09 is 10⁹ times too large: check a unit or the decimal point"),
        ("7*1024", 7.0, "7168 is 1024 times too large: check a unit, such as KiB for MiB"),
        ("1.048576", 1.0, "1.04858 is 4.9 % too large: a unit counts 1024 for 1000, such as MiB for MB"),
        ("56", 7.0, "56 is 8 times too large: check bits and bytes"),
        ("1/7", 7.0, "0.142857 is 1 divided by the right value"),
        ("49", 7.3, "49 is too large by a factor of about 6.7"),
        ("53.29", 7.3, "53.29 is the square of the right value"),
        ("3700", 7.3, "3700 is too large by a factor of about 510, 3 orders of magnitude"),
        ("8", 7.3, "8 is 9.6 % too large (tolerance 0.1 %)"),
        ("1", 0.0, "1 is not right: the value is 0"),
        ("0", 7.0, "0 is not right: the value is not 0"),
        ("4", 7.0, "4 is the value of b"),
    ],
)
def test_wrong_number_is_explained(typed: str, want: float, remark: str) -> None:
    judgement = judge_number(typed, want, 1e-3, {"a": want, "b": 4.0})
    assert (judgement.outcome, judgement.remark) == (WRONG, remark)


@pytest.mark.parametrize("typed", ["1e308", "1e-308", "-1e308", "1e-320", "7", "0"])
@pytest.mark.parametrize("want", [1e308, -1e308, 1e-308, 5e-324, 1.5, -7.0, 0.0])
@pytest.mark.parametrize("tolerance", [1e-9, 0.5])
def test_number_of_any_size_is_judged(typed: str, want: float, tolerance: float) -> None:
    assert judge_number(typed, want, tolerance).outcome in {RIGHT, WRONG}


def test_exact_count_shows_no_tolerance() -> None:
    assert judge_number("1010", 1000.0, 1e-9).remark == "1010 is 1 % too large"


@pytest.mark.parametrize("typed", ["3 MiB", "5%", "1.5e3 ms", "a = 2 GFLOPs"])
def test_number_with_a_unit_is_asked_again_without_it(typed: str) -> None:
    judgement = judge_number(typed, 3.0, 1e-3)
    assert (judgement.outcome, judgement.remark) == (UNREADABLE, "type the number without its unit")


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


def test_wrong_formula_is_shown_at_the_variables_in_use() -> None:
    shown = judge_formula("2*a", "a*b", ["a", "b", "c"]).remark
    assert shown.startswith("at a = ")
    assert ", b = " in shown
    assert "c = " not in shown
    assert judge_formula("2", "3", ["a"]).remark == "your formula gives 2; the right value is 3"
