"""The installed frameworks: whether PyTorch or JAX is there, and which folders a child process reads of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autodrill.errors import UsageError
from autodrill.sandbox.child.frameworks import Framework

if TYPE_CHECKING:
    from autodrill.sandbox.child import wire

_DEVICES = ("/dev/urandom", "/proc/cpuinfo", "/sys/devices/system/cpu")
"""What XLA reads: random numbers for its tables, and the kind and number of the processors."""

__all__ = ["Framework", "is_installed", "require", "start_fields"]


def is_installed(framework: Framework) -> bool:
    """Return whether a framework can be imported, without importing it."""
    from importlib.util import find_spec

    return find_spec(framework) is not None


def require(framework: Framework, problem: str) -> None:
    """Check that a framework is installed.

    Raises:
        UsageError: It is not; the message is `problem`.
    """
    if not is_installed(framework):
        raise UsageError(problem, hint=f"`pip install {framework}`, or write the answer with NumPy")


def start_fields(framework: Framework | None, readable: tuple[str, ...] = ()) -> dict[str, wire.Value]:
    """Return the part of START that tells a child process which framework to import, and what it may read.

    Args:
        framework: The framework.
        readable: Further folders that it may read.
    """
    from importlib.util import find_spec

    spec = None if framework is None else find_spec(framework)
    if framework is None or spec is None or spec.origin is None:
        return {"framework": "", "library": "", "readable": readable}
    folder = Path(spec.origin).parent.parent
    devices = _DEVICES if framework.starts_threads else ()
    packages = tuple(str(folder / name) for name in framework.packages if (folder / name).exists())
    return {"framework": str(framework), "library": str(folder), "readable": (*packages, *devices, *readable)}
