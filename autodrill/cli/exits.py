"""The exit codes of all commands."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """The exit code that a shell or a CI job sees."""

    DONE = 0
    """Done; if work was graded, it passes."""
    FAILED = 1
    """The graded work fails, or a proof found problems."""
    USAGE = 2
    """Usage error, unknown name, unreadable file or malformed pack."""
    INTERNAL = 3
    """A fault of autodrill or of the exercise, not of the learner."""
    INTERRUPTED = 130
    """Ctrl-C."""
