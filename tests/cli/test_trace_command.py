"""`autodrill trace` on every screen, as JSON and as pictures, and its messages about typing errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from autodrill.cli.options import Exit

if TYPE_CHECKING:
    from tests.conftest import Run

DOT = "\u0307"
SURVEY = ("trace", "ln(x1)+x1*x2-sin(x2)", "x1=2", "x2=5")


def test_trace_prints_the_survey_example(run: Run) -> None:
    done = run(*SURVEY)

    assert done.returncode == Exit.DONE
    assert done.stderr == ""
    assert "  v5  = v4 − v3  = 10.693 − (-0.959) = 11.652\n" in done.stdout
    assert done.stdout.splitlines()[-2].endswith("= 5.5")
    assert done.stdout.splitlines()[-1].endswith("= 1.716")


def test_trace_wrt_chooses_the_tangent(run: Run) -> None:
    assert f"tangent trace, x{DOT}2 = 1\n" in run(*SURVEY, "--wrt", "x2").stdout
    rows = json.loads(run(*SURVEY, "--wrt", "x2", "--output-format", "json").stdout)["rows"]

    assert [row["tangent"] for row in rows[:2]] == [0.0, 1.0]
    assert rows[-1]["tangent"] == pytest.approx(1.716, abs=5e-4)  # three decimals


@pytest.mark.parametrize("picture", [(), ("--picture", "table")])
def test_trace_fits_60_columns_in_an_ascii_locale(run: Run, picture: tuple[str, ...]) -> None:
    done = run(*SURVEY, *picture, COLUMNS="60", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    assert done.returncode == Exit.DONE
    assert done.stdout.isascii()
    assert max(map(len, done.stdout.splitlines())) <= 60
    assert "11.652" in done.stdout


def test_trace_value_can_be_arithmetic(run: Run) -> None:
    answer = json.loads(run("trace", "sin(x)", "x=pi/2", "--output-format", "json").stdout)

    assert answer["schema"] == 1
    assert answer["rows"][-1]["primal"] == 1.0
    assert answer["picture"] is None


def test_trace_picture_is_a_valid_document(run: Run) -> None:
    assert ET.fromstring(run(*SURVEY, "--picture", "svg").stdout).tag.endswith("svg")
    assert run(*SURVEY, "--picture", "dot").stdout.startswith("digraph")
    assert run(*SURVEY, "--picture", "mermaid").stdout.startswith("flowchart")
    answer = json.loads(run(*SURVEY, "--picture", "mermaid", "--output-format", "json").stdout)
    assert answer["picture"].startswith("flowchart")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("2*foo(x)+1", "x=1"), "  2*foo(x)+1\n    ^^^^^^\n\nhint: use numbers, + - * / ^"),
        (("x*y", "x=1"), "  x*y\n    ^\n"),
        (("__import__('os').system('true')", "x=1"), "^"),
        (("x", "x"), "`x` is not of the form NAME=VALUE"),
        (("x", "x=1", "x=2"), "`x` has two values"),
        (("x", "x=1+"), "the value of `x`"),
        (("x", "lambda=1"), "NAME=VALUE"),
        (("x", "x=1", "--wrt", "z"), "hint: with `--wrt`, name one of `x`"),
        (("ln(x)", "x=0"), "ln(0) has no finite real value"),
        (("1", "x=0"), "depends on no variable"),
    ],
)
def test_trace_errors_mark_their_place(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run("trace", *words)

    assert done.returncode == Exit.USAGE
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
