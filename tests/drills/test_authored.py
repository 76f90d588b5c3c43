from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from autodrill.drills.solution_file import authored
from autodrill.errors import FileError, InternalError

HERE = Path(__file__)


def test_authored_converts_exceptions_with_their_line() -> None:
    line = test_authored_converts_exceptions_with_their_line.__code__.co_firstlineno + 3
    with pytest.raises(InternalError) as caught, authored(HERE, "forward"):
        raise ValueError("shapes do not match")
    assert caught.value.message == (
        f"the exercise's `forward` raises ValueError: shapes do not match (test_authored.py, line {line})"
    )


def test_authored_names_no_line_for_code_of_autodrill(tmp_path: Path) -> None:
    with pytest.raises(InternalError) as caught, authored(tmp_path / "mine.py", "forward"):
        raise ValueError("shapes do not match")
    assert (
        str(caught.value)
        == "what autodrill derives from the exercise's `forward` raises ValueError: shapes do not match"
    )


def test_authored_keeps_autodrill_errors() -> None:
    with pytest.raises(FileError, match="gone"), authored(HERE, "forward"):
        raise FileError("gone")


def test_authored_converts_an_exit() -> None:
    with pytest.raises(InternalError, match="`judge` raises SystemExit: 0"), authored(HERE, "judge"):
        raise SystemExit(0)


def test_authored_interrupts_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodrill.drills.solution_file._SECONDS", 0.2)
    before, (left, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(InternalError, match=r"runs too long: it takes more than 0\.2 s"), authored(HERE, "judge"):
        time.sleep(600)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] <= max(left - 0.2, 0)  # pytest's own timer goes on


def test_authored_keeps_the_bound_of_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodrill.drills.solution_file._SECONDS", 30)
    with authored(HERE, "CASES"):
        with authored(HERE, "forward"):
            pass
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
