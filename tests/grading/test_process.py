"""The candidate's process: what it is given, what comes back, and that nothing it does harms anything but itself."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.errors import InternalError
from autodrill.grading.child import wire
from autodrill.grading.layers import SEPARATE
from autodrill.grading.outcome import (
    Broken,
    BrokenKind,
    CallOutcome,
    Died,
    Flooded,
    Frame,
    Loaded,
    LoadOutcome,
    NotDefined,
    OutOfMemory,
    Oversized,
    Raised,
    Returned,
    Stopped,
    TimedOut,
    Unreadable,
)
from autodrill.grading.process import Arg, Layout, Limits, Runner, SameAs
from autodrill.grading.spawn import Spawn, spawn_fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

only_root_forks = pytest.mark.skipif(os.getuid() != 0, reason="only root's candidate may fork at all")
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

X = np.arange(6.0).reshape(2, 3)
BUDGET = 1 << 16
SHORT = Limits(seconds=0.5)  # for what shall reach it; the rest has the five seconds that a busy machine may need
USUAL = Limits()

# Where no filter of system calls can be had: a candidate may start processes, and send signals to itself.
separate = partial(spawn_fresh, confinement=SEPARATE)


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
def loaded(source: str, *, limits: Limits = USUAL, spawn: Spawn = spawn_fresh) -> Iterator[Runner]:
    with Runner.start(limits, spawn=spawn) as runner:
        assert runner.load(code(source), "f.py", "f") == Loaded()
        yield runner


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


class TestReturning:
    def test_values_come_back_exactly_and_numpy_is_the_same_on_both_sides(self) -> None:
        got = call(
            "import numpy as np\ndef f(g, x):\n    return np.tanh(g) * x, {'sum': x.sum()}, [1, 'a', None]", X, X
        )
        assert isinstance(got, Returned)
        product, sums, rest = got.value
        np.testing.assert_array_equal(product, np.tanh(X) * X, strict=True)  # not close: equal
        assert type(sums["sum"]) is np.float64
        assert sums["sum"] == X.sum()
        assert rest == [1, "a", None]

    def test_a_call_is_quick_once_the_file_is_loaded(self) -> None:
        with loaded("def f(g, x):\n    return g * x") as runner:
            best = min(timed(lambda: runner.call([X, X], budget=BUDGET)) for _ in range(200))
        assert best < 0.002  # 0.25 ms on an idle machine

    def test_every_call_gets_arguments_of_its_own(self) -> None:
        mine = X.copy()
        with loaded("def f(x):\n    x += 1\n    return x") as runner:
            for _ in range(2):
                got = runner.call([mine], budget=BUDGET)
                assert isinstance(got, Returned)
                np.testing.assert_array_equal(got.value, X + 1)
        np.testing.assert_array_equal(mine, X)

    def test_layouts_and_identity_arrive_as_asked(self) -> None:
        source = """
            def f(a, b, c, d):
                return a is d, a is b, a.strides, b.strides, c.flags.c_contiguous
        """
        got = call(source, X, Arg(X, Layout.STRIDED), Arg(X, Layout.F), SameAs(0))
        assert isinstance(got, Returned)
        assert got.value == (True, False, (24, 8), (48, 16), False)

    def test_what_it_did_to_its_arguments_comes_with_the_answer(self) -> None:
        got = call("def f(g, x):\n    x[0] = 7\n    return g, g[:1], x * 1, g[:1] * 0 + [[1, 2, 3]]", X, X)
        assert isinstance(got, Returned)
        assert (got.changed, got.shared, got.joined, got.readonly) == ((1,), ((0, 0), (1, 0)), ((0, 1),), ())

    def test_a_scenario_drives_a_class(self) -> None:
        source = (
            "class f:\n    def __init__(self, x):\n        self.x = x\n    def twice(self):\n        return self.x * 2"
        )
        scenario = "def drive(candidate, x):\n    return candidate(np.asarray(x)).twice()"
        got = call(source, X, scenario=scenario)
        assert isinstance(got, Returned)
        np.testing.assert_array_equal(got.value, X * 2)

    def test_files_loaded_one_after_another_do_not_see_each_other(self) -> None:
        with Runner.start() as runner:
            runner.load(b"leak = 1\ndef f():\n    return 1", "a.py", "f")
            runner.load(b"def f():\n    return 'leak' in globals()", "b.py", "f")
            got = runner.call([], budget=BUDGET)
        assert isinstance(got, Returned)
        assert got.value is False

    def test_an_argument_that_cannot_travel_is_the_callers_mistake(self) -> None:
        with loaded("def f(x):\n    pass") as runner:
            with pytest.raises(TypeError, match="argument 1 cannot travel: function"):
                runner.call([X, timed], budget=BUDGET)
            with pytest.raises(TypeError, match="cannot be the same"):
                runner.call([SameAs(0)], budget=BUDGET)
            assert isinstance(runner.call([X], budget=BUDGET), Returned)


class TestLoading:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            (b"def f(x):\n    return x +\n", Broken(BrokenKind.SYNTAX, "invalid syntax", 2, 15, "    return x +")),
            (b"x = 1\n\0\n", Broken(BrokenKind.NULL_BYTES, "the file contains a null byte", 2, None, None)),
            (b"# coding: klingon\n", Broken(BrokenKind.ENCODING, "unknown encoding: klingon", None, None, None)),
        ],
    )
    def test_a_file_that_does_not_compile_says_where(self, source: bytes, expected: Broken) -> None:
        assert load(source) == expected

    @pytest.mark.parametrize("source", ["(" * 9999, "-" * 99999 + "1", "a" + ".a" * 99999])
    def test_nesting_beyond_the_compiler_is_told_from_bad_syntax(self, source: str) -> None:
        got = load("x = " + source)
        assert isinstance(got, Broken)
        assert got.kind is BrokenKind.NESTING

    def test_text_that_is_not_in_its_encoding_is_an_encoding_fault(self) -> None:
        got = load(b'"\xe9"\n')
        assert isinstance(got, Broken)
        assert got.kind is BrokenKind.ENCODING
        assert got.line == 1

    @pytest.mark.parametrize(
        "source",
        [
            b'# -*- coding: latin-1 -*-\ndef f():\n    return "\xe9"',
            b'\xef\xbb\xbfdef f():\n    return "\xc3\xa9"',
            b'def f():\r\n    return "\xc3\xa9"\r\n',
        ],
    )
    def test_coding_cookies_byte_order_marks_and_line_ends_are_honoured(self, source: bytes) -> None:
        with Runner.start() as runner:
            assert runner.load(source, "f.py", "f") == Loaded()
            got = runner.call([], budget=BUDGET)
        assert isinstance(got, Returned)
        assert got.value == "é"

    def test_a_missing_entry_lists_what_is_defined_there(self) -> None:
        source = "import os\nfrom math import sin\ndef mul(): pass\nclass Node: pass\n_hidden = len\n"
        assert load(source) == NotDefined(("mul", "Node"))
        assert load("f = 3") == NotDefined((), "int")

    def test_an_exception_at_import_is_raised_at_its_line(self) -> None:
        got = load("x = 1\ny = x / 0")
        assert got == Raised("ZeroDivisionError", "division by zero", (Frame(2, "<module>", "y = x / 0"),))

    def test_the_file_is_no_script_and_does_not_replace_a_module(self) -> None:
        assert (
            load("import random\nif __name__ == '__main__':\n    1 / 0\nassert random.random()\ndef f(): pass")
            == Loaded()
        )

    @pytest.mark.parametrize("module", ["autodrill", "autodrill.engine", "torch", "pytest", "process", "outcome"])
    def test_nothing_but_numpy_and_the_standard_library_can_be_imported(self, module: str) -> None:
        got = load(f"import {module}")
        assert isinstance(got, Raised)
        assert got.type == "ModuleNotFoundError"

    @pytest.mark.parametrize(
        "module",
        ["numpy.linalg", "numpy.random", "numpy.fft", "numpy.ma", "numpy.polynomial", "numpy.testing", "decimal"],
    )
    def test_numpys_own_submodules_can(self, module: str) -> None:
        assert load(f"import {module}\ndef f(): pass") == Loaded()

    @pytest.mark.parametrize(
        ("scenario", "why"),
        [("def drive(", "never closed"), ("1 / 0", "division by zero"), ("x = 1", "does not define")],
    )
    def test_a_scenario_that_fails_is_not_the_candidates_fault(self, scenario: str, why: str) -> None:
        with pytest.raises(InternalError, match=why):
            load("def f(): pass", scenario=scenario)

    def test_the_scenario_may_change_from_file_to_file(self) -> None:
        with Runner.start() as runner:
            for scenario, value in ((None, 1), ("def drive(c):\n    return c() + 1", 2), (None, 1)):
                runner.load(b"def f():\n    return 1", "f.py", "f", scenario)
                got = runner.call([], budget=BUDGET)
                assert isinstance(got, Returned)
                assert got.value == value


class TestRaising:
    def test_only_the_candidates_own_frames_are_shown(self) -> None:
        source = """
            import numpy as np

            def inner(x):
                return np.linalg.inv(x)

            def f(x):
                return inner(x)
        """
        got = call(source, np.zeros((2, 2)), scenario="def drive(candidate, x):\n    return candidate(x)")
        frames = (Frame(7, "f", "return inner(x)"), Frame(4, "inner", "return np.linalg.inv(x)"))
        assert got == Raised("LinAlgError", "Singular matrix", frames)

    @pytest.mark.parametrize(
        ("statement", "type_name", "message"),
        [
            ("raise SystemExit", "SystemExit", ""),
            ("import sys; sys.exit(0)", "SystemExit", "0"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
            (
                "raise ExceptionGroup('two', [ValueError('a'), TypeError('b')])",
                "ExceptionGroup",
                "two (2 sub-exceptions)",
            ),
            (
                "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})",
                "E",
                "(its __str__ raised ZeroDivisionError)",
            ),
            ("raise type('E', (Exception,), {'__str__': lambda self: type('S', (str,), {})('s')})", "E", "s"),
            ("raise GeneratorExit('x' * 10**6)", "GeneratorExit", "x" * 2000),
            ("raise NotImplementedError", "NotImplementedError", ""),
        ],
    )
    def test_whatever_is_raised_is_told_and_the_process_goes_on(
        self, statement: str, type_name: str, message: str
    ) -> None:
        with loaded(f"def f(x):\n    if x: {statement}\n    return 1") as runner:
            got = runner.call([True], budget=BUDGET)
            assert isinstance(got, Raised)
            assert (got.type, got.message, got.line) == (type_name, message, 2)
            assert got.not_implemented == (type_name == "NotImplementedError")
            assert isinstance(runner.call([False], budget=BUDGET), Returned)

    def test_endless_recursion_shows_both_ends_of_the_stack(self) -> None:
        got = call("def g(x):\n    return g(x)\ndef f(x):\n    return g(x)")
        assert isinstance(got, Raised)
        assert got.type == "RecursionError"
        assert len(got.frames) == 20
        assert got.frames[0].function == "f"
        assert got.line == 2

    @pytest.mark.parametrize("first", ["pass", "warnings.simplefilter('always')"])
    def test_overflow_prints_nothing(self, first: str) -> None:
        with loaded(f"import numpy as np, warnings\ndef f(x):\n    {first}\n    return np.exp(x) / 0") as runner:
            assert isinstance(runner.call([np.array([1e4])], budget=BUDGET), Returned)
            assert runner.stderr == ""

    def test_a_warning_prints_nothing(self) -> None:
        with loaded("import warnings\ndef f(x):\n    warnings.warn('w')") as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Returned)
            assert runner.stderr == ""

    def test_what_is_printed_is_kept_apart_bounded_and_decoded(self) -> None:
        source = """
            import os, sys
            def f(x):
                print("loss", x)
                sys.stderr.write("oops")
                os.write(1, b"\\xff" * 20000)
        """
        with loaded(source) as runner:
            assert isinstance(runner.call([1.5], budget=BUDGET), Returned)
            assert runner.stdout.startswith("loss 1.5\n�")
            assert len(runner.stdout) == 8 << 10
            assert runner.stderr == "oops"
            runner.load(b"def f(): pass", "g.py", "f")
            assert runner.stdout == ""


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
    def test_a_call_that_does_not_end_is_stopped_at_its_line(self, source: str, line: set[int]) -> None:
        with loaded(source, limits=SHORT) as runner:
            started = time.monotonic()
            got = runner.call([X], budget=BUDGET)
            assert time.monotonic() - started < SHORT.seconds + 1
        assert isinstance(got, TimedOut)
        assert got.limit == SHORT.seconds
        assert got.line in line

    def test_a_process_that_stops_itself_is_stopped_at_its_line(self) -> None:
        source = "import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)"
        with loaded(source, limits=SHORT, spawn=separate) as runner:
            assert runner.call([X], budget=BUDGET) == TimedOut(SHORT.seconds, 3)

    def test_a_file_that_does_not_end_is_stopped_at_its_line(self) -> None:
        assert load("x = 0\nwhile x < 1: x *= 2", limits=SHORT) == TimedOut(SHORT.seconds, 2)

    def test_the_line_is_found_whatever_the_file_is_called(self) -> None:
        for name in ("naïve ☃.py", "/a/" + "long" * 200 + ".py", 'qu"ote.py'):
            with Runner.start(SHORT) as runner:
                assert runner.load(b"def f():\n    while True: pass", name, "f") == Loaded()
                assert runner.call([], budget=BUDGET) == TimedOut(SHORT.seconds, 2)

    def test_a_call_may_have_a_limit_of_its_own(self) -> None:
        with loaded("import time\ndef f(x):\n    time.sleep(9)") as runner:
            assert runner.call([X], budget=BUDGET, seconds=0.1) == TimedOut(0.1, 3)

    @pytest.mark.parametrize(
        "where", ["print('x' * 100)", "import sys; sys.stderr.write('x' * 100)", "os.write(1, b'x' * 9999)"]
    )
    def test_printing_a_hundred_megabytes_is_stopped_at_its_line(self, where: str) -> None:
        got = call(f"import os\ndef f(x):\n    for _ in range(10**6):\n        {where}")
        assert got in {Flooded(1 << 20, 3), Flooded(1 << 20, 4)}

    def test_asking_for_eight_gigabytes_is_refused_and_the_process_goes_on(self) -> None:
        with loaded("import numpy as np\ndef f(n):\n    return np.ones(n)[:3]") as runner:
            assert runner.call([10**9], budget=BUDGET) == OutOfMemory(1 << 30, 3)
            assert isinstance(runner.call([10], budget=BUDGET), Returned)

    @pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not hold a process to RLIMIT_AS")
    @pytest.mark.parametrize("piece", ["[held]", "bytearray(1 << 20)", "str(len(held)) * 99"])
    def test_memory_filled_piece_by_piece_runs_out_at_its_line(self, piece: str) -> None:
        source = f"def fill(held):\n    while True:\n        held.append({piece})\ndef f(x):\n    fill([])"
        assert call(source, limits=Limits(seconds=10, memory=64 << 20)) == OutOfMemory(64 << 20, 3)

    @pytest.mark.parametrize(
        ("value", "what"),
        [
            (
                "np.broadcast_to(0.0, (10**6, 10**6))",
                "an array of shape (1000000, 1000000) and dtype float64 (8,000,000.0 MB)",
            ),
            ("[0] * 10**7", "a value of too many parts"),
            ("[0.0] * 50_000", "a value of too many parts"),
            ("'x' * 10**7", "a str of length 10000000"),
            ("circle", "a value nested more than 30 deep"),
        ],
    )
    def test_an_answer_beyond_its_budget_is_described_and_not_sent(self, value: str, what: str) -> None:
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
    def test_what_could_have_behaviour_comes_back_as_a_name(self, value: str, name: str) -> None:
        got = call(f"import numpy as np\ndef f(x):\n    return {value}")
        assert isinstance(got, Returned)
        assert got.value == wire.Opaque(name)


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
    def test_a_death_without_an_answer_says_how_and_at_which_line(self, statement: str, how: str) -> None:
        source = f"import ctypes, os, signal\ndef g():\n    {statement}\ndef f(x):\n    y = 1\n    g()"
        with loaded(source, spawn=separate) as runner:
            started = time.monotonic()
            got = runner.call([X], budget=BUDGET)
            assert time.monotonic() - started < USUAL.seconds + 1
            assert runner.finished
        assert isinstance(got, Died)
        assert got.how == how
        assert got.line in ({3, 6} if how.startswith("closed") else {3})  # it lives on a little after closing

    def test_a_death_at_import_is_found_too(self) -> None:
        assert load("import os\n\nos._exit(3)") == Died("exit code 3", 3)

    def test_a_death_on_the_third_call_only_is_told_without_a_wrong_line(self) -> None:
        with loaded(
            "import os\ncalls = []\ndef f(x):\n    calls.append(x)\n    if len(calls) == 3: os._exit(0)"
        ) as runner:
            runner.call([1], budget=BUDGET)
            runner.call([1], budget=BUDGET)
            assert runner.call([1], budget=BUDGET) == Died("exit code 0", None)

    def test_a_crash_tells_its_line_even_if_it_would_not_happen_again(self) -> None:
        source = (
            "import ctypes\ncalls = []\ndef f(x):\n    calls.append(x)\n    if len(calls) == 2: ctypes.string_at(0)"
        )
        with loaded(source) as runner:
            runner.call([1], budget=BUDGET)
            assert runner.call([1], budget=BUDGET) == Died("signal SIGSEGV", 5)

    def test_overflowing_the_c_stack_is_told_at_its_line(self) -> None:
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
        assert got == Died("signal SIGSEGV", 5) or isinstance(got, Raised)  # Python 3.12 looks after its C stack
        assert got.line == 5

    def test_closing_what_it_prints_to_harms_nobody(self) -> None:
        got = call("import os, sys\ndef f(x):\n    sys.stdout.close()\n    os.closerange(1, 3)\n    return x")
        assert isinstance(got, Returned)

    @only_root_forks
    def test_a_fork_that_comes_back_answers_only_once(self) -> None:
        with loaded("import os\ndef f(x):\n    os.fork()\n    return x", spawn=separate) as runner:
            for value in (1, 2, 3):
                got = runner.call([value], budget=BUDGET)
                assert isinstance(got, Returned)
                assert got.value == value

    @pytest.mark.parametrize(
        "frame", ["bytes([14]) + bytes(8)", "bytes([14]) + b'\\xff' * 8", "b'\\xff' * 99", "bytes([11]) + bytes(8)"]
    )
    def test_a_forged_frame_is_unreadable_and_ends_the_process(self, frame: str) -> None:
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

    def test_a_forged_answer_of_the_wrong_kind_is_unreadable(self) -> None:
        source = """
            import os
            def f(x):
                for fd in range(3, 64):
                    try: os.write(fd, bytes([11, 1]) + bytes(7) + b"N")
                    except OSError: pass
        """
        assert call(source) == Unreadable("not an answer to a call: LOADED")

    def test_a_finished_runner_says_so(self) -> None:
        with loaded("import os\ndef f(x):\n    os._exit(0)") as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Stopped)
            with pytest.raises(RuntimeError, match="finished"):
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

    def test_no_descriptor_and_no_zombie_is_left_and_the_next_runner_is_unharmed(self) -> None:
        call(self.HOSTILE[-1])  # whatever is opened once is open now
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
    def test_what_was_started_does_not_outlive_it(self, start: str) -> None:
        source = f"""
            import os, subprocess, time
            def f(x):
                {start}
                return 1
        """
        with loaded(source, spawn=separate) as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Returned)
            time.sleep(0.1)
            assert runner._child is not None
            started = tree(runner._child.process.pid)
            assert len(started) > 1
        assert [pid for pid in started if not dead(pid)] == []

    def test_threads_do_not_keep_it_alive(self) -> None:
        source = "import threading, time\ndef f(x):\n    threading.Thread(target=time.sleep, args=(600,)).start()"
        with loaded(source) as runner:
            runner.call([X], budget=BUDGET)  # where it may not have threads it raises, which is as good
            assert runner._child is not None
            pid = runner._child.process.pid
        assert not Path(f"/proc/{pid}").exists()

    def test_it_dies_with_its_parent(self) -> None:
        script = """
            from autodrill.grading.process import Runner
            runner = Runner.start()
            runner.load(b"def f(): pass", "f.py", "f")
            print(runner._child.process.pid, flush=True)
            runner.load(b"while True: pass", "f.py", "f", seconds=600)
        """
        with subprocess.Popen([sys.executable, "-c", dedent(script)], stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            time.sleep(0.3)  # by now it loops, and does not see that the channel is closed
            assert not dead(pid)
            parent.kill()
        deadline = time.monotonic() + 5
        while not dead(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert dead(pid)


def tree(root: int) -> list[int]:
    """`root` and its descendants that run."""
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


class TestEnvironment:
    def test_nothing_of_ours_is_inherited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_TOKEN", "hunter2")
        source = "import os, sys\ndef f(x):\n    return sorted(os.environ), os.getcwd(), sys.stdin.read(), sys.argv"
        got = call(source)
        assert isinstance(got, Returned)
        names, folder, typed, argv = got.value
        assert "SECRET_TOKEN" not in names
        assert (folder, typed, argv) == ("/", "", ["candidate"])

    def test_sets_of_strings_have_the_same_order_each_time(self) -> None:
        source = "def f(x):\n    return [str(n) for n in {'a', 'b', 'c', 'd', 'e'}]"
        first, second = call(source), call(source)
        assert isinstance(first, Returned)
        assert isinstance(second, Returned)
        assert first.value == second.value

    def test_no_file_can_be_written(self, tmp_path: Path) -> None:
        got = call(f"def f(x):\n    with open({str(tmp_path / 'out')!r}, 'w') as out:\n        out.write('x' * 10)")
        assert isinstance(got, Raised)
        assert got.type in {"PermissionError", "OSError"}  # by the filter; by a limit where there is none

    def test_starting_returns_before_the_process_is_ready(self) -> None:
        started = time.perf_counter()
        with Runner.start() as runner:
            assert time.perf_counter() - started < 0.05  # 1 ms on an idle machine; importing NumPy takes 100 ms
            assert runner.load(b"def f(): pass", "f.py", "f") == Loaded()


class TestDebugging:
    def test_pdb_stops_in_the_candidates_code_and_where_it_raises(self) -> None:
        script = """
            from autodrill.grading.debug import debug
            source = b"def helper(x):\\n    return 1 / x\\ndef f(x):\\n    y = x * 2\\n    return helper(y - y)\\n"
            print("END", debug(source, "/home/someone/f.py", "f", "def drive(c, x):\\n    return c(x)", [3.0]))
        """
        screen = on_a_terminal(dedent(script), ["list", "p x", "next", "p y", "continue", "p x", "quit"])
        assert "->\t    y = x * 2" in screen
        assert "3.0" in screen
        assert "6.0" in screen
        assert "ZeroDivisionError" in screen
        assert "> /home/someone/f.py(2)helper()" in screen
        assert "debugger.py" not in screen
        assert "END Raised(type='ZeroDivisionError'" in screen

    def test_leaving_pdb_shows_no_traceback(self) -> None:
        script = """
            from autodrill.grading.debug import debug
            print("END", debug(b"class f:\\n    def __init__(self):\\n        self.x = 1\\n", "f.py", "f", None, []))
        """
        screen = on_a_terminal(dedent(script), ["quit"])
        assert "->" in screen
        assert "Traceback" not in screen
        assert "END Raised(type='BdbQuit'" in screen


def on_a_terminal(script: str, typed: list[str]) -> str:
    """Run a script on a terminal of its own, typing a line at each prompt of pdb, and return what is on the screen."""
    terminal, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", script], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    screen = b""
    while select.select([terminal], [], [], 20)[0]:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        if not part:
            break
        screen += part
        if screen.endswith(b"(Pdb) "):
            os.write(terminal, typed.pop(0).encode() + b"\n" if typed else b"quit\n")
    os.close(terminal)
    process.wait(20)
    return screen.decode()
