"""The ranks of a distributed scenario: each runs the file in a process of its own."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.errors import InternalError
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import (
    CallOutcome,
    Died,
    Loaded,
    NotDefined,
    OutOfMemory,
    Oversized,
    Raised,
    Returned,
    TimedOut,
    Unreadable,
)
from autodrill.sandbox.runner import Arg, Layout, RankMode, Runner
from tests.sandbox.running import BUDGET, X, code

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a fork server needs Linux")

SCENARIO = """
def drive(candidate, x):
    def program(rank, collective):
        def all_reduce(a):
            if np.shape(a) == (99,):
                raise ValueError("a message of 99 numbers")
            return collective(np.array(a, dtype=float))
        return candidate(rank, x[rank], all_reduce)
    return tuple(in_step(program, [[rank] for rank in range(len(x))], sum)[0])
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer() as started:
        yield started


@contextmanager
def loaded(
    server: ForkServer, source: str, *, seconds: float = 5.0, scenario: str = SCENARIO, ranks: RankMode = RankMode.APART
) -> Iterator[Runner]:
    with Runner.start(Limits(seconds=seconds), launcher=server.launch) as runner:
        assert runner.load(code(source), "f.py", "f", scenario, ranks=ranks) == Loaded()
        yield runner


def call(server: ForkServer, source: str, x: Any = X, **named: Any) -> CallOutcome:
    with loaded(server, source, **named) as runner:
        return runner.call([x], budget=BUDGET)


def value(outcome: CallOutcome) -> Any:
    assert isinstance(outcome, Returned), outcome
    return outcome.value


class TestProcesses:
    WHERE = "import os\ndef f(rank, x, all_reduce):\n    all_reduce(0)\n    return os.getpid()"

    def test_each_rank_has_a_process_that_it_keeps(self, server: ForkServer) -> None:
        with loaded(server, self.WHERE) as runner:
            first, second = (value(runner.call([X], budget=BUDGET)) for _ in range(2))
        assert len(set(first)) == len(X)
        assert first == second

    def test_together_all_ranks_share_a_process(self, server: ForkServer) -> None:
        assert len(set(value(call(server, self.WHERE, ranks=RankMode.TOGETHER)))) == 1

    @pytest.mark.parametrize(
        ("ranks", "in_library", "in_module"),
        [(RankMode.APART, 1, 1), (RankMode.TOGETHER, 2, 1), (RankMode.AS_ONE, 2, 2)],
    )
    def test_mode_decides_what_ranks_share(
        self, server: ForkServer, ranks: RankMode, in_library: int, in_module: int
    ) -> None:
        source = """
            import fractions
            library, module = fractions.__dict__.setdefault("held", set()), set()
            def f(rank, x, all_reduce):
                library.add(rank)
                module.add(rank)
                all_reduce(0)
                return len(library), len(module)
        """
        assert max(value(call(server, source, ranks=ranks))) == (in_library, in_module)

    def test_only_own_arguments_are_in_reach(self, server: ForkServer) -> None:
        source = """
            import gc, sys
            import numpy as np
            def f(rank, x, all_reduce):
                all_reduce(0)
                frame, found = sys._getframe(), gc.get_objects()
                while frame:
                    found.append(dict(frame.f_locals))
                    frame = frame.f_back
                return max(a.size for o in found if type(o) is dict for a in o.values() if type(a) is np.ndarray)
        """
        assert max(value(call(server, source, np.ones((2, 5000))))) < 10_000

    def test_call_is_made_once_whatever_it_draws(self, server: ForkServer) -> None:
        source = """
            import numpy as np
            calls = []
            def f(rank, x, all_reduce):
                calls.append(rank)
                noise = np.random.default_rng().normal(size=3)
                total = [all_reduce(x + noise) for _ in range(3)][-1]
                return total - all_reduce(noise), len(calls)
        """
        for total, calls in value(call(server, source)):
            np.testing.assert_allclose(total, X.sum(axis=0), rtol=1e-12)
            assert calls == 1

    def test_load_runs_another_file_on_every_rank(self, server: ForkServer) -> None:
        with loaded(server, self.WHERE) as runner:
            processes = value(runner.call([X], budget=BUDGET))
            source = b"import os\ndef f(rank, x, all_reduce):\n    return os.getpid(), all_reduce(1)"
            assert runner.load(source, "g.py", "f", SCENARIO) == Loaded()
            assert value(runner.call([X], budget=BUDGET)) == tuple((process, 2.0) for process in processes)
            assert runner.load(b"def g(): pass", "g.py", "f", SCENARIO) == NotDefined(("g",))
            assert runner.load(b"def f(x):\n    return 7", "g.py", "f") == Loaded()
            assert value(runner.call([X], budget=BUDGET)) == 7

    def test_reload_runs_the_file_again_on_every_rank(self, server: ForkServer) -> None:
        source = """
            count = []
            def f(rank, x, all_reduce):
                count.append(0)
                return len(count)
        """
        with loaded(server, source) as runner:
            runner.call([X], budget=BUDGET)
            assert value(runner.call([X], budget=BUDGET)) == (2, 2)
            assert runner.reload() == Loaded()
            assert value(runner.call([X], budget=BUDGET)) == (1, 1)

    def test_output_of_every_rank_is_kept(self, server: ForkServer) -> None:
        with loaded(server, "def f(rank, x, all_reduce):\n    print('rank', rank)") as runner:
            runner.call([X], budget=BUDGET)
            assert runner.stdout == "rank 0\nrank 1\n"
            runner.close()
            assert runner.stdout == "rank 0\nrank 1\n"

    def test_memory_bound_holds_for_each_rank(self, server: ForkServer) -> None:
        source = """
            import numpy as np
            def f(rank, x, all_reduce):
                all_reduce(0)
                return float(np.ones(int(x[0])).sum())
        """
        with loaded(server, source) as runner:
            other, outcome = runner.loaded_sibling(16 << 20)
            with other:
                assert outcome == Loaded()
                assert value(other.call([np.array([[1e6], [1e6], [1e6]])], budget=BUDGET)) == (1e6, 1e6, 1e6)
                got = other.call([np.array([[1.0], [1e7]])], budget=BUDGET)
        assert got == OutOfMemory(16 << 20, line=4)


class TestMessages:
    def test_messages_are_plain_data(self, server: ForkServer) -> None:
        source = """
            import numpy as np
            class Sub(np.ndarray): pass
            class Own:
                def __array__(self, dtype=None, copy=None):
                    return np.ones(3)
            def f(rank, x, all_reduce):
                return [all_reduce(a) for a in (x.view(Sub), Own(), (n for n in x), [*x], 1, True, np.float32(2))]
        """
        first, second = value(call(server, source))
        expected = [X.sum(axis=0), [2, 2, 2], X.sum(axis=0), X.sum(axis=0), 2, 2, 4]
        for got in (first, second):
            for a, b in zip(got, expected, strict=True):
                np.testing.assert_array_equal(a, b)

    def test_arguments_keep_the_order_of_their_axes(self, server: ForkServer) -> None:
        source = "def f(rank, x, all_reduce):\n    return x.flags.f_contiguous, x.flags.writeable, x.base is None"
        x = np.arange(24.0).reshape(2, 3, 4)
        assert value(call(server, source, Arg(x, Layout.F))) == ((True, True, True),) * 2
        assert value(call(server, source, x)) == ((False, True, True),) * 2

    def test_change_of_an_argument_is_reported(self, server: ForkServer) -> None:
        source = "def f(rank, x, all_reduce):\n    all_reduce(0)\n    x[0] += rank\n    return 0"
        got = call(server, source, np.full((2, 3), np.nan))
        assert isinstance(got, Returned)
        assert got.changed == ()  # NaN + 1 is NaN
        got = call(server, source)
        assert isinstance(got, Returned)
        assert got.changed == (0,)

    def test_nested_change_of_one_rank_is_not_undone_by_another(self, server: ForkServer) -> None:
        scenario = """
def drive(candidate, pairs):
    def program(rank, collective):
        return candidate(rank, pairs, named=pairs[0])
    return tuple(in_step(program, [[0], [1]], sum)[0])
"""
        source = "def f(rank, pairs, named):\n    if rank == 0:\n        pairs[1][1][0] = 9\n    return 0"
        with loaded(server, source, scenario=scenario) as runner:
            got = runner.call([[[X, X], [1, X.copy()]]], budget=BUDGET)
        assert isinstance(got, Returned)
        assert got.changed == (0,)

    @pytest.mark.parametrize(
        "change",
        [
            "x.clear()",
            "x[0] = np.ones((1, 3, 1))",
            "x[0] = x[0].astype(np.float32)",
            "x[1] = (x[1][0].reshape(-1, 1), 1.0)",
            "x[1] = (x[1][0], 2.0)",
            "x[2]['k'] = 2.0",
            "x[2]['a'] = np.ones(4)",
            "x[2]['new'] = 1.0",
        ],
    )
    def test_change_of_what_an_argument_holds_is_reported(self, server: ForkServer, change: str) -> None:
        scenario = """
def drive(candidate, x):
    return tuple(in_step(lambda rank, collective: candidate(rank, x), [[0], [1]], sum)[0])
"""
        source = f"import numpy as np\ndef f(rank, x):\n    if rank == 0:\n        {change}\n    return 0"
        given = [X.copy(), (X.copy(), 1.0), {"k": 1.0, "a": X.copy()}]
        with loaded(server, source, scenario=scenario) as runner:
            got = runner.call([given], budget=BUDGET)
        assert isinstance(got, Returned)
        assert got.changed == (0,)

    def test_error_of_a_collective_is_raised_in_the_file(self, server: ForkServer) -> None:
        got = call(server, "import numpy as np\ndef f(rank, x, all_reduce):\n    return all_reduce(np.ones(99))")
        assert isinstance(got, Raised)
        assert (got.type, got.message, got.line) == ("ValueError", "a message of 99 numbers", 3)

    @pytest.mark.parametrize("message", ["object()", "1j * x", "np.array([{}])"])
    def test_message_that_holds_no_numbers_is_refused(self, server: ForkServer, message: str) -> None:
        source = f"import numpy as np\ndef f(rank, x, all_reduce):\n    return all_reduce({message})"
        got = call(server, source, scenario=SCENARIO.replace("np.array(a, dtype=float)", "np.array(a)"))
        assert isinstance(got, Raised), got
        assert (got.type, got.line) == ("TypeError", 3)

    def test_huge_message_and_result_are_refused(self, server: ForkServer) -> None:
        got = call(server, "import numpy as np\ndef f(rank, x, all_reduce):\n    return all_reduce(np.ones(1 << 22))")
        assert isinstance(got, Raised)
        assert got.message.startswith("a message is too large: an array of shape (4194304,)")
        got = call(server, "import numpy as np\ndef f(rank, x, all_reduce):\n    return np.ones(1 << 22)")
        assert isinstance(got, Oversized)


class TestFailures:
    GOOD = "all_reduce(x)[0]"

    @pytest.mark.parametrize(
        ("bad", "kind", "line"),
        [("1 / 0", "ZeroDivisionError", 5), ("0", "RuntimeError", None)],
        ids=["one rank raises", "one rank sends nothing"],
    )
    def test_call_after_a_failure_is_as_usual(self, server: ForkServer, bad: str, kind: str, line: int | None) -> None:
        source = f"""
            def f(rank, x, all_reduce):
                if rank == 0 or x[0] == 3:
                    return all_reduce(x)[0]
                return {bad}
        """
        with loaded(server, source) as runner:
            for _ in range(2):
                got = runner.call([X + 1], budget=BUDGET)
                assert isinstance(got, Raised)
                assert (got.type, got.line) == (kind, None if line is None else line - 1)
                assert value(runner.call([X], budget=BUDGET)) == (3.0, 3.0)

    def test_endless_rank_is_stopped_at_its_line(self, server: ForkServer) -> None:
        source = "def f(rank, x, all_reduce):\n    all_reduce(0)\n    while rank:\n        pass"
        with loaded(server, source, seconds=0.5) as runner:
            got = runner.call([X], budget=BUDGET)
            assert runner.finished
        assert isinstance(got, TimedOut)
        assert got.line in {3, 4}

    def test_dead_rank_is_found_with_its_line(self, server: ForkServer) -> None:
        source = "import os\ndef f(rank, x, all_reduce):\n    all_reduce(x)\n    os._exit(rank)"
        with loaded(server, source) as runner:
            assert runner.call([X], budget=BUDGET) == Died("exit code 0", 4)
            assert runner.finished

    @pytest.mark.parametrize("kind", ["RANK", "READY", "ASKED", "RETURNED"])
    def test_forged_frame_stops_the_rank(self, server: ForkServer, kind: str) -> None:
        source = f"""
            import gc, sys
            def f(rank, x, all_reduce):
                kinds = next(m for n, m in sys.modules.items() if n.endswith(".frames")).FrameKind
                channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
                channel.send(kinds.{kind}, (0, 2, True, b"N"), 1000)
                return 0
        """
        with loaded(server, source) as runner:
            assert isinstance(runner.call([X], budget=BUDGET), Unreadable)
            assert runner.finished

    @pytest.mark.parametrize("said", ["wire.encode((5, [], {}))", 'wire.encode(("x", [], {}))', 'b"t"', 'b""'])
    def test_forged_question_fails(self, server: ForkServer, said: str) -> None:
        source = f"""
            import gc, sys
            def f(rank, x, all_reduce):
                child = {{n.rpartition(".")[2]: m for n, m in sys.modules.items() if m is not None and "." in n}}
                wire, kinds = child["wire"], child["frames"].FrameKind
                channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
                channel.send(kinds.ASKED, {said}, 1000)
                return channel.await_answer()
        """
        assert isinstance(call(server, source), Raised)

    def test_scenario_that_hands_out_an_object_is_refused(self, server: ForkServer) -> None:
        scenario = SCENARIO.replace("x[rank], all", "object(), all")
        got = call(server, "def f(rank, x, all_reduce):\n    return 0", scenario=scenario)
        assert isinstance(got, Raised)
        assert got.message == "a rank cannot be given a object"


def test_too_many_ranks_are_a_fault_of_the_scenario(server: ForkServer) -> None:
    with pytest.raises(InternalError, match="calls rank 0 of 300; at most 256"):
        call(server, "def f(rank, x, all_reduce):\n    return 0", np.zeros((300, 1)))


def test_outside_in_step_rank_0_is_called(server: ForkServer) -> None:
    scenario = "def drive(candidate, x):\n    return candidate(x, lambda a: a + 1) if in_step else None"
    assert value(call(server, "def f(x, add):\n    return add(add(2))", scenario=scenario)) == 4
