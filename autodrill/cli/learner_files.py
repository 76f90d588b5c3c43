"""The learner's files: which file a command means, the stub written and restored, and the editor."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.cli.options import again, learner_file
from autodrill.drills.exercise import kind_named
from autodrill.errors import FileError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from autodrill.drills.exercise import Exercise, Heading
    from autodrill.drills.library import Library

__all__ = [
    "Work",
    "editor_command",
    "find_work",
    "last_kept",
    "latest_work",
    "note_opened",
    "prediction_offer",
    "put_back",
    "restore_stub",
    "start_editor",
    "work_for",
    "write_stub",
]

_AT_ONCE = 2.0
"""Files saved within this many seconds, as by a checkout, do not show which one the learner works on."""


@dataclass(frozen=True, slots=True)
class Work:
    """An exercise and the learner's file for it.

    Attributes:
        exercise: The exercise.
        path: The file.
        named: The path, if a command must name it with `--file` to find it; None if the exercise's name is enough.
    """

    exercise: Exercise
    path: Path
    named: Path | None = None


def find_work(library: Library, target: str | None, file: Path | None, command: str) -> Work:
    """Return the exercise and the file that a command line means.

    Args:
        library: The exercises.
        target: A name of an exercise, or a path of a file that has such a name. None means the latest work.
        file: The file, if it has another name.
        command: The command, for hints.

    Raises:
        FileError: There is no such file.
        UsageError: The command line names two files, or does not say which file it means.
    """
    if target is None and file is None:
        return latest_work(library, command)
    if target is None:
        target = str(file)
    elif not _is_path(target):
        exercise = library.find(target)
        return Work(exercise, learner_file(exercise, file, again(library.packs)), file)
    elif file is not None:
        raise UsageError(
            f"`{target}` and `--file {file}` are two files",
            hint=f"name the exercise and the file: `autodrill {command} NAME --file {file}`",
        )
    path = Path(target)
    if not path.is_file():
        raise FileError(f"there is no file `{path}`", hint="`autodrill open NAME` writes the stub of an exercise")
    try:
        exercise = library.find(path.stem)
    except UnknownNameError as error:
        hint = f"name the exercise: `autodrill {command} NAME --file {path}`"
        raise UnknownNameError("exercise", path.stem, error.suggestions, hint=hint) from None
    return Work(exercise, path, None if path == Path(f"{exercise.id}.py") else path)


def _is_path(target: str) -> bool:
    return os.sep in target or (target.endswith(".py") and Path(target).is_file())


def latest_work(library: Library, command: str) -> Work:
    """Return the exercise file of the current folder, or the file that was opened or saved last.

    Of several files in the current folder, the one that was saved last is meant.

    Raises:
        FileError: There is no file of an exercise.
        UsageError: Several files of the current folder were saved at the same time.
    """
    from autodrill.folders import practice_folder

    here = _saved_last([path for path in Path().glob("*.py") if path.stem in library.paths])
    if len(here) > 1 and here[0][0] - here[1][0] < _AT_ONCE:
        names = [path.stem for saved, path in here if here[0][0] - saved < _AT_ONCE]
        listed = ", ".join(f"`{name}.py`" for name in names[:4]) + (", ..." if len(names) > 4 else "")
        raise UsageError(
            f"this folder has {len(names)} files saved at the same time: {listed}",
            hint=f"name one: `autodrill {command} {names[0]}`",
        )
    if here:
        return Work(library.find(here[0][1].stem), here[0][1])
    practised = [p for p in practice_folder(os.environ).glob("*.py") if p.stem in library.paths]
    elsewhere = _saved_last(practised)
    opened = _opened()
    if opened is not None and opened[1].stem in library.paths and (not elsewhere or opened[0] > elsewhere[0][0]):
        elsewhere = [opened]
    if not elsewhere:
        raise FileError(
            "there is no exercise file in this folder or in the practice folder",
            hint="`autodrill next` names an exercise, and `autodrill open NAME` writes its file",
        )
    path = elsewhere[0][1]
    return Work(library.find(path.stem), path, None if path.parent == practice_folder(os.environ) else path)


def work_for(exercise: Exercise, folder: Path | None = None) -> tuple[Work, bool]:
    """Return the learner's work on an exercise, and whether its file was written just now, with the stub.

    Args:
        exercise: The exercise.
        folder: The folder for a new file; None for the practice folder.

    Raises:
        FileError: The file cannot be written.
    """
    from autodrill.folders import practice_folder

    try:
        return Work(exercise, learner_file(exercise, None)), False
    except FileError:
        usual = folder in {None, Path(), practice_folder(os.environ)}
        path = (folder or practice_folder(os.environ)) / f"{exercise.id}.py"
        return Work(exercise, path, None if usual else path), write_stub(exercise, path)


def _saved_last(paths: list[Path]) -> list[tuple[float, Path]]:
    return sorted(((path.stat().st_mtime, path) for path in paths if path.is_file()), reverse=True)


def note_opened(path: Path) -> None:
    """Remember a file as the one that was opened last. Without a writable folder nothing is remembered."""
    import contextlib

    with contextlib.suppress(OSError):
        _marker().parent.mkdir(parents=True, exist_ok=True)
        # Replaced, not written in place, so that another command never reads half a path.
        fresh = _marker().with_name(f".opened-{os.getpid()}")
        fresh.write_bytes(os.fsencode(path.absolute()))
        fresh.replace(_marker())


def prediction_offer(exercise: Heading, packs: str) -> str:
    """Return the line that offers to predict the gradients of a new exercise; empty if it has none to predict.

    The command in it has the options `packs`.
    """
    if kind_named(exercise.kind).no_prediction:
        return ""
    return f"predict first: autodrill predict {exercise.id}{packs}"


def _opened() -> tuple[float, Path] | None:
    """Return the file that was opened last, with the later of the times at which it was opened and saved."""
    try:
        path = Path(os.fsdecode(_marker().read_bytes()))
        return max(_marker().stat().st_mtime, path.stat().st_mtime), path
    except (OSError, ValueError):  # nothing was opened, or the file is gone
        return None


def _marker() -> Path:
    from autodrill.folders import home

    return home(os.environ) / "opened"


def write_stub(exercise: Exercise, path: Path, text: str | None = None) -> bool:
    """Write the stub of an exercise, or another text, if there is no such file; return whether it was written.

    Raises:
        FileError: The file cannot be written.
    """
    from autodrill.drills.exercise import starting_file

    if path.exists():
        return False
    _write(path, starting_file(exercise) if text is None else text)
    return True


def restore_stub(exercise: Exercise, path: Path, moment: datetime, text: str | None = None) -> Path:
    """Rename a file, write the stub, or another text, in its place, and return the new path of the old file.

    Raises:
        FileError: The file cannot be renamed, or the stub cannot be written.
    """
    from autodrill.drills.exercise import starting_file

    kept = path.with_name(_kept_name(path, moment))
    try:
        path.rename(kept)
    except OSError as error:
        raise FileError(
            f"`{path}` cannot be renamed: {error.strerror}",
            hint="copy the file to a writable folder, and give the path of the copy with `--file`",
        ) from None
    _write(path, starting_file(exercise) if text is None else text)
    return kept


def last_kept(path: Path) -> Path | None:
    """Return the file that was set aside last in the place of `path`, or None."""
    return max(path.parent.glob(f"{glob.escape(path.stem)}.*.bak.py"), default=None)


def put_back(exercise: Exercise, path: Path, kept: Path, moment: datetime) -> Path | None:
    """Give a file that was set aside its name back.

    Returns:
        The new path of what was there meanwhile; None if that was nothing or the stub.

    Raises:
        FileError: A file cannot be renamed.
    """
    from autodrill.drills.exercise import starting_file

    # An editor may save at any moment, so no step writes over a file.
    other: Path | None = path.with_name(_kept_name(path, moment))
    assert other is not None
    try:
        try:
            path.rename(other)
        except FileNotFoundError:
            other = None
        _rename_new(kept, path)
        kept.unlink(missing_ok=True)
        if other is not None and other.read_bytes() == starting_file(exercise).encode():
            other.unlink()
            other = None
    except FileExistsError:
        raise FileError(f"`{path}` was just saved again", hint=f"your old file is `{kept}`") from None
    except OSError as error:
        raise FileError(
            f"`{kept}` cannot be renamed: {error.strerror}", hint=f"copy it over `{path}` yourself; nothing is lost"
        ) from None
    return other


def _kept_name(path: Path, moment: datetime) -> str:
    return f"{path.stem}.{moment:%Y%m%d-%H%M%S-%f}.bak.py"


def _write(path: Path, text: str) -> None:
    """Write a new file; an existing file is never overwritten, and the new one is never seen incomplete."""
    fresh = path.with_name(f".{path.stem}-{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            fresh.write_text(text, encoding="utf-8")
            _rename_new(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    except FileExistsError:
        raise FileError(f"`{path}` already exists", hint="rename or delete that file, then try again") from None
    except OSError as error:
        raise FileError(
            f"`{path}` cannot be written: {error.strerror}",
            hint=f"set `AUTODRILL_HOME` to a writable folder, or use `autodrill open {path.stem} --here`",
        ) from None


def _rename_new(fresh: Path, path: Path) -> None:
    """Give a file another name that no file may have yet.

    Raises:
        FileExistsError: There is such a file.
    """
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError from None
        fresh.rename(path)


def editor_command() -> str:
    """Return the learner's editor command, empty if none is set."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def start_editor(command: str, path: Path) -> None:
    """Open a file in an editor, and wait for the editor.

    Raises:
        UsageError: The editor cannot be started.
    """
    import shlex
    import subprocess

    try:
        subprocess.run([*shlex.split(command), str(path)], check=False)  # noqa: S603 the learner's own editor
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"the editor `{command}` cannot be started: {why}",
            hint="set `EDITOR` to another editor",
        ) from None
