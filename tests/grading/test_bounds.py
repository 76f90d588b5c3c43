"""Bounds on cost, estimators, customs and ranks, each with a small exercise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.errors import ContentError
from autodrill.grading.report import Verdict
from autodrill.sandbox.child.collectives import in_step
from tests.grading.making import grader, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from autodrill.grading.report import Report
    from tests.grading.making import Graded


@pytest.fixture
def graded(tmp_path: Path) -> Graded:
    """Grade a file against an exercise made of its parts."""
    return grader(tmp_path)


class TestBounds:
    STUB = "def thing_backward(g, x):\n    raise NotImplementedError\n"
    REST = """CASES = [
    given("x[n]", large=False),
    given("x[n]", large={{"n": 2000}}, because="the n x n matrix", {bound}),
]


def forward(x):
    return x * x
"""
    RIGHT = "def thing_backward(g, x):\n    return 2 * x * g\n"

    @pytest.fixture
    def bounded(self, graded: Graded) -> Callable[..., Report]:
        def bounded(line: str, bound: str, before: str = "POOL = []") -> Report:
            answer = (
                f"import time\nimport numpy as np\n{before}\n{self.RIGHT.replace('    ', f'    {line}{chr(10)}    ')}"
            )
            return graded(answer, "backward", self.STUB, self.REST.format(bound=bound), solution=self.RIGHT)

        return bounded

    @pytest.mark.parametrize(
        "line",
        [
            "np.diag(2 * x) @ g",
            "[bytearray(1 << 20) for _ in range(16)]",
            "POOL.append(np.ones((len(x), len(x)), np.float32))",
            "import numpy.linalg; np.ones(1 << 22)",
        ],
    )
    def test_bound_names_too_much_memory(self, bounded: Callable[..., Report], line: str) -> None:
        report = bounded(line, "memory=4 << 20")
        assert report.failure is not None
        assert (report.failure.kind, report.failure.summary) == (
            FaultKind.TOO_MUCH_MEMORY,
            "the call takes too much memory: the n x n matrix",
        )

    def test_bound_is_named_if_its_lack_of_memory_crashes(self, bounded: Callable[..., Report]) -> None:
        crash = "try: bytearray(1 << 24)\n    except MemoryError: ctypes.string_at(1)"
        report = bounded(crash, "memory=2 << 20", "import ctypes")
        assert report.failure is not None
        assert report.failure.kind is FaultKind.TOO_MUCH_MEMORY
        assert report.failure.summary == "the call takes too much memory: the n x n matrix"

    def test_bound_is_named_if_its_lack_of_memory_takes_time(self, bounded: Callable[..., Report]) -> None:
        report = bounded("try: bytearray(1 << 24)\n    except MemoryError:\n        while True: pass", "memory=2 << 20")
        assert report.failure is not None
        assert report.failure.summary == "the call takes too much memory: the n x n matrix"

    def test_bound_is_not_named_for_any_crash(self, bounded: Callable[..., Report]) -> None:
        report = bounded("if len(x) == 2000: ctypes.string_at(1)", "memory=2 << 20", "import ctypes")
        assert report.failure is not None
        assert report.failure.kind is FaultKind.DIED

    def test_bound_counts_memory_allocated_at_load(self, bounded: Callable[..., Report]) -> None:
        report = bounded("POOL", "memory=4 << 20", "POOL = bytearray(1 << 25)")
        assert kind_of(report) is FaultKind.TOO_MUCH_MEMORY

    def test_bound_ignores_memory_freed_by_a_small_case(self, bounded: Callable[..., Report]) -> None:
        assert bounded("len(x) > 100 or np.ones(1 << 22)", "memory=4 << 20").verdict is Verdict.PASS

    def test_bound_allows_the_full_size_of_a_periodic_cotangent(self, graded: Graded) -> None:
        rest = """CASES = [
    given("x[n]", large=False),
    given("x[n]", large={"n": 500}, memory=1 << 20, because="nothing else is needed"),
]


def forward(x):
    return x * np.ones((3000, 1))
"""
        right = f"import numpy as np\n{self.STUB.partition('    ')[0]}    return np.sum(g, axis=0)\n"
        assert graded(right, "backward", self.STUB, rest, solution=right).verdict is Verdict.PASS

    def test_bound_allows_what_is_needed(self, bounded: Callable[..., Report]) -> None:
        assert bounded("np.ones(1 << 17)", "memory=4 << 20").verdict is Verdict.PASS

    def test_bound_cannot_be_raised_by_the_candidate(self, bounded: Callable[..., Report]) -> None:
        line = (
            "import resource; most = resource.getrlimit(resource.RLIMIT_AS)[1]\n"
            "    try:\n        resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
            "    except (ValueError, OSError):\n        pass\n    np.ones(1 << 23)"
        )
        assert kind_of(bounded(line, "memory=4 << 20")) is FaultKind.TOO_MUCH_MEMORY

    def test_bound_names_too_much_time(self, bounded: Callable[..., Report]) -> None:
        report = bounded("while len(x) > 100: pass", "")
        assert report.failure is not None
        assert report.failure.kind is FaultKind.TOO_SLOW
        summary = r"the call takes more than \d+\.\d s of processor time: the n x n matrix"
        assert re.fullmatch(summary, report.failure.summary)

    def test_bound_does_not_count_waiting(self, bounded: Callable[..., Report]) -> None:
        assert bounded("time.sleep(4 if len(x) > 100 else 0)", "").verdict is Verdict.PASS

    def test_bound_requires_a_reason(self, graded: Graded) -> None:
        rest = self.REST.format(bound="memory=4 << 20").replace(' because="the n x n matrix",', "")
        with pytest.raises(ContentError, match=r"thing_backward.py:11: ValueError: a bound needs `because="):
            graded(self.RIGHT, "backward", self.STUB, rest)


class TestEstimators:
    STUB = "def thing_backward(g, x, noise):\n    raise NotImplementedError\n"
    REST = """CASES = [given("x[n]", draws=100, empty=False)]


def forward(x):
    return x * x


def sample(rng, x):
    return {"noise": rng.normal(size=x.shape)}


def deviation(g, x):
    return np.abs(g)
"""

    @pytest.fixture
    def estimator(self, graded: Graded) -> Callable[[str], Report]:
        def estimator(line: str) -> Report:
            head = self.STUB.partition("    ")[0]
            right = f"{head}    return g * (2 * x + noise.astype(x.dtype))\n"
            return graded(f"{head}    return {line}\n", "backward", self.STUB, self.REST, solution=right)

        return estimator

    @pytest.mark.parametrize(
        "line", ["g * (2 * x + noise.astype(x.dtype))", "g * (2 * x - noise.astype(x.dtype))", "2 * g * x"]
    )
    def test_estimator_passes_if_right_on_average(self, estimator: Callable[[str], Report], line: str) -> None:
        assert estimator(line).verdict is Verdict.PASS

    @pytest.mark.parametrize(
        ("line", "kind"),
        [
            ("g * (3 * x + noise.astype(x.dtype))", FaultKind.VALUE),
            ("g * (2 * x + abs(noise).astype(x.dtype))", FaultKind.VALUE),
            ("g * (2 * x + (3 * noise).astype(x.dtype))", FaultKind.NOISY),
            ("g * (3 * x + (1000 * noise).astype(x.dtype))", FaultKind.VALUE),
            ("(g * (2 * x + noise.astype(x.dtype)))[:-1]", FaultKind.SHAPE),
            ("g * (2 * x + noise)", FaultKind.DTYPE),
            ("None", FaultKind.NOTHING),
        ],
    )
    def test_estimator_fails_for_bias_or_excess_noise(
        self, estimator: Callable[[str], Report], line: str, kind: FaultKind
    ) -> None:
        assert kind_of(estimator(line)) is kind


class TestCustoms:
    STUB = "def thing_backward(dout, x, b):\n    raise NotImplementedError\n"
    REST = """CASES = [given("x[n,m] b[m]")]
COTANGENTS = ("dout",)
REMARKS = {remarks}


def forward(x, b):
    return 2 * x + b
"""
    RIGHT = "def thing_backward(dout, x, b):\n    return 2 * dout, dout.sum(axis=0)\n"

    @pytest.mark.parametrize(
        ("custom", "body", "fault"),
        [
            ("writes-cotangent", "db = dout.sum(axis=0); dout *= 2; return dout.copy(), db", FaultKind.MUTATED),
            ("extra-axes", "return 2 * dout, dout.sum(axis=0, keepdims=True)", FaultKind.SHAPE),
            ("dtype", "return 2 * dout.astype(float), dout.astype(float).sum(axis=0)", FaultKind.DTYPE),
            (
                "aliases",
                "d = 2 * dout; return d, d.view() if d.ndim == 1 else (d / 2).sum(axis=0) + 0 * x[:0].sum()",
                None,
            ),
            (
                "old-numpy",
                "import numpy as np; return 2 * dout, np.sum(dout, axis=0) * np.product([1]).astype(x.dtype)",
                FaultKind.RAISED,
            ),
        ],
    )
    def test_custom_is_a_fault_unless_the_author_allows_it(
        self, graded: Graded, custom: str, body: str, fault: FaultKind | None
    ) -> None:
        answer = f"def thing_backward(dout, x, b):\n    {body}\n"
        if fault is not None:
            plain = graded(answer, "backward", self.STUB, self.REST.format(remarks="()"), solution=self.RIGHT)
            assert kind_of(plain) is fault
        report = graded(answer, "backward", self.STUB, self.REST.format(remarks=f"({custom!r},)"), solution=self.RIGHT)
        assert report.verdict is Verdict.PASS
        assert [remark.key for remark in report.remarks] == ([custom] if fault is not None else [])

    def test_custom_does_not_allow_writing_to_an_input(self, graded: Graded) -> None:
        answer = "def thing_backward(dout, x, b):\n    x *= 2\n    return 2 * dout, dout.sum(axis=0)\n"
        rest = self.REST.format(remarks='("writes-cotangent",)')
        assert kind_of(graded(answer, "backward", self.STUB, rest, solution=self.RIGHT)) is FaultKind.MUTATED


class TestRanks:
    def test_in_step_gives_every_rank_the_sum(self) -> None:
        def program(own: int, reduce: Callable[[int], Any]) -> tuple[Any, Any]:
            return reduce(own), reduce(10 * own)

        results, rounds = in_step(program, [[1], [2], [3]], sum)
        assert results == [(6, 60)] * 3
        assert rounds == [[1, 2, 3], [10, 20, 30]]

    def test_collective_carries_plain_numbers_only(self) -> None:
        class Loaded(float):
            held: object

        loaded = Loaded(2.0)
        loaded.held = [1.0, 2.0]
        marked = np.zeros(1, np.dtype("f8", metadata={"held": loaded}))

        def program(_: int, gather: Callable[[Any], Any]) -> Any:
            return gather((loaded, marked, True, np.float32(3)))

        ((number, array, flag, single),) = in_step(program, [[0]], lambda sent: sent[0])[0]
        assert (type(number), number, flag, single, single.dtype) == (float, 2.0, True, 3.0, np.float32)
        assert array.dtype.metadata is None

    @pytest.mark.parametrize("message", [1 << 64, 1j, b"12345678", np.array([None]), np.zeros(1, "c16")])
    def test_collective_refuses_what_holds_more_than_its_size(self, message: object) -> None:
        with pytest.raises(TypeError, match="a message holds real numbers"):
            in_step(lambda _, gather: gather(message), [[0]], lambda sent: sent[0])

    def test_in_step_refuses_a_collective_that_would_hang(self) -> None:
        with pytest.raises(RuntimeError, match="1 ranks wait at collective 1, 1 have ended"):
            in_step(lambda own, reduce: reduce(own) if own else own, [[0], [1]], sum)

    def test_in_step_copies_values_for_each_rank(self) -> None:
        def program(own: list[int], reduce: Callable[[list[int]], Any]) -> Any:
            own.append(1)
            got = reduce(own)
            own.append(2)
            return got

        given = [1, 2]
        results, _ = in_step(program, [[given], [given]], lambda lists: lists[0] + lists[1])
        assert given == [1, 2]
        assert results == [[1, 2, 1, 1, 2, 1]] * 2
