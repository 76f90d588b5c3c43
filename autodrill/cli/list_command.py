"""`autodrill list`: the exercises as a course, track by track, with the learner's progress."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.completion import complete_topics, complete_tracks
from autodrill.cli.options import Format, OutputFormat, Packs, again, now, open_store
from autodrill.drills.exercise import Difficulty
from autodrill.errors import UnknownNameError
from autodrill.practice.log_records import State

if TYPE_CHECKING:
    from autodrill.practice.course import CourseTrack
    from autodrill.practice.progress import Progress

__all__ = ["list_"]


def list_(
    track: Annotated[
        str | None,
        typer.Option(
            help="List only the exercises of this track, such as scalar.",
            autocompletion=complete_tracks,
        ),
    ] = None,
    topic: Annotated[
        str | None, typer.Option(help="List only exercises on this topic.", autocompletion=complete_topics)
    ] = None,
    difficulty: Annotated[Difficulty | None, typer.Option(help="List only exercises of this difficulty.")] = None,
    state: Annotated[State | None, typer.Option(help="List only exercises in this state.")] = None,
    todo: Annotated[bool, typer.Option("--todo", help="List only exercises that are due or not passed yet.")] = False,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """List the exercises as a course, track by track.

    A line shows your state, the exercise, its minutes, what it is, and when it comes back or what comes before it. The
    states are new, tried, passed and due (passed before, ready for review).

    Examples:
      autodrill list
      autodrill list --track scalar --todo
      autodrill list --topic softmax --state new
    """
    from autodrill.drills.library import Library
    from autodrill.drills.tracks import load_tracks
    from autodrill.practice.course import course_of
    from autodrill.practice.progress import next_exercise

    library = Library.open(pack or ())
    every = library.headings()
    for what, value, names in (
        ("track", track, {e.track for e in every}),
        ("topic", topic, {t for e in every for t in e.topics}),
    ):
        if value is not None and value not in names:
            _refuse(what, value, names)
    known = _known()
    chosen = [
        e
        for e in every
        if (track is None or e.track == track)
        and (topic is None or topic in e.topics)
        and (difficulty is None or e.difficulty is difficulty)
        and (state is None or known.state(e.id) is state)
        and (not todo or known.state(e.id) is not State.PASSED)
    ]
    shown = frozenset(e.id for e in chosen)
    course = course_of(every, load_tracks(library.roots), known)
    upcoming = next_exercise([e.id for e in every], known)
    if output_format is OutputFormat.JSON:
        _write_json(course, [e.id for e in chosen], upcoming)
        return
    from autodrill.render.course_screen import course_lines
    from autodrill.render.plain import Paint, say, symbols_for, width_of

    paint, width = Paint.for_stream(sys.stdout, os.environ), width_of(sys.stdout, os.environ)
    for line in course_lines(course, shown, upcoming, now(), paint, symbols_for(sys.stdout), width):
        say(line)
    if upcoming is not None:
        say(f"next: autodrill open {upcoming}{again(pack)}", err=True)


def _refuse(what: str, value: str, names: set[str]) -> None:
    from autodrill.drills.library import suggest

    nearest = suggest(value, names)
    raise UnknownNameError(what, value, nearest, hint=None if nearest else f"use one of {', '.join(sorted(names))}")


def _known() -> "Progress":
    from autodrill.folders import history_file
    from autodrill.practice.progress import Progress, progress

    if not history_file(os.environ).exists():
        return Progress({}, {})
    with open_store() as store:
        return progress(store, now())


def _write_json(course: "list[CourseTrack]", ids: list[str], upcoming: str | None) -> None:
    from autodrill.cli.exercise_commands import heading_as_dict
    from autodrill.render.document import write_document

    items = {item.exercise.id: item for track in course for item in track.items}
    exercises = [
        heading_as_dict(items[name].exercise)
        | {
            "state": items[name].state,
            "due": due.isoformat() if (due := items[name].due) else None,
            "after": list(items[name].after),
        }
        for name in ids
    ]
    tracks = [
        {
            "track": track.track.name,
            "title": track.track.title,
            "goal": track.track.goal,
            "exercises": len(track.items),
            "passed": track.passed,
            "minutes_left": track.minutes_left,
        }
        for track in course
    ]
    write_document("list", exercises=exercises, tracks=tracks, next=upcoming)
