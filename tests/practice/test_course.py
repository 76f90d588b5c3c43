from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from autodrill.drills.exercise import Difficulty, Heading
from autodrill.drills.tracks import Track
from autodrill.practice.course import CourseItem, course_of
from autodrill.practice.log_records import State
from autodrill.practice.progress import Progress

DUE = datetime(2026, 3, 1, tzinfo=UTC)
TRACKS = {"b": Track("b", "B", "You can b."), "a": Track("a", "A", "You can a.")}


def heading(name: str, track: str, *requires: str, minutes: int = 5) -> Heading:
    return Heading(name, track, "Title", "backward", Difficulty.EASY, minutes, ("graph",), requires, Path(f"{name}.py"))


EXERCISES = [
    heading("one", "a"),
    heading("two", "b", "one"),
    heading("three", "a", "one", "two", minutes=7),
    heading("mine", "zoo", "gone"),
    heading("own", "kin"),
]


def items(known: Progress) -> dict[str, CourseItem]:
    return {item.exercise.id: item for track in course_of(EXERCISES, TRACKS, known) for item in track.items}


def test_course_has_listed_tracks_first_then_others_by_name() -> None:
    course = course_of(EXERCISES, TRACKS, Progress({}, {}))
    assert [track.track.name for track in course] == ["b", "a", "kin", "zoo"]
    assert course[2].track == Track("kin")
    assert [item.exercise.id for item in course[1].items] == ["one", "three"]


def test_item_waits_for_what_is_not_passed_yet() -> None:
    assert items(Progress({}, {}))["three"].after == ("one", "two")
    assert items(Progress({}, {}))["mine"].after == (), "an exercise of no open pack cannot be waited for"
    known = Progress({"one": State.DUE, "two": State.TRIED}, {"one": DUE})
    found = items(known)
    assert (found["three"].after, found["two"].after) == (("two",), ())
    assert (found["one"].due, found["one"].passed) == (DUE, True)


def test_passed_item_waits_for_nothing() -> None:
    assert items(Progress({"three": State.PASSED}, {}))["three"].after == ()


def test_track_counts_passed_exercises_and_minutes_left() -> None:
    track = course_of(EXERCISES, TRACKS, Progress({"one": State.DUE}, {}))[1]
    assert (track.passed, track.minutes_left) == (1, 7)
