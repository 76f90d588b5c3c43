"""How a child process is stopped or dies, and that it harms nothing but itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from autodrill.sandbox.child import wire
from autodrill.sandbox.outcomes import (
    Died,
    Flooded,
    Loaded,
    OutOfMemory,
    Oversized,
    Raised,
    Returned,
    Stopped,
    TimedOut,
    Unreadable,
)
from autodrill.sandbox.requests import Call, call_request
from autodrill.sandbox.runner import Limits, Runner
from tests.sandbox.running import (
    BUDGET,
    SHORT,
    USUAL,
    X,
    call,
    linux,
    load,
    loaded,
    only_root_forks,
    separate,
)


class TestLimits:
    @pytest.mark.parametrize(
        ("source", "line"),
        [
            ("def f(x):\n    while True:\n        pass", {2, 3}),
            (
                "def f(x):\n    while 1:\n        try:\n            while 1: pass\n        except BaseException: pass",
                {4},
            ),
            ("import numpy as np\ndef f(x):\n    a = np.ones((2500, 2500))\n    while True:\n        a @ a", {5}),
            ("import time\ndef g():\n    time.sleep(100)\ndef f(x):\n    g()", {3}),
            ("import re\ndef f(x):\n    re.match('(a+)+$', 'a' * 60 + 'b')", {3}),
        ],
    )
    def test_timeout_of_a_call_names_the_line(self, source: str, line: set[int]) -> None:
        with loaded(source, limits=SHORT) as runner:
            started = time.monotonic()
            got = runner.call([X], budget=BUDGET)
            assert time.monotonic() - started < 20 * SHORT.seconds  # a busy machine may extend the limit to five times
        assert isinstance(got, TimedOut)
        assert got.limit == SHORT.seconds
        assert got.line in line

    def test_timeout_of_a_stopped_process_names_the_line(self) -> None:
        source = "import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)"
        with loaded(source, limits=SHORT, launcher=separate) as runner:
            assert runner.call([X], budget=BUDGET) == TimedOut(SHORT.seconds, 3)

    def test_timeout_of_a_load_names_the_line(self) -> None:
        assert load("x = 0\nwhile x < 1: x *= 2", limits=SHORT) == TimedOut(SHORT.seconds, 2)

    @pytest.mark.slow
    def test_timeout_finds_the_line_for_any_file_name(self) -> None:
        for name in ("naïve ☃.py", "/a/" + "long" * 200 + ".py", 'qu"ote.py'):
            with Runner.start(SHORT) as runner:
                assert runner.load(b"def f():\n    while True: pass", name, "f") == Loaded()
                assert runner.call([], budget=BUDGET) == TimedOut(SHORT.seconds, 2)

    def test_call_may_have_its_own_time_limit(self) -> None:
        with loaded("import time\ndef f(x):\n    time.sleep(9)") as runner:
            assert runner.call([X], budget=BUDGET, seconds=0.1) == TimedOut(0.1, 3)

    @pytest.mark.parametrize(
        "where", ["print('x' * 100)", "import sys; sys.stderr.write('x' * 100)", "os.write(1, b'x' * 9999)"]
    )
    def test_output_limit_names_the_line(self, where: str) -> None:
        got = call(f"import os\ndef f(x):\n    for _ in range(10**6):\n        {where}")
        assert got in {Flooded(1 << 20, 3), Flooded(1 << 20, 4)}

    def test_memory_limit_refuses_a_large_array_and_continues(self) -> None:
        with loaded("import numpy as np\ndef f(n):\n    return np.ones(n)[:3]") as runner:
            assert runner.call([10**9], budget=BUDGET) == OutOfMemory(1 << 30, 3)
            assert isinstance(runner.call([10], budget=BUDGET), Returned)

    @pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not enforce RLIMIT_AS")
    @pytest.mark.parametrize("piece", ["[held]", "bytearray(1 << 20)", "str(len(held)) * 99"])
    def test_memory_limit_names_the_line_of_gradual_growth(self, piece: str) -> None:
        source = f"def fill(held):\n    while True:\n        held.append({piece})\ndef f(x):\n    fill([])"
        assert call(source, limits=Limits(seconds=10, memory=64 << 20)) == OutOfMemory(64 << 20, 3)

    @pytest.mark.parametrize(
        ("value", "what"),
        [
            (
                "np.broadcast_to(0.0, (10**6, 10**6))",
                "an array of shape (1000000, 1000000) and dtype float64 (8,000,000.0 MB)",
            ),
            ("[0] * 10**7", "a value with too many parts"),
            ("[0.0] * 50_000", "a value with too many parts"),
            ("'x' * 10**7", "a str of length 10000000"),
            ("circle", "a value nested more than 30 deep"),
        ],
    )
    def test_reply_above_its_budget_is_described(self, value: str, what: str) -> None:
        source = f"import numpy as np\ncircle = []\ncircle.append(circle)\ndef f(x):\n    return {value} if x else 1"
        with loaded(source) as runner:
            assert runner.call([True], budget=BUDGET) == Oversized(what)
            assert isinstance(runner.call([False], budget=BUDGET), Returned)

    @pytest.mark.parametrize(
        ("value", "name"),
        [
            ("(i for i in x)", "generator"),
            ("np.array([None])", "ndarray of dtype object"),
            ("np.ma.array(x)", "MaskedArray"),
            ("f", "function"),
        ],
    )
    def test_reply_of_another_type_is_only_named(self, value: str, name: str) -> None:
        got = call(f"import numpy as np\ndef f(x):\n    return {value}")
        assert isinstance(got, Returned)
        assert got.value == wire.Opaque(name)


def test_interrupt_does_not_wait_for_pending_calls() -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    source = "import time\ndef f(x):\n    time.sleep(20)\n"
    requests = [call_request([Call((X,))], budget=BUDGET, seconds=60) for _ in range(2)]
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with loaded(source) as runner:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(KeyboardInterrupt):
                list(runner.answers(requests))
            assert runner.finished
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class TestDying:
    @pytest.mark.parametrize(
        ("statement", "how"),
        [
            ("os._exit(0)", "exit code 0"),
            ("os._exit(7)", "exit code 7"),
            ("os.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL"),
            ("os.abort()", "signal SIGABRT"),
            ("ctypes.string_at(0)", "signal SIGSEGV"),
            ("os.closerange(0, 1000)", "closed its channel"),
        ],
    )
    def test_death_reports_how_and_at_which_line(self, statement: str, how: str) -> None:
        source = f"import ctypes, os, signal\ndef g():\n    {statement}\ndef f(x):\n    y = 1\n    g()"
        with loaded(source, launcher=separate) as runner:
            started = time.monotonic()
            got = runner.call([X], budget=BUDGET)
            assert time.monotonic() - started < 6 * USUAL.seconds
            assert runner.finished
        assert isinstance(got, Died)
        assert got.how == how
        assert got.line in ({3, 6} if how.startswith("closed") else {3})  # it continues for a moment after closing

    def test_death_during_load_names_the_line(self) -> None:
        assert load("import os\n\nos._exit(3)") == Died("exit code 3", 3)

    def test_death_that_is_not_repeatable_names_no_line(self) -> None:
        with loaded(
            "import os\ncalls = []\ndef f(x):\n    calls.append(x)\n    if len(calls) == 3: os._exit(0)"
        ) as runner:
            runner.call([1], budget=BUDGET)
            runner.call([1], budget=BUDGET)
            assert runner.call([1], budget=BUDGET) == Died("exit code 0", None)

    def test_crash_names_the_line_without_being_repeatable(self) -> None:
        source = (
            "import ctypes\ncalls = []\ndef f(x):\n    calls.append(x)\n    if len(calls) == 2: ctypes.string_at(0)"
        )
        with loaded(source) as runner:
            runner.call([1], budget=BUDGET)
            assert runner.call([1], budget=BUDGET) == Died("signal SIGSEGV", 5)

    def test_c_stack_overflow_names_the_line(self) -> None:
        source = """
            import sys
            sys.setrecursionlimit(10**9)
            class A:
                def __getattr__(self, name):
                    return getattr(self, name + "x")
            def f(x):
                return A().y
        """
        got = call(source)
        assert got == Died("signal SIGSEGV", 5) or isinstance(got, Raised)  # Python 3.12 checks the C stack
        assert got.line == 5

    def test_closed_output_streams_are_harmless(self) -> None:
        got = call("import os, sys\ndef f(x):\n    sys.stdout.close()\n    os.closerange(1, 3)\n    return x")
        assert isinstance(got, Returned)

    @only_root_forks
    def test_forked_submission_replies_only_once(self) -> None:
        with loaded("import os\ndef f(x):\n    os.fork()\n    return x", launcher=separate) as runner:
            for value in (1, 2, 3):
                got = runner.call([value], budget=BUDGET)
                assert isinstance(got, Returned)
                assert got.value == value

    @pytest.mark.parametrize(
        "frame", ["bytes([14]) + bytes(8)", "bytes([14]) + b'\\xff' * 8", "b'\\xff' * 99", "bytes([11]) + bytes(8)"]
    )
    def test_forged_frame_is_unreadable_and_ends_the_process(self, frame: str) -> None:
        source = f"""
            import os
            def f(x):
                for descriptor in range(3, 64):
                    try:
                        os.write(descriptor, {frame})
                    except OSError:
                        pass
        """
        with loaded(source) as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Unreadable)
            assert runner.finished

    def test_forged_reply_of_the_wrong_kind_is_unreadable(self) -> None:
        source = """
            import os
            def f(x):
                for fd in range(3, 64):
                    try: os.write(fd, bytes([11, 1]) + bytes(7) + b"N")
                    except OSError: pass
        """
        assert call(source) == Unreadable("not a reply to a call: LOADED")

    def test_finished_runner_refuses_calls(self) -> None:
        with loaded("import os\ndef f(x):\n    os._exit(0)") as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Stopped)
            with pytest.raises(RuntimeError, match="has ended"):
                runner.call([X], budget=BUDGET)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> list[str]:
    return [task for task in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split() if task]


@linux
class TestLeavingNothing:
    HOSTILE = (
        "def f(x):\n    while True: pass",
        "def f(x):\n    while True: print('x' * 1000)",
        "import os\ndef f(x):\n    os._exit(0)",
        "import os\ndef f(x):\n    os.closerange(0, 1000)",
        "def f(x):\n    return x",
    )

    @pytest.mark.slow
    def test_close_leaves_no_descriptor_and_no_zombie(self) -> None:
        call(self.HOSTILE[-1])  # descriptors that are opened once are open now
        before = descriptors(), children()
        for source in self.HOSTILE:
            call(source, limits=SHORT)
        assert (descriptors(), children()) == before
        assert isinstance(call(self.HOSTILE[-1]), Returned)

    @only_root_forks
    @pytest.mark.parametrize(
        "start",
        [
            "os.fork() or time.sleep(600)",
            "os.fork() or (os.setsid(), os.fork() and os._exit(0), os.closerange(0, 99), time.sleep(600))",
            "subprocess.Popen(['sleep', '600'], start_new_session=True)",
            "subprocess.Popen(['/bin/sleep', '600'], start_new_session=True, env={'A': 'B'})",
            "os.system('(/usr/bin/env -i /bin/sleep 600 &) &')",
        ],
    )
    def test_close_kills_started_processes(self, start: str) -> None:
        source = f"""
            import os, subprocess, time
            def f(x):
                {start}
                return 1
        """
        with loaded(source, launcher=separate) as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Returned)
            time.sleep(0.1)
            assert runner._child is not None
            started = tree(runner._child.process.pid)
            assert len(started) > 1
        assert [pid for pid in started if not dead(pid)] == []

    def test_close_ends_a_process_with_threads(self) -> None:
        source = "import threading, time\ndef f(x):\n    threading.Thread(target=time.sleep, args=(600,)).start()"
        with loaded(source) as runner:
            runner.call([X], budget=BUDGET)  # without the right to start threads it raises, which is as good
            assert runner._child is not None
            pid = runner._child.process.pid
        assert not Path(f"/proc/{pid}").exists()

    def test_child_process_dies_with_its_parent(self) -> None:
        script = """
            from autodrill.sandbox.runner import Runner
            runner = Runner.start()
            runner.load(b"def f(): pass", "f.py", "f")
            print(runner._child.process.pid, flush=True)
            runner.load(b"while True: pass", "f.py", "f", seconds=600)
        """
        with subprocess.Popen([sys.executable, "-c", dedent(script)], stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            time.sleep(0.3)  # it is in its loop, and does not read the channel
            assert not dead(pid)
            parent.kill()
        deadline = time.monotonic() + 5
        while not dead(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert dead(pid)


def tree(root: int) -> list[int]:
    """Return `root` and its running descendants."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and not dead(int(folder.name)):
            try:
                parents[int(folder.name)] = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            except OSError:
                continue
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in b"ZX"
    except OSError:
        return True
