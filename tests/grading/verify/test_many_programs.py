"""The bench agrees with `grade` for many programs in one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.grading.grade import grade
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.grading.verify.many_programs import FEW_SEEDS, Bench, Found
from autodrill.sandbox.runner import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Pack

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"


@pytest.fixture
def bench(pack: Pack) -> Iterator[Bench]:
    pack.add()
    with Bench(pack.load(), Limits(seconds=0.5)) as bench:
        yield bench


def program(body: str) -> str:
    return f"def cube_backward(g, x):\n    {body}\n"


@pytest.mark.parametrize(
    "source",
    [
        RIGHT,
        program("return 3 * x * x"),
        program("return (3 * x * x * g).T"),
        program("return 3 * x * x * g.astype('float64')"),
        program("x *= 3 * x * g; return x"),
        program("return 3 * x * x * abs(g)"),
        "def another(g, x): return g",
        "def cube_backward(g, x) return g",
    ],
)
def test_bench_agrees_with_grade(bench: Bench, pack: Pack, source: str) -> None:
    drill = pack.load()
    report = grade(drill, Submission(source.encode(), "a.py", "a.py"), seed=3)
    assert (bench.first_fault(source, [3]) is None) is (report.verdict is Verdict.PASS)


def test_bench_returns_the_first_fault(bench: Bench) -> None:
    found = bench.first_fault(program("return x * x * g"), [0])
    assert found == Found("x (n, m) · sizes all different", "dx is wrong in 6 of 6 places")


def test_bench_puts_large_cases_under_seed_0_only(bench: Bench) -> None:
    slow = program("x.size < 999 or sum(range(1 << 40)); return 3 * x * x * g")
    found = bench.first_fault(slow, [1, 0])
    assert found is not None
    assert "large" in found.label
    assert bench.first_fault(slow, [1, 2]) is None


def test_bench_finds_a_fault_under_a_later_seed(bench: Bench) -> None:
    largest = max(abs(c.inputs["x"]).max(initial=0) for c in bench.cases(0) if not c.large)
    rare = program(f"return 3 * x * x * g * (2 if 0 < x.size < 99 and abs(x).max() > {largest + 1e-6} else 1)")
    assert bench.first_fault(rare, [0]) is None
    assert bench.first_fault(rare, range(20)) is not None


@pytest.mark.parametrize("body", ["while True: pass", "import os; os._exit(3)", "return [0] * 10**9"])
def test_bench_survives_a_program_that_ends_its_process(bench: Bench, body: str) -> None:
    assert bench.first_fault(program(body), [0]) is not None
    assert bench.first_fault(RIGHT, [0]) is None


def test_bench_does_not_count_a_remark_as_a_fault(pack: Pack) -> None:
    pack.add(solution=('given("x[n,m]")', 'given("x[n,m]"), given("x[2]", x=[0.0, 1.0], remark=True, note="zero")'))
    with Bench(pack.load()) as bench:
        assert bench.first_fault(program("return 3 * x * x * g + (x == 0)"), [0]) is None


def test_bench_takes_differences_under_the_first_seeds_only(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bool] = []
    monkeypatch.setattr(
        "autodrill.drills.crosscheck._hold_against_differences", lambda *_, thorough: taken.append(thorough)
    )
    counts = []
    for seed in (0, FEW_SEEDS - 1, FEW_SEEDS):
        taken.clear()
        assert bench.first_fault(RIGHT, [seed]) is None
        counts.append((taken.count(True) > 3, taken.count(False) > 3))
    assert counts == [(True, False), (False, True), (False, False)]
