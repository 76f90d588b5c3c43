"""Helpers to load and call a file of a few lines in a child process."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from functools import partial
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.sandbox.child.confinement import SEPARATE
from autodrill.sandbox.launcher import Launcher, launch
from autodrill.sandbox.outcomes import CallOutcome, Loaded, LoadOutcome
from autodrill.sandbox.runner import Limits, Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

only_root_forks = pytest.mark.skipif(os.getuid() != 0, reason="RLIMIT_NPROC keeps other users from forking")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

X = np.arange(6.0).reshape(2, 3)
BUDGET = 1 << 16
SHORT = Limits(seconds=0.5)  # for code that is expected to reach its limit
USUAL = Limits()

# Without seccomp: the submission can start processes, and send signals to itself.
separate = partial(launch, confinement=SEPARATE)


def code(text: str) -> bytes:
    return dedent(text).lstrip("\n").encode()


def load(source: str | bytes, *, entry: str = "f", scenario: str | None = None, limits: Limits = USUAL) -> LoadOutcome:
    with Runner.start(limits) as runner:
        return runner.load(code(source) if isinstance(source, str) else source, "f.py", entry, scenario)


def call(
    source: str, *args: Any, scenario: str | None = None, limits: Limits = USUAL, budget: int = BUDGET
) -> CallOutcome:
    with Runner.start(limits) as runner:
        loaded = runner.load(code(source), "f.py", "f", scenario)
        assert loaded == Loaded()
        return runner.call(args or (X,), budget=budget)


@contextmanager
def loaded(source: str, *, limits: Limits = USUAL, launcher: Launcher = launch) -> Iterator[Runner]:
    with Runner.start(limits, launcher=launcher) as runner:
        assert runner.load(code(source), "f.py", "f") == Loaded()
        yield runner


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
