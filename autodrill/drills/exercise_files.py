"""Reading exercise files from a folder, by path and never by import name."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING

from autodrill.drills.exercise import Exercise, Heading
from autodrill.drills.header import parse_header
from autodrill.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from autodrill.drills.header import Header

__all__ = ["load_exercise", "load_headings", "read_text"]

_ID = re.compile(r"[a-z][a-z0-9_]*\Z")


def load_headings(paths: Iterable[Path]) -> list[Heading]:
    """Read the headers of exercise files, in the order given.

    Raises:
        ContentError: Carrying every problem of every header.
    """
    headings: list[Heading] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            header, found = parse_header(read_text(path), path)
        except ContentError as error:
            problems += error.problems
            continue
        problems += found
        if header is not None:
            headings.append(_heading(path, header))
    if problems:
        raise ContentError(problems)
    return headings


def load_exercise(path: Path) -> Exercise:
    """Read one exercise file.

    Raises:
        ContentError: If it is malformed; every problem is carried.
    """
    from autodrill.drills.kinds import kind_named
    from autodrill.drills.source import SourceFile

    text = read_text(path)
    header, problems = parse_header(text, path)
    if not _ID.match(path.stem):
        problems.append(Problem(str(path), 1, f"`{path.stem}` must be lower-case letters, digits and underscores"))
    skipped = header.lines if header else 0
    stub = text.split("\n", skipped)[-1]
    try:
        source = SourceFile(stub, str(path))
    except SyntaxError as error:
        raise ContentError([*problems, Problem(str(path), skipped + (error.lineno or 1), error.msg)]) from None
    if not source.docstring:
        problems.append(Problem(str(path), skipped + 1, "the task is missing: write it as the file's docstring"))
    kind = kind_named(header.kind if header else "program")
    entry = (header.entry if header else "") or kind.entry(path.stem)
    defined = {}
    for name in (part.partition(".")[0] for part in entry.split()):
        found = source.functions(name)
        if len(found) != 1:
            problems.append(Problem(str(path), skipped + 1, f"the stub must define `{name}` exactly once"))
        else:
            defined[name] = found[0].node
    if problems or header is None:
        raise ContentError(problems)
    parameters = kind.parameters(entry, defined)
    if (message := kind.stub_problem(entry, parameters)) is not None:
        line = skipped + next(iter(defined.values())).lineno
        raise ContentError([Problem(str(path), line, message)])
    heading = _heading(path, header)
    known = {field.name: getattr(heading, field.name) for field in fields(heading)}
    return Exercise(**known, task=source.docstring, stub=stub, entry=entry, parameters=parameters)


def read_text(path: Path) -> str:
    """Read a content file.

    Raises:
        ContentError: If it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = 1 + error.object[: error.start].count(b"\n")
        raise ContentError([Problem(str(path), line, "the file is not UTF-8")]) from None
    except OSError as error:
        raise ContentError([Problem(str(path), 1, f"the file cannot be read: {error.strerror}")]) from None


def _heading(path: Path, header: Header) -> Heading:
    return Heading(
        id=path.stem,
        track=path.parent.name,
        title=header.title,
        kind=header.kind,
        difficulty=header.difficulty,
        minutes=header.minutes,
        topics=header.topics,
        requires=header.requires,
        path=path,
    )
