"""The rule of an answer whose ranks exchange numbers outside the collectives."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.grade import grade
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.runner import RankMode, Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.grading.report import Report

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a fork server needs Linux")

EVASIONS = Path(__file__).parents[2] / "corpus" / "evasions"
WITH_ALL_RANKS_IN_ONE_PROCESS = frozenset(
    f"ranks_{how}"
    for how in (
        *("share_a_library_class", "share_a_logger", "share_a_random_state", "share_an_error_callback"),
        *("share_the_environment", "read_the_caller", "keep_for_the_next_call"),
    )
)
"""The evasions that pass if all ranks run in one process."""

MLP = """
import numpy as np
def tensor_parallel_mlp_backward(x, W1_rank, W2_rank, g, all_reduce, world):
    a = x @ W1_rank
    da = g @ W2_rank.T * (a > 0)
    {}
    return dx, x.T @ da, np.maximum(a, 0).T @ g, g.sum(axis=0)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer() as started:
        yield started


def report_of(server: ForkServer, exercise: str, source: str) -> Report:
    library = Library.open()
    drill = library.drill(library.find(exercise))
    return grade(drill, Submission(source.encode(), "a.py", "a.py"), seed=5, launcher=server.launch)


def key_of(report: Report) -> str | None:
    assert report.failure is not None
    return report.failure.rule.key if report.failure.rule else None


def test_a_right_answer_passes(server: ForkServer) -> None:
    assert report_of(server, "tensor_parallel_mlp_backward", MLP.format("dx = all_reduce(da @ W1_rank.T)")).verdict is (
        Verdict.PASS
    )


@pytest.mark.parametrize("name", sorted(WITH_ALL_RANKS_IN_ONE_PROCESS))
def test_answer_that_needs_one_process_is_named(server: ForkServer, name: str) -> None:
    source = (EVASIONS / f"{name}.py").read_text()
    exercise = source.split("\n", 1)[0].removeprefix("# exercise: ")
    report = report_of(server, exercise, source)
    assert report.verdict is Verdict.FAIL
    assert key_of(report) == "outside-collectives"


@pytest.mark.parametrize("name", sorted(WITH_ALL_RANKS_IN_ONE_PROCESS))
def test_evasion_would_pass_in_one_process(server: ForkServer, name: str) -> None:
    source = (EVASIONS / f"{name}.py").read_bytes()
    library = Library.open()
    drill = library.drill(library.find(source.split(b"\n", 1)[0].decode().removeprefix("# exercise: ")))
    cases = CaseSet(drill, 5)
    with Runner.start(cases.limits, launcher=server.launch) as runner:
        scenario = drill.kind.scenario(drill)
        loaded = runner.load(source, "a.py", drill.exercise.entry, scenario, ranks=RankMode.TOGETHER)
        assert isinstance(loaded, Loaded)
        small = [i for i, case in enumerate(cases.cases) if not case.large]
        assert [seen.fault for _, seen in cases.put(runner, small)] == [None] * len(small)


@pytest.mark.parametrize(
    "line",
    [
        "dx = da @ W1_rank.T",
        "dx = all_reduce(da @ W1_rank.T) + np.random.default_rng().normal()",
        "dx = all_reduce(da @ W1_rank.T) * (1 if np.random.default_rng().random() < 0.7 else 2)",
        "dx = held[1]",
        "dx = all_reduce(object())",
    ],
    ids=["not reduced", "noise", "chance", "no such name", "no message"],
)
def test_other_faults_are_not_blamed_on_the_ranks(server: ForkServer, line: str) -> None:
    report = report_of(server, "tensor_parallel_mlp_backward", MLP.format(line))
    assert report.verdict is Verdict.FAIL
    assert key_of(report) != "outside-collectives"
