"""The debrief after a pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.render.console import lines_for_frame
from autodrill.render.debrief_screen import print_debrief
from autodrill.render.exercise_screen import print_solution

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.drills.library import Library

YOURS = '"""The task."""\n\n\ndef mul_broadcast_backward(g, a, b):\n    return mine(g)  # [b]no markup[/b] \x1b[31m\n'


def _sides(shipped: Library) -> tuple[Exercise, Solution]:
    drill = shipped.drill(shipped.find("mul_broadcast_backward"))
    return drill.exercise, drill.solution


def debrief(shipped: Library, width: int, yours: str = YOURS) -> list[str]:
    return lines_for_frame(
        lambda console: print_debrief(console, *_sides(shipped), yours, ("a-card", "b-card")),
        width,
        colour=False,
    )


@pytest.mark.parametrize("width", [120, 140])
def test_debrief_shows_both_answers_side_by_side(shipped: Library, width: int) -> None:
    lines = debrief(shipped, width)
    (head,) = [line for line in lines if line.startswith("yours")]
    assert head.split() == ["yours", "worked", "solution"]
    (mine,) = [line for line in lines if "return mine(g)" in line]
    assert mine.startswith("    return mine(g)  # [b]no markup[/b] \\x1b[31m")
    assert len(mine.rstrip()) > head.index("worked") >= 50  # code of the worked solution in the same line
    assert max(map(len, lines)) <= width


def test_text_of_a_debrief_stays_readable_on_a_wide_terminal(shipped: Library) -> None:
    lines = [line.rstrip() for line in debrief(shipped, 160)]
    explained = lines[next(at for at, line in enumerate(lines) if line.startswith("Cost:")) :]
    assert 80 < max(map(len, explained)) <= 100
    alone = lines_for_frame(lambda console: print_solution(console, *_sides(shipped)), 160, colour=False)
    assert max(len(line.rstrip()) for line in alone) <= 100


@pytest.mark.parametrize("width", [60, 80, 119])
def test_debrief_shows_one_answer_after_the_other(shipped: Library, width: int) -> None:
    lines = [line.rstrip() for line in debrief(shipped, width)]
    assert lines.index("yours") < lines.index("    return mine(g)  # [b]no markup[/b] \\x1b[31m")
    assert lines.index("yours") < lines.index("worked solution")


def test_debrief_keeps_long_lines_whole(shipped: Library) -> None:
    long = f"def f(g):\n    return {' + '.join(['g'] * 30)}\n"
    lines = [line.rstrip() for line in debrief(shipped, 120, long)]
    assert f"    return {' + '.join(['g'] * 30)}" in lines
    assert "worked solution" in lines


def test_debrief_explains_and_names_the_next_cards(shipped: Library) -> None:
    text = "\n".join(debrief(shipped, 80))
    assert "The task." not in text
    for part in ("Cost:", "PyTorch:", "Asked next:", "the next quiz begins with: a-card, b-card"):
        assert part in text


def test_debrief_takes_what_is_not_python(shipped: Library) -> None:
    assert "__global__ void f() {}" in "\n".join(debrief(shipped, 80, "__global__ void f() {}\n"))
