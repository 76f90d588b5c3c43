from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from autodrill.bank.judge import Judgement, Outcome
from autodrill.bank.questions import (
    BugKey,
    ChoiceKey,
    CommonlyRead,
    DeriveKey,
    Difficulty,
    Fence,
    FollowUp,
    Kind,
    NumericKey,
    Option,
    PredictKey,
    Question,
)
from autodrill.practice.log_records import Rating, Review
from autodrill.practice.schedule import Schedule
from autodrill.render.card_json import as_json
from autodrill.render.card_screen import CardView
from autodrill.render.plain import ASCII, UNICODE
from autodrill.render.quiz_summary import interval, next_due, nothing_due, summary

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autodrill.bank.questions import Key

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PROGRAM = Fence("x = 1\ny = x\n", "python", 1)
OPTIONS = (Option("left", False, "it is not"), Option("right", True, "it is"), Option("up", False, "neither"))
KEYS: dict[Kind, Key | None] = {
    Kind.RECALL: None,
    Kind.CHOICE: ChoiceKey(OPTIONS),
    Kind.NUMERIC: NumericKey({"∂L/∂x": "1/3"}, {"∂L/∂x": 1 / 3}, 1e-3),
    Kind.PREDICT: PredictKey(PROGRAM, "1 [2]"),
    Kind.BUG: BugKey(PROGRAM, 2, "y = 2 * x"),
    Kind.DERIVE: DeriveKey(("x",), {"f": "2*x"}),
}


def question(kind: Kind = Kind.RECALL, **changes: object) -> Question:
    fields: dict[str, object] = {
        "id": "fork",
        "kind": kind,
        "difficulty": Difficulty.MEDIUM,
        "answering": 2.5,
        "topics": ("graph", "engine"),
        "sources": ("000#1",),
        "exercises": ("add_backward",),
        "title": "What happens at a fork of `x`?",
        "body": "```python\nx = 1\ny = x\n```" if kind in {Kind.BUG, Kind.PREDICT} else "",
        "answer": "Contributions **add**: ∂L/∂x = Σᵢ.",
        "key_points": ("they add", "[a/b] stays", "f<g and g>h stay"),
        "needed": 2,
        "wrong_answers": ('**"they multiply"**: along a path.',),
        "commonly_read": (CommonlyRead("the claim.", "the fact."),),
        "follow_ups": (FollowUp("Why?", "The chain rule."), FollowUp("And?", None)),
        "proofs": (),
        "key": KEYS[kind],
        "path": Path("graph.md"),
        "line": 1,
        **changes,
    }
    return Question(**fields)  # type: ignore[arg-type]  # a builder: each field has its type above


def shown(part: RenderableType, width: int = 80, **options: bool) -> str:
    console = Console(file=io.StringIO(), width=width, color_system="standard" if options else None, **options)  # type: ignore[arg-type]  # flags only
    console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_front_shows_position_and_question() -> None:
    assert shown(CardView(question(), UNICODE).front(3, 20)) == (
        "┃ 3/20 · fork · medium · recall · 2.5 min · graph, engine\n┃\n┃ What happens at a fork of `x`?\n"
    )


@pytest.mark.parametrize("difficulty", Difficulty)
def test_difficulty_is_shown_as_word_and_colour(difficulty: Difficulty) -> None:
    front = CardView(question(difficulty=difficulty), UNICODE).front(1, 1)
    assert f" {difficulty} " in shown(front)
    colour = {Difficulty.EASY: "32", Difficulty.MEDIUM: "33", Difficulty.HARD: "31"}[difficulty]
    assert all(line.startswith(f"\x1b[{colour}m┃") for line in shown(front, force_terminal=True).splitlines())


def test_options_are_lettered_and_explained_on_the_back() -> None:
    view = CardView(question(Kind.CHOICE), UNICODE, OPTIONS[::-1])
    assert "┃ a up\n┃ b right\n┃ c left\n" in shown(view.front(1, 1))
    assert "┃   a neither\n┃ ✓ b it is\n┃   c it is not\n" in shown(view.back())


def test_code_lines_are_numbered_in_bug_cards_only() -> None:
    assert "2 y = x" in shown(CardView(question(Kind.BUG), UNICODE).front(1, 1))
    assert "2 y = x" not in shown(CardView(question(Kind.PREDICT), UNICODE).front(1, 1))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Kind.NUMERIC, "∂L/∂x = `1/3`"),
        (Kind.PREDICT, "1 [2]"),
        (Kind.BUG, "+y = 2 * x"),
        (Kind.DERIVE, "f = `2*x`"),
    ],
)
def test_back_shows_the_right_answer(kind: Kind, told: str) -> None:
    assert told in shown(CardView(question(kind), UNICODE).back())


def test_points_have_boxes_while_they_are_ticked() -> None:
    view = CardView(question(), UNICODE)
    assert "┃ [ ] 1 they add\n┃ [✓] 2 [a/b] stays\n┃ [ ] 3 bonus: f<g and g>h stay\n" in shown(view.points({1}))
    assert "┃ 1 they add\n" in shown(view.points(None))


def test_rest_shows_wrong_answers_errors_and_follow_ups() -> None:
    rest = shown(CardView(question(), UNICODE).rest())
    for told in ("they multiply", "the claim.", "the fact.", "Why? → The chain rule.", "autodrill open add_backward"):
        assert told in rest


def test_card_without_exercises_suggests_none() -> None:
    assert "Practise" not in shown(CardView(question(exercises=()), UNICODE).rest())


def test_verdicts_have_a_sign_a_word_and_the_label() -> None:
    judged = [("a", Judgement(Outcome.RIGHT, "`2` is right")), ("b", Judgement(Outcome.WRONG, "3 is 50 % away"))]
    assert shown(CardView(question(), UNICODE).verdicts(judged)).splitlines() == [
        "┃ ✓ right  a: 2 is right",
        "┃ ✗ wrong  b: 3 is 50 % away",
    ]


def test_ratings_and_intervals_fit_on_one_line_at_60_columns() -> None:
    waits = {rating: timedelta(days=90 * rating) for rating in Rating}
    lines = shown(CardView(question(), UNICODE).ratings(waits, Rating.GOOD, "3 of 3 right"), width=60).splitlines()
    assert lines == ["┃ 1 Again 3 mo  2 Hard 5.9 mo  3 Good 8.9 mo  4 Easy 11.8 mo", "┃ 3 of 3 right: Good"]


@pytest.mark.parametrize("width", [40, 60, 80, 140])
@pytest.mark.parametrize("kind", Kind)
def test_card_fits_the_screen_and_loses_nothing(kind: Kind, width: int) -> None:
    long = question(
        kind, answer="word " * 60 + "\n\n```python\n" + "value + " * 40 + "end\n```", key_points=("point " * 40,)
    )
    view = CardView(long, UNICODE, OPTIONS if kind is Kind.CHOICE else ())
    parts = (view.front(1, 1), view.back(), view.points(set()), view.rest())
    text = "".join(shown(part, width) for part in parts)
    assert max(len(line) for line in text.splitlines()) <= min(width, 100)
    assert [text.count(word) for word in ("word", "value", "point ", "end")][:2] == [60, 40]
    assert all(line.startswith("┃") for line in text.splitlines())


def test_ascii_card_is_ascii() -> None:
    view = CardView(question(Kind.NUMERIC), ASCII)
    text = "".join(shown(part) for part in (view.front(1, 1), view.back(), view.points({0}), view.rest()))
    assert text.isascii()
    assert "dL/dx = sum _i" in text


def test_code_is_marked_by_colour_or_backticks() -> None:
    front = CardView(question(), UNICODE).front(1, 1)
    assert "of `x`?" in shown(front)
    assert "`" not in shown(front, force_terminal=True)


@pytest.mark.parametrize(
    ("days", "said", "brief"),
    [
        (-3, "0 hours", "0 h"),
        (1 / 24, "1 hour", "1 h"),
        (1, "1 day", "1 d"),
        (59, "59 days", "59 d"),
        (61, "2 months", "2 mo"),
        (366, "1 year", "1 y"),
        (3650, "10 years", "10 y"),
    ],
)
def test_interval_is_written_in_words(days: float, said: str, brief: str) -> None:
    wait = timedelta(days=days)
    assert (interval(wait), interval(wait, brief=True)) == (said, brief)


def test_summary_counts_and_names_the_next_card() -> None:
    schedule = Schedule([Review(1, "q:fork", NOW, Rating.GOOD, {})])
    text = shown(summary({Rating.GOOD: 1}, 2, 3, next_due(schedule, NOW)))
    assert text == "1 card rated  1 Good  2 skipped  3 left\nNext due in 2 days: fork\n"
    assert "1 card is due now" in next_due(schedule, NOW + timedelta(days=2))


def test_empty_session_suggests_ahead() -> None:
    assert "--ahead" in shown(nothing_due(Schedule(), NOW))


@pytest.mark.parametrize("kind", Kind)
def test_json_has_the_key_of_every_kind(kind: Kind) -> None:
    import json

    state = Schedule([Review(1, "q:fork", NOW, Rating.GOOD, {})]).state("q:fork")
    card = json.loads(json.dumps(as_json(question(kind), state)))
    assert (card["kind"], card["due"], card["reviews"]) == (kind, "2026-11-23T00:00:00+00:00", 1)
    assert (card["key"] is None) == (kind is Kind.RECALL)
    assert as_json(question(kind), None)["due"] is None
