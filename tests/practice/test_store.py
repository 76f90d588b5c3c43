from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import subprocess
import sys
import threading
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.errors import StoreError
from autodrill.practice.log_records import APPLICATION_ID, MIGRATIONS, Rating
from autodrill.practice.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Day = Callable[[float], datetime]


def sql(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_review_is_read_back_unchanged(path: Path, day: Day) -> None:
    with Store.open(path, now=day(0)) as store:
        given = store.add_review("q:fork", Rating.GOOD, day(0), {"answers": [{"text": "∂L/∂x"}]})
    with Store.open(path, now=day(1)) as store:
        assert store.reviews() == [given]
        assert store.reviews("q:other") == []


def test_times_are_stored_in_utc(store: Store) -> None:
    tokyo = datetime(2026, 11, 21, 8, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    store.add_review("q:fork", Rating.EASY, tokyo)
    assert store.reviews()[0].at == tokyo
    assert store.reviews()[0].at.isoformat() == "2026-11-20T23:00:00.123456+00:00"


def test_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="time zone"):
        store.add_review("q:fork", Rating.GOOD, datetime(2026, 11, 21))  # noqa: DTZ001 - the mistake under test


def test_undo_removes_the_last_review_and_keeps_its_log(store: Store, path: Path, day: Day) -> None:
    first = store.add_review("q:a", Rating.GOOD, day(0))
    second = store.add_review("q:b", Rating.AGAIN, day(0))
    assert store.undo_review(day(0)) == second
    assert store.reviews() == [first]
    assert store.undo_review(day(0)) == first
    assert store.undo_review(day(0)) is None
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM reviews").fetchone() == (2,)


def test_undone_review_may_be_added_again(store: Store, day: Day) -> None:
    store.add_review("q:a", Rating.GOOD, day(0))
    store.undo_review(day(0))
    again = store.add_review("q:a", Rating.HARD, day(0))
    assert store.reviews() == [again]


def test_attempt_has_the_source_and_its_hash(store: Store, day: Day) -> None:
    source = "def f():\n    return 'ẋ'\n"
    store.add_attempt("mul_backward", "fail", source, day(0), seed=2**64 - 1)
    store.add_attempt("add_backward", "pass", "x = 1\n", day(1))
    (attempt,) = store.attempts("mul_backward")
    assert (attempt.verdict, attempt.seed, attempt.source) == ("fail", 2**64 - 1, source)
    assert attempt.source_hash == hashlib.sha256(source.encode()).hexdigest()
    assert [a.exercise for a in store.attempts()] == ["mul_backward", "add_backward"]
    assert store.attempts("add_backward")[0].seed is None


def test_attempt_keeps_its_detail(store: Store, day: Day) -> None:
    store.add_attempt("x", "fail", "", day(0), detail={"rule": "no-unbroadcast"})
    assert store.attempts("x")[0].detail == {"rule": "no-unbroadcast"}


def test_attempt_of_an_older_format_has_no_detail(path: Path, day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr("autodrill.practice.store.MIGRATIONS", MIGRATIONS[:2])
        Store.open(path, now=day(0)).close()
    columns = "exercise, at, verdict, seed, source_hash, source"
    sql(path, f"INSERT INTO attempts ({columns}) VALUES ('x', '2026-01-01T00:00:00+00:00', 'pass', NULL, '', '')")
    with Store.open(path, now=day(1)) as store:
        assert (store.attempts()[0].verdict, store.attempts()[0].detail) == ("pass", {})


def test_setting_is_the_last_value(store: Store, day: Day) -> None:
    assert store.setting("limit") is None
    store.set("limit", 20, day(0))
    store.set("limit", [1.5, "ẋ"], day(1))
    assert store.setting("limit") == [1.5, "ẋ"]
    store.set("limit", None, day(2))
    assert store.setting("limit") is None


def test_hints_are_stored_by_exercise(store: Store, day: Day) -> None:
    store.add_hint("mul_backward", 1, day(0))
    store.add_hint("mul_backward", 2, day(0))
    assert [hint.stage for hint in store.hints("mul_backward")] == [1, 2]
    assert store.hints("add_backward") == []


@pytest.mark.parametrize(
    "table", ["reviews", "undone", "attempts", "hints", "paths", "placements", "placements_undone", "settings"]
)
@pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET at = ''"])
def test_logs_are_append_only(store: Store, path: Path, day: Day, table: str, change: str) -> None:
    store.add_review("q:a", Rating.GOOD, day(0))
    store.undo_review(day(0))
    store.add_attempt("x", "pass", "", day(0))
    store.add_hint("x", 1, day(0))
    store.choose_path("one-week", day(0))
    store.add_placement({"excused": [], "unknown": [], "reviews": []}, day(0))
    store.undo_placement(day(0))
    store.set("a", 1, day(0))
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        sql(path, change.format(table))


def test_chosen_path_is_the_last_one(store: Store, day: Day) -> None:
    assert store.chosen_path() is None
    store.choose_path("one-week", day(0))
    store.choose_path("night-before", day(1))
    assert store.chosen_path() == "night-before"
    store.choose_path("", day(2))
    assert store.chosen_path() is None


def test_passed_has_every_exercise_with_a_pass(store: Store, day: Day) -> None:
    store.add_attempt("mul_backward", "pass", "", day(0))
    store.add_attempt("mul_backward", "fail", "", day(1))
    store.add_attempt("add_backward", "fail", "", day(1))
    assert store.passed() == {"mul_backward"}


def test_undoing_a_placement_removes_its_reviews(store: Store, day: Day) -> None:
    own = store.add_review("q:own", Rating.GOOD, day(0))
    asked = store.add_review("q:asked", Rating.GOOD, day(1))
    store.add_placement({"excused": ["a", "b"], "unknown": [], "reviews": [asked.id], "why": "ẋ"}, day(1))
    store.add_placement({"excused": ["c"], "unknown": [], "reviews": []}, day(2))
    assert store.excused() == {"a", "b", "c"}
    undone = store.undo_placement(day(3))
    assert undone is not None
    assert undone.excused == {"c"}
    first = store.undo_placement(day(3))
    assert first is not None
    assert (first.at, first.detail["why"]) == (day(1), "ẋ")
    assert (store.excused(), store.reviews()) == (frozenset(), [own])
    assert store.undo_placement(day(4)) is None


def test_later_placement_overrides_an_earlier_one(store: Store, day: Day) -> None:
    store.add_placement({"excused": ["a", "b"], "unknown": ["c"], "reviews": []}, day(0))
    store.add_placement({"excused": ["c"], "unknown": ["a"], "reviews": []}, day(1))
    assert store.excused() == {"b", "c"}


def test_placement_with_an_undone_review_can_be_undone(store: Store, day: Day) -> None:
    asked = store.add_review("q:asked", Rating.GOOD, day(1))
    store.add_placement({"excused": ["a"], "unknown": [], "reviews": [asked.id]}, day(1))
    store.undo_review(day(2))
    store.undo_placement(day(3))
    assert (store.excused(), store.reviews()) == (frozenset(), [])


def test_review_survives_a_killed_process(path: Path, day: Day) -> None:
    program = f"""
import os, signal
from datetime import UTC, datetime
from pathlib import Path
from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
now = datetime.now(UTC)
store = Store.open(Path({str(path)!r}), now=now)
for card in "abc":
    store.add_review("q:" + card, Rating.GOOD, now)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    with Store.open(path, now=day(0)) as store:
        assert [review.card for review in store.reviews()] == ["q:a", "q:b", "q:c"]


@pytest.mark.parametrize("damage", ["not a database at all" * 100, "header", "page"])
def test_corrupt_history_is_set_aside_and_named(path: Path, day: Day, damage: str) -> None:
    with Store.open(path, now=day(0)) as store:
        for number in range(300):
            store.add_review(f"q:{number}", Rating.GOOD, day(0), {"answers": ["x" * 100]})
    content = bytearray(path.read_bytes())
    if damage == "header":
        content[:16] = b"SQLite format 9\x00"
    elif damage == "page":
        content[4096:8192] = b"\xff" * 4096
    else:
        content = bytearray(damage.encode())
    path.write_bytes(content)
    with Store.open(path, now=day(1)) as store:
        assert store.set_aside == path.with_name("history.db.corrupt-20261122T093000Z")
        assert store.set_aside.read_bytes() == bytes(content)
        assert store.reviews() == []
        store.add_review("q:new", Rating.GOOD, day(1))
    with Store.open(path, now=day(2)) as store:
        assert (store.set_aside, len(store.reviews())) == (None, 1)


def test_second_corrupt_file_does_not_replace_the_first(path: Path, day: Day) -> None:
    kept = []
    for content in ("garbage one" * 99, "garbage two" * 99):
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        with Store.open(path, now=day(0)) as store:
            assert store.set_aside is not None
            kept.append(store.set_aside.read_text())
    assert kept == ["garbage one" * 99, "garbage two" * 99]
    assert len(list(path.parent.glob("*.corrupt-*"))) == 2


def test_newer_history_is_refused_untouched(store: Store, path: Path, day: Day) -> None:
    store.add_review("q:a", Rating.GOOD, day(0))
    store.close()
    sql(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer autodrill") as caught:
        Store.open(path, now=day(0))
    assert caught.value.hint is not None
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir() if "corrupt" in file.name] == []


def test_foreign_database_is_refused_untouched(path: Path, day: Day) -> None:
    path.parent.mkdir()
    sql(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store.open(path, now=day(0))
    assert path.read_bytes() == before


def test_locked_history_is_a_clear_error(store: Store, path: Path, day: Day) -> None:
    with contextlib.closing(sqlite3.connect(path)) as other, Store.open(path, now=day(0), busy_seconds=0.05) as waiting:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            waiting.add_review("q:a", Rating.GOOD, day(0))


def test_new_history_waits_for_a_program_that_is_starting_it_too(path: Path, day: Day) -> None:
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")  # SQLite waits for no such lock when the journal mode changes
        release = threading.Timer(0.3, other.rollback)
        release.start()
        with Store.open(path, now=day(0), busy_seconds=60) as store:
            assert store.reviews() == []
        release.join()


def test_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path, day: Day) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        Store.open(tmp_path / "file" / "history.db", now=day(0))
    assert "AUTODRILL_HOME" in (caught.value.hint or "")


def test_full_disk_is_a_clear_error(path: Path, day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def full(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)
        connection.execute("PRAGMA max_page_count = 2")
        return connection

    monkeypatch.setattr(sqlite3, "connect", full)
    with pytest.raises(StoreError, match="cannot be written: the disk is full"):
        Store.open(path, now=day(0))
    monkeypatch.undo()
    with Store.open(path, now=day(0)) as store:
        assert store.reviews() == []


@pytest.mark.parametrize(("free", "said"), [(4096, "the disk is full"), (1 << 30, "disk I/O error")])
def test_input_output_error_names_a_full_disk(
    path: Path, day: Day, monkeypatch: pytest.MonkeyPatch, free: int, said: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
        raise error

    monkeypatch.setattr(sqlite3, "connect", refuse)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(StoreError, match=said):
        Store.open(path, now=day(0))


def test_folder_as_history_is_a_clear_error(path: Path, day: Day) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be used"):
        Store.open(path, now=day(0))
    assert path.is_dir()


def test_empty_file_becomes_a_history(path: Path, day: Day) -> None:
    path.parent.mkdir()
    path.touch()
    with Store.open(path, now=day(0)) as store:
        assert (store.set_aside, store.reviews()) == (None, [])


def test_history_of_the_first_format_is_migrated(path: Path, day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr("autodrill.practice.store.MIGRATIONS", MIGRATIONS[:1])
        with Store.open(path, now=day(0)) as store:
            kept = store.add_review("q:a", Rating.GOOD, day(0))
    with Store.open(path, now=day(1)) as store:
        store.choose_path("one-week", day(1))
        assert (store.reviews(), store.chosen_path(), store.excused()) == ([kept], "one-week", frozenset())


def test_file_identifies_its_format(store: Store, path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        pragmas = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "journal_mode")
        }
        tables = connection.execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'").fetchall()
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert pragmas == {"user_version": len(MIGRATIONS), "journal_mode": "wal"}
    logs = {"reviews", "undone", "attempts", "hints", "paths", "placements", "placements_undone", "settings"}
    logs |= {"interviews", "interview_events"}
    assert {name for name, strict in tables if strict} == logs


def test_failed_migration_leaves_nothing_behind(path: Path, day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (*MIGRATIONS, ("CREATE TABLE more (id INTEGER) STRICT", "CREATE TABLE more (id INTEGER) STRICT"))
    with Store.open(path, now=day(0)) as store:
        store.add_review("q:a", Rating.GOOD, day(0))
    monkeypatch.setattr("autodrill.practice.store.MIGRATIONS", broken)
    with pytest.raises(StoreError):
        Store.open(path, now=day(0))
    monkeypatch.undo()
    with Store.open(path, now=day(0)) as store:
        assert len(store.reviews()) == 1


def test_concurrent_openings_share_one_history(path: Path, day: Day) -> None:
    errors: list[StoreError] = []

    def begin(card: str) -> None:
        try:
            with Store.open(path, now=day(0)) as store:
                store.add_review(card, Rating.GOOD, day(0))
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=begin, args=(f"q:{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Store.open(path, now=day(0)) as store:
        assert len(store.reviews()) == 6
