"""The learner's history: an append-only log in one SQLite file, with one commit for each record."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from autodrill.errors import StoreError
from autodrill.practice.log_records import (
    APPLICATION_ID,
    MIGRATIONS,
    Attempt,
    HintTaken,
    PlacementTaken,
    Rating,
    Review,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

__all__ = ["Store"]

_BUSY_SECONDS = 5.0
_ROOM = 1 << 17
"""Bytes that the files beside a history take at first."""


class Store:
    """An open history; use it as a context manager.

    Attributes:
        path: The file.
        set_aside: The new path of a corrupt file found at `path`, or None. The caller must show it to the learner.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, set_aside: Path | None) -> None:
        self.path = path
        self.set_aside = set_aside
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, now: datetime, busy_seconds: float = _BUSY_SECONDS) -> Store:
        """Open the history at `path`. A missing file is created, with its folder; an older format is migrated.

        A corrupt file is renamed and a new history is started; `set_aside` is the new name of the corrupt file.

        Args:
            path: The SQLite file.
            now: The time, which becomes part of the name of a corrupt file.
            busy_seconds: How long to wait for another process that is writing.

        Raises:
            StoreError: The file cannot be opened, is locked, belongs to another program, or was written by a newer
                autodrill. It was not changed.
        """
        set_aside = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                connection = _connect(path, busy_seconds)
            except _CorruptError:
                set_aside = _move_away(path, now)
                connection = _connect(path, busy_seconds)
        except OSError as error:
            raise StoreError(
                f"the history `{path}` cannot be opened: {error.strerror or error}",
                hint="set `AUTODRILL_HOME` to a writable folder",
            ) from None
        except sqlite3.Error as error:
            raise _explained(path, error) from None
        return cls(path, connection, set_aside)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. All records are already committed."""
        self._connection.close()

    def add_review(self, card: str, rating: Rating, at: datetime, detail: Mapping[str, Any] | None = None) -> Review:
        """Append a review; it is on disk when this returns.

        Raises:
            ValueError: `at` has no time zone.
            StoreError: The review could not be written.
        """
        import json

        kept = dict(detail or {})
        row = self._append(
            "INSERT INTO reviews (card, at, rating, detail) VALUES (?, ?, ?, ?)",
            (card, _stamp(at), int(rating), json.dumps(kept, ensure_ascii=False)),
        )
        return Review(row, card, at.astimezone(UTC), rating, kept)

    def undo_review(self, at: datetime) -> Review | None:
        """Mark the last review as undone and return it, or return None if there is none.

        Nothing is deleted. The log keeps the review and the time of the undo.
        """
        last = self.reviews()[-1:]
        if not last:
            return None
        self._append("INSERT INTO undone (review, at) VALUES (?, ?)", (last[0].id, _stamp(at)))
        return last[0]

    def replace_review(self, review: Review, rating: Rating, at: datetime, detail: Mapping[str, Any]) -> Review:
        """Mark a review as undone, and append and return one of the same time with another rating and detail."""
        with self._explaining(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")  # one transaction: both or neither
            self._connection.execute("INSERT INTO undone (review, at) VALUES (?, ?)", (review.id, _stamp(at)))
            return self.add_review(review.card, rating, review.at, detail)

    def reviews(self, card: str | None = None) -> list[Review]:
        """Return the reviews that are not undone, oldest first, of one card or of all cards."""
        import json

        rows = self._rows(
            "SELECT id, card, at, rating, detail FROM reviews"
            " WHERE id NOT IN (SELECT review FROM undone) AND card = coalesce(?, card) ORDER BY id",
            (card,),
        )
        return [
            Review(row, key, datetime.fromisoformat(at), Rating(rating), json.loads(detail))
            for row, key, at, rating, detail in rows
        ]

    def add_attempt(
        self,
        exercise: str,
        verdict: str,
        source: str,
        at: datetime,
        *,
        seed: int | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> Attempt:
        """Append a graded submission with its `source`; it is on disk when this returns.

        Raises:
            ValueError: `at` has no time zone.
            StoreError: The attempt could not be written.
        """
        import hashlib
        import json

        kept = dict(detail or {})
        digest = hashlib.sha256(source.encode()).hexdigest()
        row = self._append(
            "INSERT INTO attempts (exercise, at, verdict, seed, source_hash, source, detail)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            # As text, because a seed can use all 64 bits and SQLite integers are signed.
            (
                exercise,
                _stamp(at),
                verdict,
                None if seed is None else str(seed),
                digest,
                source,
                json.dumps(kept, ensure_ascii=False),
            ),
        )
        return Attempt(row, exercise, at.astimezone(UTC), verdict, seed, digest, source, kept)

    def attempts(self, exercise: str | None = None) -> list[Attempt]:
        """Return the attempts at one exercise or at all exercises, oldest first."""
        import json

        rows = self._rows(
            "SELECT id, exercise, at, verdict, seed, source_hash, source, detail FROM attempts"
            " WHERE exercise = coalesce(?, exercise) ORDER BY id",
            (exercise,),
        )
        return [
            Attempt(
                row,
                name,
                datetime.fromisoformat(at),
                verdict,
                None if seed is None else int(seed),
                digest,
                source,
                json.loads(detail),
            )
            for row, name, at, verdict, seed, digest, source, detail in rows
        ]

    def passed(self) -> frozenset[str]:
        """Return the ids of all exercises ever passed."""
        return frozenset(
            row[0] for row in self._rows("SELECT DISTINCT exercise FROM attempts WHERE verdict = 'pass'", ())
        )

    def add_hint(self, exercise: str, stage: int, at: datetime) -> HintTaken:
        """Append that a hint was shown; the record is on disk when this returns.

        Raises:
            ValueError: `at` has no time zone.
            StoreError: The record could not be written.
        """
        row = self._append("INSERT INTO hints (exercise, at, stage) VALUES (?, ?, ?)", (exercise, _stamp(at), stage))
        return HintTaken(row, exercise, at.astimezone(UTC), stage)

    def hints(self, exercise: str | None = None) -> list[HintTaken]:
        """Return the hints shown for one exercise or for all exercises, oldest first."""
        rows = self._rows(
            "SELECT id, exercise, at, stage FROM hints WHERE exercise = coalesce(?, exercise) ORDER BY id", (exercise,)
        )
        return [HintTaken(row, name, datetime.fromisoformat(at), stage) for row, name, at, stage in rows]

    def set(self, name: str, value: Any, at: datetime) -> None:
        """Append a setting, a JSON value. The last one with a name counts; None takes it back."""
        import json

        self._append(
            "INSERT INTO settings (at, name, value) VALUES (?, ?, ?)",
            (_stamp(at), name, json.dumps(value, ensure_ascii=False)),
        )

    def setting(self, name: str) -> Any:
        """Return the value of a setting, or None."""
        import json

        rows = self._rows("SELECT value FROM settings WHERE name = ? ORDER BY id DESC LIMIT 1", (name,))
        return json.loads(rows[0][0]) if rows else None

    def choose_path(self, path: str, at: datetime) -> None:
        """Append that a learning path was chosen. An empty name means that the path was left."""
        self._append("INSERT INTO paths (at, path) VALUES (?, ?)", (_stamp(at), path))

    def chosen_path(self) -> str | None:
        """Return the name of the current path, or None."""
        rows = self._rows("SELECT path FROM paths ORDER BY id DESC LIMIT 1", ())
        return rows[0][0] or None if rows else None

    def add_placement(self, detail: Mapping[str, Any], at: datetime) -> None:
        """Append the result of a placement; it is on disk when this returns.

        Args:
            detail: JSON values: `excused` and `unknown` (ids of questions), `reviews` (log numbers), and further facts.
            at: The time.
        """
        import json

        written = json.dumps(dict(detail), ensure_ascii=False)
        self._append("INSERT INTO placements (at, detail) VALUES (?, ?)", (_stamp(at), written))

    def placements(self) -> list[PlacementTaken]:
        """Return the placements that are not undone, oldest first."""
        import json

        rows = self._rows(
            "SELECT id, at, detail FROM placements"
            " WHERE id NOT IN (SELECT placement FROM placements_undone) ORDER BY id",
            (),
        )
        read = [(row, datetime.fromisoformat(at), json.loads(detail)) for row, at, detail in rows]
        return [
            PlacementTaken(
                row, at, frozenset(detail["excused"]), frozenset(detail["unknown"]), tuple(detail["reviews"]), detail
            )
            for row, at, detail in read
        ]

    def undo_placement(self, at: datetime) -> PlacementTaken | None:
        """Mark the last placement and its reviews as undone and return it, or return None if there is none."""
        last = self.placements()[-1:]
        if not last:
            return None
        with self._explaining(), self._connection:
            # One transaction, so that a placement is undone completely or not at all.
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR IGNORE INTO undone (review, at) VALUES (?, ?)", [(r, _stamp(at)) for r in last[0].reviews]
            )
            self._connection.execute(
                "INSERT INTO placements_undone (placement, at) VALUES (?, ?)", (last[0].id, _stamp(at))
            )
        return last[0]

    def excused(self) -> frozenset[str]:
        """Return the ids of the questions that placements excused; a later placement overrides an earlier one."""
        known: frozenset[str] = frozenset()
        for placement in self.placements():
            known = (known - placement.unknown) | placement.excused
        return known

    def _append(self, statement: str, values: Sequence[Any]) -> int:
        with self._explaining():
            row = self._connection.execute(statement, values).lastrowid
        assert row is not None
        return row

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._explaining():
            return self._connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(self.path, error) from None


class _CorruptError(Exception):
    """The file is damaged, or not a database at all."""


def _connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    # Without an isolation level, each statement commits by itself. An answer is on disk when its call returns.
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        _refuse_foreign(path, connection)
        connection.execute("PRAGMA foreign_keys = ON")
        _use_write_ahead_log(connection, busy_seconds)
        connection.execute("PRAGMA synchronous = FULL")  # survives a power cut; an answer takes seconds anyway
        _migrate(connection)
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise _CorruptError from error
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _use_write_ahead_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Change the journal mode. SQLite does not wait for every lock that this needs, so wait for the others here."""
    deadline = time.monotonic() + busy_seconds
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _refuse_foreign(path: Path, connection: sqlite3.Connection) -> None:
    """Check the file before anything is written to it.

    Raises:
        StoreError: The file belongs to another program or to a newer autodrill.
    """
    connection.execute("BEGIN")  # a consistent view, even if another autodrill is writing
    version = _pragma(connection, "user_version")
    owner = _pragma(connection, "application_id")
    has_tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0
    healthy = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    connection.execute("COMMIT")
    if not healthy:
        raise _CorruptError
    if has_tables and owner != APPLICATION_ID:
        raise StoreError(
            f"`{path}` is a database of another program; it was not changed",
            hint="set `AUTODRILL_HOME` to another folder",
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"the history `{path}` was written by a newer autodrill, in format {version}; "
            f"this version reads formats up to {len(MIGRATIONS)}",
            hint="upgrade autodrill; the history was not changed",
        )


def _migrate(connection: sqlite3.Connection) -> None:
    if _pragma(connection, "user_version") == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read the version again under the lock, because another process may have just migrated the file.
        for number in range(_pragma(connection, "user_version"), len(MIGRATIONS)):
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has already rolled it back
            connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _move_away(path: Path, now: datetime) -> Path:
    """Rename a corrupt history and its `-wal` and `-shm` files, without overwriting another file."""
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.name}.corrupt-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.corrupt-{stamp}-{number}")
    path.rename(target)
    for suffix in ("-wal", "-shm"):
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(target.with_name(target.name + suffix))
    return target


def _explained(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return StoreError(
            f"the history `{path}` is locked by another program",
            hint="close the other autodrill, then type the command again",
        )
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path)):
        return StoreError(
            f"the history `{path}` cannot be written: the disk is full",
            hint="free some space, or set `AUTODRILL_HOME` to a folder on another disk",
        )
    return StoreError(
        f"the history `{path}` cannot be used: {error}",
        hint="set `AUTODRILL_HOME` to a writable folder",
    )


def _is_full(path: Path) -> bool:
    """Return whether the disk has no room for the files beside a history, for which SQLite reports an I/O error."""
    from shutil import disk_usage

    with contextlib.suppress(OSError):
        return disk_usage(path.parent).free < _ROOM
    return False


def _stamp(at: datetime) -> str:
    """Return a time as text in UTC with microseconds, so that texts sort like times."""
    if at.tzinfo is None:
        raise ValueError("a time in the history needs a time zone")
    return at.astimezone(UTC).isoformat(timespec="microseconds")
