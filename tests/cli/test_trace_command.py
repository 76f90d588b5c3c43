"""`autodrill trace` on every screen, as JSON, as pictures, and what it says of a slip of the pen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from autodrill.cli.exits import Exit

if TYPE_CHECKING:
    from tests.conftest import Run

DOT = "\u0307"
SURVEY = ("trace", "ln(x1)+x1*x2-sin(x2)", "x1=2", "x2=5")


def test_the_surveys_example_is_printed_with_its_numbers(run: Run) -> None:
    done = run(*SURVEY)

    assert done.returncode == Exit.DONE
    assert done.stderr == ""
    assert "  v5  = v4 − v3  = 10.693 − (-0.959) = 11.652\n" in done.stdout
    assert done.stdout.splitlines()[-2].endswith("= 5.5")
    assert done.stdout.splitlines()[-1].endswith("= 1.716")


def test_wrt_chooses_the_tangent(run: Run) -> None:
    assert f"tangent trace, x{DOT}2 = 1\n" in run(*SURVEY, "--wrt", "x2").stdout
    rows = json.loads(run(*SURVEY, "--wrt", "x2", "--output-format", "json").stdout)["rows"]

    assert [row["tangent"] for row in rows[:2]] == [0.0, 1.0]
    assert rows[-1]["tangent"] == pytest.approx(1.716, abs=5e-4)  # three decimals


@pytest.mark.parametrize("picture", [(), ("--picture", "table")])
def test_60_columns_and_an_ascii_locale_are_enough(run: Run, picture: tuple[str, ...]) -> None:
    done = run(*SURVEY, *picture, COLUMNS="60", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    assert done.returncode == Exit.DONE
    assert done.stdout.isascii()
    assert max(map(len, done.stdout.splitlines())) <= 60
    assert "11.652" in done.stdout


def test_a_value_may_be_arithmetic(run: Run) -> None:
    answer = json.loads(run("trace", "sin(x)", "x=pi/2", "--output-format", "json").stdout)

    assert answer["schema"] == 1
    assert answer["rows"][-1]["primal"] == 1.0
    assert answer["picture"] is None


def test_each_picture_is_a_document_of_its_own(run: Run) -> None:
    assert ET.fromstring(run(*SURVEY, "--picture", "svg").stdout).tag.endswith("svg")
    assert run(*SURVEY, "--picture", "dot").stdout.startswith("digraph")
    assert run(*SURVEY, "--picture", "mermaid").stdout.startswith("flowchart")
    answer = json.loads(run(*SURVEY, "--picture", "mermaid", "--output-format", "json").stdout)
    assert answer["picture"].startswith("flowchart")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("2*foo(x)+1", "x=1"), "  2*foo(x)+1\n    ^^^^^^\n\nhint: numbers, + - * / ^"),
        (("x*y", "x=1"), "  x*y\n    ^\n"),
        (("__import__('os').system('true')", "x=1"), "^"),
        (("x", "x"), "`x` is not of the form NAME=VALUE"),
        (("x", "x=1", "x=2"), "`x` is given twice"),
        (("x", "x=1+"), "the value of `x`"),
        (("x", "lambda=1"), "NAME=VALUE"),
        (("x", "x=1", "--wrt", "z"), "hint: the variables are `x`"),
        (("ln(x)", "x=0"), "ln(0) has no finite real value"),
        (("1", "x=0"), "depends on no variable"),
    ],
)
def test_a_slip_is_pointed_at(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run("trace", *words)

    assert done.returncode == Exit.USAGE
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
