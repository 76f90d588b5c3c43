"""The candidate's process: what it is given, what comes back, and what it finds around it."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.errors import InternalError
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.outcomes import Broken, BrokenKind, Loaded, NotDefined, Raised, Returned, TracebackFrame
from autodrill.sandbox.runner import Arg, Layout, Runner, SameAs
from tests.sandbox.running import (
    BUDGET,
    X,
    call,
    load,
    loaded,
    timed,
)

if TYPE_CHECKING:
    from pathlib import Path

    from autodrill.sandbox.child_process import ChildProcess


class TestReturning:
    def test_call_returns_values_exactly(self) -> None:
        got = call(
            "import numpy as np\ndef f(g, x):\n    return np.tanh(g) * x, {'sum': x.sum()}, [1, 'a', None]", X, X
        )
        assert isinstance(got, Returned)
        product, sums, rest = got.value
        np.testing.assert_array_equal(product, np.tanh(X) * X, strict=True)  # exactly equal
        assert type(sums["sum"]) is np.float64
        assert sums["sum"] == X.sum()
        assert rest == [1, "a", None]

    def test_call_is_quick(self) -> None:
        with loaded("def f(g, x):\n    return g * x") as runner:
            best = min(timed(lambda: runner.call([X, X], budget=BUDGET)) for _ in range(200))
        assert best < 0.002  # 0.25 ms on an idle machine

    def test_call_copies_its_arguments(self) -> None:
        mine = X.copy()
        with loaded("def f(x):\n    x += 1\n    return x") as runner:
            for _ in range(2):
                got = runner.call([mine], budget=BUDGET)
                assert isinstance(got, Returned)
                np.testing.assert_array_equal(got.value, X + 1)
        np.testing.assert_array_equal(mine, X)

    def test_call_keeps_layouts_and_identity_of_arguments(self) -> None:
        source = """
            def f(a, b, c, d):
                return a is d, a is b, a.strides, b.strides, c.flags.c_contiguous
        """
        got = call(source, X, Arg(X, Layout.STRIDED), Arg(X, Layout.F), SameAs(0))
        assert isinstance(got, Returned)
        assert got.value == (True, False, (24, 8), (16, 32), False)

    def test_call_returns_claims_about_its_arguments(self) -> None:
        got = call("def f(g, x):\n    x[0] = 7\n    return g, g[:1], x * 1, g[:1] * 0 + [[1, 2, 3]]", X, X)
        assert isinstance(got, Returned)
        assert (got.changed, got.shared, got.joined, got.readonly) == ((1,), ((0, 0), (1, 0)), ((0, 1),), ())

    def test_scenario_drives_a_class(self) -> None:
        source = (
            "class f:\n    def __init__(self, x):\n        self.x = x\n    def twice(self):\n        return self.x * 2"
        )
        scenario = "def drive(candidate, x):\n    return candidate(np.asarray(x)).twice()"
        got = call(source, X, scenario=scenario)
        assert isinstance(got, Returned)
        np.testing.assert_array_equal(got.value, X * 2)

    RANKS = """
def drive(candidate, x):
    def program(rank, collective):
        return candidate(x[rank], x, lambda a: collective(np.array(a)))
    return tuple(in_step(program, [[rank] for rank in range(len(x))], sum)[0])
"""

    def test_ranks_share_no_variables(self) -> None:
        source = """
            import sys
            held = []
            def f(own, x, all_reduce, kept=[]):
                held.append(own)
                kept.append(own)
                sys.modules[__name__].__dict__.setdefault("own", own)
                total = all_reduce(own)
                ranks = {float(a[0]) for a in (*held, *kept, sys.modules[__name__].own)}
                return total, len(ranks)
        """
        got = call(source, X, scenario=self.RANKS)
        assert isinstance(got, Returned), got
        assert [(total.tolist(), ranks) for total, ranks in got.value] == [(X.sum(axis=0).tolist(), 1)] * 2

    def test_ranks_are_lent_copies_of_arguments(self) -> None:
        source = """
            def f(own, x, all_reduce):
                before = x.copy()
                x += 1
                all_reduce(own)
                return own.base is None, before
        """
        got = call(source, X, scenario=self.RANKS)
        assert isinstance(got, Returned), got
        assert [whole for whole, _ in got.value] == [True, True]
        for _, before in got.value:
            np.testing.assert_array_equal(before, X)
        assert got.changed == (0,)  # as soon as all ranks have ended

    def test_scenario_without_ranks_calls_the_entry_itself(self) -> None:
        got = call("def f(x):\n    pass", X, scenario="def drive(candidate, x):\n    return candidate.__name__")
        assert isinstance(got, Returned)
        assert got.value == "f"

    def test_load_isolates_files_from_each_other(self) -> None:
        with Runner.start() as runner:
            runner.load(b"leak = 1\ndef f():\n    return 1", "a.py", "f")
            runner.load(b"def f():\n    return 'leak' in globals()", "b.py", "f")
            got = runner.call([], budget=BUDGET)
        assert isinstance(got, Returned)
        assert got.value is False

    def test_call_rejects_arguments_that_cannot_be_sent(self) -> None:
        with loaded("def f(x):\n    pass") as runner:
            with pytest.raises(TypeError, match="argument 1 cannot be sent: function"):
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
            (
                b"# coding: klingon\n",
                Broken(BrokenKind.ENCODING, "unknown encoding: klingon: save the file as UTF-8", None, None, None),
            ),
            (
                b"# coding: rot13\n",
                Broken(BrokenKind.ENCODING, "'rot13' is not a text encoding: save the file as UTF-8", None, None, None),
            ),
        ],
    )
    def test_load_reports_where_a_file_does_not_compile(self, source: bytes, expected: Broken) -> None:
        assert load(source) == expected

    @pytest.mark.parametrize("source", ["(" * 9999, "-" * 99999 + "1", "a" + ".a" * 99999])
    def test_load_tells_deep_nesting_from_bad_syntax(self, source: str) -> None:
        got = load("x = " + source)
        assert isinstance(got, Broken)
        assert got.kind is BrokenKind.NESTING

    def test_load_reports_bad_encoding(self) -> None:
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
    def test_load_honours_cookies_byte_order_marks_and_line_ends(self, source: bytes) -> None:
        with Runner.start() as runner:
            assert runner.load(source, "f.py", "f") == Loaded()
            got = runner.call([], budget=BUDGET)
        assert isinstance(got, Returned)
        assert got.value == "é"

    def test_load_lists_defined_names_if_the_entry_is_missing(self) -> None:
        source = "import os\nfrom math import sin\ndef mul(): pass\nclass Node: pass\n_hidden = len\n"
        assert load(source) == NotDefined(("mul", "Node"))
        assert load("f = 3") == NotDefined((), "int")

    def test_load_reports_the_line_of_an_exception(self) -> None:
        got = load("x = 1\ny = x / 0")
        assert got == Raised("ZeroDivisionError", "division by zero", (TracebackFrame(2, "<module>", "y = x / 0"),))

    def test_load_does_not_run_the_file_as_main(self) -> None:
        assert (
            load("import random\nif __name__ == '__main__':\n    1 / 0\nassert random.random()\ndef f(): pass")
            == Loaded()
        )

    @pytest.mark.parametrize("module", ["autodrill", "autodrill.engine", "torch", "pytest", "process", "outcome"])
    def test_load_refuses_other_packages(self, module: str) -> None:
        got = load(f"import {module}")
        assert isinstance(got, Raised)
        assert got.type == "ModuleNotFoundError"

    @pytest.mark.parametrize(
        "module",
        ["numpy.linalg", "numpy.random", "numpy.fft", "numpy.ma", "numpy.polynomial", "numpy.testing", "decimal"],
    )
    def test_load_allows_submodules_of_numpy(self, module: str) -> None:
        assert load(f"import {module}\ndef f(): pass") == Loaded()

    @pytest.mark.parametrize(
        ("scenario", "why"),
        [("def drive(", "never closed"), ("1 / 0", "division by zero"), ("x = 1", "does not define")],
    )
    def test_scenario_failure_is_an_internal_error(self, scenario: str, why: str) -> None:
        with pytest.raises(InternalError, match=why):
            load("def f(): pass", scenario=scenario)

    def test_scenario_may_change_between_files(self) -> None:
        with Runner.start() as runner:
            for scenario, value in ((None, 1), ("def drive(c):\n    return c() + 1", 2), (None, 1)):
                runner.load(b"def f():\n    return 1", "f.py", "f", scenario)
                got = runner.call([], budget=BUDGET)
                assert isinstance(got, Returned)
                assert got.value == value


class TestRaising:
    def test_raised_shows_only_frames_of_the_submission(self) -> None:
        source = """
            import numpy as np

            def inner(x):
                return np.linalg.inv(x)

            def f(x):
                return inner(x)
        """
        got = call(source, np.zeros((2, 2)), scenario="def drive(candidate, x):\n    return candidate(x)")
        frames = (TracebackFrame(7, "f", "return inner(x)"), TracebackFrame(4, "inner", "return np.linalg.inv(x)"))
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
    def test_raised_reports_any_exception_and_the_process_continues(
        self, statement: str, type_name: str, message: str
    ) -> None:
        with loaded(f"def f(x):\n    if x: {statement}\n    return 1") as runner:
            got = runner.call([True], budget=BUDGET)
            assert isinstance(got, Raised)
            assert (got.type, got.message, got.line) == (type_name, message, 2)
            assert got.not_implemented == (type_name == "NotImplementedError")
            assert isinstance(runner.call([False], budget=BUDGET), Returned)

    def test_raised_shows_both_ends_of_a_deep_stack(self) -> None:
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

    def test_warning_prints_nothing(self) -> None:
        with loaded("import warnings\ndef f(x):\n    warnings.warn('w')") as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Returned)
            assert runner.stderr == ""

    def test_printed_text_is_bounded_and_decoded(self) -> None:
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


class TestEnvironment:
    def test_environment_inherits_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET_TOKEN", "hunter2")
        source = "import os, sys\ndef f(x):\n    return sorted(os.environ), os.getcwd(), sys.stdin.read(), sys.argv"
        got = call(source)
        assert isinstance(got, Returned)
        names, folder, typed, argv = got.value
        assert "SECRET_TOKEN" not in names
        assert (folder, typed, argv) == ("/", "", ["candidate"])

    def test_environment_fixes_the_order_of_sets(self) -> None:
        source = "def f(x):\n    return [str(n) for n in {'a', 'b', 'c', 'd', 'e'}]"
        first, second = call(source), call(source)
        assert isinstance(first, Returned)
        assert isinstance(second, Returned)
        assert first.value == second.value

    def test_environment_allows_no_file_to_be_written(self, tmp_path: Path) -> None:
        got = call(f"def f(x):\n    with open({str(tmp_path / 'out')!r}, 'w') as out:\n        out.write('x' * 10)")
        assert isinstance(got, Raised)
        assert got.type in {"PermissionError", "OSError"}  # PermissionError by seccomp, OSError by RLIMIT_FSIZE

    def test_start_returns_before_the_process_is_ready(self) -> None:
        def stopped(*, memory: int, traced: bool) -> ChildProcess:
            child = launch(memory=memory, traced=traced)
            child.process.send_signal(signal.SIGSTOP)
            return child

        with Runner.start(launcher=stopped) as runner:
            assert runner._child is not None
            runner._child.process.send_signal(signal.SIGCONT)
            assert runner.load(b"def f(): pass", "f.py", "f") == Loaded()
