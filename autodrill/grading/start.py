"""Starting the right process for an exercise's answers: a kernel is not loaded as Python is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.exercise import Kind
from autodrill.grading.process import Runner

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise
    from autodrill.grading.limits import Limits

__all__ = ["start_runner"]


def start_runner(exercise: Exercise, limits: Limits) -> Runner:
    """Start a process for one's own answer to an exercise, and return at once.

    Raises:
        NoCompilerError: The exercise asks for a kernel, and there is no C++ compiler on this machine.
        UsageError: This system cannot hold a candidate's process.
    """
    if exercise.kind is not Kind.KERNEL:
        return Runner.start(limits)
    from autodrill.grading.device.runner import KernelRunner

    return KernelRunner.for_exercise(exercise, limits)
