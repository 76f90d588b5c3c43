"""The limits of a child process. Its parent enforces time and output, `child.rlimits` memory.

This module does not import NumPy, so that a child process can be started before NumPy is loaded here.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHECK_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a child process.

    Attributes:
        seconds: Wall time for loading the file, and for each call.
        memory: Bytes that the process may allocate beyond what Python and NumPy take.
        output: Bytes that it may print during each load and each call.
        total: Wall time for grading a file: its load, all its calls, and those that explain a fault. Then it is ended.
    """

    seconds: float = 5.0
    memory: int = 1 << 30
    output: int = 1 << 20
    total: float = 60.0


CHECK_LIMITS = Limits(seconds=2.0, memory=1 << 30, output=1 << 20)
"""The limits of `check` and `grade`: 2 s is enough for every honest answer on inputs of these sizes."""
