from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from autodrill.practice.agenda import Agenda
from autodrill.practice.schedule import CardState
from autodrill.render.agenda_screen import agenda_lines, in_days, in_hours, overdue
from autodrill.render.plain import Paint

NOW = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)


class Card:
    id = "a-question-with-a-rather-long-name"
    title = "Why?"
    minutes = 2.5


def listed(width: int) -> list[str]:
    due = CardState(f"q:{Card.id}", 1, 5, NOW - timedelta(days=3), NOW, 1, 0)
    return agenda_lines(Agenda(NOW, due=(due,)), {due.card: Card()}, [], Paint(on=False), width)


def test_due_card_fits_a_narrow_terminal() -> None:
    assert listed(80)[1].endswith("question   2.5 min  due for 3 days")
    assert listed(60)[1].endswith("question   2.5 min")
    assert max(map(len, listed(60))) <= 60


@pytest.mark.parametrize(("minutes", "said"), [(0, "0 min"), (0.5, "1 min"), (59.5, "1 h"), (220, "3 h 40 min")])
def test_minutes_are_said_in_hours(minutes: float, said: str) -> None:
    assert in_hours(minutes) == said


def test_days_are_said_in_words() -> None:
    days = [NOW + timedelta(days=d) for d in (0, 1, 2)]
    assert [in_days(day, NOW) for day in days] == ["today", "tomorrow", "in 2 days"]
    ago = [NOW - timedelta(days=d) for d in (0, 1, 2)]
    assert [overdue(day, NOW) for day in ago] == ["due today", "due since yesterday", "due for 2 days"]


@pytest.mark.parametrize("width", [60, 80])
def test_kinds_have_columns_if_there_is_room(width: int) -> None:
    kinds = {1: "qx", 2: "q", 3: "x", 4: "qqp"}
    later = {
        (NOW + timedelta(days=ahead)).date(): tuple(
            CardState(f"{kind}:{Card.id}", 1, 5, NOW - timedelta(days=3), NOW + timedelta(days=ahead), 1, 0)
            for kind in found
        )
        for ahead, found in kinds.items()
    }
    headings = {f"{kind}:{Card.id}": Card() for kind in "qxp"}
    lines = agenda_lines(Agenda(NOW, later=later), headings, list(later), Paint(on=False), width)[1:]
    assert max(map(len, lines)) <= width
    starts = {line.index("about") for line in lines}
    assert (len(starts) == 1) == (width == 80)
