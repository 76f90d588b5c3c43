"""The fork server: independent forks, several at once, without any module that knows a solution."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.errors import InternalError
from autodrill.sandbox.child.confinement import SEALED, SEPARATE
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.outcomes import Died, Flooded, Loaded, OutOfMemory, Returned, TimedOut
from autodrill.sandbox.runner import Limits, Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fork server needs Linux")

DOUBLE = "def f(x):\n    return x * 2"
SHORT = Limits(seconds=0.5)
_LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
LARGE_PAGES = _LARGE_PAGES.read_text(encoding="ascii") if _LARGE_PAGES.exists() else ""


@pytest.fixture
def server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


def call(server: ForkServer, source: str, *args: Any, limits: Limits | None = None) -> Any:
    with Runner.start(limits, launcher=server.launch) as runner:
        loaded = runner.load(source.encode(), "f.py", "f")
        if loaded != Loaded():
            return loaded
        end = runner.call(args, budget=1 << 16)
        return end.value if isinstance(end, Returned) else end


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in b"ZX"
    except OSError:
        return False


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def settled(server: ForkServer) -> int:
    """The number of the server's descriptors, after a delay: it closes its ends after it reports the end of a fork."""
    time.sleep(0.1)
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))


def test_fork_returns_values(server: ForkServer) -> None:
    np.testing.assert_array_equal(call(server, DOUBLE, np.arange(3.0)), [0.0, 2.0, 4.0])


@pytest.mark.parametrize("megabytes", [1, 3, 5])
def test_tight_memory_limit_ignores_growth_steps_of_the_heap(megabytes: int) -> None:
    fill = f"import numpy as np\ndef f(n):\n    return float(len([np.ones(1 << 15) for _ in range({megabytes} * 4)]))"
    limits = replace(SHORT, memory=(megabytes + 2 << 20) + (1 << 19))  # the heap grows by large pages
    with ForkServer(SEALED) as server:
        assert call(server, fill, 1, limits=limits) == 4 * megabytes
        assert isinstance(call(server, fill.replace("* 4)", "* 400)"), 1, limits=limits), OutOfMemory)


def test_fork_shares_no_state_with_earlier_forks(server: ForkServer) -> None:
    source = """
import sys, numpy
was = hasattr(sys, "mark"), hasattr(numpy, "mark")
sys.mark = numpy.mark = True
def f():
    return was
"""
    assert [call(server, source) for _ in range(3)] == [(False, False)] * 3


def test_fork_hooks_run_only_if_the_submission_registers_them() -> None:
    source = "import os, types\ndef f(): return type(os.register_at_fork) is types.BuiltinFunctionType"
    drawn = (
        "import random\ndef f(): return random.random()"  # importing `random` registers a fork hook that seeds it again
    )
    with ForkServer(SEALED) as server:
        assert call(server, source) is True
        assert call(server, drawn) == call(server, drawn)


@pytest.mark.skipif("[never]" in LARGE_PAGES or not LARGE_PAGES, reason="this system has no large pages")
def test_fork_has_large_pages_for_large_arrays() -> None:
    source = "import numpy as np\ndef f(n): return np.ones(n).sum()"
    with ForkServer(SEALED) as server, Runner.start(launcher=server.launch) as runner:
        assert runner.load(source.encode(), "f.py", "f") == Loaded()
        runner.call([1000], budget=1 << 16)
        before = faults(runner)
        megabytes = 3
        assert runner.call([megabytes << 17], budget=1 << 16) == Returned(np.float64(megabytes << 17))
        assert faults(runner) - before < (megabytes << 20) / 4096 / 2


def faults(runner: Runner) -> int:
    assert runner._child is not None
    return int(Path(f"/proc/{runner._child.process.pid}/stat").read_text().rpartition(")")[2].split()[7])


def test_forks_run_in_parallel_without_mixing(server: ForkServer) -> None:
    runners = [Runner.start(launcher=server.launch) for _ in range(5)]
    try:
        for index, runner in enumerate(runners):
            runner.load(f"def f(x):\n    return x + {index}".encode(), "f.py", "f")
        for _ in range(3):
            got = [runner.call([100], budget=100) for runner in runners]
            assert got == [Returned(100 + index) for index in range(5)]
        assert len({runner._child.process.pid for runner in runners if runner._child}) == 5
    finally:
        for runner in runners:
            runner.close()


def test_fork_cannot_import_autodrill() -> None:
    source = """
import importlib, sys, os
def f():
    found = []
    for name in ("autodrill", "autodrill.engine", "autodrill.grading.grade", "torch", "typer", "fsrs", "pytest"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        found.append(name)
    known = sorted(name for name in sys.modules if "autodrill" in name or name == "child" or name.startswith("child."))
    below = [path for path in sys.path if os.path.isdir(os.path.join(path, "autodrill"))]
    return found, known, below
"""
    with ForkServer(SEPARATE) as server:  # files can be opened there, so that only `sys.path` prevents the import
        found, known, below = call(server, source)
    assert (found, below) == ([], [])
    inside = Path(__file__).parents[2] / "autodrill" / "sandbox" / "child"
    assert set(known) <= {"child", *(f"child.{path.stem}" for path in inside.glob("*.py"))}


def test_preloaded_modules_can_be_imported(server: ForkServer) -> None:
    from autodrill.sandbox.child.preload import MODULES

    source = f"import importlib\ndef f():\n    return [importlib.import_module(m) and 1 for m in {MODULES!r}]"
    assert call(server, source) == [1] * len(MODULES)


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("import os\ndef f():\n    os._exit(7)", Died("exit code 7", 3)),
        ("import ctypes\ndef f():\n    ctypes.string_at(0)", Died("signal SIGSEGV", 3)),
        ("import os\ndef f():\n    os.closerange(0, 99)", Died("closed its channel", 3)),
        ("def f():\n    while True: pass", TimedOut(0.5, 2)),
        ("def f():\n    while True: print('x' * 999)", Flooded(1 << 20, 2)),
    ],
)
def test_fork_ends_have_the_outcomes_of_any_process(server: ForkServer, source: str, end: object) -> None:
    assert call(server, source, limits=SHORT) == end
    assert call(server, DOUBLE, 1) == 2


def loaded_fork(server: ForkServer) -> Runner:
    runner = Runner.start(launcher=server.launch)
    runner.load(b"f = len", "f.py", "f")
    return runner


def test_fork_is_killed_when_its_runner_closes(server: ForkServer) -> None:
    call(server, DOUBLE, 1)
    before = descriptors()
    with loaded_fork(server) as runner:
        assert runner._child is not None
        pid = runner._child.process.pid
        assert alive(pid)
        handle = os.dup(runner._child.process.handle)  # type: ignore[attr-defined]  # of a ForkedProcess
    with os.fdopen(handle) as killed:
        assert select.select([killed], [], [], 5)[0], "the fork was not killed"
    assert not alive(pid)
    assert descriptors() == before


def test_server_leaves_no_descriptor_open(server: ForkServer) -> None:
    call(server, DOUBLE, 1)
    before = descriptors(), settled(server)
    for source in (DOUBLE, "import os\ndef f(x):\n    os._exit(0)", "x = ("):
        call(server, source, 1)
    assert (descriptors(), settled(server)) == before


def test_server_is_replaced_after_its_death(server: ForkServer) -> None:
    call(server, DOUBLE, 1)
    first = server.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert call(server, DOUBLE, 21) == 42
    assert server.pid != first


def test_server_death_during_a_call_is_an_internal_error(server: ForkServer) -> None:
    with Runner.start(Limits(seconds=10), launcher=server.launch) as runner:
        runner.load(b"import time\ndef f(x):\n    time.sleep(9)", "f.py", "f")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(InternalError, match="fork server has ended"):
            runner.call([1], budget=100)


def test_forks_die_with_the_server() -> None:
    with ForkServer(replace(SEALED, required=frozenset())) as server:
        runner = Runner.start(launcher=server.launch)
        runner.load(b"f = len", "f.py", "f")
        assert runner._child is not None
        pid = runner._child.process.pid
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(pid)
    runner.close()


def test_server_survives_hostile_forks(server: ForkServer) -> None:
    hog = Runner.start(Limits(seconds=5), launcher=server.launch)
    with hog:
        hog.load(b"import signal\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nf = len", "f.py", "f")
        assert call(server, DOUBLE, 2) == 4


def test_fork_leads_its_own_process_group() -> None:
    with ForkServer(SEPARATE) as apart:
        assert call(apart, "import os\ndef f():\n    return os.getpgrp() == os.getpid()") is True
