"""The answers of an interview beside the right ones: ticks, ratings, and a kill between the two."""

from __future__ import annotations

import re
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.cli.interview_marking import Marking
from autodrill.cli.interview_recorder import Recorder
from autodrill.practice.interview_log import InterviewLog, What
from autodrill.practice.interview_plan import Form, Level, Plan, Role, Step
from autodrill.practice.log_records import Rating, question_card
from autodrill.practice.store import Store
from autodrill.render.plain import UNICODE, Paint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from autodrill.cli.frame import Frame
    from autodrill.cli.keyboard import TerminalKeyboard

    Mark = Callable[..., list[str]]

NOW = datetime(2026, 11, 21, tzinfo=UTC)
OPEN, CHOICE = "why-topological-order", "attention-scale-gradient"


class Keys:
    """A keyboard on which some keys are pressed; then Ctrl-C."""

    def __init__(self, keys: str) -> None:
        self._keys = deque(keys)

    def stroke_within(self, _seconds: float) -> str:
        if not self._keys:
            raise KeyboardInterrupt
        key = self._keys.popleft()
        return "enter" if key == "\n" else key


class Shown:
    """A frame that keeps what it shows."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.size = size
        self.frames: list[str] = []

    def show(self, lines: list[str]) -> None:
        self.frames.append("\n".join(lines))

    def attend(self) -> bool:
        return False


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "history.db", now=NOW) as opened:
        yield opened


@pytest.fixture
def recorder(store: Store) -> Recorder:
    """An interview whose questions are over: one open question, one choice, and one follow-up."""
    bank = {question.id: question for question in load_questions()}
    steps = [
        Step(Form.QUESTION, name, bank[name].title, bank[name].home_topic, str(bank[name].kind), 3.0)
        for name in (OPEN, CHOICE)
    ]
    steps.append(Step(Form.FOLLOW_UP, OPEN, "And?", "graph", "follow-up", 1.0, 0))
    log = InterviewLog(store)
    taken = log.begin(Plan(Role.RESEARCH_ENGINEER, Level.MID, 15, 7, tuple(steps)), NOW)
    recorder = Recorder(log, taken, lambda: 0.0, lambda: NOW)
    recorder.write(What.ANSWER, 0, typed=[["", "mine"]])
    recorder.write(What.ANSWER, 1, typed=[["", ""]], right=0, of=1)
    recorder.write(What.ANSWER, 2, typed=[["", ""]])
    recorder.write(What.END, why="done")
    return recorder


@pytest.fixture
def mark(store: Store, recorder: Recorder) -> Mark:
    """Mark with some keys, and return the frames."""

    def mark(keys: str, exercises: tuple[str, ...] = (), **changes: Any) -> list[str]:
        bank = {question.id: question for question in load_questions() if question.id not in changes.get("gone", ())}
        frame = Shown(changes.get("size", (80, 24)))
        keyboard, shown = cast("TerminalKeyboard", Keys(keys)), cast("Frame", frame)
        Marking(recorder, store, bank, keyboard, shown, Paint(on=False), UNICODE, lambda: NOW, exercises).run()
        return frame.frames

    return mark


def test_marking_rates_by_the_needed_points(mark: Mark, store: Store, recorder: Recorder) -> None:
    frames = mark("123\n\n1\n")
    assert "mine" in frames[0]
    assert "[ ] 1" in frames[0]
    assert "[✓] 1" in frames[1]
    assert [(r.card, r.rating) for r in store.reviews()] == [
        (question_card(OPEN), Rating.GOOD),
        (question_card(CHOICE), Rating.AGAIN),
    ]
    assert store.reviews()[0].detail["answers"] == [{"label": "", "text": "mine"}]
    assert store.reviews()[0].detail["missed"] == []
    assert recorder.state.closed == "complete"
    assert [recorder.state.marked[at]["right"] for at in range(3)] == [2, 0, 1]


def test_marking_goes_on_after_a_pause(mark: Mark, recorder: Recorder) -> None:
    with pytest.raises(KeyboardInterrupt):
        mark("1")
    assert recorder.state.ticked == {0: {0}}
    assert "[✓] 1" in mark("\n\n\n")[0]


def test_answer_is_not_rated_twice_after_a_kill(mark: Mark, store: Store, recorder: Recorder) -> None:
    detail = {"interview": recorder.interview.id}
    kept = store.add_review(question_card(OPEN), Rating.EASY, NOW, detail)  # the kill came before the mark
    mark("123\n\n\n")
    assert store.reviews(question_card(OPEN)) == [kept]


def test_marking_names_only_exercises_that_exist(mark: Mark, recorder: Recorder) -> None:
    named = next(question for question in load_questions() if question.id == OPEN).exercises
    mark("\n\n\n", exercises=named[:1])
    assert recorder.state.marked[0]["exercises"] == list(named[:1])


@pytest.mark.parametrize("size", [(140, 50), (80, 24), (60, 24), (40, 12)])
def test_marking_begins_with_the_question(mark: Mark, size: tuple[int, int]) -> None:
    frames = mark("\n\n\n", size=size)
    assert "Why does reverse mode need" in frames[0].split("\n")[2]
    assert all(len(frame.split("\n")) <= size[1] for frame in frames)
    assert re.search(r"1-\d I said this", frames[0])


def test_marking_skips_a_question_that_is_gone(mark: Mark, recorder: Recorder) -> None:
    mark("\n", gone=(OPEN,))
    assert (set(recorder.state.marked), recorder.state.closed) == ({1}, "complete")
