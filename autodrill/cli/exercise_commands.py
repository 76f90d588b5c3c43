"""`autodrill list`, `show`, `open` and `reset`: the exercises, and the learner's files for them."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.learner_files import editor_command, note_opened, restore_stub, start_editor, write_stub
from autodrill.cli.options import ExerciseName, Format, OutputFormat, learner_file, now, open_store
from autodrill.drills.exercise import Difficulty, Heading
from autodrill.errors import UnknownNameError

if TYPE_CHECKING:
    from autodrill.practice.log_records import State

__all__ = ["list_", "open_", "reset", "show"]


def list_(
    track: Annotated[str | None, typer.Option(help="List only the exercises of this track, such as scalar.")] = None,
    topic: Annotated[str | None, typer.Option(help="List only exercises on this topic.")] = None,
    difficulty: Annotated[Difficulty | None, typer.Option(help="List only exercises of this difficulty.")] = None,
    todo: Annotated[bool, typer.Option("--todo", help="List only exercises that are due or not passed yet.")] = False,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """List the exercises in the recommended order.

    Each line starts with your state: new, tried, passed or due (passed before, ready for review).

    Examples:
      autodrill list
      autodrill list --track scalar --todo
    """
    from autodrill.drills.library import Library, suggest
    from autodrill.practice.log_records import State

    every = Library.open().headings()
    for what, value, known in (
        ("track", track, {e.track for e in every}),
        ("topic", topic, {t for e in every for t in e.topics}),
    ):
        if value is not None and value not in known:
            nearest = suggest(value, known)
            raise UnknownNameError(
                what, value, nearest, hint=None if nearest else f"use one of {', '.join(sorted(known))}"
            )
    standing = _standing()
    chosen = [
        e
        for e in every
        if (track is None or e.track == track)
        and (topic is None or topic in e.topics)
        and (difficulty is None or e.difficulty is difficulty)
        and (not todo or standing.get(e.id, State.NEW) is not State.PASSED)
    ]
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("list", exercises=[_as_dict(e) | {"state": standing.get(e.id, State.NEW)} for e in chosen])
        return
    from autodrill.render.exercise_screen import listing
    from autodrill.render.plain import Paint, say, width_of

    width = width_of(sys.stdout, os.environ)
    for line in listing(chosen, standing, Paint.for_stream(sys.stdout, os.environ), width):
        say(line)


def show(name: ExerciseName, output_format: Format = OutputFormat.TEXT) -> None:
    """Show the task and the stub of an exercise.

    Example:
      autodrill show mul_backward
    """
    from autodrill.drills.library import Library

    exercise = Library.open().find(name)
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("show", **_as_dict(exercise), task=exercise.task, stub=exercise.stub)
        return
    from autodrill.render.console import stdout_console
    from autodrill.render.exercise_screen import print_task

    print_task(stdout_console(), exercise)


def open_(
    name: ExerciseName,
    here: Annotated[
        bool, typer.Option("--here", help="Write to the current folder, not to the practice folder.")
    ] = False,
    editor: Annotated[bool, typer.Option(help="On a terminal, open the file in $VISUAL or $EDITOR.")] = True,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Write the stub of an exercise to a file for you to edit.

    On a terminal the command then opens the file in $VISUAL or $EDITOR. An existing file is never overwritten.

    Examples:
      autodrill open mul_backward --here
      EDITOR="code -g" autodrill open mul_backward
    """
    from autodrill.drills.library import Library
    from autodrill.folders import practice_folder

    exercise = Library.open().find(name)
    path = (Path() if here else practice_folder(os.environ)) / f"{exercise.id}.py"
    fresh = write_stub(exercise, path)
    note_opened(path)
    command = editor_command()
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("open", exercise=exercise.id, path=str(path.absolute()), written=fresh)
        return
    from autodrill.render.plain import clean, say

    say(clean(str(path)))
    say(
        f"{'file written' if fresh else 'the file exists and was not changed'}; "
        f"to grade it: autodrill check {exercise.id}",
        err=True,
    )
    if editor and command and sys.stdin.isatty() and sys.stdout.isatty():
        start_editor(command, path)


def reset(
    name: ExerciseName,
    file: Annotated[Path | None, typer.Option(help="The file to reset, instead of ./NAME.py.")] = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Restore the stub of an exercise.

    Your file is renamed first, so nothing is lost.

    Example:
      autodrill reset mul_backward
    """
    from autodrill.drills.library import Library

    exercise = Library.open().find(name)
    path = learner_file(exercise, file)
    kept = restore_stub(exercise, path, now())
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("reset", exercise=exercise.id, path=str(path.absolute()), kept=str(kept.absolute()))
        return
    from autodrill.render.plain import clean, say

    say(clean(str(path)))
    say(clean(f"the stub is restored; your old file is now {kept}"), err=True)


def _standing() -> "dict[str, State]":
    from autodrill.folders import history_file
    from autodrill.practice.progress import progress

    if not history_file(os.environ).exists():
        return {}
    with open_store() as store:
        return progress(store, now()).states


def _as_dict(exercise: Heading) -> dict[str, object]:
    return {
        "id": exercise.id,
        "track": exercise.track,
        "title": exercise.title,
        "kind": exercise.kind,
        "difficulty": exercise.difficulty,
        "minutes": exercise.minutes,
        "topics": list(exercise.topics),
        "requires": list(exercise.requires),
    }
