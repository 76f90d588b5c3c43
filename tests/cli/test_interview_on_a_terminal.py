"""`interview` on a real pseudo-terminal: a whole interview, pauses, kills, and every screen at several widths."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import sys
import time
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.practice.interview_log import InterviewLog, InterviewState
from autodrill.practice.interview_plan import Form, Level, Role, make_plan
from autodrill.practice.interview_report import report_of
from autodrill.practice.schedule import schedule_of
from autodrill.practice.store import Store
from tests.cli.conftest import ADOPT, Terminal, environment, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.timeout(300)

# The clock of the interview is a file, so that no test depends on the speed of the machine.
PROGRAM = (
    ADOPT
    + """
import os, sys
from pathlib import Path
from autodrill.cli import interview_command
hand = Path(sys.argv.pop(1))
interview_command._clock = lambda: float(hand.read_text())
from autodrill.__main__ import main
main()
"""
)
END = "\x1b[?2026l"  # of a frame
PROMPT = re.compile(r"(> ?|.* = ?)$")
KILLS = int(os.environ.get("AUTODRILL_KILLS", "40"))


class Taken(Terminal):
    """An interview on a terminal."""

    def __init__(self, hand: Path, env: dict[str, str], words: tuple[str, ...], columns: int, rows: int) -> None:
        super().__init__([sys.executable, "-c", PROGRAM, str(hand), "interview", *words], env, columns, rows)
        self._hand = hand

    @property
    def frame(self) -> list[str]:
        """The lines of the frame now."""
        complete = self.seen.rsplit(END, 1)[0] if END in self.seen else ""
        return [plain(line).rstrip() for line in complete.rsplit("\x1b[H", 1)[-1].split("\r\n")]

    @property
    def shown(self) -> str:
        return "\n".join(self.frame)

    @property
    def prompt(self) -> str:
        """The row in which the answer is typed, below the question."""
        return next((line for line in reversed(self.frame) if re.match(r"(>|\S.* =)( |$)", line)), "")

    def until(self, holds: Callable[[], bool]) -> None:
        """Read until something holds."""
        deadline = time.monotonic() + 60
        while not holds():
            assert self._read(deadline) or time.monotonic() < deadline, self.shown
            assert self.process.poll() is None or holds(), self.text[-2000:]

    def see(self, text: str) -> list[str]:
        self.until(lambda: text in self.shown)
        return self.frame

    def send(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def key(self, keys: str, shows: str) -> list[str]:
        self.send(keys)
        return self.see(shows)

    def turn(self, seconds: float) -> None:
        """Let time pass on the clock of the interview, and wait until the screen shows it."""
        before = self.frame[0]
        later = float(self._hand.read_text()) + seconds
        fresh = self._hand.with_suffix(".new")
        fresh.write_text(str(later), encoding="ascii")
        fresh.replace(self._hand)
        self.until(lambda: self.frame[0] != before)

    def type_text(self, text: str) -> None:
        """Type one line, and wait until the screen shows it."""
        self.send(text)
        self.until(lambda: self.prompt.endswith(f" {text}"))

    def answer(self) -> None:
        """Answer what is asked now, and wait until the next thing is."""
        self.until(lambda: self.prompt != "" and PROMPT.fullmatch(self.prompt) is not None)
        text = "a" if "choice" in self.frame[2] else "1"
        self.send(text)
        self.until(lambda: self.prompt.endswith(f" {text}"))
        place = (self.frame[2], self.prompt)
        self.send("\x04" if "Ctrl-D done" in self.shown else "\n")
        self.until(lambda: (self.frame[2], self.prompt) != place)

    @property
    def marking(self) -> bool:
        return "answer " in self.frame[0]


@pytest.fixture
def take(home: Path, tmp_path: Path) -> Iterator[Callable[..., Taken]]:
    """Start `interview` on a terminal."""
    hand = tmp_path / "clock"
    hand.write_text("0", encoding="ascii")
    with ExitStack() as stack:

        def start(*words: str, columns: int = 80, rows: int = 24, **changes: str) -> Taken:
            env = environment(home, TZ="UTC", **changes)
            del env["COLUMNS"]
            return stack.enter_context(Taken(hand, env, words, columns, rows))

        yield start


def state_of(home: Path, number: int = -1) -> InterviewState:
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        log = InterviewLog(store)
        return log.state(log.interviews()[number])


SHORT = ("--minutes", "15", "--seed", "4")


def test_interview_goes_from_the_first_key_to_the_report(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    seconds = 0
    while not term.marking:
        term.turn(1)
        term.answer()
        seconds += 1
    state = state_of(home)
    assert state.ended == "done"
    assert sum(step.form is Form.FOLLOW_UP for step in state.steps) == 2
    for number in range(1, len(state.to_mark) + 1):
        term.see(f"answer {number} of {len(state.to_mark)}")
        if "I said this" in term.shown:
            term.key("1", "[✓] 1")
        term.send("\n")
    assert term.finish() == 0
    assert "You made " in term.text
    assert "--export interview-1.html" in term.text
    state = state_of(home)
    assert state.closed == "complete"
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        reviews = store.reviews()
        schedule = schedule_of(store, datetime.now(UTC))
        taken = InterviewLog(store).interviews()[-1]
    asked = [step.id for step in state.steps if step.form is Form.QUESTION]
    assert [review.card for review in reviews] == [f"q:{name}" for name in asked]
    queued = report_of(taken, state).queued
    assert queued
    for name in queued:
        card = schedule.state(f"q:{name}")
        assert card is not None
        assert card.due < datetime.now(UTC) + timedelta(days=2)
    assert sum(state.seconds.values()) == state.spent == seconds


def test_nothing_is_revealed_before_the_end(take: Callable[..., Taken]) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    while not term.marking:
        assert not re.search(r"right|wrong|✓|✗", re.sub(r"(?m)^┃.*", "", term.shown))
        term.answer()


def test_draft_is_on_disk_a_second_after_it_was_typed(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    term.type_text("12")
    assert state_of(home).drafts == {}
    term.turn(1.1)
    term.turn(1.1)
    assert state_of(home).drafts == {0: ["12"]}
    term.kill()


def test_ctrl_c_pauses_and_the_same_command_resumes(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    place = term.frame[2]
    term.type_text("12")
    term.turn(122)
    term.turn(3)
    term.send("\x03")
    assert term.finish() == 130
    assert "interview 1 is paused, 12:55 left; everything you typed is saved" in term.text
    assert "to go on: autodrill interview" in term.text
    again = take()
    again.see("12:55 is left")
    again.key("\n", "12:55 left")
    assert again.frame[2] == place
    assert again.prompt.endswith(" 12")
    again.kill()


def test_new_interview_gives_the_old_one_up(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    term.kill()
    again = take("--minutes", "30")
    again.see("is not finished")
    again.key("n", "You have 30 minutes")
    again.key("\n", "30:00 left")
    again.kill()
    assert state_of(home, 0).closed == "given up"


def test_interview_can_be_ended_early(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    term.answer()
    term.kill()
    again = take()
    again.see("is not finished")
    again.key("e", "answer 1 of 1")
    again.send("\n")
    assert again.finish() == 0
    assert "You ended it early." in again.text
    assert state_of(home).closed == "complete"


def test_text_being_typed_is_marked_after_an_early_end(take: Callable[..., Taken], home: Path) -> None:
    plans = {seed: make_plan(load_questions(), [], Role.RESEARCH_SCIENTIST, Level.MID, 15, seed) for seed in range(20)}
    seed = next(seed for seed, plan in plans.items() if plan.steps[0].kind == "recall")
    term = take("--minutes", "15", "--seed", str(seed), "--role", "research-scientist")
    term.key("\n", "recall")
    term.type_text("half an answer")
    term.turn(1.1)
    term.turn(1.1)
    term.kill()
    again = take()
    again.see("is not finished")
    assert "half an answer" in "\n".join(again.key("e", "answer 1 of 1"))
    again.kill()


def test_editor_that_is_missing_is_said(take: Callable[..., Taken]) -> None:
    term = take("--minutes", "30", "--seed", "4", EDITOR="no-such-editor", VISUAL="")
    term.key("\n", "30:00 left")
    while "code" not in term.frame[2]:
        term.answer()
    term.see("The tests run at every save.")
    term.key("e", "the editor `no-such-editor` cannot be started")
    term.key("r", "The tests run at every save.")
    term.kill()


def test_text_stays_while_it_cannot_be_saved(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    with closing(sqlite3.connect(home / "history.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        term.type_text("12")
        term.turn(1.1)
        term.see("not saved: the history")
        assert term.prompt.endswith(" 12")
        other.execute("ROLLBACK")
    term.turn(1.1)
    term.until(lambda: state_of(home).drafts == {0: ["12"]})


def test_answer_can_be_finished_after_the_time(take: Callable[..., Taken], home: Path) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    term.type_text("1")
    term.turn(901)
    term.see("Time is over: finish this answer, and the interview ends.")
    assert "0:00 left" in term.frame[0]
    term.key("\n", "answer 1 of 1")
    assert (state_of(home).ended, len(state_of(home).answers)) == ("time", 1)


def test_second_interview_at_once_is_refused(take: Callable[..., Taken]) -> None:
    term = take(*SHORT)
    term.key("\n", "15:00 left")
    other = take()
    assert other.finish() == 2
    assert "an interview is running in another terminal" in other.text
    term.kill()
    take().see("is not finished")


def test_code_is_graded_at_every_save(take: Callable[..., Taken], home: Path) -> None:
    term = take("--minutes", "30", "--seed", "4")
    term.key("\n", "30:00 left")
    while "code" not in term.frame[2]:
        term.answer()
    term.see("The tests run at every save.")
    (file,) = (home / "interviews" / "1").glob("*.py")
    stub = file.read_text(encoding="utf-8")
    first = re.findall(r"def \w+\((\w+)", stub)[-1]
    file.write_text(stub.replace("raise NotImplementedError", f"return {first} * 0"), encoding="utf-8")
    term.until(lambda: re.search(r"✗ FAIL  \d+ of \d+ cases pass", term.shown) is not None)
    assert "rule" not in term.shown
    assert "smallest" not in term.shown
    term.key("n", "press n again")
    term.key("b", "r run")
    term.kill()
    again = take()
    again.see("is not finished")
    again.key("\n", "cases pass")
    again.key("n", "press n again")
    again.send("n")
    again.until(lambda: "code" not in again.frame[2])
    state = state_of(home)
    at = next(at for at, step in enumerate(state.steps) if step.form is Form.EXERCISE)
    assert [attempt["verdict"] for attempt in state.attempts[at]] == ["fail"]
    assert f"return {first} * 0" in state.answers[at]["typed"][0][1]
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        assert [attempt.verdict for attempt in store.attempts()] == ["fail"]


@pytest.mark.parametrize(("columns", "changes"), [(60, {}), (80, {"NO_COLOR": "1"}), (140, {}), (80, {"LC_ALL": "C"})])
def test_every_screen_fits(take: Callable[..., Taken], columns: int, changes: dict[str, str]) -> None:
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"} if "LC_ALL" in changes else {}
    term = take(*SHORT, columns=columns, **changes, **ascii_only)
    seen = [term.see("begin")]
    assert "Ctrl-C pauses the clock." in " ".join(line.strip() for line in seen[0])
    seen.append(term.key("\n", "15:00 left"))
    while not term.marking:
        seen.append(term.frame)
        term.answer()
    seen.append(term.frame)
    for frame in seen:
        assert len(frame) == 24
        assert all(len(line) <= columns for line in frame)
        assert re.search(r"(Enter|Ctrl-D) \w+", frame[-1])
    if "NO_COLOR" in changes:
        assert not re.search(r"\x1b\[[\d;]*m", term.seen)
    if ascii_only:
        assert term.seen.isascii()


def test_resize_draws_the_question_again(take: Callable[..., Taken]) -> None:
    term = take(*SHORT, columns=140)
    term.key("\n", "15:00 left")
    term.resize(60, 20)
    os.killpg(term.process.pid, 28)
    term.until(lambda: len(term.frame) == 20 and max(map(len, term.frame)) <= 60)


@pytest.mark.slow
@pytest.mark.timeout(max(300, 20 * KILLS))
def test_kill_at_any_moment_loses_nothing(take: Callable[..., Taken], home: Path) -> None:
    rng = random.Random(20)
    answers = 0
    for _ in range(KILLS):
        term = take(*SHORT)
        term.until(lambda: "  Enter " in term.frame[-1])  # noqa: B023
        fresh = "go on" not in term.frame[-1]
        term.send("\n")
        term.until(lambda: " left" in term.frame[0] or term.marking or "needed points" in term.text)  # noqa: B023
        if "needed points" in term.text:  # killed between the last mark and the end
            assert term.finish() == 0
            continue
        written = len(events(home)) if not fresh else 0
        typed = ""
        for _ in range(rng.randrange(3)):
            if not term.marking:
                term.send("\x15")
                term.answer()
                answers += 1
        if not term.marking:
            # What was typed more than a second ago is on disk; what comes after it can be on its way.
            choice = "choice" in term.frame[2]
            term.send("\x15")
            term.until(lambda: PROMPT.fullmatch(term.prompt) is not None)  # noqa: B023
            typed = rng.choice("ab") if choice else str(rng.randrange(10**9))
            term.type_text(typed)
            term.turn(1.1)
            term.turn(1.1)
            before = state_of(home)
            assert before.next_step is not None
            assert before.drafts[before.next_step][-1] == typed
            term.send("".join(rng.choices(" 123" if choice else "abc 123", k=rng.randrange(40))))
        else:
            place = term.frame[0]
            term.send("\n")
            term.until(lambda: term.frame[0] != place or "needed points" in term.text)  # noqa: B023
            term.send("".join(rng.choices("12\n", k=rng.randrange(10))))
        time.sleep(rng.random() / 20)
        term.kill()
        with closing(sqlite3.connect(home / "history.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        after = state_of(home)
        assert len(events(home)) >= written
        if typed:
            assert after.next_step is not None
            assert after.drafts[after.next_step][-1].startswith(typed)
        double_ratings(home)
    assert answers > KILLS / 8


def events(home: Path) -> list[object]:
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        log = InterviewLog(store)
        return [event for taken in log.interviews()[-1:] for event in log.events(taken.id)]


def double_ratings(home: Path) -> None:
    """Check that no answer of an interview is rated twice, and that none that is marked has no rating."""
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        log = InterviewLog(store)
        for taken in log.interviews():
            state = log.state(taken)
            rated = [review.card for review in store.reviews() if review.detail.get("interview") == taken.id]
            assert len(set(rated)) == len(rated)
            marked = {f"q:{state.steps[at].id}" for at in state.marked if state.steps[at].form is Form.QUESTION}
            assert marked <= set(rated)
