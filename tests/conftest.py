"""Fixtures of all tests: a clean environment, the command line, an empty pack; and skips for missing libraries."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from autodrill.drills.library import Library
from autodrill.grading.kernels.compiler import find_compiler
from tests.grading.kernels.nvrtc import library_path
from tests.lanes import in_order, mark_repetitions
from tests.shipped import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.drills.exercise import Drill

    Run = Callable[..., subprocess.CompletedProcess[str]]

# Set before PyTorch is imported. Workers already use every core, and threads that wait in small sums only spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")

UNSET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
KEPT = ("AUTODRILL_SEEDS", "AUTODRILL_KILLS")  # they decide how long the tests of content and of kills run

# A busy machine must not fail an example.
hypothesis.settings.register_profile(
    "autodrill", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("autodrill")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell ignores it in background processes
    signal.signal(signal.SIGINT, signal.default_int_handler)

EXERCISE = '''# /// autodrill
# title = "Backward of a cube"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["chain rule"]
# ///
"""`out = x * x * x`, and `g` is dL/dout. Return dx."""


def cube_backward(g, x):
    raise NotImplementedError
'''

SOLUTION = '''"""The slope of x³ is 3x²."""

import numpy as np

from autodrill.drills import given, mistake

HINTS = ("Think of x * x * x as a product of three.", "Each factor in turn: three equal terms.", "`... * x * x * g`")
CASES = [given("x[n,m]")]


def forward(x):
    return x * x * x


def slope(x):
    return 3 * np.square(x)


def cube_backward(g, x):
    return slope(x) * g


@mistake("no-upstream", "the local derivative is the whole answer", "Where is g?")
def cube_backward(g, x):
    return slope(x)


@mistake("square", "the exponent stays", "Differentiate x³ by hand.")
def cube_backward(g, x):
    return 3 * x * x * x * g
'''


@dataclass(frozen=True)
class Pack:
    """A pack of exercises in a temporary folder. Its files are sound except for the passages that a test changes."""

    root: Path

    def add(
        self,
        name: str = "cube_backward",
        *,
        exercise: tuple[str, str] = ("", ""),
        solution: tuple[str, str] | None = ("", ""),
    ) -> Path:
        """Write an exercise and its solution and return the exercise's file.

        Args:
            name: Its id.
            exercise: A passage of the sound exercise file and its replacement.
            solution: A passage of the sound solution file and its replacement; None for no solution file.
        """
        path = self.root / "exercises" / "demo" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_changed(EXERCISE, exercise).replace("cube_backward", name), encoding="utf-8")
        if solution is not None:
            other = self.solution_file(name)
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_text(_changed(SOLUTION, solution).replace("cube_backward", name), encoding="utf-8")
        return path

    def solution_file(self, name: str = "cube_backward") -> Path:
        return self.root / "solutions" / "demo" / f"{name}.py"

    @property
    def library(self) -> Library:
        return Library([self.root])

    def load(self, name: str = "cube_backward") -> Drill:
        library = self.library

        return library.drill(library.find(name))


def _changed(text: str, change: tuple[str, str]) -> str:
    old, new = change
    assert old in text, f"the sound file holds no {old!r}"
    return text.replace(old, new, 1) if old else text


def line_of(path: Path, passage: str) -> int:
    """The number of the line on which a passage of a file begins."""
    text = path.read_text(encoding="utf-8")
    return 1 + text[: text.index(passage)].count("\n")


@pytest.fixture(scope="session")
def shipped() -> Library:
    """The shipped exercises."""
    return SHIPPED


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    """An empty pack."""
    (tmp_path / "pack" / "exercises").mkdir(parents=True)
    return Pack(tmp_path / "pack")


@pytest.fixture
def place() -> Callable[[Path, str], int]:
    """Find the number of the line on which a passage of a file begins."""
    return line_of


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The empty folder in which commands run."""
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture
def run(here: Path) -> Run:
    """Run the command line in a process with pipes. A change sets an environment variable; None unsets it."""

    def run(*arguments: str, cwd: Path = here, **changes: str | None) -> subprocess.CompletedProcess[str]:
        changed = {**os.environ, **changes}
        return subprocess.run(
            [sys.executable, "-m", "autodrill", *arguments],
            cwd=cwd,
            env={name: value for name, value in changed.items() if value is not None},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    folder = tmp_path_factory.mktemp("homes")
    numbers = itertools.count()
    return lambda: folder / str(next(numbers))


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, _homes: Callable[[], Path]) -> None:
    for name in (*UNSET, *(n for n in os.environ if n.startswith(("AUTODRILL_", "_AUTODRILL_")) and n not in KEPT)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AUTODRILL_HOME", str(_homes()))


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch, for tests with the marker `torch`, which are skipped without it."""
    import torch

    return torch


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skip_what_is_missing(items)
    mark_repetitions(items)
    in_order(items)


def skip_what_is_missing(items: list[pytest.Item]) -> None:
    missing = {}
    if find_spec("torch") is None:
        missing["torch"] = "PyTorch is not installed: it is optional, the group `torch`, which CI installs"
    if find_spec("jax") is None:
        missing["jax"] = "JAX is not installed: it is optional, the group `jax`"
    if library_path() is None:
        missing["nvrtc"] = "NVRTC is not installed: it is optional, the group `nvrtc`, which CI installs"
    if find_compiler() is None:
        missing["compiler"] = "there is no C++ compiler to run kernels with"
    if not _has_gpu():
        missing["cuda"] = "there is no NVIDIA GPU with cupy"
    for item in items:
        for marker, reason in missing.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def _has_gpu() -> bool:
    if find_spec("cupy") is None:
        return False
    try:
        import cupy

        return bool(cupy.cuda.runtime.getDeviceCount())
    except (ImportError, RuntimeError):  # cupy's driver errors are RuntimeErrors
        return False
