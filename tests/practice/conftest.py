"""Builders of times, questions and histories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.questions import Difficulty, Kind, Question
from autodrill.practice.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.fixture
def day() -> Callable[[float], datetime]:
    """Return the time a number of days after the start."""
    return lambda days: START + timedelta(days=days)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a history that does not exist yet."""
    return tmp_path / "home" / "history.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A new, open history."""
    with Store.open(path, now=START) as opened:
        yield opened


@pytest.fixture
def ask() -> Callable[..., Question]:
    """Build a question with only those fields filled in that a session reads."""

    def ask(
        identity: str, *topics: str, difficulty: Difficulty = Difficulty.EASY, kind: Kind = Kind.RECALL
    ) -> Question:
        return Question(
            id=identity,
            kind=kind,
            difficulty=difficulty,
            answering=1,
            topics=topics or ("graph",),
            sources=("000#1",),
            exercises=(),
            title=identity,
            body="",
            answer="",
            needed=3,
            key_points=(),
            wrong_answers=(),
            commonly_read=(),
            follow_ups=(),
            proofs=(),
            key=None,
            path=Path("graph.md"),
            line=1,
        )

    return ask
