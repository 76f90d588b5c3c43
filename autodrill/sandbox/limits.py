"""What a candidate's process may use; apart from `judge`, which imports NumPy, so that the process can start first."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHECK_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a candidate's process may use.

    Attributes:
        seconds: Wall time of loading the file, and of each call.
        memory: Bytes it may allocate beyond what Python and NumPy take.
        output: Bytes it may print, for each load and each call.
        total: Wall time of all the calls together before any more is asked.
    """

    seconds: float = 5.0
    memory: int = 1 << 30
    output: int = 1 << 20
    total: float = 60.0


CHECK_LIMITS = Limits(seconds=2.0, memory=1 << 30, output=1 << 20)
"""For one's own code: long enough for any honest answer on these sizes, short enough to wait for."""
