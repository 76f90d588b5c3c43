"""Runners for submissions: Python code in a child process, kernels on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.errors import NoCompilerError
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill, Exercise
    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.limits import Limits

__all__ = ["start_on_gpu", "start_runner"]


def start_runner(drill: Drill, limits: Limits, launcher: Launcher = launch) -> Runner:
    """Start a runner for a submission of the user's own, and return at once.

    A kernel runs on the simulated device, which names its faults. It runs on a GPU only if there is no compiler.

    Args:
        drill: The exercise.
        limits: Limits of the process.
        launcher: Starts the process; a kernel's process is always a fresh one.

    Raises:
        NoCompilerError: The exercise asks for a kernel, and this machine has neither a C++ compiler nor a GPU.
        UsageError: This system cannot hold a candidate's process.
    """
    if not drill.kind.on_device:
        return Runner.start(limits, launcher=launcher)
    from autodrill.grading.kernels.simulator_runner import KernelRunner

    try:
        return KernelRunner.for_exercise(drill.exercise, limits)
    except NoCompilerError:
        if (gpu := start_on_gpu(drill.exercise, limits)) is None:
            raise
        return gpu


def start_on_gpu(exercise: Exercise, limits: Limits) -> Runner | None:
    """Start a runner for a kernel of the user's own on the GPU, or return None if there is none."""
    from autodrill.grading.kernels.gpu_runner import GpuRunner, has_gpu

    return GpuRunner.for_exercise(exercise, limits) if has_gpu() else None
