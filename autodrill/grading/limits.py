"""What a candidate's process may use; apart from `judge`, which imports NumPy, so that the process can start first."""

from __future__ import annotations

from autodrill.grading.process import Limits

__all__ = ["CHECK_LIMITS"]

CHECK_LIMITS = Limits(seconds=2.0, memory=1 << 30, output=1 << 20)
"""For one's own code: long enough for any honest answer on these sizes, short enough to wait for."""
