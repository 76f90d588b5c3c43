"""`watch` on a real pseudo-terminal: saves, keys, resizing, Ctrl-Z, and what it leaves behind."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import termios
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
from tests.cli.conftest import ADOPT, Terminal, environment, plain
from tests.cli.test_quiz_screens import SCREENS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Pack

pytestmark = pytest.mark.timeout(120)

PROGRAM = ADOPT + "import os, sys; os.chdir(sys.argv.pop(1)); from autodrill.__main__ import main; main()"
# A shell in a few lines: it runs `watch` in a foreground group of its own, and continues it after it was stopped.
SHELL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child:
    _, status = os.waitpid(child, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    os.tcsetpgrp(0, os.getpgrp())
    print("in the shell", flush=True)
    input()
    os.tcsetpgrp(0, child)
    os.kill(child, signal.SIGCONT)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os.setpgid(0, 0)
os.tcsetpgrp(0, os.getpid())
os.chdir(sys.argv.pop(1))
from autodrill.__main__ import main
main()
"""
RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"
WRONG = "def cube_backward(g, x):\n    return 3 * x * g\n"
END = "\x1b[?2026l"  # of a frame
ENTER_FRAME, LEAVE_FRAME = "\x1b[?1049h", "\x1b[?1049l"


class Watch(Terminal):
    """`watch` on a terminal, in a folder with a pack of its own."""

    def __init__(self, program: str, folder: Path, env: dict[str, str], words: tuple[str, ...], columns: int) -> None:
        super().__init__([sys.executable, "-c", program, str(folder), "watch", *words], env, columns, 24)

    @property
    def frame(self) -> list[str]:
        """The lines of the frame now."""
        complete = self.seen.rsplit(END, 1)[0] if END in self.seen else ""
        return [plain(line).rstrip() for line in complete.rsplit("\x1b[H", 1)[-1].split("\r\n")]

    @property
    def bar(self) -> dict[str, str]:
        """The keys of the key bar, each with its word."""
        last = "  ".join(self.frame[-3:])
        return dict(re.findall(r"(?<!\S)(Space|Enter|[a-z?]) ((?:\w|/| \d)+(?: up)?)", last))

    def until(self, text: str) -> list[str]:
        """Wait until the frame contains a text, and return the frame."""
        deadline = time.monotonic() + 60
        while text not in "\n".join(self.frame):
            assert self._read(deadline), f"never showed {text!r}:\n" + "\n".join(self.frame)
        return self.frame

    def wait(self, until: Callable[[], bool]) -> None:
        """Read until something holds."""
        deadline = time.monotonic() + 60
        while not until():
            assert self._read(deadline) or time.monotonic() < deadline, "\n".join(self.frame)

    def key(self, key: str, shows: str) -> list[str]:
        os.write(self.master, key.encode())
        return self.until(shows)


@pytest.fixture
def watch(here: Path, home: Path, pack: Pack) -> Iterator[Callable[..., Watch]]:
    """Start `watch` in the folder `here`, with a pack of two exercises."""
    pack.add()
    pack.add("other_backward")
    with ExitStack() as stack:

        def start(*words: str, columns: int = 80, shell: str = PROGRAM, **changes: str) -> Watch:
            env = environment(home, AUTODRILL_PACKS=str(pack.root), TZ="UTC", **changes)
            return stack.enter_context(Watch(shell, here, env, words or ("cube_backward",), columns))

        yield start


@pytest.fixture
def answer(here: Path) -> Path:
    path = here / "cube_backward.py"
    path.write_text(WRONG, encoding="utf-8")
    return path


def attempts(home: Path) -> Any:
    return logged(home, lambda store: [(a.verdict, a.source) for a in store.attempts()])


def ratings(home: Path) -> Any:
    return logged(home, lambda store: [(review.card, review.rating) for review in store.reviews()])


def logged(home: Path, read: Callable[[Store], Any]) -> Any:
    from datetime import UTC, datetime

    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        return read(store)


def test_watch_shows_the_verdict_of_every_save(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    term = watch()
    frame = term.until("✗ FAIL  cube_backward")
    assert frame[0].startswith("watch  cube_backward.py")
    assert re.search(r"saved \d\d:\d\d:\d\d · (\d+ ms|\d+\.\d s)$", frame[0])
    assert len(frame) == 24
    answer.write_text(RIGHT, encoding="utf-8")
    assert "Well done. Solved in under a minute, at attempt 2." in "\n".join(term.until("✓ PASS  cube_backward"))
    fresh = answer.with_name("fresh")
    fresh.write_text("x = (\n", encoding="utf-8")
    fresh.replace(answer)
    term.until("✗ ERROR  cube_backward: line 1: not valid Python")
    assert [verdict for verdict, _ in attempts(home)] == ["fail", "pass", "error"]
    assert ratings(home) == [("x:cube_backward", Rating.GOOD)]


def test_watch_celebrates_a_win_once(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    answer.write_text(RIGHT, encoding="utf-8")
    term.until("Well done")
    answer.write_text(WRONG, encoding="utf-8")
    term.until("✗ FAIL")
    answer.write_text(RIGHT + "# once more\n", encoding="utf-8")
    assert "Well done" not in "\n".join(term.until("✓ PASS"))


def test_watch_logs_unchanged_code_again_only_by_key(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    watch().until("✗ FAIL")
    again = watch()
    again.until("✗ FAIL")
    os.utime(answer, (1_700_000_000, 1_700_000_000))
    again.until("22:13:20")
    assert len(attempts(home)) == 1
    os.write(again.master, b"r")
    again.wait(lambda: len(attempts(home)) == 2)


def test_watch_writes_a_stub_that_is_no_attempt(watch: Callable[..., Watch], home: Path) -> None:
    term = watch()
    term.until("not implemented yet")
    stub = home / "practice" / "cube_backward.py"
    assert "new file: " in "\n".join(term.frame)
    assert "autodrill predict cube_backward" in " ".join(" ".join(term.frame).split())
    assert attempts(home) == []
    assert "x" not in term.bar
    stub.write_text(RIGHT, encoding="utf-8")
    term.until("✓ PASS")
    assert [verdict for verdict, _ in attempts(home)] == ["pass"]


def test_hint_key_shows_and_logs_the_next_hint(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    term = watch()
    term.until("h hint 1/3")
    assert "product of three" in " ".join(term.key("h", "hint 1 of 3: the idea"))
    term.key("h", "hint 2 of 3: the rule")
    term.key("h", "hint 3 of 3: the line")
    assert "h" not in term.bar
    term.key("b", "✗ FAIL")
    assert term.bar["h"] == "hints"
    assert logged(home, lambda store: [h.stage for h in store.hints()]) == [1, 2, 3]


def test_solution_needs_a_pass_or_giving_up(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    assert "s" not in term.bar
    term.key("g", "Give up?")
    term.key("b", "✗ FAIL")
    assert ratings(home) == []
    term.key("g", "Give up?")
    assert "The slope of x³ is 3x²." in "\n".join(term.key("g", "def slope"))
    assert ratings(home) == [("x:cube_backward", Rating.AGAIN)]
    term.key("b", "s solution")
    assert "g" not in term.bar
    term.key("u", "the rating Again is undone")
    assert ratings(home) == []


def test_solution_after_a_pass_shows_both_answers(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    answer.write_text(f"{RIGHT}# my own way\n", encoding="utf-8")
    term.until("✓ PASS")
    shown = term.key("s", "worked solution")
    assert shown.index("yours") < shown.index("# my own way") < shown.index("worked solution")


def test_enter_opens_the_debrief_after_a_pass(watch: Callable[..., Watch], answer: Path) -> None:
    answer.write_text(f"{RIGHT}# my own way\n", encoding="utf-8")
    term = watch()
    term.until("✓ PASS")
    assert term.bar["Enter"] == "debrief"
    assert "worked solution" in "\n".join(term.key("\n", "# my own way"))
    term.key("b", "✓ PASS")


def test_draw_key_shows_the_tape_of_the_failing_case(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("d draw")
    assert "No single wrong step" in " ".join(term.key("d", "Each step of the forward"))
    answer.write_text(WRONG.replace("3 * x * g", "2 * x * x * g"), encoding="utf-8")
    term.until("d wrong step")
    assert "your numbers are as if" in "\n".join(term.key("d", "Each step of the forward"))
    answer.write_text(RIGHT, encoding="utf-8")
    term.until("✓ PASS")
    assert "d" not in term.bar


def test_reset_key_is_undone_with_u(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("x reset")
    term.key("x", "not implemented yet")
    assert "raise NotImplementedError" in answer.read_text(encoding="utf-8")
    answer.write_text("later = 1\n", encoding="utf-8")
    term.until("defines no")
    term.key("u", "your file is back")
    term.until("✗ FAIL")
    assert answer.read_text(encoding="utf-8") == WRONG
    kept = [p.read_text(encoding="utf-8") for p in answer.parent.glob("*.bak.py")]
    assert kept == ["later = 1\n"]


def test_next_key_goes_on_to_another_exercise(watch: Callable[..., Watch], answer: Path, here: Path) -> None:
    term = watch()
    term.until("n skip")
    frame = term.key("n", "not implemented yet")
    name = frame[0].split()[1]
    assert name != "cube_backward.py"
    assert (here / name).exists()
    assert f"  new file: {name}" in frame


def test_list_key_opens_the_marked_exercise(watch: Callable[..., Watch], answer: Path, here: Path) -> None:
    (here / "other_backward.py").write_text(WRONG.replace("cube", "other"), encoding="utf-8")
    term = watch()
    term.until("✗ FAIL")
    frame = term.key("l", "Enter open")
    names = re.findall(r"(\w+) +\d+ min  ", "\n".join(frame))
    marked = next(line for line in frame if line.startswith("> "))
    step = names.index("other_backward") - names.index("cube_backward")
    assert marked.split()[1:3] == ["~", "cube_backward"]
    assert "0 of 2 passed" in "\n".join(frame), "the header of the track"
    assert "~ tried" in "\n".join(frame[-5:]), "the meaning of the signs"
    os.write(term.master, (b"\x1b[B" if step > 0 else b"\x1b[A") * abs(step) + b"\n")
    term.until("✗ FAIL  other_backward")


def test_edit_key_starts_the_editor(watch: Callable[..., Watch], answer: Path, tmp_path: Path) -> None:
    script = tmp_path / "editor.sh"
    script.write_text(f'#!/bin/sh\nprintf %s {shlex.quote(RIGHT)} > "$1"\n', encoding="utf-8")
    script.chmod(0o755)
    term = watch(EDITOR=str(script))
    term.until("e edit")
    term.key("e", "✓ PASS")
    assert term.seen.count(ENTER_FRAME) == 2
    without = watch(EDITOR="", VISUAL="")
    without.until("✓ PASS")
    assert "e" not in without.bar


@pytest.mark.parametrize(("columns", "changes"), SCREENS)
def test_every_key_in_the_bar_works_and_no_other(
    watch: Callable[..., Watch], answer: Path, columns: int, changes: dict[str, str]
) -> None:
    term = watch(EDITOR="true", columns=columns, **changes)
    before = term.until("FAIL  cube")
    assert set(term.bar) == {"r", "h", "d", "g", "e", "n", "l", "x", "?", "q"}
    os.write(term.master, b"suz1 \n\x1b[Ab")
    after = {"h": "hint 1 of 3", "d": "Each step", "g": "Give up?", "l": "Enter open", "?": "grade the file again"}
    for key, shows in after.items():
        term.key(key, shows)
        term.key("b", "FAIL  cube")
    assert term.frame[2:-3] == before[2:-3], "all but the bar, which counts hints"


@pytest.mark.parametrize(("columns", "changes"), SCREENS)
def test_frame_fits_the_terminal(
    watch: Callable[..., Watch], answer: Path, columns: int, changes: dict[str, str]
) -> None:
    term = watch(columns=columns, EDITOR="true", **changes)
    term.until("FAIL  cube")
    for key, shows in (("h", "hint 1 of 3"), ("d", "Each step"), ("l", "Enter open"), ("?", "grade the file again")):
        frame = term.key(key, shows)
        term.key("b", "FAIL")
        assert len(frame) == 24
        assert max(map(len, frame)) <= columns
    assert ("\x1b[1m" in term.seen) == ("NO_COLOR" not in changes)
    assert term.seen.isascii() or "LC_ALL" not in changes


def test_resize_draws_the_frame_again(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    term.resize(50, 18)
    term.process.send_signal(signal.SIGWINCH)
    term.wait(lambda: len(term.frame) == 18)
    assert max(map(len, term.frame)) <= 50
    assert "q quit" in term.frame[-1]


def test_long_report_turns_pages(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    assert "Space" not in term.bar
    term.resize(80, 12)
    term.process.send_signal(signal.SIGWINCH)
    frame = term.until("Space page 1/2")
    assert "cases right" not in "\n".join(frame)
    assert "cases right" in "\n".join(term.key(" ", "Space page 2/2"))
    assert "PgUp back" in " ".join(term.frame[-3:])
    term.key("\x1b[5~", "Space page 1/2")
    term.key("\x1b[6~", "Space page 2/2")
    term.key(" ", "Space page 1/2")


def test_stop_and_continue_draws_the_frame_again(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    term.process.send_signal(signal.SIGSTOP)
    termios.tcsetattr(term.slave, termios.TCSANOW, term.modes_before)  # as a shell does
    seen = len(term.seen)
    term.process.send_signal(signal.SIGCONT)
    term.wait(lambda: "✗ FAIL" in term.seen[seen:])
    term.key("h", "hint 1 of 3")


def test_ctrl_z_leaves_the_frame_and_fg_draws_it_again(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch(shell=SHELL)
    term.until("✗ FAIL")
    os.write(term.master, b"\x1a")
    term.wait(lambda: "in the shell" in term.seen)
    assert LEAVE_FRAME in term.seen[: term.seen.index("in the shell")]
    after = term.seen.index("in the shell")
    assert term.modes == term.modes_before
    os.write(term.master, b"fg\n")
    term.wait(lambda: "q quit" in plain(term.seen[after:]))
    assert ENTER_FRAME in term.seen[after:]
    term.key("h", "hint 1 of 3")


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x03", 130), ("\x04", 0)])
def test_end_restores_the_terminal(watch: Callable[..., Watch], answer: Path, key: str, code: int) -> None:
    term = watch()
    term.until("✗ FAIL")
    os.write(term.master, key.encode())
    assert term.finish() == code
    assert term.modes == term.modes_before
    assert plain(term.seen.rsplit(LEAVE_FRAME, 1)[1]).startswith("✗ FAIL  cube_backward: ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination_leaves_the_frame(watch: Callable[..., Watch], answer: Path, number: signal.Signals) -> None:
    term = watch()
    term.until("✗ FAIL")
    term.process.send_signal(number)
    assert term.finish() == 128 + number
    assert term.modes == term.modes_before
    assert "Traceback" not in term.text


def test_quit_does_not_wait_for_a_slow_answer(watch: Callable[..., Watch], answer: Path) -> None:
    answer.write_text("while True:\n    pass\n", encoding="utf-8")
    term = watch()
    term.until("checking...")
    os.write(term.master, b"q")
    assert term.finish() == 0


def test_frame_is_ascii_and_plain_on_such_a_terminal(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch(NO_COLOR="1", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    term.until("x FAIL  cube_backward")
    assert term.seen.isascii()
    assert not re.search(r"\x1b\[[0-9;]*m", term.seen)


def test_removed_file_is_reported_until_it_is_back(watch: Callable[..., Watch], answer: Path) -> None:
    term = watch()
    term.until("✗ FAIL")
    answer.unlink()
    term.until("cannot be read: No such file or directory")
    assert "x" not in term.bar
    answer.write_text(RIGHT, encoding="utf-8")
    term.until("✓ PASS")


def test_watch_starts_a_due_exercise_blank(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    from datetime import UTC, datetime, timedelta

    from autodrill.practice.progress import log_attempt

    answer.write_text(RIGHT, encoding="utf-8")
    ago = datetime.now(UTC) - timedelta(days=30)
    os.utime(answer, (ago.timestamp(),) * 2)
    logged(home, lambda store: log_attempt(store, "cube_backward", "pass", RIGHT, 1, ago))
    term = watch()
    term.until("cube_backward is due, so its file is blank again")
    assert "NotImplementedError" in answer.read_text(encoding="utf-8")
    assert "g give up" in "\n".join(term.until("not implemented yet: the file is unchanged"))
    assert attempts(home) == [("pass", RIGHT)]
    term.key("u", "your file is back")
    assert answer.read_text(encoding="utf-8") == RIGHT
    term.until("PASS")
    term.key("r", "not rated: you saved the file before")
    assert len(ratings(home)) == 1


def test_rating_of_a_pass_is_changed_by_a_key(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    term = watch()
    assert "1-4 rate" not in "\n".join(term.until("FAIL"))
    answer.write_text(RIGHT, encoding="utf-8")
    assert "1-4 rate" in "\n".join(term.until("rated Good, next review in"))
    term.key("4", "rated Easy, next review in")
    assert ratings(home) == [("x:cube_backward", Rating.EASY)]
    term.key("u", "the rating is Good again")
    assert ratings(home) == [("x:cube_backward", Rating.GOOD)]
    term.key("u", "the rating Good is undone")
    assert ratings(home) == []
    assert "1-4 rate" not in "\n".join(term.frame)


def test_hints_limit_the_rating_by_key(watch: Callable[..., Watch], answer: Path, home: Path) -> None:
    term = watch()
    term.until("FAIL")
    term.key("h", "hint 1 of 3")
    term.key("h", "hint 2 of 3")
    answer.write_text(RIGHT, encoding="utf-8")
    term.until("rated Hard after 2 hints, next review")
    term.key("4", "after 2 hints the best rating is Hard")
    assert ratings(home) == [("x:cube_backward", Rating.HARD)]
