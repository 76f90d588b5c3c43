"""The history's schema as a list of migrations. A published migration is never edited; changes append a new one."""

from __future__ import annotations

__all__ = ["APPLICATION_ID", "MIGRATIONS"]

APPLICATION_ID = 0x41445249
"""The SQLite application id of an autodrill history: `ADRI` in ASCII."""

_LOGS = (
    """CREATE TABLE reviews (
        id INTEGER PRIMARY KEY,
        card TEXT NOT NULL CHECK (card <> ''),
        at TEXT NOT NULL,
        rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 4),
        detail TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX reviews_of_card ON reviews (card)",
    """CREATE TABLE undone (
        review INTEGER PRIMARY KEY REFERENCES reviews (id),
        at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        exercise TEXT NOT NULL CHECK (exercise <> ''),
        at TEXT NOT NULL,
        verdict TEXT NOT NULL,
        seed TEXT,
        source_hash TEXT NOT NULL,
        source TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX attempts_at_exercise ON attempts (exercise)",
    """CREATE TABLE hints (
        id INTEGER PRIMARY KEY,
        exercise TEXT NOT NULL CHECK (exercise <> ''),
        at TEXT NOT NULL,
        stage INTEGER NOT NULL CHECK (stage >= 1)
    ) STRICT""",
)

_COURSE = (
    """CREATE TABLE paths (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        path TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE placements (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        detail TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE placements_undone (
        placement INTEGER PRIMARY KEY REFERENCES placements (id),
        at TEXT NOT NULL
    ) STRICT""",
)


def _append_only(*tables: str) -> tuple[str, ...]:
    """Return triggers that reject every UPDATE and DELETE, whatever program writes to the file."""
    return tuple(
        f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for table in tables
        for event in ("UPDATE", "DELETE")
    )


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (*_LOGS, *_append_only("reviews", "undone", "attempts", "hints")),
    (*_COURSE, *_append_only("paths", "placements", "placements_undone")),
)
"""The statements from format n to format n + 1. The file's `user_version` counts the migrations applied."""
