"""What this machine has of a GPU: driver, devices, CuPy and NVRTC, found without importing or starting any of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["GpuFacts", "gpu_facts"]

_DRIVER = Path("/proc/driver/nvidia")
_CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")
_NVRTC = ("nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """What there is of a GPU.

    Attributes:
        driver: The version of NVIDIA's driver, or None.
        devices: The names of the devices that the driver serves.
        cupy: The installed version of CuPy, or None.
        nvrtc: The installed version of NVRTC's package, or None. A CUDA toolkit of the system may have another one.
    """

    driver: str | None
    devices: tuple[str, ...]
    cupy: str | None
    nvrtc: str | None

    def __str__(self) -> str:
        driver = f"driver {self.driver}" if self.driver else "no NVIDIA driver"
        packages = (("CuPy", self.cupy), ("NVRTC", self.nvrtc))
        return ", ".join([*self.devices, driver, *(f"{name} {found or 'not installed'}" for name, found in packages)])


def gpu_facts(driver: Path = _DRIVER) -> GpuFacts:
    """Return what this machine has.

    Args:
        driver: The folder in which the driver describes itself.
    """
    version = re.search(r"NVRM version:.*?(\d+\.\d[\d.]*)", _text(driver / "version"))
    described = [_text(path) for path in sorted(driver.glob("gpus/*/information"))]
    models = [found[1].strip() for text in described if (found := re.search(r"(?m)^Model:(.*)$", text))]
    return GpuFacts(version[1] if version else None, tuple(models), _installed(_CUPY), _installed(_NVRTC))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _installed(packages: tuple[str, ...]) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    for package in packages:
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return None
