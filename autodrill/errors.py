"""What can go wrong for a user, as one tree.

Every error says what happened, with the literal in backticks, and what to type next:

    AutodrillError            exit 2 unless a branch says otherwise
    ├── UsageError            the command line asks for something that does not exist or does not fit together
    │   ├── UnknownNameError  no such exercise, question or topic; carries the nearest names
    │   ├── FileError         a file of the learner's that is missing, unreadable or not what it should be
    │   ├── UnconfinedError   a process would not be confined as it must be for what is asked
    │   └── NoCompilerError   a kernel is to be run, and this machine has no C++ compiler
    ├── ContentError          an exercise or question is malformed: its author's to mend; carries every problem found
    ├── StoreError            the learner's history cannot be opened; nothing of it was changed
    └── InternalError         autodrill's or the pack's own fault, never the learner's: exit 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AutodrillError",
    "ContentError",
    "FileError",
    "InternalError",
    "NoCompilerError",
    "Problem",
    "StoreError",
    "UnconfinedError",
    "UnknownNameError",
    "UsageError",
]


class AutodrillError(Exception):
    """An error meant for the person at the keyboard.

    Attributes:
        message: What happened, in one or a few sentences, literals in backticks.
        hint: What to type next, or None.
        where: The place it is about, as `path` or `path:line`, or None.
    """

    def __init__(self, message: str, *, hint: str | None = None, where: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where


class UsageError(AutodrillError):
    """The command line asks for something that does not exist or does not fit together."""


class UnknownNameError(UsageError):
    """No such exercise, question or topic.

    Attributes:
        name: What was typed.
        suggestions: The nearest existing names, best first.
    """

    def __init__(self, what: str, name: str, suggestions: Sequence[str] = (), *, hint: str | None = None) -> None:
        if suggestions and hint is None:
            hint = "did you mean " + " or ".join(f"`{s}`" for s in suggestions) + "?"
        super().__init__(f"no {what} named `{name}`", hint=hint)
        self.name = name
        self.suggestions = tuple(suggestions)


class FileError(UsageError):
    """A file of the learner's is missing, unreadable or not what it should be."""


class UnconfinedError(UsageError):
    """This system cannot confine a process as it must be for what is asked."""


class NoCompilerError(UsageError):
    """A kernel is to be run, and this machine has no C++ compiler for the simulated device."""

    def __init__(self) -> None:
        super().__init__(
            "a kernel is graded on a simulated device, for which this machine has no C++ compiler",
            hint="on Linux install `g++` or `clang++`, or name one in `CXX`; `autodrill doctor` says what was found",
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a content file, at a line, and how to mend it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class ContentError(AutodrillError):
    """A pack's exercise or question is malformed; every problem found is carried, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class StoreError(AutodrillError):
    """The learner's history cannot be opened; nothing of it was changed."""


class InternalError(AutodrillError):
    """autodrill's or the pack's own fault, never the learner's."""
