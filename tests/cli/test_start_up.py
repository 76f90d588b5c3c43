"""Commands that only read the log, the bank and the exercises start fast: what they import, and what they cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_index import question_ids
from autodrill.practice.log_records import Rating
from autodrill.practice.progress import log_attempt
from autodrill.practice.store import Store
from tests.cli.conftest import environment

if TYPE_CHECKING:
    from pathlib import Path

READERS = (["list"], ["due"], ["next"], ["history"], ["undo"], ["limit"], ["quiz", "--help"])
LOADED = """
import json, sys
from autodrill.cli.app import main
try:
    main()
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted({"numpy", "rich", "fsrs", "cupy", "torch", "pydantic"} & set(sys.modules))]))
"""
MOST = 14
"""How many times `python -c pass` a command may cost: 5 to 8 when the machine is quiet, up to 10 when it is not."""
ROUNDS = 40


@pytest.fixture
def practised(home: Path) -> Path:
    """A log of some weeks, with questions and exercises, on a path."""
    now = datetime.now(UTC)
    with Store.open(home / "history.db", now=now) as store:
        store._connection.execute("PRAGMA synchronous = OFF")
        for day in range(30, 0, -1):
            for name in question_ids()[30 - day : 36 - day]:
                store.add_review(f"q:{name}", Rating.GOOD, now - timedelta(days=day))
        for name in ("mul_backward", "add_backward"):
            log_attempt(store, name, "pass", "code", 1, now - timedelta(days=9))
        store.choose_path("night-before", now)
    return home


@pytest.mark.parametrize("words", [[], *READERS], ids=" ".join)
def test_readers_import_neither_numpy_nor_rich(practised: Path, words: list[str]) -> None:
    command, env = [sys.executable, "-c", LOADED, *words], environment(practised)
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [0, []]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_readers_cost_little_more_than_python_itself(practised: Path, words: list[str]) -> None:
    # CPU time, and the least of many runs: other programs on the machine only add to it. Most runs stop at once.
    bare: list[float] = []
    least = float("inf")
    for _ in range(ROUNDS):
        bare.append(cost(practised, ["-c", "pass"]))
        least = min(least, cost(practised, ["-m", "autodrill", *words]))
        if least <= MOST * median(bare):
            return
    pytest.fail(f"{least * 1e3:.0f} ms of CPU, but `python -c pass` takes {median(bare) * 1e3:.0f} ms")


def cost(home: Path, arguments: list[str]) -> float:
    """The CPU seconds of a Python program."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in {0, 2}  # `undo` comes to the end of a log
    return used.ru_utime + used.ru_stime
