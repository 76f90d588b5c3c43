"""The errors that a user can see, as one tree.

Every message says what happened, with literals in backticks. Every hint says what to type next.

    AutodrillError            exit code 2, unless stated otherwise
    ├── UsageError            the command line names something unknown, or combines options that exclude each other
    │   ├── UnknownNameError  no such exercise, question or topic; carries the nearest names
    │   ├── FileError         a file of the learner is missing, unreadable or malformed
    │   ├── UnconfinedError   this system cannot enforce the sandbox that the command requires
    │   └── NoCompilerError   a kernel needs a C++ compiler, and this machine has none
    ├── ContentError          an exercise or a question is malformed; carries every problem, for its author
    ├── StoreError            the learner's history cannot be opened; it was not changed
    └── InternalError         a fault of autodrill or of the exercise, never of the learner: exit code 3
"""

from __future__ import annotations

import copyreg
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    """An error for the person at the keyboard.

    Attributes:
        message: What happened, in a few sentences at most, with literals in backticks.
        hint: What to type next, or None.
        where: The place of the error, as `path` or `path:line`, or None.
    """

    def __init__(self, message: str, *, hint: str | None = None, where: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it without `__init__`, whose parameters differ: a worker process sends its errors to its parent."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]  # typeshed lacks it


class UsageError(AutodrillError):
    """The command line names something unknown, or combines options that exclude each other."""


class UnknownNameError(UsageError):
    """There is no such exercise, question or topic.

    Attributes:
        name: The name that was typed.
        suggestions: The nearest existing names, best first.
    """

    def __init__(self, what: str, name: str, suggestions: Sequence[str] = (), *, hint: str | None = None) -> None:
        if suggestions and hint is None:
            hint = "did you mean " + " or ".join(f"`{s}`" for s in suggestions) + "?"
        super().__init__(f"no {what} named `{name}`", hint=hint)
        self.name = name
        self.suggestions = tuple(suggestions)


class FileError(UsageError):
    """A file of the learner is missing, unreadable or malformed."""


class UnconfinedError(UsageError):
    """This system cannot enforce the sandbox that the command requires."""


class NoCompilerError(UsageError):
    """A kernel needs a C++ compiler for the simulated device, and this machine has none."""

    def __init__(self) -> None:
        super().__init__(
            "this machine has no C++ compiler, and the simulated device for kernels needs one",
            hint="on Linux install `g++` or `clang++`, or set `CXX` to a compiler; `autodrill doctor` shows the result",
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a content file: its line, what is wrong, and how to correct it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class ContentError(AutodrillError):
    """An exercise or a question is malformed. The error carries every problem, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class StoreError(AutodrillError):
    """The learner's history cannot be opened; it was not changed."""


class InternalError(AutodrillError):
    """A fault of autodrill or of the exercise, never of the learner."""
