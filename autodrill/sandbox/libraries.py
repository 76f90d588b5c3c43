"""The installed frameworks: whether PyTorch, JAX or CuPy is there, and which folders a child process reads of it."""

from __future__ import annotations

from pathlib import Path

from autodrill.errors import UsageError
from autodrill.sandbox.child.frameworks import Framework

_DEVICES = ("/dev/urandom", "/proc/cpuinfo", "/sys/devices/system/cpu")
"""What XLA reads: random numbers for its tables, and the kind and number of the processors."""

__all__ = ["Framework", "is_installed", "readable_of", "require"]


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
        package = "'autodrill[cuda12]'" if framework.on_gpu else framework
        raise UsageError(problem, hint=f"`pip install {package}`, or write the answer with NumPy")


def readable_of(framework: Framework) -> tuple[str, tuple[str, ...]]:
    """Return the folder that a framework is installed in, and what a child process reads of it; empty without it."""
    from importlib.util import find_spec

    spec = find_spec(framework)
    if spec is None or spec.origin is None:
        return "", ()
    folder = Path(spec.origin).parent.parent
    devices = _DEVICES if framework.starts_threads else ()
    packages = tuple(str(folder / name) for name in framework.packages if (folder / name).exists())
    return str(folder), (*packages, *devices)
