"""`autodrill new`: the two files of a new exercise."""

import re
from pathlib import Path
from typing import Annotated

import typer

from autodrill.cli.options import Format, OutputFormat
from autodrill.drills.exercise import kind_named, kind_names
from autodrill.errors import UsageError

__all__ = ["new"]


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The exercise's id, as in `autodrill check NAME`.")],
    kind: Annotated[
        str,
        typer.Option(
            metavar=f"[{'|'.join(kind_names())}]",
            help="What the candidate has to write.",
            autocompletion=kind_names,
        ),
    ],
    pack: Annotated[
        Path, typer.Option(help="The folder with exercises/ and solutions/. The command creates the folder if needed.")
    ] = Path(),
    track: Annotated[str, typer.Option(help="The folder inside exercises/ and solutions/ for the two files.")] = "mine",
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Create the two files of a new exercise.

    The files contain everything that can be filled in from the kind alone. `autodrill verify` then lists what you still
    have to write, with file and line. Existing files are not overwritten.

    Example:
      autodrill new cube_backward --kind backward --pack my_course --track powers
    """
    from autodrill.drills.library import Library
    from autodrill.drills.template import new_files

    for word in (name, track):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word):
            raise UsageError(
                f"`{word}` is not a valid name",
                hint="use lower-case letters, digits and underscores, with a letter first",
            )
    if kind not in kind_names():
        raise UsageError(f"there is no kind `{kind}`", hint=f"the kinds are {', '.join(kind_names())}")
    if (refused := kind_named(kind).refused_name(name)) is not None:
        raise UsageError(refused[0], hint=refused[1])
    known = Library.open([pack] if (pack / "exercises").is_dir() else []).paths
    if name in known:
        raise UsageError(f"the exercise `{name}` already exists: {known[name]}", hint="choose another name")
    texts = new_files(name, kind)
    paths = [pack / folder / track / f"{name}.py" for folder in ("exercises", "solutions")]
    for path in paths:
        if path.exists():
            raise UsageError(f"`{path}` already exists", hint="choose another name, or delete the file")
    for path, text in zip(paths, texts, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("new", exercise=name, paths=[str(path.absolute()) for path in paths])
        return
    from autodrill.render.plain import clean, say

    for path in paths:
        say(clean(str(path)))
    say(clean(f"written; to list what is left to write: autodrill verify {name} --pack {pack}"), err=True)
