"""The reader of a question's front matter: TOML, read field by field so that each problem has its line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from autodrill.bank.questions import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

    Note = Callable[[int, str], None]
    E = TypeVar("E", bound=StrEnum)

__all__ = ["FrontMatter"]

_COMMON = {"id", "kind", "difficulty", "minutes", "topics", "sources", "exercises"}
_OF_KIND = {
    Kind.RECALL: set[str](),
    Kind.CHOICE: set[str](),
    Kind.NUMERIC: {"answers", "tolerance"},
    Kind.PREDICT: {"output"},
    Kind.BUG: {"line", "fix"},
    Kind.DERIVE: {"variables", "answers"},
}
_FIELDS = _COMMON.union(*_OF_KIND.values())


class FrontMatter:
    """A question's front matter. Each method notes problems and then returns a harmless value of the right type.

    Args:
        table: The parsed table.
        lines: Its source lines, to find the line of a field.
        line: The 1-based number of the `+++` line before them.
        note: Receives the line and the text of each problem.
    """

    def __init__(self, table: dict[str, Any], lines: list[str], line: int, note: Note) -> None:
        self._table = table
        self._lines = lines
        self._line = line
        self._note = note

    def line_of(self, field: str) -> int:
        """Return the line of `field` in the file, or the line of the front matter if the field is missing."""
        start = re.compile(rf"\s*(\[\s*{re.escape(field)}\s*\]|\"?{re.escape(field)}\"?\s*=)")
        return next((self._line + i for i, text in enumerate(self._lines, 1) if start.match(text)), self._line)

    def problem(self, field: str, message: str) -> None:
        """Note a problem at the line of `field`."""
        self._note(self.line_of(field), message)

    def _get(self, field: str) -> Any:
        if field not in self._table:
            self._note(self._line, f"`{field}` is missing")
        return self._table.get(field)

    def choice(self, field: str, values: type[E]) -> E | None:
        """Read one of the values of an enum."""
        given = self._get(field)
        if given in [str(value) for value in values]:
            return values(given)
        if given is not None:
            self.problem(field, f"`{field}` must be one of {', '.join(values)}, not {given!r}")
        return None

    def text(self, field: str, pattern: re.Pattern[str] | None = None, wanted: str = "a string") -> str:
        """Read a string that `pattern` matches completely."""
        given = self._get(field)
        if isinstance(given, str) and (pattern is None or pattern.fullmatch(given)):
            return given
        if given is not None:
            self.problem(field, f"`{field}` must be {wanted}, not {given!r}")
        return ""

    def number(self, field: str, default: float | None = None) -> float:
        """Read a positive number."""
        given = self._table.get(field, default) if default is not None else self._get(field)
        if isinstance(given, int | float) and not isinstance(given, bool) and given > 0:
            return given
        if given is not None:
            self.problem(field, f"`{field}` must be a positive number, not {given!r}")
        return 1.0

    def texts(self, field: str, pattern: re.Pattern[str], wanted: str, *, required: bool = False) -> tuple[str, ...]:
        """Read an array of different strings that `pattern` matches."""
        given = self._get(field) if required else self._table.get(field, [])
        if given is None:
            return ()
        if not isinstance(given, list) or (required and not given):
            self.problem(field, f"`{field}` must be an array of at least one string, not {given!r}")
            return ()
        for item in given:
            if not (isinstance(item, str) and pattern.fullmatch(item)):
                self.problem(field, f"each item of `{field}` must be {wanted}, not {item!r}")
        strings = tuple(str(item) for item in given)
        if len(set(strings)) < len(strings):
            self.problem(field, f"`{field}` contains an item twice")
        return strings

    def table(self, field: str) -> dict[str, Any]:
        """Read a nonempty table."""
        given = self._get(field)
        if isinstance(given, dict) and given:
            # In TOML every key below a header belongs to that table, so a field there would silently become a label.
            for misplaced in given.keys() & _FIELDS:
                self.problem(
                    misplaced, f"move `{misplaced}` above `[{field}]`; below that header it is one of the {field}"
                )
            return given
        if given is not None:
            self.problem(field, f"`[{field}]` must be a table of label = value, not {given!r}")
        return {}

    def refuse_unknown(self, kind: Kind) -> None:
        """Note every field that a question of this kind cannot have."""
        allowed = _COMMON | _OF_KIND[kind]
        for field in self._table.keys() - allowed:
            if field in _FIELDS:
                self.problem(field, f"a {kind} question cannot have the field `{field}`")
                continue
            from difflib import get_close_matches

            near = get_close_matches(field, sorted(allowed), n=1)
            self.problem(field, f"unknown field `{field}`" + (f"; did you mean `{near[0]}`?" if near else ""))
