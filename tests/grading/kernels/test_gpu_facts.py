from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.grading.kernels import gpu_facts as facts
from autodrill.grading.kernels.gpu_facts import GpuFacts, gpu_facts

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
INFORMATION = "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 26\n"


def test_gpu_facts_reads_what_the_driver_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_CUPY", ("no-such-package", "numpy"))
    (tmp_path / "gpus" / "0000:01:00.0").mkdir(parents=True)
    (tmp_path / "version").write_text(VERSION, encoding="utf-8")
    (tmp_path / "gpus" / "0000:01:00.0" / "information").write_text(INFORMATION, encoding="utf-8")
    found = gpu_facts(tmp_path)
    assert (found.driver, found.devices) == ("550.54.15", ("NVIDIA H100 80GB HBM3",))
    assert found.cupy is not None


def test_gpu_facts_without_a_driver_says_so(tmp_path: Path) -> None:
    found = gpu_facts(tmp_path / "none")
    assert (found.driver, found.devices) == (None, ())
    assert str(found).startswith("no NVIDIA driver, CuPy ")
    assert str(GpuFacts("1.2", ("A", "B"), "14.0", None)) == "A, B, driver 1.2, CuPy 14.0, NVRTC not installed"
