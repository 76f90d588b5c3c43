"""The sessions of nox: what they install, and where they look for tests and interpreters."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nox")

ROOT = Path(__file__).resolve().parent.parent
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="module")
def noxfile() -> Any:
    spec = spec_from_file_location("noxfile", ROOT / "noxfile.py")
    assert spec is not None
    assert spec.loader is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)  # as nox does; and it changes PATH
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def test_lowest_takes_the_lower_bound(noxfile: Any) -> None:
    assert noxfile.lowest(["numpy>=2.0", "typer>=0.27.2,<0.29", "torch==2.13.0"]) == [
        "numpy==2.0",
        "typer==0.27.2",
        "torch==2.13.0",
    ]


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3"])
def test_lowest_refuses_what_has_no_lower_bound(noxfile: Any, requirement: str) -> None:
    with pytest.raises(ValueError, match="must declare one lowest version"):
        noxfile.lowest([requirement])


def test_every_requirement_declares_a_lower_bound(noxfile: Any) -> None:
    import nox

    groups = nox.project.dependency_groups(noxfile.PROJECT, *noxfile.PROJECT["dependency-groups"])
    assert noxfile.lowest([*noxfile.PROJECT["project"]["dependencies"], *groups])


def test_this_interpreter_is_found(noxfile: Any) -> None:
    assert noxfile.runs(noxfile.INSTALLED[VERSION], VERSION)
    assert noxfile.OLDEST == "3.11"


def test_interpreter_that_does_not_run_is_passed_over(
    noxfile: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / f"python{VERSION}"
    shim.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert noxfile.find(VERSION) not in {None, shim}


def test_folders_of_compat_hold_tests(noxfile: Any) -> None:
    folders = [name for name in noxfile.COMPAT_TESTS if not name.startswith("-")]
    assert all(list((ROOT / folder).rglob("test_*.py")) for folder in folders)
