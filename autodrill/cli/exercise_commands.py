"""`autodrill show`, `open` and `reset`: an exercise, and the learner's file for it."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.blank_again import blank_again, blank_notice
from autodrill.cli.learner_files import (
    editor_command,
    last_kept,
    note_opened,
    prediction_offer,
    put_back,
    restore_stub,
    start_editor,
    write_stub,
)
from autodrill.cli.options import ExerciseName, Format, OutputFormat, Packs, again, learner_file, now
from autodrill.drills.exercise import Heading
from autodrill.errors import FileError
from autodrill.sandbox.libraries import Framework, require

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise
    from autodrill.drills.library import Library

__all__ = ["heading_as_dict", "open_", "reset", "show"]


def show(name: ExerciseName, pack: Packs = None, output_format: Format = OutputFormat.TEXT) -> None:
    """Show the task and the stub of an exercise.

    Example:
      autodrill show mul_backward
    """
    from autodrill.drills.library import Library

    exercise = Library.open(pack or ()).find(name)
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("show", **heading_as_dict(exercise), task=exercise.task, stub=exercise.stub)
        return
    from autodrill.render.console import stdout_console
    from autodrill.render.exercise_screen import print_task

    print_task(stdout_console(), exercise, again(pack))


def open_(
    name: ExerciseName,
    here: Annotated[
        bool, typer.Option("--here", help="Write to the current folder, not to the practice folder.")
    ] = False,
    editor: Annotated[bool, typer.Option(help="On a terminal, open the file in $VISUAL or $EDITOR.")] = True,
    framework: Annotated[Framework | None, typer.Option(help="Write a stub that uses this framework.")] = None,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Write the stub of an exercise to a file for you to edit.

    On a terminal the command then opens the file in $VISUAL or $EDITOR. An existing file is never overwritten. If you
    solved the exercise before and it is due, your old answer gets another name, and the file is blank again.

    Examples:
      autodrill open mul_backward --here
      autodrill open matmul_backward --framework torch
      EDITOR="code -g" autodrill open mul_backward
    """
    from autodrill.drills.library import Library
    from autodrill.folders import practice_folder

    library = Library.open(pack or ())
    exercise = library.find(name)
    path = (Path() if here else practice_folder(os.environ)) / f"{exercise.id}.py"
    text = None if framework is None else _file_in(library, exercise, framework)
    kept = blank_again(exercise, path, text)
    fresh = write_stub(exercise, path, text) or kept is not None
    note_opened(path)
    command = editor_command()
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document(
            "open",
            exercise=exercise.id,
            path=str(path.absolute()),
            written=fresh,
            kept=str(kept.absolute()) if kept else None,
        )
        return
    from autodrill.render.plain import clean, say

    say(clean(str(path)))
    if kept is not None:
        say(clean(f"{blank_notice(exercise, kept)}; to take it back: autodrill reset {exercise.id} --undo"), err=True)
    say(
        f"{'file written' if fresh else 'the file exists and was not changed'}; "
        f"to grade it: autodrill check {exercise.id}{again(pack)}",
        err=True,
    )
    if fresh and (offer := prediction_offer(exercise, again(pack))):
        say(offer, err=True)
    if editor and command and sys.stdin.isatty() and sys.stdout.isatty():
        start_editor(command, path)


def _file_in(library: "Library", exercise: "Exercise", framework: Framework) -> str:
    """Return the stub of an exercise for answers in a framework.

    Raises:
        UsageError: The exercise cannot be answered in it, or it is not installed.
    """
    from autodrill.drills.framework_stub import check_takes_frameworks, framework_file

    check_takes_frameworks(library.drill(exercise), framework)
    require(framework, f"{framework.brand} is not installed")
    return framework_file(exercise, framework)


def reset(
    name: ExerciseName,
    file: Annotated[Path | None, typer.Option(help="The file to reset, instead of ./NAME.py.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Bring back the file that was set aside last.")] = False,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Restore the stub of an exercise.

    Your file is renamed first, so nothing is lost. --undo brings it back, and also an old answer that `open` or `watch`
    set aside.

    Examples:
      autodrill reset mul_backward
      autodrill reset mul_backward --undo
    """
    from autodrill.drills.library import Library

    exercise = Library.open(pack or ()).find(name)
    path = learner_file(exercise, file, again(pack))
    kept = _put_back(exercise, path) if undo else restore_stub(exercise, path, now())
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document(
            "reset", exercise=exercise.id, path=str(path.absolute()), kept=str(kept.absolute()) if kept else None
        )
        return
    from autodrill.render.plain import clean, say

    say(clean(str(path)))
    done = "your old file is back" if undo else "the stub is restored"
    what = "what you wrote since then" if undo else "your old file"
    say(clean(done + (f"; {what} is now {kept}" if kept else "")), err=True)


def _put_back(exercise: "Exercise", path: Path) -> Path | None:
    kept = last_kept(path)
    if kept is None:
        raise FileError(f"no file was set aside for `{path}`", hint="`--undo` takes back a reset")
    return put_back(exercise, path, kept, now())


def heading_as_dict(exercise: Heading) -> dict[str, object]:
    """Return the metadata of an exercise as JSON values."""
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
