"""SIGKILL at random moments, two processes at once, a full disk, a read-only folder: nothing is lost or cut short.

`AUTODRILL_KILLS=200` kills quiz, watch and interview 200 times each.
"""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
from tests.cli.conftest import ADOPT, PROGRAM, Terminal, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from autodrill.practice.log_records import Attempt, Review
    from tests.conftest import Pack

KILLS = int(os.environ.get("AUTODRILL_KILLS", "100"))
pytestmark = pytest.mark.timeout(max(900, 20 * KILLS))

MOMENTS = pytest.mark.parametrize("moments", [5, pytest.param(KILLS, marks=pytest.mark.slow)])
WATCH = ADOPT + "import os, sys; os.chdir(sys.argv.pop(1)); from autodrill.__main__ import main; main()"
RATED = " \n3"
"""Keys that reveal a card of any kind, go on past its key points, and rate it Good."""


def log(home: Path) -> tuple[list[Review], list[Attempt]]:
    """What the history holds, once it is known to be whole."""
    path = home / "history.db"
    if not path.exists():
        return [], []
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Store.open(path, now=datetime.now(UTC)) as store:
        assert store.set_aside is None
        return store.reviews(), store.attempts()


def read(term: Terminal, seconds: float) -> None:
    """Read what comes within some seconds, or until the program ends."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and term.process.poll() is None:
        term._read(until)


@MOMENTS
def test_killed_quiz_keeps_every_rating_it_told_of(bank: Path, home: Path, moments: int) -> None:
    moment = random.Random(moments)
    command = [sys.executable, "-c", ADOPT + PROGRAM, str(bank), "--ahead", "--seed", "1"]
    cut = 0
    for number in range(moments):
        before = len(log(home)[0])
        with Terminal(command, environment(home), 80, 40) as term:
            if number % 2:  # else the session is killed while it begins
                term.wait_for("? keys")
            until = time.monotonic() + moment.uniform(0, 0.5)
            for key in RATED * 6:
                if time.monotonic() < until and term.process.poll() is None:
                    os.write(term.master, key.encode())
                    read(term, moment.uniform(0, 0.05))
            cut += term.process.poll() is None
            term.kill()
            term.finish()
        told = set(re.findall(r"([a-z]+-[a-z]+): Good, saved", term.text))
        reviews = log(home)[0][before:]
        assert told <= {review.card.removeprefix("q:") for review in reviews}
        assert len(reviews) <= len(told) + 1
        assert all(review.rating is Rating.GOOD and "seconds" in review.detail for review in reviews)
        assert {path.name for path in home.glob("*")} <= {"history.db", "history.db-wal", "history.db-shm"}
    assert cut, "no moment was within a session"


@MOMENTS
def test_killed_watch_loses_no_attempt_and_no_code(here: Path, home: Path, pack: Pack, moments: int) -> None:
    pack.add()
    moment = random.Random(moments)
    answer = here / "cube_backward.py"
    env = environment(home, AUTODRILL_PACKS=str(pack.root))
    whole = set()
    for number in range(moments):
        before = len(log(home)[1])
        for old in here.glob("*.py"):
            old.unlink()
        last = ""
        with Terminal([sys.executable, "-c", WATCH, str(here), "watch", "cube_backward"], env, 80, 24) as term:
            until = time.monotonic() + moment.uniform(0.2, 1.6)
            for version in range(100):
                if time.monotonic() > until:
                    break
                # A marker that no other version begins with, in the first line of the report.
                last = f"def cube_backward(g, x):\n    raise ValueError('v{number}-{version}-')\n"
                whole.add(last)
                fresh = here / "saving"
                fresh.write_text(last, encoding="utf-8")
                fresh.replace(answer)
                if number % 2 and not version:  # else the session is killed while it begins
                    term.wait_for(f"ValueError: v{number}-0-")
                    until = time.monotonic() + moment.uniform(0, 1.4)
                read(term, moment.uniform(0, 0.15))
                if moment.random() < 0.3:
                    os.write(term.master, moment.choice([b"x", b"xu", b"r", b"h", b"b"]))
            read(term, max(until - time.monotonic(), 0))
            term.kill()
            with suppress(AssertionError):
                term.finish()
        told = set(re.findall(r"ValueError: (v\d+-\d+-)", term.text))
        sources = [attempt.source for attempt in log(home)[1][before:]]
        assert told <= {marker for source in sources for marker in re.findall(r"v\d+-\d+-", source)}
        assert set(sources) <= whole
        kept = {path.read_text(encoding="utf-8") for path in here.glob("*.py")}
        assert not last or last in kept, "the code that was saved last is gone"
        assert all(text in whole or "raise NotImplementedError" in text for text in kept)
    assert len(log(home)[1]) >= moments // 2


def test_two_quizzes_at_once_share_the_log(bank: Path, home: Path) -> None:
    command = [sys.executable, "-c", ADOPT + PROGRAM, str(bank), "--ahead", "--limit", "6"]
    with Terminal(command, environment(home), 80, 40) as one, Terminal(command, environment(home), 80, 40) as two:
        for term in (one, two):
            os.write(term.master, (RATED * 6).encode())
        for _ in range(600):
            read(one, 0.05)
            read(two, 0.05)
            if one.process.poll() is not None and two.process.poll() is not None:
                break
        assert (one.finish(), two.finish()) == (0, 0)
    cards = [review.card for review in log(home)[0]]
    assert len(cards) == 12
    assert len(set(cards)) == 6


# A full disk, and a folder that cannot be written


RIGHT = "def tanh_backward(self, out):\n    self.grad += (1 - out.data**2) * out.grad\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 300 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if os.getuid() or mount is None:
        pytest.skip("only root mounts a file system")
    options = ["-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if subprocess.run([mount, *options], check=False, capture_output=True).returncode:
        pytest.skip("this system mounts nothing")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def problems(home: Path, here: Path, *, limit: int | None = None) -> dict[str, str]:
    """What commands that write say on stderr, each without a traceback."""
    (here / "tanh_backward.py").write_text(RIGHT, encoding="utf-8")

    def small_files() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    said = {}
    for words in ("hint add_backward", "open add_backward --no-editor", "check tanh_backward", "quiz --input lines"):
        done = subprocess.run(
            [sys.executable, "-m", "autodrill", *words.split()],
            cwd=here,
            # At a limit on file sizes, Python may leave truncated byte code in this checkout.
            env=environment(home) | {"PYTHONDONTWRITEBYTECODE": "1"},
            input="\n\n3\n",
            capture_output=True,
            encoding="utf-8",
            check=False,
            preexec_fn=small_files,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == (0 if "check" in words else 2)
        said[words.split()[0]] = done.stderr
    return said


def test_full_disk_is_told_in_one_line(small_disk: Path, here: Path) -> None:
    home = small_disk / "home"
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        store.add_review("q:kept", Rating.GOOD, datetime.now(UTC))
    with suppress(OSError), (small_disk / "filling").open("wb", buffering=0) as filling:
        while filling.write(b"0" * 4096):
            pass
    said = problems(home, here)
    full = f"the history `{home / 'history.db'}` cannot be written: the disk is full"
    assert said["check"].splitlines() == [f"attempt not saved: {full}"]
    for words in ("hint", "quiz"):
        assert said[words].splitlines()[0] == f"error: {full}"
    assert "cannot be written: No space left on device" in said["open"]
    assert not [path for path in home.rglob("*") if path.is_file() and "history" not in path.name]
    (small_disk / "filling").unlink()
    assert [review.card for review in log(home)[0]] == ["q:kept"]


def test_quota_on_files_is_told_in_one_line(home: Path, here: Path) -> None:
    said = problems(home, here, limit=100)
    for words in ("hint", "quiz"):
        assert said[words].startswith(f"error: the history `{home / 'history.db'}` cannot be ")
        assert len(said[words].splitlines()) == 3
    assert said["check"].startswith("attempt not saved: the history ")
    assert "cannot be written: File too large" in said["open"]
    assert not (home / "practice" / "add_backward.py").exists()


def test_read_only_folder_is_told_in_one_line(small_disk: Path, here: Path) -> None:
    home = small_disk / "home"
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        store.add_review("q:kept", Rating.GOOD, datetime.now(UTC))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    said = problems(home, here)
    for words in ("hint", "quiz"):
        assert said[words].startswith(f"error: the history `{home / 'history.db'}` cannot be used: ")
        assert said[words].splitlines()[2] == "hint: set `AUTODRILL_HOME` to a writable folder"
    assert said["check"].startswith("attempt not saved: the history ")
    assert "cannot be written: Read-only file system" in said["open"]
