"""What commands share: exit codes, output formats, the exercise's name, the learner's file, the clock, the history."""

from __future__ import annotations

import os
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.completion import complete_names
from autodrill.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from autodrill.drills.exercise import Exercise
    from autodrill.practice.store import Store

__all__ = [
    "Device",
    "DeviceOption",
    "ExerciseName",
    "Exit",
    "Format",
    "OutputFormat",
    "Packs",
    "WorkName",
    "again",
    "learner_file",
    "newer_file",
    "now",
    "open_store",
]


class Exit(IntEnum):
    """The exit code that a shell or a CI job sees."""

    DONE = 0
    """The command is done, and any graded work passes."""
    FAILED = 1
    """The graded work fails, or a proof found problems."""
    USAGE = 2
    """Usage error, unknown name, unreadable file or malformed pack."""
    INTERNAL = 3
    """A fault of autodrill or of the exercise, not of the learner."""
    INTERRUPTED = 130
    """Ctrl-C."""


class OutputFormat(StrEnum):
    """The output formats of most commands."""

    TEXT = "text"
    JSON = "json"


class Device(StrEnum):
    """Where answers are graded."""

    CPU = "cpu"
    CUDA = "cuda"


DeviceOption = Annotated[
    Device,
    typer.Option(
        "--device",
        help="Where answers are graded. With cuda, answers on arrays get CuPy arrays, and kernels must run on a GPU.",
    ),
]
Format = Annotated[
    OutputFormat,
    typer.Option("--output-format", envvar="AUTODRILL_OUTPUT_FORMAT", help="Text, or one JSON document."),
]
ExerciseName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="An exercise, or the beginning of its name.",
        autocompletion=complete_names,
        show_default=False,
    ),
]
Packs = Annotated[
    list[Path] | None,
    typer.Option(
        "--pack",
        metavar="DIR",
        help="Use the exercises of this pack too: a folder with exercises/ and solutions/. Repeat the option for more.",
        show_default=False,
    ),
]
WorkName = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME|FILE]",
        help="An exercise, the beginning of its name, or a file named after it.",
        autocompletion=complete_names,
        show_default=False,
    ),
]


def again(packs: Iterable[Path] | None) -> str:
    """Return the options that a command needs to find the exercises of these packs again."""
    import shlex

    return "".join(f" --pack {shlex.quote(str(pack))}" for pack in packs or ())


def learner_file(exercise: Exercise, named: Path | None, packs: str = "") -> Path:
    """Return the file to grade: `named`, else `./NAME.py`, else `NAME.py` in the practice folder.

    Raises:
        FileError: The file does not exist. Its hint has the options `packs`.
    """
    from autodrill.folders import practice_folder

    hint = f"`autodrill open {exercise.id}{packs}` writes the stub"
    if named is not None:
        if not named.is_file():
            raise FileError(f"there is no file `{named}`", hint=hint)
        return named
    here = Path(f"{exercise.id}.py")
    if here.is_file():
        return here
    practised = practice_folder(os.environ) / here
    if practised.is_file():
        return practised
    raise FileError(
        f"you have no file for `{exercise.id}` yet: neither `{here}` nor `{practised}` exists",
        hint=hint,
    )


def newer_file(exercise: Exercise, graded: Path) -> Path | None:
    """Return the learner's file in the practice folder if `./NAME.py` was graded instead and is older, or None."""
    from autodrill.folders import practice_folder

    practised = practice_folder(os.environ) / f"{exercise.id}.py"
    try:
        if graded.samefile(practised) or practised.stat().st_mtime <= graded.stat().st_mtime:
            return None
    except OSError:
        return None
    return practised


def now() -> datetime:
    """Return the time. Only the command line reads the clock; the library takes the time as an argument."""
    from datetime import UTC, datetime

    return datetime.now(UTC)


def open_store() -> Store:
    """Open the learner's history, and warn on stderr if a damaged file was set aside."""
    from autodrill.folders import history_file
    from autodrill.practice.store import Store
    from autodrill.render.plain import clean, say

    store = Store.open(history_file(os.environ), now=now())
    if store.set_aside is not None:
        warning = f"warning: the history was damaged; it is kept as `{store.set_aside}`, and a new one is started"
        say(clean(warning), err=True)
    return store
