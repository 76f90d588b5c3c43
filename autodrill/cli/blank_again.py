"""A solved exercise that is due comes back blank: the old answer is set aside, never lost, and the stub is restored."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from autodrill.cli.learner_files import restore_stub
from autodrill.cli.options import now, open_store
from autodrill.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from autodrill.drills.exercise import Exercise

__all__ = ["blank_again", "blank_notice"]


def blank_again(exercise: Exercise, path: Path, text: str | None = None) -> Path | None:
    """Set an old answer aside if its exercise is due, and return the new path of the old file; else return None.

    A file that was saved since the exercise is due is work of today and stays.

    Args:
        exercise: The exercise.
        path: Its file.
        text: What the new file has, instead of the stub.

    Raises:
        FileError: The file cannot be renamed, or the stub cannot be written.
    """
    from autodrill.drills.exercise import starting_file
    from autodrill.folders import history_file

    try:
        saved = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        if not history_file(os.environ).exists() or path.read_bytes() == starting_file(exercise).encode():
            return None
    except OSError:  # there is no file, or none to read, which the caller finds out by itself
        return None
    return restore_stub(exercise, path, now(), text) if _is_due(exercise.id, saved) else None


def _is_due(exercise: str, saved: datetime) -> bool:
    from autodrill.practice.log_records import exercise_card
    from autodrill.practice.progress import is_old_answer
    from autodrill.practice.schedule import schedule_of

    try:
        with open_store() as store:
            card, moment = exercise_card(exercise), now()
            state = schedule_of(store, moment, store.reviews(card)).state(card)
            return (
                state is not None and state.due <= moment and is_old_answer(store.attempts(exercise), state.due, saved)
            )
    except StoreError:  # without a log nothing is due; what needs the log reports the error
        return False


def blank_notice(exercise: Exercise, kept: Path) -> str:
    """Say that a file is blank again, and where the old answer is."""
    return f"{exercise.id} is due, so its file is blank again; your old answer is now {kept.name}"
