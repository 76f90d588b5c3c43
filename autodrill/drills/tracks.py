"""The tracks of the course: their order, titles and goals, read from `exercises/tracks.toml` of each pack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.drills.exercise import control_sign, read_text
from autodrill.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Track", "load_tracks"]

_FIELDS = ("title", "goal")


@dataclass(frozen=True, slots=True)
class Track:
    """A group of exercises: a folder below `exercises/`.

    Attributes:
        name: The name of the folder.
        title: What it is about; empty if no `tracks.toml` lists it.
        goal: What a learner can do after it, as a sentence; empty if no `tracks.toml` lists it.
    """

    name: str
    title: str = ""
    goal: str = ""


def load_tracks(roots: Iterable[Path]) -> dict[str, Track]:
    """Read the tracks of packs by name, in order. A pack without `tracks.toml` has none; the first pack wins.

    Raises:
        ContentError: A file is malformed; the error lists every problem of every file.
    """
    tracks: dict[str, Track] = {}
    problems: list[Problem] = []
    for root in roots:
        path = root / "exercises" / "tracks.toml"
        if path.is_file():
            for name, track in _read(path, problems).items():
                tracks.setdefault(name, track)
    if problems:
        raise ContentError(problems)
    return tracks


def _read(path: Path, problems: list[Problem]) -> dict[str, Track]:
    import re
    import tomllib

    text = read_text(path)

    def complain(table: str, message: str) -> None:
        at = re.search(rf"(?m)^\s*\[?{re.escape(table)}\b", text)
        problems.append(Problem(str(path), 1 + text[: at.start()].count("\n") if at else 1, message))

    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        problems.append(Problem(str(path), int(found[1]) if found else 1, f"this is not valid TOML: {error}"))
        return {}
    tracks = {}
    for name, fields in given.items():
        if wrong := _wrong(fields):
            complain(name, f"the track `{name}` {wrong}")
        else:
            tracks[name] = Track(name, **fields)
    return tracks


def _wrong(fields: Any) -> str:
    """Return what is wrong with the table of a track; empty if nothing is."""
    if not isinstance(fields, dict) or set(fields) != set(_FIELDS):
        return "must be a table with `title` and `goal`"
    if not all(isinstance(text, str) and text.strip() for text in fields.values()):
        return "must have a text as its `title` and as its `goal`"
    if any(control_sign(text) is not None or "\n" in text for text in fields.values()):
        return "must have texts of one line without control characters"
    return ""
