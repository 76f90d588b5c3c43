"""GPU runner: a child process in which NVRTC compiles kernels and a GPU runs them.

A GPU driver needs many devices, threads and system calls, so such a process is not confined: it is only for your own
kernels. The effect of a race or an access out of bounds on a GPU is undefined. The simulated device runs first and
names such faults.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

from autodrill.errors import UsageError
from autodrill.grading.kernels.parse import read_kernel, signature_of
from autodrill.sandbox.child.confinement import APART
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.outcomes import Broken, NotDefined
from autodrill.sandbox.runner import RankMode, Runner

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise
    from autodrill.drills.kernel_source import KernelSignature, KernelText
    from autodrill.sandbox.child_process import ChildProcess
    from autodrill.sandbox.limits import Limits
    from autodrill.sandbox.outcomes import LoadOutcome

__all__ = ["GPU_LIMITS", "ON_GPU", "GpuRunner", "cupy_folder", "has_gpu", "require_gpu", "text_for_nvrtc"]

ON_GPU = "the GPU"

_DRIVE = Path(__file__).with_name("gpu_driver.py")
_DEVICES = (Path("/dev/nvidiactl"), Path("/dev/dxg"))
_NAMES = "#define INFINITY __int_as_float(0x7f800000)\n#define NAN __int_as_float(0x7fffffff)\n"
"""Definitions that nvcc takes from a header that NVRTC does not read. The simulated device has them too."""

_SECONDS = 20.0
"""Time limit of a load or launch. The first one compiles."""

GPU_LIMITS = replace(CHECK_LIMITS, seconds=_SECONDS, total=240.0)
"""Limits of an answer on arrays of the GPU: CuPy compiles each operation when it is first used."""


def has_gpu() -> bool:
    """Return whether a GPU and cupy seem to exist, without using either."""
    return any(device.exists() for device in _DEVICES) and find_spec("cupy") is not None


def require_gpu() -> None:
    """Check that there seem to be a GPU and cupy.

    Raises:
        UsageError: One of them is missing.
    """
    missing = [] if any(device.exists() for device in _DEVICES) else ["this machine has no NVIDIA GPU"]
    if find_spec("cupy") is None:
        missing.append("cupy is not installed")
    if missing and not has_gpu():
        raise UsageError(
            f"`--device cuda` needs an NVIDIA GPU and cupy: {', and '.join(missing)}",
            hint="`autodrill doctor` shows what there is; without `--device cuda`, the CPU grades the answer",
        )


def cupy_folder() -> str:
    """Return the folder that cupy is imported from, without importing it."""
    spec = find_spec("cupy")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent.parent)


def text_for_nvrtc(kernel: KernelText, entry: str) -> str:
    """Return what NVRTC compiles: the text of a kernel, after definitions that NVRTC lacks."""
    return f'{_NAMES}#line {kernel.line} "{entry}.py"\n{kernel.text}'


class _GpuLauncher:
    """Starts processes that can reach the GPU, for kernels of one signature; a `Launcher`."""

    def __init__(self, signature: KernelSignature) -> None:
        self.signature = signature
        self._start = partial(launch, confinement=APART)

    def __call__(self, *, memory: int, traced: bool) -> ChildProcess:
        return self._start(memory=memory, traced=traced)


class GpuRunner(Runner):
    """A `Runner` for files with a kernel, which it runs on the GPU."""

    @classmethod
    def for_exercise(cls, exercise: Exercise, limits: Limits) -> Self:
        """Start a process for submissions to an exercise. Without a GPU, `load` raises the error."""
        return cls.start(replace(limits, seconds=_SECONDS), launcher=_GpuLauncher(signature_of(exercise)))

    @property
    def device(self) -> str:
        """The device that runs a kernel."""
        return ON_GPU

    def load(
        self,
        source: bytes,
        filename: str,
        entry: str,
        scenario: str | None = None,  # noqa: ARG002  a kernel has its own driver
        *,
        seconds: float | None = None,  # noqa: ARG002  compilation takes its time
        ranks: RankMode = RankMode.APART,  # noqa: ARG002  it has none
    ) -> LoadOutcome:
        """Load the kernel in a file: see `Runner.load`. The first launch compiles it.

        Raises:
            InternalError: No GPU works.
        """
        launcher = self.launcher
        assert isinstance(launcher, _GpuLauncher)
        kernel = read_kernel(source, filename, entry, launcher.signature)
        if isinstance(kernel, Broken | NotDefined):
            return kernel
        types = [(p.dtype, p.pointer) for p in launcher.signature.parameters]
        text = text_for_nvrtc(kernel, entry)
        handed = f"def {entry}():\n    return {text!r}, {launcher.signature.name!r}, {types!r}\n"
        drive = f"PACKAGES = {cupy_folder()!r}\n{_DRIVE.read_text(encoding='utf-8')}"
        return super().load(handed.encode(), "<kernel>", entry, drive)
