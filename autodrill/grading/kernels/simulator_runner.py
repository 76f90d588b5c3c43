"""Simulator runner: a child process that launches kernels, compiled outside it, on the simulated device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from autodrill.errors import NoCompilerError
from autodrill.grading.kernels.compiler import CompileFailure, find_compiler, shared_compiler
from autodrill.grading.kernels.device_faults import DeviceFault, description
from autodrill.grading.kernels.parse import not_compiled, read_kernel, signature_of
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.outcomes import Broken, NotDefined, Raised, TracebackFrame
from autodrill.sandbox.runner import RankMode, Runner

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from autodrill.drills.exercise import Exercise
    from autodrill.drills.kernel_source import KernelSignature
    from autodrill.sandbox.child_process import ChildProcess
    from autodrill.sandbox.limits import Limits
    from autodrill.sandbox.outcomes import CallOutcome, LoadOutcome
    from autodrill.sandbox.requests import Request

__all__ = ["KernelRunner", "Workshop"]

_DRIVE = Path(__file__).with_name("simulator_driver.py")

_LAUNCH_SECONDS = 1.0
"""Time limit of a launch. A launch takes milliseconds, and the learner waits while an endless loop runs."""


class Workshop:
    """Compiles kernels, and starts processes that can load the libraries; a `Launcher`.

    Args:
        signature: The signature of the kernel.

    Raises:
        NoCompilerError: There is no C++ compiler on this machine.
    """

    def __init__(self, signature: KernelSignature) -> None:
        path = find_compiler()
        if path is None:
            raise NoCompilerError
        self.signature = signature
        self.compiler = shared_compiler(path)

    def __call__(self, *, memory: int, traced: bool) -> ChildProcess:
        """Start a process: see `Launcher`."""
        return launch(memory=memory, traced=traced, readable=(str(self.compiler.folder),))


@dataclass(frozen=True, slots=True)
class _LoadedKernel:
    """The kernel that is loaded."""

    library: Path
    lines: list[str]


class KernelRunner(Runner):
    """A `Runner` for files with a kernel, which it runs on the simulated device."""

    _kernel: _LoadedKernel | None = None

    @classmethod
    def for_exercise(cls, exercise: Exercise, limits: Limits) -> Self:
        """Start a process for submissions to an exercise.

        Raises:
            NoCompilerError: There is no C++ compiler on this machine.
        """
        return cls.start(limits, launcher=Workshop(signature_of(exercise)))

    @property
    def device(self) -> str:
        """The device that runs a kernel."""
        return "a simulated device"

    def load(
        self,
        source: bytes,
        filename: str,
        entry: str,
        scenario: str | None = None,  # noqa: ARG002  a kernel has its own driver
        *,
        seconds: float | None = None,
        ranks: RankMode = RankMode.APART,  # noqa: ARG002  it has none
    ) -> LoadOutcome:
        """Compile the kernel in a file, and load it: see `Runner.load`."""
        workshop = self._workshop()
        kernel = read_kernel(source, filename, entry, workshop.signature)
        if isinstance(kernel, Broken | NotDefined):
            return kernel
        lines = source.decode("utf-8", "replace").split("\n")
        made = workshop.compiler.compile(kernel, workshop.signature)
        if isinstance(made, CompileFailure):
            return not_compiled(made.message, lines, made.line, made.column)
        types = [(p.dtype, p.pointer, p.const) for p in workshop.signature.parameters]
        text = f"def {entry}():\n    return {str(made)!r}, {types!r}\n"
        self._kernel = _LoadedKernel(made, lines)
        return super().load(text.encode(), "<kernel>", entry, _DRIVE.read_text(encoding="utf-8"), seconds=seconds)

    def answers(self, requests: Iterable[Request]) -> Generator[tuple[CallOutcome, ...]]:
        """Launch the kernel: see `Runner.answers`. Findings of the device become messages here."""
        quick = (replace(request, seconds=min(request.seconds, _LAUNCH_SECONDS)) for request in requests)
        for ends in super().answers(quick):
            yield tuple(self._with_message(end) if isinstance(end, Raised) else end for end in ends)

    def line_of(self, instruction: int) -> int | None:
        """Return the line of the loaded file that ends with an instruction of its library, None if it is unknown."""
        if self._kernel is None:
            return None
        return self._workshop().compiler.line_of(self._kernel.library, instruction - 1)

    def _with_message(self, end: Raised) -> Raised:
        if end.type != "DeviceError" or self._kernel is None:
            return end
        try:
            found = DeviceFault(end.message)
        except ValueError:
            return end
        workshop = self._workshop()
        line = -found.at if found.at <= 0 else self.line_of(found.at)
        frames: tuple[TracebackFrame, ...] = ()
        if line is not None and 0 < line <= len(self._kernel.lines):
            frames = (TracebackFrame(line, workshop.signature.name, self._kernel.lines[line - 1]),)
        arrays = [p.name for p in workshop.signature.parameters if p.pointer]
        return Raised(found.name, description(found, arrays), frames)

    def _workshop(self) -> Workshop:
        assert isinstance(self.launcher, Workshop)
        return self.launcher
