"""The exit codes of every command, in one place."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """What a finished process says to a shell or a CI job."""

    DONE = 0
    """Done, and graded work passes."""
    FAILED = 1
    """Graded work fails, or a proof found problems."""
    USAGE = 2
    """Usage error, unknown name, unreadable file, bad pack."""
    INTERNAL = 3
    """autodrill's or the pack's own fault, never blamed on the learner."""
    INTERRUPTED = 130
    """Ctrl-C."""
