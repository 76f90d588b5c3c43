from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.grading.report import Failure, Report, Verdict
from autodrill.render.plain import ASCII, UNICODE, Paint
from autodrill.render.watch_screen import Page, broken, columns_of, page_of, verdict_lines, verdict_summary

PLAIN, COLOUR = Paint(on=False), Paint(on=True)
BAR = [("r", "run"), ("h", "hint 1/3"), ("q", "quit")]
FAILED = Report(
    "mul_backward", "mul_backward.py", Verdict.FAIL, 5, 12, 3, failure=Failure(FaultKind.VALUE, "da is 3", case=1)
)


def page(body: list[str], *, size: tuple[int, int] = (40, 12), number: int = 0, **changes: Any) -> Page:
    options = {"notice": "", "paint": PLAIN, "size": size, "page": number, **changes}
    return page_of("watch  x.py", "saved 14:02:11", body, BAR, **options)


def test_page_fills_the_terminal() -> None:
    shown = page(["FAIL"], notice="your file is back")
    assert len(shown.lines) == 12
    assert shown.lines[0] == "watch  x.py               saved 14:02:11"
    assert shown.lines[2] == "FAIL"
    assert shown.lines[-3:] == ["  your file is back", "", "  r run  h hint 1/3  q quit"]


def test_page_turns_and_stops_at_the_last() -> None:
    body = [str(number) for number in range(20)]
    pages = [page(body, number=number) for number in range(4)]
    assert [p.pages for p in pages] == [3, 3, 3, 3]
    assert [line for p in pages[:3] for line in p.lines[2:10] if line] == body
    assert pages[3] == pages[2]


def test_page_of_a_narrow_terminal_breaks_the_bar() -> None:
    shown = page(["FAIL"], size=(20, 8))
    assert shown.lines[-2:] == ["  r run  h hint 1/3", "  q quit"]
    assert max(map(len, shown.lines)) <= 20
    assert shown.lines[0] == "watch  x.py"


@pytest.mark.parametrize("width", [3, 7, 40])
def test_broken_line_keeps_its_text_and_colour(width: int) -> None:
    line = f"ab {COLOUR('red text', 'red')} 漢字 end"
    rows = broken(line, width)
    assert all(columns_of(row) <= width for row in rows)
    assert "".join(rows).replace("\x1b[0m", "").replace("\x1b[31m", "") == "ab red text 漢字 end"
    for row in rows:
        assert row.count("\x1b[31m") == row.count("\x1b[0m")


def test_verdict_compares_with_the_last_save() -> None:
    def last(report: Report, earlier: Report | None) -> str:
        return verdict_lines(report, earlier, "", PLAIN, UNICODE, width=80)[-1]

    assert last(FAILED, None) == "  3 of 12 cases right"
    assert last(replace(FAILED, passed=5), FAILED) == "  5 of 12 cases right; 2 more than at the last save"
    assert last(FAILED, replace(FAILED, passed=4)) == "  3 of 12 cases right; 1 fewer than at the last save"
    stub = replace(FAILED, passed=0, failure=Failure(FaultKind.NOT_IMPLEMENTED, "not implemented yet", case=0))
    assert last(FAILED, stub) == "  3 of 12 cases right"


def test_verdict_shows_printed_text_escaped() -> None:
    lines = verdict_lines(replace(FAILED, output="a\x1b[2J\n" * 7), None, "", PLAIN, ASCII, width=60)
    assert lines[-6:] == ["  your code printed 7 lines:", *[r"    a\x1b[2J"] * 5]


def test_verdict_fits_a_narrow_terminal() -> None:
    long = replace(FAILED, failure=Failure(FaultKind.VALUE, "word " * 24, case=1, given={"x": "[1, 2, 3, 4, 5]" * 6}))
    lines = verdict_lines(long, None, "", PLAIN, UNICODE, width=60)
    assert max(map(len, lines)) <= 60
    assert " ".join(lines).split().count("word") == 24


def test_summary_is_one_line() -> None:
    assert verdict_summary(FAILED, ASCII) == "x FAIL  mul_backward: da is 3"
    passed = Report("mul_backward", "x.py", Verdict.PASS, 5, 12, 12)
    assert verdict_summary(passed, UNICODE) == "✓ PASS  mul_backward: 12 of 12 cases right"
