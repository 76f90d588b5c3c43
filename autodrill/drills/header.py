"""The header of an exercise file: a TOML block in comments, as PEP 723 writes a script's metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.drills.exercise import Difficulty
from autodrill.drills.kinds import kind_names
from autodrill.errors import Problem

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Header", "parse_header"]

_BLOCK = re.compile(r"(?m)\A# /// autodrill$\n(?P<body>(?:^#(?:| .*)$\n)+?)^# ///$\n")
_STRINGS = ("title", "kind", "difficulty", "entry")
_LISTS = ("topics", "requires")
_REQUIRED = ("title", "kind", "difficulty", "minutes", "topics")


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of an exercise and the number of lines its block takes; `entry` is empty where it is the usual."""

    title: str
    kind: str
    difficulty: Difficulty
    minutes: int
    topics: tuple[str, ...]
    requires: tuple[str, ...]
    entry: str
    lines: int


def parse_header(text: str, path: Path) -> tuple[Header | None, list[Problem]]:
    """Parse the block at the top of an exercise file.

    Returns:
        The header and no problem, or None and every problem found with its line.
    """
    import tomllib

    match = _BLOCK.match(text)
    if match is None:
        return None, [Problem(str(path), 1, "the file must begin with a block `# /// autodrill` ... `# ///`")]
    body = "\n".join(line[2:] for line in match["body"].splitlines())
    lines = match[0].count("\n")
    try:
        table = tomllib.loads(body)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        return None, [Problem(str(path), 1 + int(found[1]) if found else 1, f"the header is not valid TOML: {error}")]
    problems: list[Problem] = []

    def complain(key: str, message: str) -> None:
        at = re.search(rf"(?m)^# {re.escape(key)}\b", match[0])
        problems.append(Problem(str(path), 1 + match[0][: at.start()].count("\n") if at else 1, message))

    for key in table:
        if key not in (*_STRINGS, *_LISTS, "minutes"):
            complain(key, f"unknown key `{key}`; known are {', '.join((*_STRINGS, 'minutes', *_LISTS))}")
    for key in _REQUIRED:
        if key not in table:
            complain(key, f"the header lacks `{key}`")
    for key in _STRINGS:
        if key in table and not isinstance(table[key], str):
            complain(key, f"`{key}` must be a string")
    for key in _LISTS:
        if not _is_list_of_strings(table.get(key, [])):
            complain(key, f"`{key}` must be a list of strings")
    minutes = table.get("minutes", 1)
    if type(minutes) is not int or minutes < 1:
        complain("minutes", "`minutes` must be a whole number, at least 1")
    for key, known in (("kind", kind_names()), ("difficulty", tuple(Difficulty))):
        if isinstance(table.get(key), str) and table[key] not in known:
            complain(key, f"`{key}` is `{table[key]}`; it must be one of {', '.join(known)}")
    if problems:
        return None, problems
    return (
        Header(
            table["title"],
            table["kind"],
            Difficulty(table["difficulty"]),
            minutes,
            tuple(table["topics"]),
            tuple(table.get("requires", ())),
            table.get("entry", ""),
            lines,
        ),
        [],
    )


def _is_list_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
