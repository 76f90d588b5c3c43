from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from autodrill.cli.saved_file import SavedFile

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mul_backward.py"
    path.write_text("one = 1\n", encoding="utf-8")
    return path


def test_poll_reports_each_version_once(path: Path, clock: Clock) -> None:
    file = SavedFile(path, clock)
    assert file.poll()
    assert file.source == b"one = 1\n"
    assert not file.poll()
    path.write_text("two = 22\n", encoding="utf-8")
    assert file.poll()
    assert file.source == b"two = 22\n"
    assert not file.poll()


def test_poll_sees_a_file_that_was_replaced(path: Path, clock: Clock) -> None:
    file = SavedFile(path, clock)
    file.poll()
    before = path.stat()
    other = path.with_name("other")
    other.write_text("two = 2\n", encoding="utf-8")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert file.poll()
    assert file.source == b"two = 2\n"


def test_poll_sees_a_change_that_metadata_hide(path: Path, clock: Clock) -> None:
    file = SavedFile(path, clock)
    file.poll()
    before = path.stat()
    path.write_text("two = 2\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as on a file system with coarse or cached times
    assert not file.poll()
    clock.time += 0.6
    assert file.poll()
    assert file.source == b"two = 2\n"


def test_poll_ignores_a_save_of_the_same_content(path: Path, clock: Clock) -> None:
    file = SavedFile(path, clock)
    file.poll()
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert not file.poll()
    assert file.saved == 1_700_000_000


def test_poll_waits_before_it_calls_a_file_gone(path: Path, clock: Clock) -> None:
    file = SavedFile(path, clock)
    file.poll()
    source = path.read_bytes()
    path.unlink()
    assert not file.poll()
    path.write_bytes(source)  # an editor has moved the old file away and written the new one
    assert not file.poll()

    path.unlink()
    clock.time += 0.6
    assert not file.poll()
    clock.time += 0.6
    assert file.poll()
    assert "No such file" in str(file.problem)
    clock.time += 0.6
    assert not file.poll()
    path.write_bytes(source)
    assert file.poll()
    assert file.problem is None


def test_poll_reports_a_file_that_is_too_large(path: Path, clock: Clock) -> None:
    file = SavedFile(path, clock)
    path.write_bytes(b"#" * (257 << 10))
    assert file.poll()
    assert file.problem is not None
    assert "256 KiB" in file.problem.message


def test_interval_grows_on_a_slow_file_system(path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    file = SavedFile(path, clock)
    file.poll()
    assert file.interval <= 0.02
    stat = os.stat

    def slow(path: Path) -> os.stat_result:
        clock.time += 0.01
        return stat(path)

    monkeypatch.setattr(os, "stat", slow)
    for _ in range(50):
        file.poll()
    assert file.interval == 0.25
